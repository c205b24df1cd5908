"""Dates and authors of the metadata, compared with the ground truth of WCXB and of the bench.

    python -m experiments.metadata_wcxb [FOLDER]

FOLDER: the unpacked development split; without it only the bench. A date is correct if the day is equal, an
author if the words of the name are equal. The packaged models have learnt from some of these pages:
``experiments/training/metadata.py -n`` prints the scores of left-out domains.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from experiments.datasets.bench import read_bench
from webgrain.base.metrics import tokens
from webgrain.documents.dates import first_date
from webgrain.extraction.metadata import metadata
from webgrain.extraction.single import SinglePage
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

Truth = dict[str, str]


def wcxb(folder: Path) -> Iterator[tuple[str, Page, Truth]]:
    """Yield kind, page and truth of the pages of WCXB that have a date or an author."""
    for path in sorted(folder.glob("ground-truth/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        truth = record["ground_truth"]
        known = {"published": truth.get("publish_date") or "", "author": truth.get("author") or ""}
        if any(known.values()):
            body = (folder / "html" / f"{path.stem}.html").read_bytes()
            yield (
                record["_internal"]["page_type"]["primary"],
                parse(Source(path.stem, body, record["url"])),
                known,
            )


def bench() -> Iterator[tuple[str, Page, Truth]]:
    """Yield site, page and truth of the bench."""
    for site in read_bench():
        taken = Counter[str]()
        for page in site.sources():
            record = site.truth[page.id]
            known = {"published": first_date(record.get("date") or ""), "author": record.get("author") or ""}
            if any(known.values()) and taken[site.name] < 20:
                taken[site.name] += 1
                yield site.name, parse(page), known


def measure(pages: Iterable[tuple[str, Page, Truth]]) -> dict[tuple[str, str], Counter[str]]:
    """Return numbers of pages, correct and found values by field and group: all, a kind or site."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for group, page, truth in pages:
        values = metadata(page, SinglePage().predict(page))
        for field, right in truth.items():
            if right:
                count(rows, group, field, right, values.get(field, ""), page.id)
    return rows


def main() -> None:
    """Print the share of correct values, by kind of page or site."""
    rows = measure(wcxb(Path(sys.argv[1])) if len(sys.argv) > 1 else bench())
    for (field, group), counts in sorted(rows.items()):
        n = counts["pages"]
        shares = f"correct {counts['correct'] / n:.3f}  found {counts['found'] / n:.3f}"
        print(f"{field:10} {group:32} {n:4} pages  {shares}")


def names(value: str) -> list[str]:
    """Return the words of names, without conjunctions."""
    return [word for word in tokens(value) if word != "and"]


def count(
    rows: dict[tuple[str, str], Counter[str]],
    group: str,
    field: str,
    right: str,
    value: str,
    page: str,
) -> None:
    """Count a value in the rows of all pages and of its group."""
    correct = value[:10] == right[:10] if field == "published" else names(value) == names(right)
    if not correct and "-v" in sys.argv:
        print(f"{page} {group} {field}: {value!r} instead of {right!r}")
    for key in ("all", group):
        row = rows.setdefault((field, key), Counter())
        row.update(pages=1, correct=int(correct), found=int(bool(value)))


if __name__ == "__main__":
    main()
