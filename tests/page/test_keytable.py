"""Keys are found among known keys, compiled and not."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from tests.uncompiled import uncompiled

from webgrain.page.kernels import keytable

KERNELS = [keytable, uncompiled("page.kernels.keytable")]


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
@pytest.mark.parametrize("size", [0, 1, 2, 300])
def test_places_of_keys(kernel: ModuleType, size: int) -> None:
    keys = np.random.default_rng(0).integers(0, 2**64, size + 200, np.uint64)
    known = keys[:size]
    searched = keys[::2].copy()
    place = kernel.places_of(searched, known, kernel.key_slots(known))
    expected = [row if row < size else -1 for row in range(0, size + 200, 2)]
    assert place.tolist() == expected


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_keys_with_equal_ends_have_different_places(kernel: ModuleType) -> None:
    known = np.arange(100, dtype=np.uint64) << np.uint64(56)
    slots = kernel.key_slots(known)
    assert kernel.places_of(known[::-1].copy(), known, slots).tolist() == list(range(99, -1, -1))
    assert kernel.places_of(known + np.uint64(1), known, slots).tolist() == [-1] * 100


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_numbers_have_marks(kernel: ModuleType) -> None:
    mark = np.array([1, 0, 1], np.uint8)
    numbers = [[], [0, 2, 0], [0, 1], [2, 3]]
    marked = [kernel.all_marked(np.array(row, np.int32), mark) for row in numbers]
    assert marked == [True, True, False, False]
