"""Lists of the bench: row F1 of the first and the best list of each page, and exactness of selectors.

    WEBGRAIN_DATA=data python experiments/lists.py [GROUPS]

The sites are divided into groups (5 unless stated); each group is left out of training, families together.
A page with at least three true records is scored alone and with the texts that pages of its site repeat.
A row is correct if it contains the name of exactly one true record; F1 = 2 x correct / (records + rows).
Selectors are executed with lexbor on the markup; they are exact if they select as many elements as the list
has items.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import BenchSite, read_bench
from experiments.results import table, write_results
from experiments.training.lists import COUNTED_PAGES, MOST_INDEX, cross_fit, names_in_rows, rows_of, words
from webgrain.base.trees import BoostedTrees
from webgrain.lists.features import node_texts
from webgrain.lists.ranking import find_lists
from webgrain.lists.records import Listing
from webgrain.page.page import Page
from webgrain.page.paths import text_key

MEASURES = ("alone first", "alone best", "site first", "site best", "with selector", "exact")


def row_f1(found: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]) -> float:
    """Return the row F1 of a list by the values of its rows.

    >>> row_f1([{"name": "Red lamp", "price": "5"}, {"name": "Menu"}], [{"name": "red lamp"}])
    0.6666666666666666
    """
    wanted = sum(bool(words(record.get("name"))) for record in records)
    correct = names_in_rows(found, records).count(1)
    return min(1.0, 2 * correct / (wanted + max(len(found), 1)))


def scores(
    page: Page, records: Sequence[dict[str, Any]], model: BoostedTrees, repeated: Any
) -> Iterator[float]:
    """Yield the measures of a page."""
    for known in (None, repeated):
        lists = find_lists(page, repeated=known, model=model)
        f1 = [row_f1(listing.records(), records) for listing in lists]
        yield from (f1[0] if f1 else 0.0, max(f1, default=0.0))
    if not lists:
        yield from (np.nan, np.nan)
        return
    yield float(bool(lists[0].items))
    yield float(len(select(page, lists[0])) == len(lists[0].rows)) if lists[0].items else np.nan


def select(page: Page, listing: Listing) -> list[Any]:
    """Return what the selectors of a list select according to lexbor."""
    from selectolax.lexbor import LexborHTMLParser

    assert page.source is not None
    tree = LexborHTMLParser(page.source.body.decode(page.charset, "replace"))
    return tree.css(f"{listing.css} {listing.items}")


def evaluate(site: BenchSite, model: BoostedTrees) -> list[float]:
    """Return the mean measures of the index pages of a site."""
    table = []
    counted = set(sorted(site.types, key=text_key)[:COUNTED_PAGES])
    texts = node_texts(page for page in site.pages() if page.id in counted)
    for page in site.pages():
        records = site.truth[page.id].get("records") or []
        if len(records) >= 3:
            table.append(list(scores(page, records, model, texts)))
    return np.nanmean(np.array(table), axis=0).tolist()  # type: ignore[no-any-return]


def measure(groups: int) -> Iterator[tuple[str, list[float]]]:
    """Yield each site with its measures, left out of training together with its group."""
    sites = {site.name: site for site in read_bench() if site.trust["list"]}
    pages = [rows for site in sites.values() for rows in rows_of(site, MOST_INDEX)]
    for left_out, model in cross_fit(pages, groups):
        yield from ((name, evaluate(sites[name], model)) for name in sorted(left_out))


def main() -> None:
    """Print a table: a row per left-out site, and the mean."""
    rows = list[list[Any]]()
    print("| site |", " | ".join(MEASURES), "|")
    for name, figures in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        rows.append([name, *figures])
        print(f"| {name} |", " | ".join(f"{x:.2f}" for x in figures), "|", flush=True)
    means = np.nanmean(np.array([row[1:] for row in rows]), axis=0).tolist()
    print("| mean |", " | ".join(f"{x:.3f}" for x in means), "|")
    data = "Index pages of the sites of the bench; each site was left out of training."
    lines = [[name, *(None if np.isnan(x) else x for x in row)] for name, *row in [*rows, ["mean", *means]]]
    sites = table(["site", *MEASURES], lines)
    write_results("lists", data, "python experiments/lists.py", {"sites": sites})


if __name__ == "__main__":
    main()
