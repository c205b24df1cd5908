"""Hashing of words and shingles: the compiled and the uncompiled kernel agree."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.uncompiled import uncompiled

from webgrain.duplicates import shingles as front
from webgrain.duplicates import wordkernel
from webgrain.duplicates.shingles import shingles

ALPHABET = "abc XYZ 0.9,'\"-\n\t\u00a0\u3000東京ไทยहिन्दीßİ\u0301\U0001f600\U00020000\ud800"


def made_up(seed: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choices(ALPHABET, k=rng.randrange(120)))


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_uncompiled_agree(seed: int) -> None:
    plain = uncompiled("duplicates.wordkernel")
    assert not plain.COMPILED
    codes = np.frombuffer(made_up(seed).lower().encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = front._character_kinds()
    words, ends = wordkernel.word_hashes(codes, kinds)
    for mine, twin in zip((words, ends), plain.word_hashes(codes, kinds), strict=True):
        assert mine.tolist() == twin.tolist()
    runs = wordkernel.shingle_hashes(words, 3)
    assert runs.tolist() == plain.shingle_hashes(words, 3).tolist()


def test_hashes_are_the_same_everywhere() -> None:
    """An index is of use on another machine: these numbers never change."""
    found = shingles("One two three four five six seven").tolist()
    assert found == [6410722158116005907, 1179509722420120845]


def test_words_of_different_letters_differ() -> None:
    rng = random.Random(1)
    texts = {"".join(rng.choices("abcdefgh", k=rng.randrange(1, 12))) for _ in range(20000)}
    hashes = front.hashed_words(" ".join(sorted(texts)))
    assert len(set(hashes.tolist())) == len(texts)
