"""Features of a block by the probabilities of the blocks around it.

The first models judge each block by the page alone. Where the site is known, another model sees what they
found: before and behind the block, in the containers around it, at the same path, below the same heading, and
on the whole page. The names, units and meanings of the features are in ``context.csv``, followed by `OWN`;
`webgrain.extraction.contextkernel` computes them.
"""

from __future__ import annotations

from csv import DictReader
from functools import cache
from pathlib import Path

import numpy as np

from webgrain.base.arrays import Float32, Float64
from webgrain.columns.blocks import PageFacts, block_names
from webgrain.extraction import contextkernel

OWN = (
    "letters", "plain", "linked", "tag", "place", "likeness", "described", "repeats", "level",
    "body 0.8 place", "body 0.55 place", "behind the first prose", "behind the last prose", "from prose",
    "item number", "item mean", "item place", "record number", "record mean", "record place",
    "hint comment", "hint footer", "hint related", "hint nav element", "hint code element", "hint navigation",
    "hint hidden", "hint modal", "hint table element", "hint form element",
    "behind the title", "behind the heading", "tag of the heading", "up 1 linked", "up 3 linked",
    "up 1 share", "page letters", "page linked", "page prose",
)  # fmt: skip
"""Features of the block itself that are used, too."""


def _read_names() -> tuple[str, ...]:
    with Path(__file__).with_name("context.csv").open(encoding="utf-8", newline="") as file:
        return tuple(row["name"] for row in DictReader(file))


_CONTEXT = _read_names()
_ROWS = np.array([_CONTEXT.index("main at path"), _CONTEXT.index("main at tag path"), len(_CONTEXT)])
_COLUMNS = np.array([block_names().index(name) for name in OWN])
_WINDOWS = np.array([2, 5, 15])  # blocks to each side
_LEAST = 1e-4  # least probability whose log odds are taken
_NONE = -9.0  # log odds where there is no block
_FAR = 50  # greatest distance of blocks
_EDGES = np.array([0.05, 0.95])  # shares of the expected main text at which it starts and ends


def log_odds(probability: Float64) -> Float64:
    """Return the log odds of probabilities, limited to those of 0.0001 and 0.9999.

    >>> log_odds(np.array([0.5, 0.0])).round(2).tolist()
    [0.0, -9.21]
    """
    odds: Float64 = contextkernel.log_odds(probability, _LEAST)
    return odds


def context(facts: PageFacts, x: Float32, main: Float64, comment: Float64) -> Float32:
    """Return the features (b, g) of the blocks of a page; their names are `context_names`.

    x: (b, f) their features by the page alone; main, comment: (b,) the probabilities by them.
    """
    table = np.empty((len(context_names()), len(main)), np.float32)
    contextkernel.context_features(
        table,
        x.T,
        _COLUMNS,
        facts.letters,
        main,
        comment,
        (-main).argsort(kind="stable"),
        facts.spans,
        facts.path_group,
        facts.tag_group,
        facts.is_heading.view(np.uint8),
        _ROWS,
        _WINDOWS,
        _FAR,
        _EDGES,
        _LEAST,
        _NONE,
    )
    return table.T


@cache
def context_names() -> tuple[str, ...]:
    """Return the names of the features of `context`.

    >>> context_names()[:3]
    ('main', 'comment', 'main 1 before')
    """
    return (*_CONTEXT, *OWN)
