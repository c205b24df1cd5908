"""Links of a page as strings, link by link: the reference of `webgrain.page.links`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webgrain.page.leaves import visible_nodes
from webgrain.page.links import addresses, base_of, has_host, target_of
from webgrain.page.page import Page
from webgrain.page.thresholds import LONGEST_URL


def link_targets(page: Page) -> dict[int, str]:
    """Return the canonical URL that each ``a`` element of a page leads to; empty if it is not a page."""
    base = base_of(page)
    hrefs = {node: page.dom.get(node, "href") for node in page.dom.find_tag("a").tolist()}
    return {node: target_of(base, href) for node, href in hrefs.items() if href}


def site_links(page: Page) -> tuple[dict[int, str], int, int]:
    """Return the links to other pages of the host, the number of targets beside it, and of other links."""
    page_urls, every = addresses(page), link_targets(page)
    hosts = {url.partition("/")[0] for url in page_urls}
    others = {node: url for node, url in every.items() if url not in page_urls}
    inner = {node: url for node, url in others.items() if url.partition("/")[0] in hosts}
    folder = next(iter(page_urls), "").partition("?")[0].rpartition("/")[0]
    beside = [url for url in set(inner.values()) if url.partition("?")[0].rpartition("/")[0] == folder]
    return inner, len(beside), sum(map(bool, every.values())) - len(inner)


def numbered_targets(page: Page) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of the target of each node (n,), and whether it leads to another host (n,)."""
    dom, base, every, page_urls = page.dom, base_of(page), link_targets(page), addresses(page)
    anchors = np.flatnonzero(dom.links() & visible_nodes(page)).tolist()
    targets = [every.get(node, "") for node in anchors]
    host = base.split("/")[2] if base.count("/") >= 2 else ""
    hosts = {url.partition("/")[0] for url in page_urls} if has_host(page) else {host}
    number = np.zeros(len(dom), np.int64)
    external = np.zeros(len(dom), bool)
    numbers = {target: k for k, target in enumerate(dict.fromkeys(targets), 1)}
    for node, target in zip(anchors, targets, strict=True):
        if target and target.partition("/")[0] != host:
            external[node] = True
        elif target and host in hosts and target not in page_urls:
            number[node] = numbers[target]
    return number, external


def links(page: Page) -> Iterator[tuple[int, str, str, bool]]:
    """Yield node, target and text of each link, and whether it leads to a part of its target."""
    dom, base = page.dom, base_of(page)
    for tag in ("a", "area"):
        for node in dom.find_tag(tag).tolist():
            href = dom.get(node, "href")
            target = "" if href is None else target_of(base, href)
            if href is None or not target:
                continue
            words = dom.text[dom.text_start[node] : dom.text_start[dom.end[node]]][:LONGEST_URL]
            inside = (dom.get(below, "alt") for below in range(node, dom.end[node]))
            words = " ".join([words, *filter(None, inside)])[:LONGEST_URL]
            is_part = href.partition("#")[2].strip().lower() not in ("", "top")
            yield node, target, " ".join(words.split()), is_part
