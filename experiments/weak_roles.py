"""Roles learnt from landmarks in addition to labels, sites left out: ``python -m experiments.weak_roles``.

Elements and ARIA roles of HTML5 state the purpose of a part of a page. The pages of the data set WCXB have
thousands of them: free labels, if coarse ones. Here they are added, with a smaller weight, to the labelled
modern pages from which the roles are learnt. The hint of the element that gives the label is removed from
its features, and so are those of the same element around it or inside it: otherwise the model would only
learn that a ``nav`` element is a ``nav`` element. `WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.blocks import block_examples
from experiments.datasets.maincontent import read_main_pages
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.evaluate import folds_by_site, site_of
from webgrain.evaluation.training import FREQUENT, fine_rows, marked_rows
from webgrain.metrics import f1_by_class
from webgrain.page.page import Page
from webgrain.pipeline import Layout, pages
from webgrain.segmentation.features.nodes import nodes_of
from webgrain.segmentation.features.segments import IS_HINT, SEGMENT_FEATURES, LeafGroups, segment_features
from webgrain.segmentation.segmenter import RoleModel, fit_linear
from webgrain.segmentation.thresholds import HINT_TRUST, MIN_ROLE_ROWS, ROLE_REGULARITY

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

WEIGHTS = (0.0, 0.03)
"""Weights of a landmark, compared to 1 for a labelled segment."""

FOLDS = 5


def landmark_rows(page: Page) -> Iterator[tuple[np.ndarray, str]]:
    """Yield the features and the role of each landmark, without the hints of the element that states it."""
    dom, nodes = page.dom, nodes_of(page)
    leaf = nodes.tree.node[nodes.tree.leaves]
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
        x = segment_features(nodes, LeafGroups(nodes, np.where(member, 0, -1)))[0]
        own = ("search,",) if element == "search" else (f"{element} element,",)
        x[[feature.name.startswith(own) for feature in SEGMENT_FEATURES]] = 0.0
        yield x, LANDMARKS[element]


def main() -> None:
    """Print the macro-F1 and the accuracy of roles for each weight of the landmarks."""
    sources = [one.source for one in read_main_pages(data_folder() / "main-content")]
    weak = [
        row
        for page in pages(sources, Layout("estimate"))
        if isinstance(page, Page)
        for row in landmark_rows(page)
    ]
    x, y = np.array([row for row, _ in weak]), [role for _, role in weak]
    print(f"{len(y)} landmarks of {len(sources)} pages:", {role: y.count(role) for role in sorted(set(y))})
    examples = block_examples(Layout("estimate"))
    marked, fine = [marked_rows(one) for one in examples], [fine_rows(one) for one in examples]
    folds = folds_by_site([site_of(one.page) for one in examples], FOLDS)
    trust = np.where(IS_HINT, HINT_TRUST, 1.0)
    for weight in WEIGHTS:
        true: list[str] = []
        found: list[str] = []
        for fold in range(FOLDS):
            known = [rows for rows, own in zip(marked + fine, [*folds, *folds], strict=True) if own != fold]
            names = [role for rows in known for role in rows.roles]
            rows = np.concatenate([rows.features for rows in known])
            kept = [k for k, role in enumerate(names) if role and names.count(role) >= MIN_ROLE_ROWS]
            labels = [str(names[k]) for k in kept]
            added = (x, y) if weight else (x[:0], [])
            row_weight = np.repeat([1.0, weight], [len(kept), len(added[1])])
            features = np.concatenate([rows[kept], added[0]])
            linear = fit_linear(features, [*labels, *added[1]], ROLE_REGULARITY, trust, row_weight)
            share = np.array([labels.count(name) for name in linear.classes]) / len(labels)
            for own, at in zip(marked, folds, strict=True):
                if at == fold:
                    true += map(str, own.roles)
                    found += RoleModel(linear, share).roles(own.features).names
        scores = {name: f for name, f in f1_by_class(true, found).items() if true.count(name) >= FREQUENT}
        right = np.mean([one == other for one, other in zip(true, found, strict=True)])
        each = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
        print(
            f"weight {weight}: macro-F1 {np.mean(list(scores.values())):.3f}, accuracy {right:.3f}; {each}",
            flush=True,
        )


if __name__ == "__main__":
    main()
