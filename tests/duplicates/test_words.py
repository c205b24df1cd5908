from __future__ import annotations

import pytest

from webgrain.base.errors import ParameterError
from webgrain.duplicates.shingles import hashed_words, located_words, shingles


def hashes(text: str) -> list[int]:
    return hashed_words(text).tolist()


def test_case_and_marks_do_not_matter() -> None:
    assert hashes("Don't STOP, e-mail me: A_1!") == hashes("dont stop email me a1")


def test_marks_do_not_part_words_and_any_space_does() -> None:
    assert len(hashes("either/or")) == 1
    assert len(hashes("a\u00a0b\u3000c\nd\te")) == 5


def test_order_counts() -> None:
    assert hashes("one two") == list(reversed(hashes("two one")))


def test_vowel_signs_and_accents_belong_to_words() -> None:
    assert hashes("कि") != hashes("का")
    assert len(hashes("हिन्दी")) == 1


@pytest.mark.parametrize("text", ["東京都", "ひらが", "กขค", "ကခဂ"])
def test_without_spaces_each_character_is_a_word(text: str) -> None:
    assert len(hashes(text)) == 3
    assert len(hashes(f"abc{text}def")) == 5


def test_a_window_slides_over_characters_there() -> None:
    text = "春眠不覺曉處處聞啼鳥"
    assert len(shingles(text)) == len(text) - 5
    assert set(shingles(text[1:]).tolist()) < set(shingles(text).tolist())


def test_fewer_words_than_a_window_are_one_shingle() -> None:
    assert len(shingles("one two")) == 1
    assert shingles("one two").tolist() != shingles("one three").tolist()
    assert [len(shingles(text)) for text in ("", " \n", "?!")] == [0, 0, 0]


def test_width_is_checked() -> None:
    with pytest.raises(ParameterError, match="width must be at least 1, got 0"):
        shingles("a", 0)


@pytest.mark.parametrize("text", ["One, two.", "İstanbul İzmir x", "a 東京 b", "\ud800 a"])
def test_ends_are_places_in_the_text(text: str) -> None:
    hashed, ends = located_words(text)
    assert len(hashed) == len(ends)
    assert all(text[end - 1].isalnum() for end in ends.tolist())
    assert ends.tolist() == sorted(ends.tolist())


def test_a_page_of_ten_megabytes() -> None:
    text = "word " * 2_000_000
    assert len(hashed_words(text)) == 2_000_000
