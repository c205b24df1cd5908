"""Which pages the server answers slowly, by the seconds until it began to answer each request of the crawl.

One request is one measurement, which another load of the server or the network may have delayed. So a page
counts as slow only beside the others: if it takes several times as long as the pages of the site usually do,
or if the pages of its type usually are slow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from webgrain.site import thresholds
from webgrain.site.tables import TableRow


class AnswerTimes:
    """The usual seconds of the answers of a site and of its types.

    rows: ``url`` and ``type`` of all pages. seconds: by address; those of other addresses are ignored.

    >>> rows = [{"url": f"http://e.org/{number}", "type": "story"} for number in range(9)]
    >>> times = AnswerTimes(rows, {row["url"]: 0.2 for row in rows})
    >>> times.fault(rows[0], 4.0), times.fault(rows[0], 0.5), times.fault(rows[0], None)
    ('4.0 seconds; the pages of the site usually take 0.2', '', '')
    """

    def __init__(self, rows: Iterable[TableRow], seconds: Mapping[str, float]) -> None:
        of_type = defaultdict[str, list[float]](list)
        for row in rows if seconds else ():
            if row["url"] in seconds:
                of_type[row["type"] or ""].append(seconds[row["url"]])
        every = [value for values in of_type.values() for value in values]
        self._usual = median(every) if every else 0.0
        self._usual_of_type = {
            label: median(values)
            for label, values in of_type.items()
            if len(values) >= thresholds.USUAL_PAGES
        }

    def fault(self, row: TableRow, seconds: float | None) -> str:
        """Return in words that a page is slow; empty if it is not, or if its seconds are not known."""
        if seconds is None or seconds < thresholds.SLOW_SECONDS:
            return ""
        of_type = self._usual_of_type.get(row["type"] or "", 0.0)
        if of_type >= thresholds.SLOW_SECONDS:
            return f"{seconds:.1f} seconds; the pages of its type usually take {of_type:.1f}"
        if seconds >= thresholds.SLOW_RATIO * self._usual:
            return f"{seconds:.1f} seconds; the pages of the site usually take {self._usual:.1f}"
        return ""
