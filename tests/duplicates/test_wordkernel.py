"""Hashing of words and shingles: the compiled and the uncompiled kernel agree."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.uncompiled import uncompiled

from webgrain.duplicates import shingles as front
from webgrain.duplicates import wordkernel
from webgrain.duplicates.shingles import shingles
from webgrain.page.parsing import as_page, parse
from webgrain.page.text import visible_text

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
    cuts = np.sort(np.random.default_rng(seed).integers(0, len(codes) + 1, 6)).astype(np.int32)
    pieces = cuts[:-1], cuts[1:], np.array([0, 0, 1, 1, 2])
    words, ends = wordkernel.word_hashes(codes, kinds, *pieces)
    for mine, twin in zip((words, ends), plain.word_hashes(codes, kinds, *pieces), strict=True):
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


@pytest.mark.parametrize("seed", range(40))
def test_the_words_of_a_page_are_those_of_its_visible_text(seed: int) -> None:
    rng = random.Random(seed)
    parts = [
        "<p>",
        "<b>",
        "</b>",
        "<br>",
        "<script>x</script>",
        "<p hidden>no",
        " ",
        "<td>",
        "\u03a3",
        made_up(seed),
    ]
    page = as_page("".join(rng.choice(parts) + made_up(seed + 40 * k)[:9] for k in range(30)))
    expected = front.hashed_words(visible_text(page, separator="\n"))
    assert front.words_of_page(page).tolist() == expected.tolist()


@pytest.mark.data
def test_the_words_of_real_pages_are_those_of_their_visible_text() -> None:
    [site] = read_bench(["nbn"])
    for source in islice(site.sources(), 30):
        page = parse(source)
        expected = front.hashed_words(visible_text(page, separator="\n"))
        assert front.words_of_page(page).tolist() == expected.tolist()
