"""Sketches: what they contain, and how names and sites of pages are determined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from webgrain.duplicates.shingles import shingles
from webgrain.duplicates.sketches import PageText, make_sketch, site_name
from webgrain.duplicates.thresholds import SKETCH_SIZE

LONG = " ".join(f"word{k}" for k in range(3000))


def test_long_text_keeps_its_smallest_hashes() -> None:
    sketch = make_sketch(PageText("a", LONG))
    every = np.unique(shingles(LONG))
    assert sketch.hashes.tolist() == every[:SKETCH_SIZE].tolist()
    assert (sketch.facts["size"], sketch.facts["kept"], sketch.facts["top"]) == (
        2995,
        SKETCH_SIZE,
        every[SKETCH_SIZE - 1],
    )


def test_short_text_keeps_all_hashes_and_covers_everything() -> None:
    sketch = make_sketch(PageText("a", LONG[:500]))
    assert sketch.facts["size"] == sketch.facts["kept"] == len(np.unique(shingles(LONG[:500])))
    assert sketch.facts["top"] == np.iinfo(np.uint64).max


def test_texts_of_the_same_words_have_one_digest() -> None:
    digests = {
        int(make_sketch(PageText("a", x)).facts["digest"]) for x in ("One, two!", "one two", "two one")
    }
    assert len(digests) == 2


def test_empty_text_has_no_hashes() -> None:
    assert make_sketch(PageText("a", "?!")).facts["size"] == 0


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (("1.0/flow.html", None, "Flow - Docs 1.0"), ("2.13/flow.html", None, "Flow - Docs 2.13"), True),
        (("a/lamp.html", None, "Lamp"), ("a/sofa.html", None, "Sofa"), False),
        (("a/lamp.html", None, "Shop"), ("a/sofa.html", None, "Shop"), False),
        (("a", "http://x.org/p/7/", "Lamp"), ("b", "http://x.org/p/8/", "Lamp"), True),
    ],
)
def test_names_of_versions_are_equal(a: Any, b: Any, same: bool) -> None:
    names = {PageText(id_, "", url, title).name for id_, url, title in (a, b)}
    assert (len(names) == 1) is same


@pytest.mark.parametrize(
    ("name", "url", "expected"),
    [
        ("a.html", None, ""),
        ("en/a.html", None, ""),
        ("example.org/a.html", None, "example.org"),
        ("../a.html", None, ""),
        ("a.html", "https://Example.org:80/x", "example.org"),
        ("a.html", "http://[broken", ""),
    ],
)
def test_site_is_the_host(name: str, url: str | None, expected: str) -> None:
    assert site_name(name, url) == expected


def test_lone_surrogates_are_hashed() -> None:
    assert make_sketch(PageText("\ud800", "a \ud800", title="\ud800", site="\ud800")).facts["kept"] == 1
