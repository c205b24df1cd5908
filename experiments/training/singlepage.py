"""Train the model of single-page extraction that comes with webgrain: ``make train``.

    python experiments/training/singlepage.py

    pages --rows_of--> features (b, f), truth (b,) --fit--> trees

The model is learnt from all pages of the public sample; `cross_fit` learns one model per fold of the domains
to evaluate it. The same data and the same versions of the libraries give the same file.

The truth of a block is the share of its sequences of three words that occur in the true main text. A block of
one or two words is judged together with the words before or after it, so that "Home" is not main content only
because the word occurs somewhere in the text. All pages have the same weight, and the blocks of a page are
weighted by their letters.

Some features can only lower or only raise the probability of a block. Without this constraint the model would
overfit to the few pages of each kind.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.maincontent import read_main_pages, words
from webgrain.errors import ParameterError, require
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.features import PageFacts, feature_names, features
from webgrain.extraction.single import BoostedTrees, noscript_page, show_streamed, write_trees
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from experiments.datasets.maincontent import MainPage

    Floats = NDArray[np.float64]

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "extraction" / "trained" / "single.model"

LOWERS = (
    *("navigation", "footer", "sidebar", "side", "share", "related", "advertisement", "newsletter", "modal"),
    *("cookie", "hidden", "filter", "cart", "widget", "pagination", "contents", "user", "comment", "review"),
    *("nav element", "footer element", "aside element", "form element", "button element", "dialog element"),
    *("hidden element", "unseen element"),
)
"""Features that never raise the probability of the text inside."""
RAISES = (
    *("main", "article", "text", "forum", "manual", "code", "specification", "summary"),
    *("main element", "article element", "text property"),
)
"""Features that never lower it."""

MOST_BLOCKS = 250
"""Number of blocks of a page, drawn at random, that are used for training."""
TREES, RATE, LEAVES, LEAST_ROWS, L2, SHARE = 200, 0.07, 15, 40, 5.0, 0.3
"""Number of trees, learning rate, leaves per tree, minimal rows per leaf, L2 penalty, share of features."""
_RUN = 3
_FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Blocks to learn from: features (b, f), share of each that is main content (b,), letters (b,)."""

    x: Floats
    truth: Floats
    letters: Floats


def rows_of(page: MainPage) -> Rows:
    """Return what one page gives to learn from.

    >>> from experiments.datasets.maincontent import MainPage
    >>> from webgrain.page.page import Source
    >>> html = b"<nav>Other pages are here</nav><p>This is all of it"
    >>> rows_of(MainPage(Source("a", html), "article", "", "This is all of it")).truth.tolist()
    [0.0, 1.0]
    """
    read = show_streamed(parse(page.source))
    blocks = text_blocks(read)
    if inner := noscript_page(read, blocks):
        read, blocks = inner[0], text_blocks(inner[0])
    truth = true_shares(blocks.texts, page.text)
    return Rows(features(PageFacts(read.dom, blocks)), truth, np.maximum(blocks.weight, 1.0))


