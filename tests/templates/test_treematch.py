"""The kernel that matches trees, compiled and not."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.uncompiled import load_source

from webgrain.templates import treematch


def random_case(rng: np.random.Generator):
    """A tree and a template of a few nodes, with tags, symbols and marks that agree here and there."""
    n, m, n_tags, n_symbols = int(rng.integers(1, 40)), int(rng.integers(1, 12)), 3, 6
    marks_of = rng.integers(0, 4, n_symbols).astype(np.uint64)
    tag_of = rng.integers(0, n_tags, n_symbols).astype(np.int32)
    symbol = rng.integers(-1, n_symbols, n).astype(np.int32)
    nodes = (
        np.array([-1, *(int(rng.integers(k + 1)) for k in range(n - 1))], np.int32),
        np.where(symbol >= 0, tag_of[symbol], rng.integers(-1, n_tags, n)).astype(np.int32),
        symbol,
        np.zeros(n, np.int32),
        rng.integers(1, 3, n).astype(np.int32),
        np.where(symbol >= 0, marks_of[symbol], rng.integers(0, 4, n)).astype(np.uint64),
        rng.integers(0, 8, n).astype(np.uint64),
    )
    rows = sorted(
        (
            int(rng.integers(node)) * n_tags + int(tag_of[s]),
            int(s),
            int(marks_of[s]),
            int(rng.integers(8)),
            node,
        )
        for node in range(1, m)
        for s in rng.integers(0, n_symbols, 2)
    )
    return nodes, entries(rows), deeper(
        {int(rng.integers(m * n_symbols)): int(rng.integers(m)) for _ in range(3)}
    ), n_tags, n_symbols  # fmt: skip


def entries(rows):
    kinds = (np.int64, np.int32, np.uint64, np.uint64, np.int32)
    columns = zip(*rows, strict=True) if rows else [()] * 5
    return tuple(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))


def deeper(targets):
    keys = sorted(targets)
    return np.array(keys, np.int64), np.array([targets[key] for key in keys], np.int32)


def tree(symbols, marks, places=None, numbers=None, shapes=None):
    """A root and its children, all of tag 0."""
    n = len(symbols)
    return (
        np.array([-1] + [0] * (n - 1), np.int32),
        np.zeros(n, np.int32),
        np.array(symbols, np.int32),
        np.array(places or [0] * n, np.int32),
        np.array(numbers or [1] * n, np.int32),
        np.array(marks, np.uint64),
        np.array(shapes or [0] * n, np.uint64),
    )


@pytest.mark.parametrize("cython", [True, False])
def test_compiled_and_uncompiled_agree(monkeypatch, cython):
    if not cython:
        monkeypatch.setitem(sys.modules, "cython", None)
    twin = load_source(monkeypatch, "templates.treematch")
    assert not twin.COMPILED
    rng = np.random.default_rng(4)
    for _ in range(300):
        case = random_case(rng)
        assert treematch.match_tree(*case).tolist() == twin.match_tree(*case).tolist()


def test_the_symbol_decides_then_the_marks_then_the_level_below():
    nodes = tree([0, 1, -1, 3, -1], [0, 1, 0b110, 0b1000, 0b10000])
    rows = entries([(0, 1, 0b1, 0, 7), (0, 2, 0b10, 0, 8)])
    assert treematch.match_tree(nodes, rows, deeper({3: 9}), 1, 10).tolist() == [0, 7, 8, 9, -1]


def test_the_place_decides_or_else_the_shape():
    rows = entries([(0, 1, 0, 0b0011, 7), (0, 1, 0, 0b1100, 8)])
    two = tree([0, 1, 1], [0, 0, 0], [0, 0, 1], [1, 2, 2], [0, 0b1100, 0b1100])
    assert treematch.match_tree(two, rows, deeper({}), 1, 10).tolist() == [0, 7, 8]
    three = tree([0, 1, 1, 1], [0] * 4, [0, 0, 1, 2], [1, 3, 3, 3], [0, 0b1100, 0b0001, 0b1100])
    assert treematch.match_tree(three, rows, deeper({}), 1, 10).tolist() == [0, 8, 7, 8]


def test_an_empty_tree():
    nothing = tuple(column[:0] for column in tree([0], [0]))
    assert not len(treematch.match_tree(nothing, entries([]), deeper({}), 1, 1))
