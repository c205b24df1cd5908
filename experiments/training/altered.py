"""Pages with less text or less markup, from which the verdicts of such pages are learnt.

    page, true text, true records --> shortened, bare or plain page

The data sets have few short articles and few pages without navigation. An altered page has the first words of
the main text of a page, or of its records if it is an index page: with everything around them (*shortened*),
without it except the headings (*bare*), or as a new page with few elements, as they are written by hand
(*plain*).
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from experiments.training.alignment import true_shares
from webgrain.page.dom import TEXT
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.base.arrays import Bool
    from webgrain.page.dom import Dom
    from webgrain.page.page import Source

KINDS = ("short", "bare", "plain")
WORDS = {"short": (12, 100), "bare": (12, 100), "plain": (12, 300)}
"""Least and greatest number of words; their logarithm is drawn at random."""
_MENU = 0.4
"""Share of plain pages with a menu."""

_EMPTY = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_KEPT = frozenset(["head", "h1", "h2", "h3", "h4", "h5", "h6"])
_RAW = frozenset(("script", "style"))


def altered(
    source: Source, kind: str, title: str, text: str, records: Sequence[Sequence[str]]
) -> Source | None:
    """Return an altered page of a kind of `KINDS`; None if the page has fewer words.

    title, text: the true ones; records: the texts of each record of an index page.

    >>> from webgrain.page.page import Source
    >>> page = Source("a", b"<nav>Home</nav><p>" + b"One two three four. " * 40)
    >>> altered(page, "bare", "A", "One two three four. " * 40, ()).body.decode()[:50]
    '<html><head></head><body><p>One two three four. On'
    """
    rng = random.Random(f"{source.id} {kind}")
    least, most = WORDS[kind]
    number = int(math.exp(rng.uniform(math.log(least), math.log(most))))
    if kind == "plain":
        return replace(source, body=plain(rng, number, title, text, records).encode(), charset="utf-8")
    return shortened(
        source, text or "\n".join(" ".join(record) for record in records), number, bare=kind == "bare"
    )


def plain(rng: random.Random, most: int, title: str, text: str, records: Sequence[Sequence[str]]) -> str:
    """Return a page with few elements and the first ``most`` words of a text, or records with links."""
    if records:
        body = _list(rng, records)
    else:
        lines = list[str]()
        for line in text.splitlines():
            lines.append(escape(" ".join(line.split()[:most])))
            most -= len(line.split())
            if most <= 0:
                break
        before, behind = rng.choice((("<p>", "</p>\n"), ("", "<br>\n"), ("<div>", "</div>"), ("", " ")))
        body = "".join(f"{before}{line}{behind}" for line in lines if line)
    menu, name = "", escape(title)
    if rng.random() < _MENU:
        links = (_link(rng, word) for word in name.split()[:6])
        menu = rng.choice(("<nav>{}</nav>", "<p>{}</p>", "<hr>{}<br>")).format(" | ".join(links))
    heading = rng.choice((f"<h1>{name}</h1>", f"<h2>{name}</h2>", f"<b>{name}</b><br>", "")) if name else ""
    footer = rng.choice(("", "<hr><p>&copy; 2004</p>"))
    return f"<html><head><title>{name}</title></head><body>{menu}{heading}{body}{footer}</body></html>"


def _list(rng: random.Random, records: Sequence[Sequence[str]]) -> str:
    """Return some records, the first text of each with a link, as one of five kinds of lists."""
    form, titles_only = rng.randrange(5), rng.random() < 0.4
    items = []
    for first, *rest in records[: rng.choice((2, 3, 5, 10, 30))]:
        link, others = _link(rng, escape(first)), [] if titles_only else [escape(text) for text in rest]
        items.append(
            (
                f"<li>{link} {' '.join(others)}</li>",
                "".join(f"<td>{text}</td>" for text in (link, *others)),
                f"<p>{'<br>'.join((link, *others))}</p>",
                f"<div class=c><h3>{link}</h3>{''.join(f'<p>{text}</p>' for text in others)}</div>",
                f"{' - '.join((link, *others))}<br>",
            )[form]
        )
    if form == 1:
        items = [f"<tr>{item}</tr>" for item in items]
    before, behind = (("<ul>", "</ul>"), ("<table>", "</table>"), ("", ""), ("", ""), ("", ""))[form]
    return f"{before}{''.join(items)}{behind}"


def _link(rng: random.Random, text: str) -> str:
    return f'<a href="{rng.choice(("", "/", "/x/"))}{rng.randrange(10**4)}.html">{text}</a>'


def shortened(source: Source, text: str, most: int, *, bare: bool = False) -> Source | None:
    """Return a page with the first ``most`` words of its main text; None for a page with fewer.

    bare: without what is neither main text nor a heading.

    >>> from webgrain.page.page import Source
    >>> page = Source("a", b"<nav>Home</nav><p>One two three.<p>Four five six.<hr><ul><li>Seven</ul>")
    >>> shortened(page, "One two three. Four five six. Seven", 4).body.decode()
    '<html><head></head><body><nav>Home</nav><p>One two three.</p><p>Four</p></body></html>'
    """
    page = parse(source)
    dom, blocks = page.dom, text_blocks(page)
    main = np.flatnonzero(true_shares(blocks.texts, text) >= 0.5)
    number = [len(blocks.texts[k].split()) for k in main.tolist()]
    if sum(number) <= most:
        return None
    cut, left = dict[int, str](), most
    of_main = np.zeros(len(dom), bool)
    for k, own in zip(main.tolist(), number, strict=True):
        nodes = range(int(blocks.first[k]), int(blocks.last[k]) + 1)
        of_main[nodes.start : nodes.stop] = True
        rest = max(left, 0)
        for node in nodes if own > left else ():
            if dom.tag[node] == TEXT:
                words = dom.text_of(node).split()
                cut[node] = " ".join(words[:rest])
                rest = max(rest - len(words), 0)
        left -= own
    first, last = min(cut), int(blocks.last[main[-1]])
    texts = np.flatnonzero(dom.tag == TEXT)
    some = np.zeros(len(dom), bool)
    some[texts] = [bool(cut.get(node, dom.text_of(node)).strip()) for node in texts.tolist()]
    at = np.arange(len(dom))
    removed = (at >= first) & (at <= last) & (dom.subtree_sum(some) == 0)
    if bare:
        kept = np.isin(dom.tag, [k for k, tag in enumerate(dom.tags) if tag in _KEPT])
        removed |= dom.subtree_sum((of_main & some) | kept | dom.inside(kept)) == 0
    return replace(source, body=html_of(dom, removed, cut).encode(), charset="utf-8")


def html_of(dom: Dom, removed: Bool, texts: dict[int, str]) -> str:
    """Return the HTML of a page without the nodes ``removed`` (n,); texts: of nodes with another text."""
    parts, open_, node = list[str](), list[int](), 0
    while node < len(dom) or open_:
        if open_ and (node >= len(dom) or node >= dom.end[open_[-1]]):
            parts.append(f"</{dom.name(open_.pop())}>")
            continue
        name = dom.name(node)
        if removed[node]:
            node = int(dom.end[node])
            continue
        if dom.tag[node] == TEXT:
            text = texts.get(node, dom.text_of(node))
            parts.append(text if open_ and dom.name(open_[-1]) in _RAW else escape(text, quote=False))
        else:
            pairs = (f' {key}="{escape(value)}"' for key, value in dom.attributes(node).items())
            parts.append(f"<{name}{''.join(pairs)}>")
            if name not in _EMPTY:
                open_.append(node)
        node += 1
    return "".join(parts)
