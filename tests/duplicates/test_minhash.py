from __future__ import annotations

import numpy as np
import pytest

from webgrain.duplicates.minhash import MinHash, shingles
from webgrain.duplicates.thresholds import MEETING_PROBABILITY
from webgrain.errors import ParameterError


def pair(shared: int, own: int, name: str = "") -> tuple[str, str]:
    """Two texts with so many shared words, and so many of their own behind."""
    common = " ".join(f"{name}c{i}" for i in range(shared))
    a, b = (" ".join([common, *(f"{name}{side}{i}" for i in range(own))]) for side in "ab")
    return a, b


def resemblance(a: str, b: str) -> float:
    x, y = (set(shingles(text).tolist()) for text in (a, b))
    return len(x & y) / len(x | y)


@pytest.mark.parametrize(("shared", "own"), [(400, 20), (300, 80), (200, 200), (40, 3)])
def test_agreement_estimates_resemblance(shared: int, own: int) -> None:
    method = MinHash()
    texts = [pair(shared, own, f"t{k}") for k in range(60)]
    estimates = [float(method.similarity(*map(method.signature, both))) for both in texts]
    true = resemblance(*texts[0])
    error = np.sqrt(true * (1 - true) / 128)
    assert np.mean(estimates) == pytest.approx(true, abs=4 * error / np.sqrt(60))
    assert np.std(estimates) == pytest.approx(error, rel=0.5)


def test_texts_meet_as_often_as_the_curve_says() -> None:
    method = MinHash(threshold=0.8)
    met, expected = 0, 0.0
    for k in range(400):
        a, b = pair(150, 45, f"t{k}")
        keys = method.keys(np.stack([method.signature(a), method.signature(b)]))
        met += bool((keys[:, 0] == keys[:, 1]).any())
        expected += float(method.probability(resemblance(a, b)))
    assert 80 < expected < 320
    assert met == pytest.approx(expected, abs=40)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.9, 0.95, 1.0])
def test_bands_are_the_most_selective_that_find_the_threshold(threshold: float) -> None:
    method = MinHash(threshold=threshold)
    assert method.bands * method.rows <= 128
    assert method.probability(threshold) >= MEETING_PROBABILITY
    if method.rows < 32:
        more = method.rows + 1
        assert 1 - (1 - threshold**more) ** (128 // more) < MEETING_PROBABILITY


def test_keys_hang_on_their_rows_alone() -> None:
    method = MinHash()
    one = np.arange(128, dtype=np.uint16)
    other = one.copy()
    other[method.rows] += 1  # the first value of the second band
    keys = method.keys(np.stack([one, other]))
    assert (keys[:, 0] != keys[:, 1]).nonzero()[0].tolist() == [1]
    assert keys.min() > 0


def test_the_seed_makes_other_functions() -> None:
    text = "some words that make a few shingles at least"
    assert MinHash(random_state=1).signature(text).tolist() != MinHash().signature(text).tolist()
    assert MinHash().signature(text).tolist() == MinHash().signature(text).tolist()


@pytest.mark.parametrize("wrong", [{"threshold": 0.1}, {"threshold": 1.5}, {"hashes": 8}, {"width": 0}])
def test_parameters_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="MinHash: "):
        MinHash(**wrong)  # type: ignore[arg-type]
