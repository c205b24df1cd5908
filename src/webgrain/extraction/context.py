"""Features of a block by the probabilities of the blocks around it.

The first models judge each block by the page alone. Where the site is known, another model sees what they
found: before and behind the block, in the containers around it, at the same path, below the same heading, and
on the whole page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, Int64
from webgrain.columns.blocks import FeatureColumns, PageFacts, block_names, names_of, table_of

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

_COLUMNS = [block_names().index(name) for name in OWN]
_CONTAINERS = (0, 1, 2, 3, 5)  # steps to the containers that are used
_WINDOWS = (2, 5, 15)  # blocks to each side
_LEAST = 1e-4  # least probability whose log odds are taken
_NONE = -9.0  # log odds where there is no block
_FAR = 50  # greatest distance of blocks
_EDGES = (0.05, 0.95)  # shares of the expected main text at which it starts and ends


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Where the blocks of a page are.

    Attributes:
        x: (b, f) the features of the blocks.
        letters: (b,); heading: (b,) whether a block is in a heading.
        path_group, tag_group: (b,) numbers of the blocks at the same path, with and without classes, from 0.
        spans: (k, b, 2) the blocks of the k-th container around each block, the end excluded.
    """

    x: Float32
    letters: Float64
    heading: Bool
    path_group: Int64
    tag_group: Int64
    spans: Int64

    @classmethod
    def of(cls, facts: PageFacts, x: Float32) -> Surroundings:
        """Return those of a page; x: its features."""
        within = facts.containers
        node = within.outward[[*_CONTAINERS]]
        spans = np.stack([within.first[node], within.last[node]], axis=2)
        heading = np.bincount(facts.heading, minlength=len(facts.letters)) > 0
        tag_group = np.unique(facts.tag_path, return_inverse=True)[1]
        return cls(x, facts.letters, heading, facts.path_group, tag_group, spans)


def log_odds(probability: Float64) -> Float64:
    """Return the log odds of probabilities, limited to those of 0.0001 and 0.9999.

    >>> log_odds(np.array([0.5, 0.0])).round(2).tolist()
    [0.0, -9.21]
    """
    clipped = np.minimum(np.maximum(probability, _LEAST), 1.0 - _LEAST)
    odds: Float64 = np.log(clipped / (1.0 - clipped))
    return odds


def context(around: Surroundings, main: Float64, comment: Float64) -> Float32:
    """Return the features (b, g); main, comment: (b,) the probabilities by the page alone."""
    return table_of(_columns(around, main, comment), len(main), context_names())


@cache
def context_names() -> tuple[str, ...]:
    """Return the names of the features of `context`.

    >>> context_names()[:3]
    ('main', 'comment', 'main 1 before')
    """
    ones, group = np.ones(1), np.zeros(1, np.int64)
    x, spans = np.zeros((1, len(block_names())), np.float32), np.tile([0, 1], (len(_CONTAINERS), 1, 1))
    around = Surroundings(x, ones, ones > 0, group, group, spans)
    return names_of(_columns(around, ones, ones))


def _columns(around: Surroundings, main: Float64, comment: Float64) -> FeatureColumns:
    n, weight = len(main), around.letters + 1.0
    at, odds, of_comment = np.arange(n), log_odds(main), log_odds(comment)
    yield "main", odds
    yield "comment", of_comment
    for name, x, farthest in (("main", odds, 2), ("comment", of_comment, 1)):
        padded = np.concatenate([[_NONE] * 2, x, [_NONE] * 2])
        for step in range(1, farthest + 1):
            yield f"{name} {step} before", padded[2 - step : n + 2 - step]
            yield f"{name} {step} behind", padded[2 + step : n + 2 + step]
    summed = (weight, weight * main, weight * comment)
    size, mass, replies = (np.concatenate([[0.0], np.cumsum(x)]) for x in summed)
    total, of_replies = max(float(mass[-1]), 1e-9), max(float(replies[-1]), 1e-9)
    for width in _WINDOWS:
        first, last = np.maximum(at - width, 0), np.minimum(at + width + 1, n)
        yield f"main within {width}", (mass[last] - mass[first]) / (size[last] - size[first])
    first, last = around.spans[:, :, 0], around.spans[:, :, 1]
    letters, inside = np.maximum(size[last] - size[first], 1e-9), mass[last] - mass[first]
    parts = {"main in": inside / letters, "comment in": (replies[last] - replies[first]) / letters}
    parts["share of"] = inside / total
    names = [f"{name} {steps}" for steps in _CONTAINERS for name in parts]
    yield names, np.stack([*parts.values()], axis=1).reshape(len(names), -1)
    for name, group in (("path", around.path_group), ("tag path", around.tag_group)):
        yield f"main at {name}", _mean(group, weight, main)
        yield f"comment at {name}", _mean(group, weight, comment)
        yield f"number at {name}", np.log1p(np.bincount(group))[group]
    yield "main before", mass[:-1] / total
    yield "comment before", replies[:-1] / of_replies
    highest, behind = np.maximum.accumulate(odds), np.maximum.accumulate(odds[::-1])[::-1]
    yield "highest before", np.concatenate([[_NONE], highest[:-1]])
    yield "highest behind", np.concatenate([behind[1:], [_NONE]])
    yield "comments before", np.concatenate([[_NONE], np.maximum.accumulate(of_comment)[:-1]])
    start, end = np.searchsorted(mass[1:] / total, _EDGES).tolist()
    yield "from the start", (at - start).clip(-_FAR, _FAR)
    yield "from the end", (at - end).clip(-_FAR, _FAR)
    order = np.argsort(-main, kind="stable")
    true = np.cumsum(weight[order] * main[order])
    f1 = 2.0 * true / np.maximum(np.cumsum(weight[order]) + true[-1], 1e-9)
    best = int(f1.argmax())
    whole = {
        "page main": np.log1p(total),
        "page comment": np.log1p(of_replies),
        "page share of main": total / size[-1],
        "page share of comment": of_replies / size[-1],
        "page F1": f1[best],
    }
    yield [*whole], np.array([*whole.values()])[:, None]
    yield "above the cut", odds - odds[order[best]]
    last_heading = np.maximum.accumulate(np.where(around.heading, at, -1))
    yield "main of the heading", np.where(last_heading >= 0, odds[last_heading], _NONE)
    yield "main below the heading", _mean(last_heading + 1, weight, main)
    yield "comment below the heading", _mean(last_heading + 1, weight, comment)
    yield OWN, around.x[:, _COLUMNS].T


def _mean(group: Int64, weight: Float64, x: Float64) -> Float64:
    """Return the weighted mean of the group of each block (b,)."""
    mean: Float64 = (np.bincount(group, weight * x) / np.maximum(np.bincount(group, weight), 1e-9))[group]
    return mean
