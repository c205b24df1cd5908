"""Drift of pages in another order on the sites of the bench.

    WEBGRAIN_DATA=folder python -m experiments.order_drift [site ...]

For each type of at least 25 pages, a template is learnt from 15 of them, and ten others are compared with it:
unchanged, and with the children of all elements, of the frame or of the content in reverse order
(`experiments.reordering`), if that changes each of them. The table has the shares of the types with an alarm,
and with an alarm or a notice, by the order of the pages and by pages that do not fit. The model of acceptance
was trained with these sites.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from experiments.datasets.bench import BenchSite, bench_names, read_bench
from experiments.reordering import REVERSALS, is_changed
from webgrain.page.page import Page
from webgrain.templates.drift import FitWatch
from webgrain.templates.statistics import with_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import Template
from webgrain.templates.thresholds import ALARM, NOTICE

LEARNT, DRAWN = 15, 10


def least_evidence(template: Template, pages: Sequence[Page]) -> float:
    """Return log10 of the smallest probability that pages are unchanged."""
    watch = FitWatch(template)
    for page in pages:
        watch.add(page)
    return min([*watch.evidence().values(), watch.evidence_of_misfits()])


def evidence_of_site(site: BenchSite) -> Iterator[tuple[str, str, float]]:
    """Yield the type, the change and the evidence of each comparison."""
    by_type = defaultdict[str, list[Page]](list)
    pages = list(site.pages())
    random.Random(0).shuffle(pages)
    for page in pages:
        if len(by_type[site.types[page.id]]) < LEARNT + DRAWN:
            by_type[site.types[page.id]].append(page)
    for type_, of_type in by_type.items():
        if len(of_type) < LEARNT + DRAWN:
            continue
        learnt, drawn = of_type[:LEARNT], of_type[LEARNT:]
        template = with_statistics(*_with_places(learnt))
        yield type_, "unchanged", least_evidence(template, drawn)
        for name, reversal in REVERSALS.items():
            changed = list(map(reversal, drawn))
            if all(map(is_changed, drawn, changed)):
                yield type_, name, least_evidence(template, changed)


def _with_places(pages: list[Page]) -> tuple[Template, list[Page], list[np.ndarray]]:
    template, places = learn_structure(pages)
    return template, pages, places


def main(names: Sequence[str]) -> None:
    """Print the types without an alarm, or with a false one, and the table."""
    evidence = defaultdict[str, list[float]](list)
    for site in read_bench(list(names)):
        for type_, change, least in evidence_of_site(site) if site.trust["types"] else ():
            evidence[change].append(least)
            if (least < ALARM) == (change == "unchanged"):
                print(f"{site.name}, {type_}, {change}: {least:.2f}")
    for change, values in evidence.items():
        alarm, notice = ((np.array(values) < least).mean() for least in (ALARM, NOTICE))
        print(f"{change}: alarm {alarm:.3f}, alarm or notice {notice:.3f} of {len(values)} types")


if __name__ == "__main__":
    main(sys.argv[1:] or bench_names())
