"""Near-duplicates on the bench: pairs that are reported although their contents differ, and labelled pairs.

    python experiments/duplicates_bench.py [SITE ...]

Columns: pages, pairs by verdict, and false pairs: pairs that are reported as duplicates although both pages
have a title, the titles differ, and less than 30 % of the shingles of the shorter main text are on the other
page (an index page has no main text). The last columns are of the labelled pairs
(`experiments.datasets.sitepairs`): duplicates and parts, those that are found, those with the correct
verdict, and different pages that are found. A second table has these by kind, and print views: the sites have
none, so some are made of the true titles and main texts (`print_views`) and judged in another search.

The coefficients of the verdicts are learnt here without the fold of each site, and printed last for all
sites (``RELATED`` and ``DUPLICATES`` of `webgrain.duplicates.thresholds`): two logistic regressions over the
features of `webgrain.duplicates.search.odds`, from the labelled pairs; pairs that would be false are examples
of pages that are not duplicates. With SITE, these sites are judged by the coefficients of the package.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import BenchSite, folds, read_bench
from experiments.datasets.sitepairs import WORDS, SitePair, read_pairs
from experiments.results import table, write_results
from webgrain.base.arrays import Bool, Float64, Int16, UInt64
from webgrain.base.metrics import tokens
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import (
    DUPLICATE,
    PAIR_VERDICTS,
    Met,
    Search,
    Sites,
    add_up,
    count_common,
    judge_pairs,
    meet,
    odds,
    same_digests,
)
from webgrain.duplicates.shingles import shingles
from webgrain.duplicates.sketches import PageText, SketchFacts
from webgrain.duplicates.thresholds import DUPLICATES, RELATED
from webgrain.site.duplicates import text_to_compare

DIFFERENT = 0.3
VIEWS = 4
"""Print views of a site."""
SHOWN = ("same-page", "same-content", "near-duplicate", "contains")
LABELLED = ("pairs", "found", "correct", "other found")
MOST = {"duplicate": 20.0, "contains": 20.0, "either": 20.0, "different": 5.0, "false": 100.0, "view": 1.0}
"""Greatest weight of the pairs of a site by their label; false: the pairs that would be false."""

Model = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Compared:
    """The pairs of a site that meet.

    Attributes:
        name, names: of the site, and of its n pages.
        met, facts, counts: see `webgrain.duplicates.search.meet`.
        is_false: (p,) whether a pair would be false as a duplicate.
        labelled: the labelled pairs of the site.
    """

    name: str
    names: list[str]
    met: Met
    facts: SketchFacts
    counts: Int16
    is_false: Bool
    labelled: list[SitePair]

    def examples(self) -> tuple[list[tuple[Float64, Any, Float64]], ...]:
        """Return features, labels and weights of the pairs that both regressions learn from."""
        rows: dict[str, list[int]] = {}
        for pair, k in self.meeting():
            rows.setdefault("view" if pair.kind == "print view" else pair.verdict, []).append(k)
        if "view" not in rows:
            labelled = {k for own in rows.values() for k in own}
            rows["false"] = sorted({*np.flatnonzero(self.is_false).tolist()} - labelled)
        used = ("duplicate", "contains", "either", "different"), ("duplicate", "contains", "false", "view")
        values = odds(count_common(self.met, self.facts, self.counts), self.met.times)
        return tuple(
            [
                (
                    x[own],
                    np.full(
                        len(own), label in ("duplicate", "view") or (not second and label != "different")
                    ),
                    np.full(len(own), min(1.0, MOST[label] / len(own))),
                )
                for label in labels
                if (own := rows.get(label))
            ]
            for second, (x, labels) in enumerate(zip(values, used, strict=True))
        )

    def meeting(self) -> list[tuple[SitePair, int]]:
        """Return the labelled pairs that meet and have different words, with their places."""
        number = {name: k for k, name in enumerate(self.names)}
        place = {code: k for k, code in enumerate(self.met.code.tolist())}
        found = []
        for pair in self.labelled:
            a, b = sorted((number[pair.a], number[pair.b]))
            k = place.get(a * len(self.names) + b)
            if k is not None and self.facts["digest"][a] != self.facts["digest"][b]:
                found.append((pair, k))
        return found


def main() -> None:
    """Print the tables."""
    heads = "".join(f"{name:>16}" for name in SHOWN)
    print(f"{'site':14}{'pages':>7}{heads}{'false':>8}{'%':>8}" + "".join(f"{name:>12}" for name in LABELLED))
    labels, sums, every, kinds = read_pairs(), Counter[str](), 0.0, Counter[tuple[str, str]]()
    sites, viewed = [], []
    for bench in read_bench(sys.argv[1:] or None):
        texts = [text_to_compare(page, bench.name) for page in bench.pages()]
        sites.append(compared(bench, texts, labels))
        views, pairs_of_views = print_views(bench, texts)
        viewed.append(compared(bench, [*texts, *views], pairs_of_views))
    fold, rows = folds([site.name for site in sites]), list[list[Any]]()
    for number, site in enumerate(sites):
        rest = [k for k, its in enumerate(fold) if its != fold[number]]
        model = (
            (RELATED, DUPLICATES)
            if sys.argv[1:]
            else learn([group[k] for group in (sites, viewed) for k in rest])
        )
        counts, by_kind = score(site, model)
        pairs = len(site.names) * (len(site.names) - 1) / 2
        sums, every, kinds = sums + counts, every + pairs, kinds + by_kind + score(viewed[number], model)[1]
        print(f"{site.name:14}{len(site.names):7}{row(counts, pairs)}", flush=True)
        rows.append([site.name, len(site.names), *figures(counts, pairs)])
    print(f"{'all':14}{'':7}{row(sums, every)}\n")
    names = sorted({kind for kind, _ in kinds})
    by_kinds = [[kind, *(kinds[kind, name] for name in LABELLED[:3])] for kind in names]
    for kind, *values in by_kinds:
        print(f"{kind:22}{values[0]:8} pairs{values[1]:8} found{values[2]:8} correct")
    if sys.argv[1:]:
        return
    for name, values in zip(("RELATED", "DUPLICATES"), learn([*sites, *viewed]), strict=True):
        print(f"{name} = ({', '.join(f'{value:.2f}' for value in values)})")
    rows.append(["all", None, *figures(sums, every)])
    columns = ["site", "pages", *SHOWN, "false", "share of false", *LABELLED]
    data = (
        "All pairs of pages of each site of the bench, and the labelled pairs; the site left out of learning."
    )
    tables = {"sites": table(columns, rows), "kinds": table(["kind", *LABELLED[:3]], by_kinds)}
    write_results("duplicates", data, "python experiments/duplicates_bench.py", tables)


def figures(counts: Counter[str], pairs: float) -> list[int | float]:
    """Return the figures of a row of the result file."""
    shown = [counts[name] for name in (*SHOWN, "false")]
    return [*shown, counts["false"] / pairs, *(counts[name] for name in LABELLED)]


def row(counts: Counter[str], pairs: float) -> str:
    """Return a row of the table."""
    cells = "".join(f"{counts[name]:16}" for name in SHOWN) + f"{counts['false']:8}"
    return f"{cells}{100 * counts['false'] / pairs:8.4f}" + "".join(f"{counts[name]:12}" for name in LABELLED)


def compared(site: BenchSite, texts: Sequence[PageText], labels: Sequence[SitePair]) -> Compared:
    """Return the pairs of a site that meet; labels: pairs of any sites."""
    with DuplicateIndex() as index:
        for text in texts:
            index.add(text)
        facts, names = index.facts(), [index.entry(number).id for number in range(len(index))]
        met, counts = meet(*index.hashes(), Sites(facts))
    met = add_up([met, same_digests(facts["digest"])])
    truths = [site.truth.get(name, {}) for name in names]
    titles = [" ".join(tokens(truth.get("title") or "")) for truth in truths]
    mains = [np.unique(shingles(truth.get("text") or "")) for truth in truths]
    is_false = np.array(
        [
            bool(titles[a] and titles[b] and titles[a] != titles[b])
            and shared(mains[a], mains[b]) < DIFFERENT
            for a, b in zip(*np.divmod(met.code, len(names)), strict=True)
        ],
        bool,
    )
    own = [pair for pair in labels if pair.site == site.name]
    return Compared(site.name, names, met, facts, counts, is_false, own)


def print_views(site: BenchSite, texts: Sequence[PageText]) -> tuple[list[PageText], list[SitePair]]:
    """Return made-up print views of articles of a site, and their pairs.

    A print view has the name of the site, the title and the true main text, and nothing of the template.
    """
    views, pairs = [], []
    for text in sorted(texts, key=lambda text: hashlib.blake2b(text.id.encode()).digest()):
        main, title = (site.truth[text.id].get(name) or "" for name in ("text", "title"))
        if site.roles[text.id] == "article" and title and len(shingles(main)) >= WORDS and len(views) < VIEWS:
            name = f"print/{text.id}"
            shown = f"{site.name}\n{title}\n{main}"
            views.append(PageText(name, shown, title=f"{title} (print)", heading=title, site=site.name))
            pairs.append(SitePair(site.name, text.id, name, "print view", "duplicate"))
    return views, pairs


def shared(a: UInt64, b: UInt64) -> float:
    """Return the share of the smaller set that the other contains; 0 if one is empty."""
    size = min(len(a), len(b))
    return len(np.intersect1d(a, b, assume_unique=True)) / size if size else 0.0


def learn(sites: Sequence[Compared]) -> Model:
    """Return the coefficients of both regressions, the constant first."""
    from sklearn.linear_model import LogisticRegression

    models = []
    for parts in zip(*(site.examples() for site in sites), strict=True):
        x, y, weight = (np.concatenate(column) for column in zip(*chain(*parts), strict=True))
        mean, spread = x.mean(axis=0), x.std(axis=0)
        found = LogisticRegression(max_iter=300).fit((x - mean) / spread, y, sample_weight=weight)
        slopes = found.coef_[0] / spread
        models.append([float(found.intercept_[0] - slopes @ mean), *slopes.tolist()])
    return models[0], models[1]


def score(site: Compared, model: Model) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """Return the numbers of pairs by verdict, of false pairs, and of labelled pairs, also by their kind."""
    found = judge_pairs(site.met, site.facts, site.counts, Search(), model)
    counts: Counter[str] = Counter(PAIR_VERDICTS[verdict].value for verdict in found.verdict)
    codes = found.a * len(site.names) + found.b
    false = site.met.code[site.is_false]
    counts["false"] = int(np.isin(codes[found.verdict <= DUPLICATE], false).sum())
    verdicts = {}
    for k, (a, b, verdict) in enumerate(zip(found.a, found.b, found.verdict, strict=True)):
        left, right = site.names[a], site.names[b]
        first = found.in_a[k] >= found.in_b[k]
        for pair, is_whole in (((left, right), first), ((right, left), not first)):
            verdicts[pair] = "duplicate" if verdict <= DUPLICATE else "contains" if is_whole else "part"
    kinds: Counter[tuple[str, str]] = Counter()
    for one in site.labelled:
        verdict = verdicts.get((one.a, one.b), "different")
        is_found, either = verdict != "different", one.verdict == "either"
        correct = verdict == one.verdict or (either and is_found)
        kind = f"{one.kind} {one.verdict}"
        kinds.update({(kind, "pairs"): 1, (kind, "found"): int(is_found), (kind, "correct"): int(correct)})
        if one.verdict == "different":
            counts["other found"] += is_found
        else:
            counts.update(pairs=1, found=int(is_found), correct=int(correct))
    return counts, kinds


if __name__ == "__main__":
    main()
