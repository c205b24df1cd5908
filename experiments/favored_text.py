"""Precision and recall of texts if one of them is favored, on pages that no model has seen.

    python experiments/training/alone.py build/alone
    python -m experiments.favored_text

Mean word precision, recall and F1 of `SinglePage` with each choice of ``favor``, on the pages of the test
suites that have a whole text and on every second labelled page with a text (`experiments.extraction_bench`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from experiments.datasets.blocks import reference_pages
from experiments.datasets.suites import read_suites
from experiments.training.domains import fold_of, group_of, left_out_models
from experiments.training.singlepage import LABELLED
from webgrain.base.metrics import word_score
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.single import BETA, SinglePage
from webgrain.page.page import Source
from webgrain.page.parsing import parse

Truth = tuple[Source, str]


def truths(suite: str) -> list[Truth]:
    """Return the pages of a suite with their true texts."""
    if suite == LABELLED:
        pages = [(page.source, page.text) for page in reference_pages(suite) if page.text]
        return pages[::2]
    suites = data_folder() / "main-content" / "suites"
    return [(page.source, page.text) for page in read_suites(suites, [suite]) if page.text]


def scores(pages: Iterable[Truth], favor: str) -> list[float]:
    """Return the mean precision, recall and F1 of the words of the texts."""
    models = left_out_models()
    found = []
    for source, text in pages:
        reader = SinglePage(models=models[fold_of(group_of(source))], favor=favor)  # type: ignore[arg-type]
        score = word_score(text, reader.predict(parse(source)).text)
        found.append((score.precision, score.recall, score.f1))
    means: list[float] = np.mean(found, axis=0).round(3).tolist()
    return means


def main() -> None:
    """Print a line for each suite and each choice."""
    for suite in ("readability", "newspaper4k", LABELLED):
        pages = truths(suite)
        for favor in BETA:
            print(suite, len(pages), favor, *scores(pages, favor), flush=True)


if __name__ == "__main__":
    main()
