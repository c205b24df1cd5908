"""Train the models of the lists of a page and of their rows, which come with webgrain: ``make train``.

    WEBGRAIN_DATA=data python experiments/training/lists.py

    pages --find_candidates, list_features--> x (c, f), worth (c,) --fit--> trees

The worth of a candidate of a page with at least three true records is the squared row F1, lowered by up to
15 % if its items lack values of the records besides the name; on pages without records it is 0. A candidate
with a worth between 0 and 1 is a row of each kind. Every site has about the same weight, and so has every
page of a site. Each candidate is a row twice: with and without the texts that other pages of the site repeat.

Some features can only lower or only raise the probability, so that the model does not overfit to few sites.

The model of rows is learnt from the first lists of pages with records, found by trees that the site was left
out of, alone and with the texts of the site. A row is a record if it contains the name of a true record; a
list counts if most of its rows are. Every site has the same weight, and so has every list of a site.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import BenchSite, folds, read_bench
from webgrain.base.arrays import Bool, Float64, Int64
from webgrain.base.errors import require
from webgrain.base.modelfile import write_model
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.lists.candidates import Candidates, find_candidates
from webgrain.lists.features import list_features, list_names, node_texts
from webgrain.lists.ranking import FORMAT, find_lists
from webgrain.lists.records import Listing
from webgrain.lists.rowmodel import FORMAT as ROW_FORMAT
from webgrain.lists.rowmodel import ROW_FEATURES, VERSION, RowModel
from webgrain.page.page import Page
from webgrain.page.paths import text_key
from webgrain.page.text import visible_texts

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "lists" / "trained" / "lists.model"
ROW_MODEL = MODEL.with_name("rows.json")
TREES, LEAVES, RATE, LEAST_ROWS, L2, SHARE = 180, 10, 0.08, 40, 5.0, 0.25
COMPLETE = 0.15
"""Part of the worth of a candidate that depends on the values besides the name."""
MOST_INDEX, MOST_OTHER, MOST_USELESS = 30, 10, 30
"""Pages of a site with and without records, and candidates of a page with a row F1 of less than 0.3."""
OTHER_WEIGHT = 0.3
"""Weight of the pages without records of a site."""
COUNTED_PAGES = 100
ROW_GROUPS, ROW_STRENGTH = 5, 0.3
"""Groups of sites that are left out of the trees, and inverse of the L2 penalty of the model of rows."""

LOWERS = (
    *("hint navigation", "hint sidebar", "hint related", "hint footer", "hint pagination", "hint contents"),
    *("hint filter", "hint nav element", "hint aside element", "hint footer element", "site mean"),
    *("site tenth", "site half", "several siblings inside", "repeated"),
)
RAISES = ("main", "share of main", "site own", "site specific", "distinct targets", "distinct texts")

_WORD = re.compile(r"\w+")


def words(text: str | None) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    return tuple(_WORD.findall((text or "").lower()))


class TrueRecords:
    """The places of the names of the true records on a page."""

    def __init__(self, page: Page, records: Sequence[dict[str, str | None]]) -> None:
        dom, tokens, places = page.dom, list[str](), list[int]()
        for node in visible_texts(page).node.tolist():
            own = words(dom.text[dom.text_start[node] : dom.text_start[node + 1]])
            tokens += own
            places += [node] * len(own)
        self.tokens, self.place = tokens, np.array(places, np.int64)
        where: dict[str, list[int]] = {}
        for k, token in enumerate(tokens):
            where.setdefault(token, []).append(k)
        self.wanted = sum(bool(words(record.get("name"))) for record in records)
        self.fields: dict[tuple[str, ...], list[list[set[str]]]] = {}
        for record in records:
            values = [set(words(value)) for name, value in record.items() if name != "name" and words(value)]
            if name := words(record.get("name")):
                self.fields.setdefault(name, []).append(values)
        found = sorted(
            (at, at + len(name) - 1, number)
            for number, name in enumerate(self.fields)
            for at in where.get(name[0], ())
            if tuple(tokens[at : at + len(name)]) == name
        )
        self.names = list(self.fields)
        columns = np.array(found, np.int64).reshape(-1, 3).T
        self.first, self.last, self.name = self.place[columns[0]], self.place[columns[1]], columns[2]

    def row_f1(self, found: Candidates) -> Float64:
        """Return the row F1 (c,): a row is correct if it contains the name of exactly one record."""
        begin, end = np.searchsorted(self.first, found.start), np.searchsorted(self.first, found.stop)
        correct = np.zeros(len(found.start), bool)
        for item in np.flatnonzero(end > begin).tolist():
            own = slice(begin[item], min(end[item], begin[item] + 60))
            names = self.name[own][self.last[own] < found.stop[item]]
            correct[item] = len(names) > 0 and bool((names == names[0]).all())
        if not len(found):
            return np.zeros(0)
        f1: Float64 = (
            2.0 * np.add.reduceat(correct, found.offset[:-1]) / (self.wanted + np.diff(found.offset))
        )
        return np.minimum(f1, 1.0)

    def completeness(self, start: Int64, stop: Int64, most: int = 12) -> float:
        """Return the share of the values of the records that the items of a candidate contain."""
        shares = []
        for k in np.unique(np.linspace(0, len(start) - 1, most).astype(int)).tolist():
            at, end = np.searchsorted(self.first, [start[k], stop[k]])
            if at < end:
                begin, last = np.searchsorted(self.place, [start[k], stop[k]])
                row = set(self.tokens[begin:last])
                records = [values for values in self.fields[self.names[self.name[at]]] if values]
                shares += (
                    [max(np.mean([value <= row for value in values]) for values in records)]
                    if records
                    else []
                )
        return float(np.mean(shares)) if shares else 1.0


@dataclass(frozen=True)
class Rows:
    """The candidates of a page.

    Attributes:
        site: the name of the site; records: the number of true records.
        x, x_site: (c, f) the features without and with the repeated texts of the site.
        f1, complete: (c,) row F1, and share of the values.
    """

    site: str
    page: str
    records: int
    x: Float64
    x_site: Float64
    f1: Float64
    complete: Float64


def rows_of(site: BenchSite, most: int | None = None) -> Iterator[Rows]:
    """Yield the rows of the pages of a site; most: pages with records, None for all."""
    truth = site.truth
    counted = set(sorted(site.types, key=text_key)[:COUNTED_PAGES])
    repeated = node_texts(page for page in site.pages() if page.id in counted)
    size = {name: len(record.get("records") or ()) for name, record in truth.items()}
    index = [name for name in sorted(size, key=text_key) if size[name] >= 3][:most]
    other = [name for name in sorted(size, key=text_key) if size[name] == 0][:MOST_OTHER]
    wanted = {*index, *other}
    for page in site.pages():
        if page.id in wanted:
            found, records = find_candidates(page), truth[page.id].get("records") or []
            true = TrueRecords(page, records)
            f1 = true.row_f1(found) if records else np.zeros(len(found))
            complete = [true.completeness(*found.items(k)) if f1[k] > 0.4 else 0.0 for k in range(len(found))]
            x, x_site = list_features(page, found), list_features(page, found, repeated)
            yield Rows(site.name, page.id, len(records), x, x_site, f1, np.array(complete))


def fit(pages: Sequence[Rows], random_state: int = 0) -> BoostedTrees:
    """Return the trees learnt from the candidates of pages."""
    rng, sites = np.random.default_rng(random_state), {page.site for page in pages}
    x, target, weight = list[Float64](), list[Float64](), list[Float64]()
    for site in sorted(sites):
        for has_records, most, share in ((True, MOST_INDEX, 1.0), (False, MOST_OTHER, OTHER_WEIGHT)):
            own = [page for page in pages if page.site == site and (page.records > 0) == has_records][:most]
            for page in own:
                if not len(page.f1):
                    continue
                good = page.f1 > 0.3
                useless = rng.permutation(np.flatnonzero(~good))
                kept = np.concatenate([np.flatnonzero(good), useless[:MOST_USELESS]])
                worth = np.where(page.f1 < 0.1, 0.0, page.f1**2 * (1.0 - COMPLETE * (1.0 - page.complete)))
                each = share * min(1.0, len(own) / 8) / len(own)
                scale = np.where(good, 1.0, max(1.0, len(useless) / MOST_USELESS))
                for table in (page.x, page.x_site):
                    x.append(table[kept])
                    target.append(worth[kept])
                    weight.append(each * scale[kept])
    names = list_names()
    return learn_trees(
        np.concatenate(x),
        np.concatenate(target),
        np.concatenate(weight),
        names,
        random_state=random_state,
        max_iter=TREES,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAST_ROWS,
        l2_regularization=L2,
        max_features=SHARE,
        max_bins=63,
        monotonic_cst=[(name in RAISES) - (name in LOWERS) for name in names],
    )


def cross_fit(pages: Sequence[Rows], groups: int) -> Iterator[tuple[set[str], BoostedTrees]]:
    """Yield the sites of each group that are left out, and the trees learnt from all others.

    Sites of one family are in one group; the groups are drawn by the keys of the names.
    """
    names = sorted({page.site for page in pages})
    fold = dict(zip(names, folds(names).tolist(), strict=True))
    order = sorted(set(fold.values()), key=lambda k: text_key(f"group {k}"))
    for group in range(groups):
        out = {name for name in names if order.index(fold[name]) % groups == group}
        yield out, fit([page for page in pages if page.site not in out])


class RowExamples(NamedTuple):
    """The rows of a list: its site, features (i, 2), whether each is a record (i,)."""

    site: str
    x: Float64
    is_record: Bool


def names_in_rows(rows: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return for each row how many names of records its values contain.

    >>> names_in_rows([{"name": "Red lamp", "price": "5"}, {"name": "Menu"}], [{"name": "red lamp"}])
    [1, 0]
    """
    names = {f" {' '.join(name)} " for record in records if (name := words(record.get("name")))}
    texts = [f" {' '.join(words(' '.join(map(str, row.values()))))} " for row in rows]
    return [sum(name in text for name in names) for text in texts]


