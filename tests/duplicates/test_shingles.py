"""The paper's scheme, to the letter: 6 words, the 8 least hash values, 4 of them shared."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.duplicates.shingles import Shingles, shingles

TEXT = " ".join(f"word{k}" for k in range(200))


def by_hand(text: str) -> set[str]:
    """The scheme with another hash, written down independently."""
    words = re.sub(r"[^\w\s]|_", "", text.lower()).split()
    runs = {" ".join(words[k : k + 6]) for k in range(len(words) - 5)}
    return set(sorted(hashlib.md5(run.encode()).hexdigest() for run in runs)[:8])


def test_defaults_are_the_papers() -> None:
    assert Shingles().get_params() == {"width": 6, "kept": 8, "shared": 4}


def test_a_signature_is_the_least_hashes() -> None:
    signature = Shingles().signature(TEXT)
    assert signature.tolist() == sorted(set(shingles(TEXT).tolist()))[:8]


def test_what_stands_twice_is_kept_once() -> None:
    assert len(Shingles().signature("to be or not to be " * 50)) == 6


def test_shared_counts() -> None:
    method = Shingles()
    a = np.arange(8, dtype=np.uint64)
    for shared in range(9):
        b = np.concatenate([a[:shared], 100 + a[shared:]])
        assert method.similarity(a, b) == shared
        assert method.is_duplicate(a, b) == (shared >= 4)


def test_decisions_are_those_of_another_hash_on_average() -> None:
    """Texts that share a part: the share of duplicates is that of the same scheme with MD5."""
    method = Shingles()
    mine = theirs = 0
    for k in range(300):
        common = " ".join(f"c{k}x{i}" for i in range(120))
        a, b = (common + " " + " ".join(f"{side}{k}x{i}" for i in range(90)) for side in "ab")
        mine += method.is_duplicate(method.signature(a), method.signature(b))
        theirs += len(by_hand(a) & by_hand(b)) >= 4
    assert 90 < theirs < 240  # neither nearly none nor nearly all
    assert abs(mine - theirs) < 45  # three standard errors


def test_too_short_a_text_is_no_duplicate_even_of_itself() -> None:
    method = Shingles()
    short, enough = (
        method.signature("only eight words stand in this short text"),
        method.signature("a b c d e f g h i"),
    )
    assert not method.is_duplicate(short, short)
    assert method.is_duplicate(enough, enough)
    assert not method.is_duplicate(method.signature(""), method.signature(""))


@pytest.mark.parametrize("name", ["width", "kept", "shared"])
def test_parameters_are_checked(name: str) -> None:
    with pytest.raises(ParameterError, match=f"Shingles: {name} must be an integer of at least 1, got 0"):
        Shingles(**{name: 0})
