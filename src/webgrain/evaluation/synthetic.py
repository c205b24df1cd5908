"""Made-up pages with known segments, for tests and benchmarks: from a seed, without any data.

A page has a header with a logo and a menu, a column of articles, a sidebar of link lists, and a footer. Each
is wrapped in a random number of boxes and styled a little, as real pages are; the true segments are the
elements that were made as such, and nothing in the page tells which these are.

Made-up sites of any size with known page types and a search log, from a seed: for benchmarks and tests.

A page has a menu, a head line, the fields of its type, records, prose, ids of its own, and some nested
elements that hardly another page has: over 600 nodes, and 24 paths that are new on every page.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webgrain.errors import ParameterError
from webgrain.evaluation.datasets import LabelledPage, labelled_page
from webgrain.page.page import Source

WORDS = (
    "harbour", "tide", "lantern", "storm", "ferry", "keeper", "rope", "anchor", "market", "gull", "chart",
    "pilot", "mole", "buoy", "island", "north", "signal", "crew", "net", "salt", "wind", "deck", "sail",
)  # fmt: skip


def make_pages(n: int, *, size: int = 5, random_state: int = 0) -> list[LabelledPage]:
    """Return ``n`` pages, the same ones for the same seed.

    size: articles on a page, about, and entries of a list; leaves grow as its square. `ParameterError` for a
    number below 1.

    >>> page = make_pages(1)[0]
    >>> [segment.role for segment in page.segments][:3], page.source.body[:15]
    (['header', 'logo', 'menu'], b'<!doctype html>')
    """
    if min(n, size) < 1:
        raise ParameterError(f"make_pages expects n and size of at least 1, got {n} and {size}.")
    made = (_Maker(np.random.default_rng((random_state, k)), size).page() for k in range(n))
    return [labelled_page(Source(f"page-{k}.html", html.encode())) for k, html in enumerate(made)]


class _Maker:
    """One page in the making, with the marks of the Kreuzer data set on its segments."""

    def __init__(self, rng: np.random.Generator, size: int) -> None:
        self.rng, self.size = rng, size

    def page(self) -> str:
        style = (
            f"body {{ background: {self.color()} }} aside {{ float: right; width: {self.number(20, 35)}% }}"
        )
        body = self.header() + self.middle() + mark("footer", "footer", self.wrap(self.texts(2)))
        head = f"<!doctype html><title>{self.text(3)}</title><style>{style}</style>"
        return f"{head}<body>{self.wrap(body)}</body>"

    def header(self) -> str:
        logo = mark("div", "logo", "<img src=logo.png width=120 height=60>")
        menu = mark("ul", "menu", self.links(self.number(2, self.size + 3)))
        return mark("div", "header", self.wrap(logo) + self.wrap(menu))

    def middle(self) -> str:
        lists = "".join(self.wrap(self.link_list()) for _ in range(self.number(1, self.size + 1)))
        articles = "".join(self.wrap(self.article()) for _ in range(self.number(1, 2 * self.size + 1)))
        return f"<div><aside>{lists}</aside><div>{articles}</div></div>"

    def link_list(self) -> str:
        return mark("div", "linklist", f"<h3>{self.text(2)}</h3><ul>{self.links(self.size)}</ul>")

    def article(self) -> str:
        image = "<img src=a.jpg width=300 height=200>" if self.rng.random() < 0.3 else ""
        return mark("div", "article", f"<h2>{self.text(4)}</h2>{image}{self.texts(self.number(1, 4))}")

    def links(self, n: int) -> str:
        return "".join(f"<li><a href='/{k}'>{self.text(2)}</a></li>" for k in range(n))

    def texts(self, n: int) -> str:
        return "".join(f"<p>{self.text(self.number(5, 60))}</p>" for _ in range(n))

    def text(self, n: int) -> str:
        return " ".join(self.rng.choice(WORDS, n)).capitalize()

    def wrap(self, html: str) -> str:
        for _ in range(self.number(0, 3)):
            style = f" style='background: {self.color()}'" if self.rng.random() < 0.2 else ""
            html = f"<div{style}>{html}</div>"
        return html

    def color(self) -> str:
        return "#" + "".join(f"{self.number(200, 256):02x}" for _ in range(3))

    def number(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high - 1``."""
        return int(self.rng.integers(low, high))


def mark(tag: str, role: str, html: str) -> str:
    """Return an element that is a segment."""
    return f'<{tag} data-block="1" data-block-type="{role}">{html}</{tag}>'


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
    """Return a few nested elements of a page's own: with paths that hardly another page has."""
    pieces = []
    for _ in range(6):
        names = [f"x-{number}" for number in rng.integers(5000, size=5)]
        pieces.append("".join(f"<{name}>" for name in names) + "".join(f"</{name}>" for name in names[::-1]))
    return "".join(pieces)


def _words(rng: np.random.Generator, n: int) -> str:
    return " ".join(WORDS[int(k)] for k in rng.integers(len(WORDS), size=n))
