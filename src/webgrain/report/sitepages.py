"""The pages in the report of a site: listed up to a number, counted all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from webgrain.report.sitejson import cut, link, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webgrain.report.site import PageRow

    Record = dict[str, Any]

PAGES = 20_000
"""Pages that are listed."""

TEXT = 300
"""Characters of a page's text that are shown."""

BINS = 20
"""Bars of a histogram over 0..1."""


class Pages:
    """Goes through the pages once: gives the cells of those that are listed, and counts all of them.

    types: the labels of the types whose pages are also counted type by type, see `of_type`.

    >>> from webgrain.report.site import PageRow
    >>> pages = Pages([PageRow("a.html", noise_share=0.5)])
    >>> [cells[0] for cells in pages.cells()], pages.summary()["noise"]["mean"]
    (['a.html'], 0.5)
    """

    def __init__(self, pages: Iterable[PageRow], types: Iterable[str | None] = ()) -> None:
        self._pages = pages
        self._verdicts: Counter[str] = Counter()
        self._untyped = self._misfits = self._empty = self._total = 0
        self._types = {label: _OfType() for label in types}
        self._noise, self._match = _Histogram(), _Histogram()

    def cells(self) -> Iterator[list[Any]]:
        """Yield the cells of each page that is listed, in the order of the fields of `PageRow`."""
        for page in self._pages:
            self._count(page)
            if self._total <= PAGES:
                yield _cells(page)

    def summary(self) -> Record:
        """Return what is known of all pages, once they have been gone through."""
        return {
            "pages": self._total,
            "listed": min(self._total, PAGES),
            "verdicts": dict(self._verdicts.most_common(10)),
            "untyped": self._untyped,
            "misfits": self._misfits,
            "empty": self._empty,
            "noise": self._noise.record(),
            "match": self._match.record(),
        }

    def of_type(self, label: str | None) -> Record:
        """Return what is known of the pages of one of the types, once all have been gone through."""
        return self._types[label].record()

    def _count(self, page: PageRow) -> None:
        self._total += 1
        self._verdicts[cut(page.verdict)] += 1
        self._untyped += page.type is None
        self._misfits += page.fits is False
        self._empty += not page.text.strip()
        if page.type in self._types:
            self._types[page.type].add(page)
        self._noise.add(page.noise_share)
        self._match.add(page.template_match)


class _OfType:
    """Counts of the pages of a type: by verdict, and those that do not fit its template."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._misfits = 0

    def add(self, page: PageRow) -> None:
        self._verdicts[cut(page.verdict)] += 1
        self._misfits += page.fits is False

    def record(self) -> Record:
        return {"verdicts": self._verdicts.most_common(3), "misfits": self._misfits}


class _Histogram:
    """Counts of shares in `BINS` bars of one width, and their mean."""

    def __init__(self) -> None:
        self._bars = [0] * BINS
        self._sum = 0.0

    def add(self, value: float | None) -> None:
        share = number(value)
        if share is not None:
            share = min(max(share, 0.0), 1.0)
            self._bars[min(int(share * BINS), BINS - 1)] += 1
            self._sum += share

    def record(self) -> Record:
        known = sum(self._bars)
        return {"bars": self._bars, "known": known, "mean": number(self._sum / known) if known else None}


def _cells(page: PageRow) -> list[Any]:
    return [
        cut(page.id),
        link(page.url),
        None if page.type is None else cut(page.type),
        cut(page.verdict),
        cut(page.title),
        cut(page.text, TEXT),
        number(page.noise_share),
        number(page.template_match),
        page.fits,
        number(page.confidence),
        page.cluster,
        page.nodes,
    ]
