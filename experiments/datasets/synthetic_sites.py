"""Synthetic sites of any size with known page types and a search log, from a seed: for benchmarks and tests.

A page has a menu, a head line, the fields of its type, records, prose, unique ids, and some nested
elements that almost no other page has: over 600 nodes, and 24 paths that are new on every page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.synthetic_pages import WORDS
from webgrain.base.errors import ParameterError
from webgrain.page.page import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = ("product", "review", "category", "store", "article", "help")
SHARES = (0.4, 0.2, 0.15, 0.1, 0.1, 0.05)
SEARCHED = 0.2
"""Share of the pages with queries."""


def make_site_pages(
    n: int, *, size: int = 52, random_state: int = 0
) -> Iterator[tuple[Source, str, dict[str, int]]]:
    """Yield ``n`` pages, each with its type and its queries; the same ones for the same seed.

    size: records on a page, about; nodes grow with it. `ParameterError` for a number below 1.

    >>> [source, kind, queries] = next(make_site_pages(3))
    >>> source.id, kind in TYPES
    ('page-0.html', True)
    """
    if min(n, size) < 1:
        raise ParameterError(f"make_site_pages expects n and size of at least 1, got {n} and {size}.")
    for k in range(n):
        rng = np.random.default_rng((random_state, k))
        kind = TYPES[int(rng.choice(len(TYPES), p=SHARES))]
        title = f"{_words(rng, 3)} {k}"
        queries = {title: int(rng.integers(1, 50)), _words(rng, 2): 1} if rng.random() < SEARCHED else {}
        yield Source(f"page-{k}.html", _page(rng, kind, title, k, size).encode()), kind, queries


def _page(rng: np.random.Generator, kind: str, title: str, k: int, size: int) -> str:
    menu = "".join(f"<li class=entry><a href='/{word}'><span>{word}</span></a>" for word in WORDS)
    records = "".join(_record(rng, kind, k, i) for i in range(size // 2 + int(rng.integers(size))))
    prose = "".join(
        f"<p>{_words(rng, 8)} <em>{_words(rng, 2)}</em></p>" for _ in range(int(rng.integers(2, 12)))
    )
    return (
        f"<!doctype html><html><head><title>{title} | Shop</title></head><body class='page-{k}'>"
        f"<div id=top><ul class=menu>{menu}</ul></div><div id=main>{_fields(rng, kind, title)}"
        f"<div class='{kind}-list'>{records}</div><div class=prose>{prose}{_markup(rng)}</div></div>"
        f"<div id=foot><p>All rights reserved</p></div></body></html>"
    )


def _fields(rng: np.random.Generator, kind: str, title: str) -> str:
    """Return what pages of a type have in common; reviews and products share the place of their title."""
    price = f"<span class=price>{int(rng.integers(1, 900))}</span>"
    return {
        "product": f"<div class=buy><h1>{title}</h1>{price}<form><button>Buy</button></form></div>",
        "review": f"<div class=opinion><h1>{title}</h1><b class=stars>{int(rng.integers(1, 6))}</b></div>",
        "category": f"<div class=browse><h2>{title}</h2><form><select><option>Price</select></form></div>",
        "store": f"<div class=vcard><h3>{title}</h3><address>{_words(rng, 3)}</address></div>",
        "article": f"<article><header><h1>{title}</h1><time>2024</time></header></article>",
        "help": f"<dl><dt>{title}<dd>{_words(rng, 6)}</dl>",
    }[kind]


def _record(rng: np.random.Generator, kind: str, k: int, i: int) -> str:
    mine = f" id=r{k}-{i}" if i < 3 else ""
    link = f"<a href=page-{int(rng.integers(1000))}.html>{_words(rng, 2)}</a>"
    text = f"<div class=cell><p>{_words(rng, 4)}<br>{kind}</p></div>"
    return f"<div class=row{mine}><div class=cell>{link}</div>{text}</div>"


def _markup(rng: np.random.Generator) -> str:
    """Return a few nested elements whose paths almost no other page has."""
    pieces = []
    for _ in range(6):
        names = [f"x-{number}" for number in rng.integers(5000, size=5)]
        pieces.append("".join(f"<{name}>" for name in names) + "".join(f"</{name}>" for name in names[::-1]))
    return "".join(pieces)


def _words(rng: np.random.Generator, n: int) -> str:
    return " ".join(WORDS[int(k)] for k in rng.integers(len(WORDS), size=n))
