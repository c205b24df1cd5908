"""The kernel that matches trees, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernels.test_compiled import load_source

from webgrain.kernels import treematch


def random_case(rng: np.random.Generator):
    """A tree and a template of a few nodes, with tags, symbols and marks that agree here and there."""
    n, m, n_tags, n_symbols = int(rng.integers(1, 40)), int(rng.integers(1, 12)), 3, 6
    parent = np.array([-1, *(int(rng.integers(k + 1)) for k in range(n - 1))], np.int32)
    marks_of = rng.integers(0, 4, n_symbols).astype(np.uint64)
    tag_of = rng.integers(0, n_tags, n_symbols).astype(np.int32)
    symbol = rng.integers(-1, n_symbols, n).astype(np.int32)
    tag = np.where(symbol >= 0, tag_of[symbol], rng.integers(-1, n_tags, n)).astype(np.int32)
    marks = np.where(symbol >= 0, marks_of[symbol], rng.integers(0, 4, n)).astype(np.uint64)
    rows = sorted(
        (int(rng.integers(node)) * n_tags + int(tag_of[s]), int(s), int(marks_of[s]), node)
        for node in range(1, m)
        for s in rng.integers(0, n_symbols, 2)
    )
    key, own, bits, target = (np.array(column) for column in zip(*rows, strict=True)) if rows else [[]] * 4
    deep = {
        int(rng.integers(m)) * n_symbols + int(rng.integers(n_symbols)): int(rng.integers(m))
        for _ in range(3)
    }
    entries = (
        np.array(key, np.int64),
        np.array(own, np.int32),
        np.array(bits, np.uint64),
        np.array(target, np.int32),
    )
    deeper = (np.array(sorted(deep), np.int64), np.array([deep[k] for k in sorted(deep)], np.int32))
    return parent, tag, symbol, marks, entries, deeper, n_tags, n_symbols


@pytest.mark.parametrize("cython", [True, False])
def test_compiled_and_uncompiled_agree(monkeypatch, cython):
    if not cython:
        monkeypatch.setitem(__import__("sys").modules, "cython", None)
    twin = load_source(monkeypatch, "treematch")
    assert not twin.COMPILED
    rng = np.random.default_rng(4)
    for _ in range(300):
        case = random_case(rng)
        assert treematch.match_tree(*case).tolist() == twin.match_tree(*case).tolist()


def test_the_symbol_decides_then_the_marks_then_the_level_below():
    parent = np.array([-1, 0, 0, 0, 0], np.int32)
    tag = np.zeros(5, np.int32)
    symbol = np.array([0, 1, -1, 3, -1], np.int32)
    marks = np.array([0, 1, 0b110, 0b1000, 0b10000], np.uint64)
    entries = (
        np.zeros(2, np.int64),
        np.array([1, 2], np.int32),
        np.array([0b1, 0b10], np.uint64),
        np.array([7, 8], np.int32),
    )
    deeper = (np.array([3], np.int64), np.array([9], np.int32))
    found = treematch.match_tree(parent, tag, symbol, marks, entries, deeper, 1, 10)
    assert found.tolist() == [0, 7, 8, 9, -1]


def test_an_empty_tree():
    empty = np.zeros(0, np.int32)
    entries = (np.zeros(0, np.int64), empty, np.zeros(0, np.uint64), empty)
    assert not len(
        treematch.match_tree(empty, empty, empty, np.zeros(0, np.uint64), entries, (entries[0], empty), 1, 1)
    )
