"""Synthetic pages with known segments, for tests and benchmarks: from a seed, without any data.

A page has a header with a logo and a menu, a column of articles, a sidebar of link lists, and a footer. Each
is wrapped in a random number of boxes and styled a little, as real pages are; the true segments are the
elements that were made as such, and nothing in the page identifies them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.kreuzer import labelled_page
from webgrain.base.errors import ParameterError
from webgrain.page.page import Source

if TYPE_CHECKING:
    from webgrain.io.labels import LabelledPage

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
