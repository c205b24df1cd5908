"""Train the models that choose author and publication: ``make train``.

    python experiments/training/metadata.py [-n | FOLDER]

-n: only print the scores. FOLDER: write to it, for each fold of the domains, the models without it.
The pages are those of the test suites, of WCXB, the labelled pages of ``pages-2``,
and some pages of each site of the bench, as far as their author or date is known or they state
none. A candidate is right if the words of its names, or its day, are those of the truth.

The table ``metadata.csv`` states for some features that the probability only grows or only falls with them.
Pages of one domain have the weight of the square root of their number, and so have the candidates of a page.
The title and the text of the pages are those of the packaged models, which have learnt from some of them.

The scores that are printed are those of left-out domains: the shares of the pages that state a value for
which it is right and wrong, and of the pages that state none for which there is one.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from csv import DictReader
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets import bench, blocks
from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.blocks import reference_pages
from experiments.datasets.maincontent import domain_of, read_main_pages
from experiments.datasets.suites import read_suites
from webgrain.base.arrays import Float64
from webgrain.base.trees import BoostedTrees, learn_trees, read_trees, write_trees
from webgrain.documents.article import Article
from webgrain.documents.dates import first_date
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.extraction import ReferencePage, days
from webgrain.extraction import authors, publication
from webgrain.extraction.authors import Authors, author_names, name_key
from webgrain.extraction.metadata import FORMAT
from webgrain.extraction.publication import Dates, date_names
from webgrain.extraction.single import SinglePage
from webgrain.extraction.surroundings import Surroundings
from webgrain.page.markup import Statements
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "extraction" / "trained" / "metadata.model"
LEFT_OUT = Path("build/metadata")
"""Where other scripts expect the models that have not seen a fold."""
FOLDS = 5
MOST, MOST_OF_TYPE = 20, 5
SETTINGS = {
    "author": {"max_iter": 120, "max_leaf_nodes": 8, "learning_rate": 0.08},
    "date": {"max_iter": 200, "max_leaf_nodes": 8, "learning_rate": 0.05},
}
NAMES = {"author": author_names, "date": date_names}


@dataclass(slots=True, eq=False)
class Judged:
    """The candidates of a page for a field: where it is from, their features, and which are right.

    stated: whether the page states a value.
    """

    group: str
    domain: str
    stated: bool
    candidates: authors.Candidates | publication.Candidates
    right: Float64


def pages() -> Iterator[tuple[str, ReferencePage]]:
    """Yield the domain and the truth of the pages whose author or date is known."""
    for page in read_suites(data_folder() / "main-content" / "suites"):
        yield domain_of_page(page.source), page
    for page in reference_pages():
        yield domain_of_page(page.source), page
    for main in read_main_pages(data_folder() / "main-content"):
        yield main.domain, _known(main.source, "wcxb", main.author, main.date)
    for site in read_bench():
        for source in sampled(site):
            yield site.name, _known(source, "bench", *_truths(site.truth[source.id]))


def domain_of_page(source: Source) -> str:
    """Return the domain of a page of a suite, or its name without one; the site of a labelled page.

    >>> domain_of_page(Source("a/b.html", b"", url="https://a.example/b.html"))
    'a'
    """
    return domain_of(source.url).removesuffix(".example") if source.url else source.id


def sampled(site: BenchSite) -> list[Source]:
    """Return the pages of a site of the bench that are used, at random: at most `MOST`, and of each type."""
    sources = list(site.sources())
    random.Random(0).shuffle(sources)
    taken = Counter[str]()
    kept = []
    for source in sources:
        kind = site.truth[source.id].get("type")
        if taken[kind] < MOST_OF_TYPE and len(kept) < MOST:
            taken[kind] += 1
            kept.append(source)
    return kept


def _truths(record: dict[str, str]) -> tuple[str, str]:
    """Return author and day of a record of the bench."""
    return record.get("author") or "", first_date(record.get("date") or "")


def _known(source: Source, group: str, author: str, date: str) -> ReferencePage:
    """Return a page of which nothing is known where the truth is empty."""
    return ReferencePage(source, group, authors=(author,) if author else None, date=date or None)


def judged() -> dict[str, list[Judged]]:
    """Return the candidates of all pages for each field."""
    rows: dict[str, list[Judged]] = {"author": [], "date": []}
    method = SinglePage()
    for domain, known in pages():
        if known.authors is not None or known.date is not None:
            page = parse(known.source)
            add_rows(rows, domain, known, page, method.predict(page))
    return rows


def add_rows(
    rows: dict[str, list[Judged]], domain: str, known: ReferencePage, page: Page, article: Article
) -> None:
    """Add the candidates of a page to the rows of each field of which the truth is known."""
    statements, around = Statements(page, article.title), Surroundings(page, article)
    if known.authors is not None:
        names, key = Authors(statements, around).candidates(), name_key(" ".join(known.authors))
        right = np.array([bool(key) and name_key(name) == key for name in names.values], np.float64)
        rows["author"].append(Judged(known.group, domain, bool(key), names, right))
    if known.date is not None:
        dates, true = Dates(statements, around).candidates(), days(known.date) if known.date else set()
        right = np.array([any(map(day.startswith, true)) for day in dates.values], np.float64)
        rows["date"].append(Judged(known.group, domain, bool(true), dates, right))


def learn(field: str, rows: Sequence[Judged]) -> BoostedTrees:
    """Return the model of a field."""
    of_domain = Counter(row.domain for row in rows)
    rows = [row for row in rows if len(row.right)]
    weights = [(of_domain[row.domain] * len(row.right)) ** -0.5 for row in rows]
    return learn_trees(
        np.concatenate([row.candidates.features for row in rows]),
        np.concatenate([row.right for row in rows]),
        np.repeat(weights, [len(row.right) for row in rows]),
        NAMES[field](),
        monotonic_cst=directions(field),
        min_samples_leaf=10,
        l2_regularization=1.0,
        **SETTINGS[field],
    )


def directions(field: str) -> list[int]:
    """Return 1 for each feature with which the probability never falls, -1 if it never grows, else 0."""
    with (MODEL.parents[1] / "metadata.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in DictReader(file) if row["group"] == field]
    return [{"up": 1, "down": -1, "": 0}[row["direction"]] for row in rows]


def fold(domain: str) -> int:
    """Return the fold of a domain; similar sites are in one.

    >>> fold("lpinnova") == fold("whisky"), fold("haue-wiki") == fold("dpd-rus")
    (True, True)
    """
    family = (bench.FAMILIES | blocks.FAMILIES).get(domain, domain)
    return int(hashlib.md5(family.encode()).hexdigest(), 16) % FOLDS


def chosen(model: BoostedTrees, candidates: authors.Candidates | publication.Candidates) -> int:
    """Return the number of the candidate that is chosen, -1 for none."""
    return candidates.best(model.probability(candidates.features)) if candidates.values else -1


def count(model: BoostedTrees, rows: Iterable[Judged], counts: dict[str, Counter[str]]) -> None:
    """Add what a model chooses for pages to the counts of their groups."""
    for row in rows:
        best = chosen(model, row.candidates)
        outcome = "missing" if best < 0 else "right" if row.right[best] else "wrong"
        if not row.stated:
            outcome = "invented" if best >= 0 else "none"
        for group in (row.group, "all"):
            counts.setdefault(group, Counter())[outcome] += 1


def print_scores(field: str, counts: dict[str, Counter[str]]) -> None:
    """Print the shares of the outcomes of each group."""
    for group, outcomes in counts.items():
        stated = sum(outcomes[name] for name in ("right", "wrong", "missing"))
        unstated = outcomes["invented"] + outcomes["none"]
        shares = [f"{name} {outcomes[name] / stated:.3f}" for name in ("right", "wrong") if stated]
        shares += [f"invented {outcomes['invented'] / unstated:.3f}"] if unstated else []
        print(f"{field:7} {group:12} {stated:5} {unstated:5}  {'  '.join(shares)}", flush=True)


def main() -> None:
    """Print the scores of left-out domains and write the models of all, or write those without a fold."""
    folder = next((Path(name) for name in sys.argv[1:] if name != "-n"), None)
    if folder is not None:
        write_left_out(folder, judged())
        return
    models = train(judged())
    if "-n" not in sys.argv:
        write_trees(MODEL, models, FORMAT)


def train(rows_of: dict[str, list[Judged]]) -> dict[str, BoostedTrees]:
    """Return the models of all pages; print the scores of those that have not seen a domain."""
    models = {}
    for field, rows in rows_of.items():
        print_scores(field, left_out(field, rows))
        models[field] = learn(field, rows)
    return models


def left_out(field: str, rows: Sequence[Judged]) -> dict[str, Counter[str]]:
    """Return the numbers of the outcomes by group, by models that have not seen the domain of a page."""
    counts: dict[str, Counter[str]] = {}
    for number in range(FOLDS):
        model = learn_without(field, rows, number)
        count(model, (row for row in rows if fold(row.domain) == number), counts)
    return counts


def learn_without(field: str, rows: Sequence[Judged], number: int) -> BoostedTrees:
    """Return the model of a field of the domains of all folds but one."""
    return learn(field, [row for row in rows if fold(row.domain) != number])


def write_left_out(folder: Path, rows_of: dict[str, list[Judged]]) -> None:
    """Write the models that have not seen a fold to a folder of its number."""
    for number in range(FOLDS):
        models = {field: learn_without(field, rows, number) for field, rows in rows_of.items()}
        file = folder / str(number) / MODEL.name
        file.parent.mkdir(parents=True, exist_ok=True)
        write_trees(file, models, FORMAT)


def left_out_models(folder: Path = LEFT_OUT) -> list[dict[str, BoostedTrees]]:
    """Return the models that have not seen a fold, by its number; folder: of `write_left_out`."""
    names = {field: names() for field, names in NAMES.items()}
    return [read_trees(folder / str(number) / MODEL.name, names, FORMAT) for number in range(FOLDS)]


if __name__ == "__main__":
    main()
