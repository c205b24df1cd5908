"""Roles learnt from weak labels in addition to labels, sites left out: ``python -m experiments.weak_roles``.

Elements and ARIA roles of HTML5 state the purpose of a part of a page. The pages of WCXB and of the sites of
the bench have thousands of them: free labels, if coarse ones. The element that holds the main text of a page,
as the truth of these data sets has it, is a free label, too. Both are added, with a smaller weight, to the
labelled modern pages from which the roles are learnt; those of a site are left out together with its labelled
pages. The hint of the element that gives a landmark is removed from its features, and so are those of the
same element around it or inside it: otherwise the model would only learn that a ``nav`` element is a ``nav``
element. `WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from experiments.datasets.bench import read_bench
from experiments.datasets.blocks import block_examples
from experiments.datasets.maincontent import read_main_pages
from experiments.training.alignment import true_shares
from webgrain.base.metrics import f1_by_class
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.evaluate import folds_by_site, site_of_page
from webgrain.evaluation.training import FREQUENT, fine_rows, marked_rows
from webgrain.page.page import Page, Source
from webgrain.page.paths import text_key
from webgrain.page.text import text_blocks
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.segments import TREE_FEATURES, is_hint, segment_features
from webgrain.segmentation.segmenter import RoleModel, fit_linear
from webgrain.segmentation.thresholds import HINT_TRUST, MIN_ROLE_ROWS, ROLE_REGULARITY
from webgrain.site.pipeline import Layout, pages

if TYPE_CHECKING:
    from collections.abc import Iterator

LANDMARKS = {"header": "header", "footer": "footer", "nav": "menu", "aside": "sidebar", "search": "searchbar"}
"""Element -> the role that it states; headers and footers only if they are not in an article or section."""

NAMES = {
    "banner": "header",
    "contentinfo": "footer",
    "navigation": "nav",
    "complementary": "aside",
    "search": "search",
}
"""ARIA role -> its element."""

WEIGHTS = (0.01, 0.03)
"""Weights of a weak label, compared to 1 for a labelled segment."""

SITE_PAGES = 20
"""Pages of a site of the bench, of each role, at most."""

HOLDS = 0.9
"""F1 by letters at which an element holds the main text, at least."""

FOLDS = 5


def landmark_rows(page: Page) -> Iterator[tuple[np.ndarray, str]]:
    """Yield the features and the role of each landmark, without the hints of the element that states it."""
    dom, facts = page.dom, facts_of(page, page.view is not None)
    leaf = facts.nodes
    roles = dom.column("role")
    for node in np.flatnonzero(~dom.is_text).tolist():
        element = NAMES.get(roles[node] or "", dom.name(node))
        if element not in LANDMARKS:
            continue
        member = (leaf >= node) & (leaf < dom.end[node])
        around = {dom.name(above) for above in dom.ancestors(node)}
        inner = element in ("header", "footer") and around & {"article", "section", "main", "aside"}
        if inner or not 0 < member.sum() < len(leaf):
            continue
        x = segment_features(facts, np.where(member, 0, -1))[0]
        own = ("search,",) if element == "search" else (f"{element} element,",)
        x[[feature.name.startswith(own) for feature in TREE_FEATURES]] = 0.0
        yield x, LANDMARKS[element]


def main_row(page: Page, text: str) -> Iterator[tuple[np.ndarray, str]]:
    """Yield the features of the element that holds the main text of a page, as an article; or nothing."""
    facts, blocks = facts_of(page, page.view is not None), text_blocks(page)
    if not text or not len(blocks):
        return
    true = true_shares(blocks.texts, text) * blocks.weight
    before = np.stack([np.zeros(2), *np.stack([true, blocks.weight], axis=1)]).cumsum(axis=0)
    every = np.arange(len(page.dom))
    first, last = np.searchsorted(blocks.first, np.stack([every, page.dom.end]))
    own, size = (before[last] - before[first]).T
    f1 = 2.0 * own / np.maximum(size + true.sum(), 1.0)
    node = len(f1) - 1 - int(f1[::-1].argmax())  # the innermost of those with the same text
    leaf = facts.nodes
    member = (leaf >= node) & (leaf < page.dom.end[node])
    if f1[node] >= HOLDS and 0 < member.sum() < len(leaf):
        yield segment_features(facts, np.where(member, 0, -1))[0], "article"


class Weak(NamedTuple):
    """Weak labels: features (k, f), roles, and the site of each; empty for pages of no site."""

    x: np.ndarray
    roles: list[str]
    sites: np.ndarray


def weak_labels() -> dict[str, Weak]:
    """Return the weak labels by kind."""
    texts: list[tuple[Source, str, str]] = [
        (one.source, one.text, "") for one in read_main_pages(data_folder() / "main-content")
    ]
    for site in read_bench():
        own = {role: [path for path, of in site.roles.items() if of == role] for role in ("article", "index")}
        chosen = {path for paths in own.values() for path in sorted(paths, key=text_key)[:SITE_PAGES]}
        texts += [
            (one, site.truth[one.id].get("text") or "", f"{site.name}.example")
            for one in site.sources()
            if one.id in chosen
        ]
    found: dict[str, list[tuple[np.ndarray, str, str]]] = {}
    read = pages((source for source, _, _ in texts), Layout("none"))
    for page, (_, text, host) in zip(read, texts, strict=True):
        if isinstance(page, Page):
            kind = "bench" if host else "WCXB"
            found.setdefault(f"landmarks of {kind}", []).extend((*row, host) for row in landmark_rows(page))
            found.setdefault("main texts", []).extend((*row, host) for row in main_row(page, text))
    return {
        kind: Weak(
            np.array([x for x, _, _ in rows]),
            [role for _, role, _ in rows],
            np.array([site for *_, site in rows]),
        )
        for kind, rows in found.items()
    }


def main() -> None:
    """Print the macro-F1 and the accuracy of roles for each kind and weight of weak labels."""
    examples = block_examples(Layout("none"))
    marked, fine = [marked_rows(one) for one in examples], [fine_rows(one) for one in examples]
    sites = [site_of_page(one.page) for one in examples]
    folds = folds_by_site(sites, FOLDS)
    trust = np.where([is_hint(feature) for feature in TREE_FEATURES], HINT_TRUST, 1.0)
    weak = weak_labels()
    for kind, own in weak.items():
        print(f"{kind}: {len(own.roles)}", {role: own.roles.count(role) for role in sorted(set(own.roles))})
    for kind, weight in [("none", 0.0), *product(weak, WEIGHTS)]:
        true: list[str] = []
        found: list[str] = []
        for fold in range(FOLDS):
            known = [rows for rows, at in zip(marked + fine, [*folds, *folds], strict=True) if at != fold]
            names = [role for rows in known for role in rows.roles]
            rows = np.concatenate([rows.features for rows in known])
            kept = [k for k, role in enumerate(names) if role and names.count(role) >= MIN_ROLE_ROWS]
            labels = [str(names[k]) for k in kept]
            features, all_labels = rows[kept], labels
            if kind in weak:
                left_out = [site for site, at in zip(sites, folds, strict=True) if at == fold]
                used = np.flatnonzero(~np.isin(weak[kind].sites, left_out))
                features = np.concatenate([features, weak[kind].x[used]])
                all_labels = labels + [weak[kind].roles[k] for k in used.tolist()]
            row_weight = np.repeat([1.0, weight], [len(labels), len(all_labels) - len(labels)])
            linear = fit_linear(features, all_labels, ROLE_REGULARITY, trust, row_weight)
            share = np.array([labels.count(name) for name in linear.classes]) / len(labels)
            for page_rows, at in zip(marked, folds, strict=True):
                if at == fold:
                    true += map(str, page_rows.roles)
                    found += RoleModel(linear, share).roles(page_rows.features).names
        scores = {name: f for name, f in f1_by_class(true, found).items() if true.count(name) >= FREQUENT}
        right = np.mean([one == other for one, other in zip(true, found, strict=True)])
        each = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
        mean = np.mean(list(scores.values()))
        print(f"{kind}, weight {weight}: macro-F1 {mean:.3f}, accuracy {right:.3f}; {each}", flush=True)


if __name__ == "__main__":
    main()
