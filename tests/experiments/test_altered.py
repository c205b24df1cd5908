"""Pages with less text or less markup."""

from __future__ import annotations

from random import Random

import pytest
from experiments.training.altered import KINDS, altered, plain, shortened

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks, visible_text

TEXT = "The keeper lights the lamp at dusk. " * 40
PAGE = Source(
    "a", f"<title>Lamp</title><nav><a href=/>Home</a></nav><h1>Lamp</h1><p>{TEXT}<p>{TEXT}<hr>".encode()
)


def texts(page: Source | None) -> tuple[str, ...]:
    assert page is not None
    return text_blocks(parse(page)).texts


def test_a_shortened_page_has_the_first_words_and_what_is_around_them():
    assert texts(shortened(PAGE, TEXT * 2, 9)) == (
        "Lamp",
        "Home",
        "Lamp",
        "The keeper lights the lamp at dusk. The keeper",
    )


def test_a_bare_page_has_headings_and_the_first_words():
    assert texts(shortened(PAGE, TEXT * 2, 3, bare=True)) == ("Lamp", "Lamp", "The keeper lights")


def test_a_page_with_fewer_words_cannot_be_shortened():
    assert shortened(PAGE, TEXT * 2, 1000) is None
    assert shortened(PAGE, "Nothing of this is there", 3) is None


def test_scripts_and_quotes_stay_as_they_are():
    page = Source("a", b"<script>if (a < b) c()</script><a title='x \"y\"'>A &lt; B</a><p>" + TEXT.encode())
    found = shortened(page, TEXT, 3)
    assert found is not None
    assert b"<script>if (a < b) c()</script>" in found.body
    assert b'<a title="x &quot;y&quot;">A &lt; B</a>' in found.body


@pytest.mark.parametrize("seed", range(12))
def test_a_plain_page_has_text_or_a_list_with_links(seed: int):
    page = plain(Random(seed), 3, "A & B", "one two\nthree four", ())
    shown = " ".join(visible_text(parse(page)).split())
    assert "one two three" in shown
    assert "four" not in shown
    page = plain(Random(seed), 3, "", "", [("First", "of two"), ("Second", "of two")])
    assert "First</a>" in page
    assert "Second</a>" in page


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_page_is_always_altered_in_the_same_way(kind: str):
    first, second = (altered(PAGE, kind, "Lamp", TEXT * 2, ()) for _ in range(2))
    assert first is not None
    assert first == second
    assert len(" ".join(texts(first)).split()) < 320
