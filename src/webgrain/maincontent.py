"""What finds the main content of a page, to look for duplicates: its segments, its landmark, its article.

Each gives the candidates of a page; which of them is compared is decided by what the site repeats
(`webgrain.dedup.repeats`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from webgrain.dedup.repeats import Part
from webgrain.errors import ParameterError
from webgrain.page.address import xpaths
from webgrain.page.text import texts_of, visible_text
from webgrain.records import segments
from webgrain.results import MAIN_KINDS, Article, Segmentation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.pipeline import Predictor
    from webgrain.records import Segment

Size = Literal["text", "area", "leaves"]
"""What makes a segment large: its characters, the area of its box, its leaves."""

Content = Callable[["Page"], Sequence[Part]]
"""What finds the candidates for the main content of a page."""

NOISE = 0.25
"""Importance below which a segment is noise, as in `webgrain.template.sections`."""

INFORMATIVE = frozenset(("content", "article"))
"""Roles of segments that are informative."""


@dataclass(frozen=True, slots=True)
class Segments:
    """Candidates for the main content: the segments of a page.

    Attributes:
        method: how pages are cut.
        largest: what makes a segment large.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.segment.gcuts import GCuts
    >>> page = parse(Source("a", b"<p>Some words"))
    >>> Segments(GCuts())(page)
    [Part(text='Some words', size=10, path=('/html[1]',))]
    """

    method: Predictor
    largest: Size = "text"

    def __post_init__(self) -> None:
        if self.largest not in get_args(Size):
            raise ParameterError(f"largest must be one of {', '.join(get_args(Size))}, got {self.largest!r}.")

    def __call__(self, page: Page) -> list[Part]:
        """Return the segments of a page in document order."""
        found = segments(page, self.method.predict(page))
        texts = texts_of(page, [segment.roots for segment in found], separator="\n")
        roots = [node for segment in found for node in segment.roots]
        path = dict(zip(roots, xpaths(page.dom, roots), strict=True))
        return [
            Part(text, self._size(segment, text), tuple(path[node] for node in segment.roots))
            for segment, text in zip(found, texts, strict=True)
        ]

    def _size(self, segment: Segment, text: str) -> float:
        if self.largest == "area":
            return segment.box[2] * segment.box[3] if segment.box else 0.0
        return len(text) if self.largest == "text" else segment.leaves


def landmark(page: Page) -> list[Part]:
    """Return the element that a page itself calls its main content, as the only candidate.

    The first ``main``, else element of the role ``main``, else ``article``; nothing where there is none.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> [part.text for part in landmark(parse(Source("a", b"<nav>Home</nav><main>Some words</main>")))]
    ['Some words']
    """
    dom = page.dom
    role = np.array([value == "main" for value in dom.column("role")])
    tests = [_is(dom, "main"), role, _is(dom, "article")]
    node = next((int(np.flatnonzero(test)[0]) for test in tests if test.any()), None)
    if node is None:
        return []
    text = visible_text(page, node, separator="\n")
    return [Part(text, len(text), tuple(xpaths(dom, [node])))]


def _is(dom: Dom, tag: str) -> NDArray[np.bool_]:
    return np.array([name == tag for name in dom.tags], bool)[dom.tag]


def informative(cut: Callable[[Page], Segmentation]) -> Content:
    """Return what finds the informative text of a page, as the only candidate: segments that are no noise.

    cut: gives segments with the importance of each; those of less than `NOISE` are noise. Where it tells
    roles instead, the segments of the roles in `INFORMATIVE` are taken.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> page = parse(Source("a", b"<p>Home<p>Some words"))  # html, head, body, p, text, p, text
    >>> labels = np.array([-1, -1, -1, 0, 0, 1, 1], np.int32)
    >>> cut = lambda page: Segmentation(labels, "by hand", importance=np.array([0.1, 0.9]))
    >>> [part.text for part in informative(cut)(page)]
    ['Some words']
    """

    def find(page: Page) -> list[Part]:
        found = [segment for segment in segments(page, cut(page)) if _is_informative(segment)]
        roots = sorted(node for segment in found for node in segment.roots)
        text = texts_of(page, [roots], separator="\n")[0]
        return [Part(text, len(text), tuple(xpaths(page.dom, roots)))] if text else []

    return find


def _is_informative(segment: Segment) -> bool:
    if segment.importance is not None:
        return segment.importance >= NOISE
    return segment.role in INFORMATIVE


def article(read: Callable[[Page], Article]) -> Content:
    """Return what finds the text of the article on a page, as the only candidate; read: the article.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.results import ArticleBlock
    >>> read = lambda page: Article("article", blocks=(ArticleBlock("paragraph", "Some words", 3),))
    >>> article(read)(parse(Source("a", b"<p>Some words<p>Imprint")))
    [Part(text='Some words', size=10, path=('/html[1]/body[1]/p[1]',))]
    """

    def find(page: Page) -> list[Part]:
        found = read(page)
        nodes = [block.node for block in found.blocks if block.kind in (*MAIN_KINDS, "code")]
        text = "\n".join([*found.text.split("\n\n"), *found.code]).strip()
        return [Part(text, len(text), tuple(xpaths(page.dom, sorted(set(nodes)))))] if text else []

    return find