def row_examples(site: BenchSite, model: BoostedTrees) -> Iterator[RowExamples]:
    """Yield the rows of the first lists of pages of a site that are right; model: has not seen the site."""
    counted = set(sorted(site.types, key=text_key)[:COUNTED_PAGES])
    texts = node_texts(page for page in site.pages() if page.id in counted)
    left = MOST_INDEX
    for page in site.pages():
        records = site.truth[page.id].get("records") or []
        if len(records) < 3 or not left:
            continue
        left -= 1
        for repeated in (None, texts):
            for listing in find_lists(page, repeated=repeated, model=model)[:1]:
                yield from examples_of(site.name, listing, records)


def examples_of(site: str, listing: Listing, records: Sequence[Mapping[str, Any]]) -> Iterator[RowExamples]:
    """Yield the rows of a list if most are records."""
    is_record = np.array(names_in_rows(listing.records(), records)) > 0
    if listing.read is not None and is_record.mean() > 0.5:
        yield RowExamples(site, listing.read.row_features(), is_record)


def fit_rows(lists: Sequence[RowExamples]) -> RowModel:
    """Return the model of rows."""
    number: dict[str, int] = {}
    for listing in lists:
        number[listing.site] = number.get(listing.site, 0) + 1
    each = [np.full(len(one.x), 1.0 / (number[one.site] * len(one.x))) for one in lists]
    x, y = np.concatenate([one.x for one in lists]), np.concatenate([one.is_record for one in lists])
    weight = np.concatenate(each)
    scale = x.std(axis=0) + 1e-9
    linear = require("sklearn.linear_model", "learn", "learning which rows are records")
    model = linear.LogisticRegression(C=ROW_STRENGTH, max_iter=300)
    model.fit(x / scale, y, sample_weight=weight * len(x) / weight.sum())
    return RowModel(model.coef_[0] / scale, float(model.intercept_[0]))


def write_rows(path: Path, model: RowModel) -> None:
    """Write the model of rows to a file."""
    weights = {name: float(f"{x:.5g}") for name, x in zip(ROW_FEATURES, model.weight, strict=True)}
    write_model(path, ROW_FORMAT, VERSION, {"weights": weights, "bias": float(f"{model.bias:.5g}")})


def main() -> None:
    """Train on all sites of the bench and write the models."""
    sites = {site.name: site for site in read_bench() if site.trust["list"]}
    pages = [rows for site in sites.values() for rows in rows_of(site, MOST_INDEX)]
    MODEL.parent.mkdir(exist_ok=True)
    write_trees(MODEL, {"lists": fit(pages)}, FORMAT)
    print(f"{MODEL}: {MODEL.stat().st_size:,} bytes from {len(pages):,} pages")
    lists = [
        one
        for left_out, model in cross_fit(pages, ROW_GROUPS)
        for name in sorted(left_out)
        for one in row_examples(sites[name], model)
    ]
    write_rows(ROW_MODEL, fit_rows(lists))
    print(f"{ROW_MODEL}: from {len(lists):,} lists")


if __name__ == "__main__":
    main()
