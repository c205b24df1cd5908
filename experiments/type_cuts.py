"""Segments that the pages of a type decide together, sites left out: ``python -m experiments.type_cuts``.

For each site with labelled modern pages, page types and templates are learnt from `PAGES` other pages of the
site, and the pages of each type decide about its segments (`webgrain.site.typecut.TypeCut`). The models of
segments and roles have not seen the site. Prints the ARI and the roles of the labelled pages, each on its own
and with the decisions of its type, and how often further pages of a type agree about a template node.
`WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.bench import read_bench
from experiments.datasets.blocks import block_examples, site_of_name
from experiments.results import table, write_results
from webgrain.base.metrics import f1_by_class
from webgrain.evaluation.evaluate import fit_examples, folds_by_site, score, site_of_page
from webgrain.evaluation.training import FREQUENT, fine_rows, marked_rows, predicted_rows
from webgrain.page.page import Page
from webgrain.segmentation.learntcut import LearntCut, decisions
from webgrain.segmentation.segmenter import RoleClassifier, Segmenter, fit_roles
from webgrain.site.learning import learn_site, least
from webgrain.site.pipeline import Layout, pages
from webgrain.site.thresholds import MIN_TEMPLATE_PAGES, TEMPLATE_PAGES
from webgrain.site.typecut import TypeCut
from webgrain.templates.matching import TemplateMatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from experiments.datasets.bench import BenchSite
    from webgrain.base.arrays import Int32
    from webgrain.evaluation.datasets import Example
    from webgrain.page.page import Source
    from webgrain.page.segmentation import Segmentation
    from webgrain.site.model import SiteModel

    Cut = Callable[[Page], Segmentation]

FOLDS = 5
PAGES = 80
"""Pages of a site from which its types are learnt."""

HELD = 8
"""Further pages of a type, on which the agreement is measured."""


def left_out(examples: Sequence[Example]) -> Iterator[tuple[list[Example], Segmenter]]:
    """Yield the labelled pages of each fold with a segmenter that has seen no site of the fold."""
    folds = folds_by_site([site_of_page(one.page) for one in examples], FOLDS)
    known = [[rows(one) for rows in (marked_rows, fine_rows)] for one in examples]
    for fold in range(FOLDS):
        others = np.flatnonzero(folds != fold).tolist()
        method = fit_examples(LearntCut(), [examples[k] for k in others])
        rows = [one for k in others for one in known[k]]
        roles = fit_roles(
            np.concatenate([one.features for one in rows]), [r for one in rows for r in one.roles]
        )
        yield (
            [examples[k] for k in np.flatnonzero(folds == fold).tolist()],
            Segmenter("learntcut", method, RoleClassifier(roles)),
        )


def others(site: BenchSite, own: Sequence[Example]) -> list[Source]:
    """Return other pages of a site than the labelled ones, in the order of hashes of their names."""
    labelled, example = {one.page.id for one in own}, own[0].page.source
    assets = example.assets if example else None
    found = {f"{site.name}/{one.id}": one for one in site.sources()}
    return [
        replace(found[name], id=name, url=f"https://{name.replace('/', '.example/', 1)}",
                path=found[name].id, assets=assets)
        for name in least((name for name in found if name not in labelled), PAGES)
    ]  # fmt: skip


class Together:
    """Segments pages of a site by the decisions of their types; ``held``: further pages by type."""

    def __init__(self, model: SiteModel, known: Sequence[Page], method: Segmenter) -> None:
        of_type = defaultdict[str, list[Page]](list)
        for page in known:
            of_type[model.types.assign(page).type or ""].append(page)
        self.model, self.method = model, method
        self.match = {label: TemplateMatcher(template) for label, template in model.templates.items()}
        self.held = {label: of_type[label][TEMPLATE_PAGES:][:HELD] for label in self.match}
        self.cuts = {
            label: TypeCut.learn(
                len(model.templates[label]),
                (
                    (page, self.at(page, label), method.predict(page))
                    for page in of_type[label][:TEMPLATE_PAGES]
                ),
            )
            for label in self.match
        }

    def at(self, page: Page, label: str) -> Int32:
        """Return the template node (n,) of each node of a page."""
        return self.match[label].match(page).labels

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        label = self.model.types.assign(page).type or ""
        if label not in self.cuts:
            return self.method.predict(page)
        return self.cuts[label].segment(page, self.at(page, label), self.method)

    def agreement(self, predict: Cut) -> tuple[Counter[str], Counter[str]]:
        """Return the template nodes on which all held pages agree, and all nodes that some of them have."""
        same, asked = Counter[str](), Counter[str]()
        for label, some in self.held.items():
            answers = defaultdict[tuple[str, int], list[frozenset[object]]](list)
            for page in some:
                for key, own in _answers(page, predict(page), self.at(page, label)).items():
                    answers[key].append(frozenset(own))
            for (question, _), given in answers.items():
                if len(given) >= MIN_TEMPLATE_PAGES:
                    asked[question] += 1
                    same[question] += len(set(given)) == 1 and len(given[0]) == 1
        return same, asked


def _answers(page: Page, found: Segmentation, at: Int32) -> dict[tuple[str, int], set[object]]:
    """Return for template nodes whether segments cut or join them, and their roles."""
    answers = defaultdict[tuple[str, int], set[object]](set)
    chosen = decisions(page, found.labels)
    for node, column in zip(*np.nonzero((chosen >= 0) & (at >= 0)[:, None]), strict=True):
        answers["cut" if column == 0 else "joined", int(at[node])].add(int(chosen[node, column]))
    labels, first = np.unique(found.labels, return_index=True)
    for node, role in zip(first[labels >= 0].tolist(), found.roles, strict=True):
        if at[node] >= 0:
            answers["role", int(at[node])].add(role)
    return answers


def main() -> None:
    """Print and write the scores of the pages on their own and with their types."""
    examples = block_examples(Layout("none"))
    ways = "on its own", "with its type"
    ari: list[list[float]] = [[], []]
    roles: list[list[tuple[str, str | None]]] = [[], []]
    same, asked = ([Counter[str](), Counter[str]()] for _ in range(2))
    for some, method in left_out(examples):
        for name in dict.fromkeys(site_of_name(one.page.id) for one in some):
            [site] = read_bench([name])
            own = [one for one in some if site_of_name(one.page.id) == name]
            known = [page for page in pages(others(site, own), Layout()) if isinstance(page, Page)]
            together = Together(learn_site(lambda: known, name), known, method)  # noqa: B023 - called here
            for k, predict in enumerate((method.predict, together.predict)):
                for one in own:
                    found = predict(one.page)
                    ari[k].append(score(found.labels, one.truth, "fine").ari)
                    true = predicted_rows(one, found).roles
                    roles[k] += [(role, name) for role, name in zip(true, found.roles, strict=True) if role]
                for total, counted in zip((same[k], asked[k]), together.agreement(predict), strict=True):
                    total.update(counted)
            print(name, f"{np.mean(ari[0]):.3f} {np.mean(ari[1]):.3f}", file=sys.stderr, flush=True)
    rows = []
    for k, way in enumerate(ways):
        marked = [role for role, _ in roles[k]]
        f1 = f1_by_class(marked, [role for _, role in roles[k]])
        frequent = [value for role, value in f1.items() if marked.count(role) >= FREQUENT]
        shares = [same[k][question] / asked[k][question] for question in ("cut", "joined", "role")]
        rows.append([way, len(ari[k]), float(np.mean(ari[k])), float(np.mean(frequent)), *shares])
        print(rows[-1])
    columns = ["segments of a page", "pages", "fine", "macro-F1", "cut alike", "joined alike", "same role"]
    data = "Labelled modern pages and further pages of their types; their sites were left out of training."
    write_results("typecuts", data, "python -m experiments.type_cuts", {"pages": table(columns, rows)})


if __name__ == "__main__":
    main()
