"""Fields of pages on 57 whole sites: ``python -m experiments.fields [SITE...]``.

Each site is learnt from at most `PAGES` of its pages. For each page that a reader reads (role article), the
values of title, date, author and price are compared with the truth: those of titles and authors by their
words, of dates by their day, of prices by their number. A page whose type has no such field counts as wrong.
Dates that cannot be read as a day (``5 years ago``) are left out. The selectors of the fields are executed
with lexbor and, as CSS and as XPath, with Parsel (lxml) on up to `CHECKED` pages of each type: the first
element must have the same text.

The days and authors of the truth have not been used to train webgrain; the model of titles has learnt from
these sites. `WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from parsel import Selector

from experiments.datasets.bench import BenchSite, bench_names, path_number, read_bench
from experiments.results import run, table, write_results
from webgrain.base.metrics import tokens
from webgrain.fields.selectors import FieldMatcher
from webgrain.fields.values import day_of, number_of
from webgrain.page.parsing import parse
from webgrain.site.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.fields.field import Field
    from webgrain.page.page import Page, Source
    from webgrain.site.model import SiteModel

PAGES = 80
CHECKED = 2
NAMES = ("title", "date", "author", "price")
PRICES = {
    "towels": ".tt-product-single-info .sale-price, .tt-product-single-info .new-price",
    "whisky": ".summary p.price",
    "smullin": ".product-shop .regular-price .price, .product-shop .special-price .price",
}
"""Selectors of the price on the product pages of the shops."""


class Scores(NamedTuple):
    """What was counted on a site.

    Attributes:
        right, pages: by name of the field, the pages with the right value, and those that have the value.
        fields: of all types; same: selections that agree by CSS and by XPath, and all.
    """

    right: Counter[str]
    pages: Counter[str]
    fields: int
    same: Counter[str]


def main() -> str | None:
    """Print and write the scores."""
    names = sys.argv[1:]
    rows = []
    for site in read_bench(names or bench_names()):
        scores = scores_of(site)
        shares = [scores.right[name] / scores.pages[name] if scores.pages[name] else None for name in NAMES]
        agreement = [scores.same[form] / max(scores.same["all"], 1) for form in ("css", "xpath")]
        rows.append([site.name, *shares, scores.fields, *agreement])
        print(*rows[-1], sep="\t", flush=True)
    rows.append(["mean", *mean(rows)])
    print(*rows[-1], sep="\t")
    columns = ["site", *NAMES, "fields", "css", "xpath"]
    if not names:
        data = f"57 whole sites, at most {PAGES} pages each (bench); prices of three shops."
        write_results("fields", data, "python -m experiments.fields", {"sites": table(columns, rows)})
    return None


def mean(rows: Sequence[Sequence[Any]]) -> list[float | None]:
    """Return the mean of each column of numbers."""
    means: list[float | None] = []
    for column in list(zip(*rows, strict=True))[1:]:
        values = [value for value in column if value is not None]
        means.append(sum(values) / len(values) if values else None)
    return means


def scores_of(site: BenchSite) -> Scores:
    """Learn a site and return its scores."""
    sources = sorted(site.sources(), key=lambda source: path_number(source.id))[:PAGES]
    model = Site.fit(sources, name=site.name).model
    right, pages, same = Counter[str](), Counter[str](), Counter[str]()
    checked = defaultdict[str, int](int)
    for source in sources:
        page = parse(source)
        label = model.types.assign(page).type or ""
        if site.roles[source.id] == "article":
            values = model.fields[label].of(page) if label in model.fields else {}
            for name, truth in truths(site, source):
                pages[name] += 1
                right[name] += is_right(name, values.get(name), truth)
        if label in model.fields and checked[label] < CHECKED:
            checked[label] += 1
            same += agreements(model, label, page, source)
    return Scores(right, pages, sum(map(len, model.fields.values())), same)


def truths(site: BenchSite, source: Source) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of the fields that a page has."""
    record = site.truth[source.id]
    for name in ("title", "author"):
        if record.get(name):
            yield name, record[name]
    if day_of(record.get("date") or ""):
        yield "date", day_of(record["date"])[:10]
    if site.name in PRICES and site.types[source.id] == "product":
        price = Selector(source.body.decode("utf-8", "replace")).css(PRICES[site.name])
        if price and number_of(price[0].xpath("string()").get() or "") is not None:
            yield "price", price[0].xpath("string()").get() or ""


def is_right(name: str, value: object, truth: str) -> bool:
    """Return whether a value of a field is the true one."""
    if not value:
        return False
    if name == "date":
        return str(value)[:10] == truth
    if name == "price":
        return number_of(str(value)) == number_of(truth)
    return tokens(str(value)) == tokens(truth)


def agreements(model: SiteModel, label: str, page: Page, source: Source) -> Counter[str]:
    """Return how many selectors select an element with the same text in lexbor and in Parsel."""
    other = Selector(source.body.decode("utf-8", "replace"))
    same = Counter[str]()
    chosen = [
        each for each in model.fields[label] if each.css and each.xpath and not each.key and not each.label
    ]
    selected = FieldMatcher([str(each.css) for each in chosen]).nodes(page.dom)
    for each, nodes in zip(chosen, selected, strict=True):
        if nodes:
            text = "".join(page.dom.text_of(nodes[0]).split())
            same["all"] += 1
            same["css"] += first_text(each, other, "css") == text
            same["xpath"] += first_text(each, other, "xpath") == text
    return same


def first_text(field: Field, page: Selector, form: str) -> str | None:
    """Return the text of the first element that a field selects in Parsel, None for none."""
    found = page.css(str(field.css)) if form == "css" else page.xpath(str(field.xpath))
    return "".join((found[0].xpath("string()").get() or "").split()) if found else None


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    run(main)