def true_shares(texts: Sequence[str], truth: str) -> Floats:
    """Return the share of each text (b,) that occurs in the truth; 0..1.

    >>> true_shares(["Home", "A cup of tea", "is good", "Home"], "A cup of tea is good").tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    of_truth = words(truth)
    runs, known = set(zip(*(of_truth[k:] for k in range(_RUN)), strict=False)), set(of_truth)
    own = [words(text) for text in texts]
    flat = [word for text in own for word in text]
    start = np.cumsum([0, *map(len, own)]).tolist()
    stands = [tuple(flat[k : k + _RUN]) in runs for k in range(len(flat))]
    shares = np.zeros(len(texts))
    for i, text in enumerate(own):
        first, last = start[i], start[i + 1]
        if len(text) >= _RUN:
            shares[i] = float(np.mean(stands[first : last - _RUN + 1]))
        elif text and known.issuperset(text):
            before, behind = stands[max(0, first - _RUN + 1) : first], stands[first:last]
            shares[i] = max(float(np.mean(one)) if one else 0.0 for one in (before, behind))
        elif not text and i:
            shares[i] = shares[i - 1]  # marks go with what stands before
    return shares


def fit(rows: Sequence[Rows], random_state: int = 0) -> BoostedTrees:
    """Return the trees learnt from pages; the same for the same input.

    `ParameterError` where no block is main content, or all are; `MissingExtraError` without scikit-learn.
    """
    rng = np.random.default_rng(random_state)
    x, truth, weight = _drawn([page for page in rows if len(page.x)], rng)
    if not 0.0 < truth.sum() < len(truth):
        raise ParameterError("fit expects blocks of main content and others, got blocks of one kind only.")
    ensemble = require("sklearn.ensemble", "learn", "learning what is main content")
    learner = ensemble.HistGradientBoostingClassifier(
        max_iter=TREES,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAST_ROWS,
        l2_regularization=L2,
        max_features=SHARE,
        max_bins=63,
        early_stopping=False,
        monotonic_cst=[_direction(name) for name in feature_names()],
        random_state=random_state,
    )
    # A block that is in part main content is a row of each kind.
    yes, no = truth > 0, truth < 1
    learner.fit(
        np.concatenate([x[yes], x[no]]),
        np.repeat([1, 0], [yes.sum(), no.sum()]),
        sample_weight=np.concatenate([(weight * truth)[yes], (weight * (1 - truth))[no]]),
    )
    return as_arrays(learner, feature_names())


def fold_of(domain: str) -> int:
    """Return the fold of a domain, 0 to 4; the same in every run.

    >>> fold_of("example.com")
    1
    """
    return int(hashlib.sha256(domain.encode()).hexdigest(), 16) % _FOLDS


def cross_fit(pages: Sequence[MainPage], rows: Sequence[Rows]) -> list[BoostedTrees]:
    """Return for each fold the trees learnt from the pages of all others."""
    folds = [fold_of(page.domain) for page in pages]
    return [fit([page for page, of in zip(rows, folds, strict=True) if of != fold]) for fold in range(_FOLDS)]


def _drawn(rows: Sequence[Rows], rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return features, truth and weight of the blocks of all pages; a page's weights sum up to the same."""
    kept = [np.sort(rng.permutation(len(page.x))[:MOST_BLOCKS]) for page in rows]
    weights = [page.letters[own] / page.letters[own].sum() for page, own in zip(rows, kept, strict=True)]
    weight = np.concatenate([*weights, np.zeros(0)])
    return (
        np.concatenate([np.zeros((0, len(feature_names()))), *map(_taken, (page.x for page in rows), kept)]),
        np.concatenate([np.zeros(0), *map(_taken, (page.truth for page in rows), kept)]),
        weight / max(weight.mean(), 1e-300) if len(weight) else weight,
    )


def _taken(x: Floats, kept: NDArray[np.intp]) -> Floats:
    return x[kept]


def _direction(name: str) -> int:
    hint = name.removeprefix("hint ")
    return 0 if hint == name else 1 if hint in RAISES else -1 if hint in LOWERS else 0


def as_arrays(learner: Any, names: tuple[str, ...]) -> BoostedTrees:
    """Return the trees of scikit-learn's learner as arrays; names: of the features."""
    trees = [stage[0].nodes for stage in learner._predictors]  # it has no public way to them
    root = np.cumsum([0, *map(len, trees)])
    nodes = np.concatenate(trees)
    offset = np.repeat(root[:-1], list(map(len, trees)))
    leaf = nodes["is_leaf"].astype(bool)
    return BoostedTrees(
        names=names,
        bias=float(np.ravel(learner._baseline_prediction)[0]),
        root=root[:-1].astype(np.int32),
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        threshold=np.where(leaf, 0.0, nodes["num_threshold"]).astype(np.float64),
        left=np.where(leaf, 0, nodes["left"] + offset).astype(np.int32),
        right=np.where(leaf, 0, nodes["right"] + offset).astype(np.int32),
        value=np.where(leaf, nodes["value"], 0.0).astype(np.float64),
    )


def main() -> None:
    """Train on all pages and write the model."""
    pages = read_main_pages(data_folder() / "main-content")
    print(f"main content: {len(pages)} pages", flush=True)
    write_trees(MODEL, fit([rows_of(page) for page in pages]))


if __name__ == "__main__":
    main()
