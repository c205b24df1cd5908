"""Folds of sites and domains, and the models that have not seen a fold."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.blocks import FAMILIES
from experiments.datasets.maincontent import domain_of
from webgrain.base.trees import BoostedTrees, read_trees
from webgrain.extraction.metadata import metadata
from webgrain.extraction.single import FORMAT, model_names
from webgrain.extraction.threads import FORMAT as THREADS
from webgrain.extraction.threads import thread_names
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from webgrain.page.page import Source

FOLDS = 4
LEFT_OUT = Path("build/alone")
"""Where other scripts expect the models that have not seen a fold."""


def fold_of(domain: str) -> int:
    """Return the fold of a domain; the same in every run.

    >>> fold_of("example.com")
    3
    """
    return int(hashlib.sha256(domain.encode()).hexdigest(), 16) % FOLDS


def group_of(source: Source) -> str:
    """Return the domain of a page, by its address or the one that it states, else its name.

    >>> from webgrain.page.page import Source
    >>> group_of(Source("readability/0001.html", b"<p>A", url="https://www.example.org/a"))
    'example.org'
    """
    address = source.url or str(metadata(parse(source)).get("canonical", ""))
    site = domain_of(address).removesuffix(".example")  # of labelled pages the address has only the site
    return FAMILIES.get(site, site) or source.id


def file_of(fold: int, folder: Path = LEFT_OUT) -> Path:
    """Return the file of the models that have not seen a fold."""
    return folder / str(fold) / "single.model"


def threads_file(fold: int, folder: Path = LEFT_OUT) -> Path:
    """Return the file of the models of kinds and posts that have not seen a fold."""
    return folder / str(fold) / "threads.model"


@cache
def left_out_models(folder: Path = LEFT_OUT) -> list[dict[str, BoostedTrees]]:
    """Return the models that have not seen a fold, by the number of the fold.

    folder: what ``alone.py`` has written, and ``singlepage.py`` completed; `InputError` if a model is
    missing.
    """
    return [read_trees(file_of(fold, folder), model_names(), FORMAT) for fold in range(FOLDS)]


@cache
def left_out_threads(folder: Path = LEFT_OUT) -> list[dict[str, BoostedTrees]]:
    """Return the models of kinds and posts that have not seen a fold, by its number.

    folder: what ``threads.py`` has written; `InputError` if a model is missing.
    """
    return [read_trees(threads_file(fold, folder), thread_names(), THREADS) for fold in range(FOLDS)]
