"""The targets of the fuzzer, with inputs that are the same every time; ``make fuzz`` tries many more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hostile.corpus import PAGES
from tests.hostile.targets import TARGETS

WORDS = (
    *(
        "<div",
        "<p",
        "<table",
        "<tr",
        "<td",
        "<ul",
        "<li",
        "<a",
        "<b",
        "<svg",
        "<select",
        "<template",
        "<style",
    ),
    *(
        "</div>",
        "</p>",
        "</table>",
        "</ul>",
        "</b>",
        "</style>",
        ">",
        " ",
        " id=a",
        " class='b c'",
        " href=/x",
    ),
    *(
        " hidden",
        " style='display:none'",
        " colspan=9",
        "text",
        "\u00e9",
        "\0",
        "&amp;",
        "<!--",
        "-->",
        "<",
        "'",
    ),
    *(
        "p{float:left}",
        "@media all{",
        ":not(",
        "}",
        "\U0001f600",
        "{{",
        "9" * 20,
        "<br>",
        "<img src=x>",
        "<h1>",
    ),
)
PAGE = st.lists(st.sampled_from(WORDS), max_size=60).map(lambda words: "".join(words).encode())


@pytest.mark.parametrize("target", ["parse", "match", "css", "row", "response"])
@settings(max_examples=50)
@given(data=PAGE | st.binary(max_size=200))
def test_no_page_breaks_a_target(target: str, data: bytes) -> None:
    TARGETS[target](data)


@pytest.mark.parametrize("target", ["model", "unpack", "warc", "rules"])
@settings(max_examples=50)
@given(data=st.binary(max_size=300))
def test_no_bytes_break_a_reader(target: str, data: bytes) -> None:
    TARGETS[target](data)


def test_hostile_pages_break_no_reader() -> None:
    for make in PAGES.values():
        for target in ("unpack", "warc", "css", "rules", "response"):
            TARGETS[target](make(5))


@pytest.mark.full
def test_hostile_pages_break_no_site() -> None:
    for make in PAGES.values():
        TARGETS["site"](make(15))


def test_each_target_is_fuzzed_in_continuous_integration() -> None:
    root = Path(__file__).parents[2]
    (line,) = [line for line in (root / "Makefile").read_text().splitlines() if "for target in" in line]
    assert set(line.split(" in ")[1].split(";")[0].split()) == set(TARGETS)
    commands = (root / ".ci" / "run").read_text().splitlines()
    assert "set -euo pipefail" in commands  # so that an input that breaks a target fails the build
    assert "make fuzz FUZZ_OPTIONS=--same" in commands
    runs = (root / "fuzz" / "fuzz.py").read_text().partition("RUNS = {")[2].partition("}")[0]
    assert set(re.findall(r'"(\w+)": [1-9]', runs)) == set(TARGETS)
    assert "|| exit 1" in (root / "Makefile").read_text().partition("for target in")[2].partition("\n\n")[0]
