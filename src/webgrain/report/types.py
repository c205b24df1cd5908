"""One HTML file that shows the types of a site, each with outlines of a few pages; it loads nothing."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Mapping
from html import escape

from webgrain.io.local import replacing
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import Path
from webgrain.page.text import visible_text
from webgrain.report.html import asset, policy
from webgrain.report.terminal import count, node_name, plain
from webgrain.results import Clustering, PageType

EXAMPLES = 3
"""Pages that are shown of each type."""

DEPTH, CHILDREN, TEXT = 5, 8, 60
"""Levels, elements beside each other, and characters of an outline."""

_QUIET = frozenset(("#text", "script", "style", "head", "noscript", "template", "link", "meta", "br"))


def write_types(
    path: pathlib.Path,
    clustering: Clustering,
    pages: Mapping[str, Page],
    source: str,
    names: Mapping[str, str],
) -> None:
    """Write the types of a site as HTML.

    pages: the examples, by id; those that are missing are only named. source: what key paths were matched
    with, in words. names: of the types, by label.
    """
    parts = "".join(_section(kind, names[kind.label], pages) for kind in clustering.types)
    facts = f"{count(len(clustering.pages), 'page')}, {count(len(clustering), 'type')}; {source}."
    style = asset("common.css", "types.css")
    html = _PAGE.format(policy=policy(style), style=style, facts=escape(facts), parts=parts)
    with replacing(path) as part:
        part.write_text(html, encoding="utf-8", errors="replace")


def _section(kind: PageType, name: str, pages: Mapping[str, Page]) -> str:
    key = escape(kind.key_path.css) if kind.key_path else "none"
    said = "".join(f"<li>{escape(plain(text, 200))}</li>" for text in kind.contents)
    shown = "".join(_example(name, pages.get(name), kind.key_path) for name in kind.examples[:EXAMPLES])
    tab = f"<p>Tab: {escape(plain(kind.tab))}</p>" if kind.tab else ""
    return (
        f"<section><h2>{escape(name)}</h2><p>Label: <code>{escape(kind.label)}</code>. "
        f"{count(kind.size, 'page')}, {kind.share:.0%} of the site. "
        f"Key path: <code>{key}</code></p>{tab}<ul class=said>{said}</ul>"
        f"<div class=row>{shown}</div></section>\n"
    )


def _example(name: str, page: Page | None, key_path: Path | None) -> str:
    if page is None:
        return f"<article><h3>{escape(name)}</h3></article>"
    marked = _nodes_of(page.dom, key_path) if key_path else frozenset()
    return f"<article><h3>{escape(name)}</h3><ul>{''.join(_outline(page, 0, marked, 0))}</ul></article>"


def _outline(page: Page, node: int, marked: frozenset[int], depth: int) -> Iterator[str]:
    """Yield the items of a nested list: the elements below a node, those of the key path marked."""
    dom = page.dom
    children = [child for child in dom.children(node) if dom.name(child) not in _QUIET]
    inside = any(node < one < int(dom.end[node]) for one in marked)
    name = escape(plain(node_name(dom, node), TEXT))
    said = "" if children and depth < DEPTH else plain(visible_text(page, node), TEXT)
    text = f" <small>{escape(said)}</small>" if said else ""
    yield f"<li><b>{name}</b>{text}" if node in marked else f"<li>{name}{text}"
    if children and (depth < DEPTH or inside):
        yield "<ul>"
        for child in children[:CHILDREN]:
            yield from _outline(page, child, marked, depth + 1)
        more = len(children) - CHILDREN
        yield f"<li><small>and {more} more</small></ul>" if more > 0 else "</ul>"


def _nodes_of(dom: Dom, path: Path) -> frozenset[int]:
    """Return the first elements that a key path leads to, by the tags, ids and classes of its steps."""
    found = list(range(len(dom))) if path.steps[0].id else [0]
    for number, step in enumerate(path.steps):
        if number:
            loose = number in path.loose
            found = [
                child
                for node in found[:200]
                for child in (range(node + 1, int(dom.end[node])) if loose else dom.children(node))
            ]
        found = [
            node
            for node in found
            if dom.name(node) == step.tag
            and (not step.id or dom.get(node, "id") == step.id)
            and set(step.classes) <= set((dom.get(node, "class") or "").split())
        ]
    return frozenset(found[:20])


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page types</title><style>{style}</style></head>
<body><h1>Page types</h1><p>{facts} Elements on the key path are marked.</p>
{parts}</body></html>
"""
