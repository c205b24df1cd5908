from __future__ import annotations

import random

import pytest

from webgrain.page.paths import Path, Step
from webgrain.pagetypes.descriptions import TypeFacts, name_types
from webgrain.pagetypes.thresholds import MAX_NAME


def pages(pattern: str, n: int = 12) -> list[str]:
    return [pattern.format(k=k, word=f"{'abcdefghijklmnop'[k % 16]}{k}", day=1 + k % 28) for k in range(n)]


def test_types_are_named_by_their_places() -> None:
    kinds = {
        "a": TypeFacts(pages("https://example.org/{day:02d}/blog/{word}.html")),
        "b": TypeFacts(pages("https://example.org/2024/05/{day:02d}/{word}/index.html")),
        "c": TypeFacts(pages("https://example.org/shop/{word}/reviews")),
        "d": TypeFacts(pages("https://example.org/viewtopic.php?t={k}")),
        "e": TypeFacts(pages("https://example.org/classA{word}.html")),
        "f": TypeFacts(pages("https://example.org/src/deep/{word}/{word}_source.html")),
        "g": TypeFacts(pages("https://example.org/news/2024-05-{day:02d}-{word}.html")),
    }
    assert name_types(kinds) == {
        "a": "/*/blog/*",
        "b": "/YYYY/MM/DD/*",
        "c": "/shop/*/reviews",
        "d": "/viewtopic.php?*",
        "e": "/class*",
        "f": "/src/deep/*",
        "g": "/news/*",
    }


def test_special_types_are_named_by_what_they_are() -> None:
    kinds = {label: TypeFacts([f"{label}/{k}" for k in range(3)]) for label in ("redirect", "error", "other")}
    assert name_types(kinds) == {"redirect": "Redirects", "error": "Error pages", "other": "Other pages"}


def test_a_few_pages_elsewhere_do_not_matter() -> None:
    mixed = [*pages("mod/{word}.html", 18), "glossary.html", "howto/auth.html"]
    assert name_types({"a": TypeFacts(mixed)}) == {"a": "/mod/*"}


def test_pages_in_many_places_are_named_by_what_they_are() -> None:
    places = [f"{place}/{word}.html" for place in "abcdef" for word in "xyz"]
    kinds = {
        "a": TypeFacts(places, verdicts=["article"] * 9 + ["index"]),
        "b": TypeFacts(["x.html", "y/z.html"]),
    }
    assert name_types(kinds) == {"a": "Articles in /a/, /b/, /c/, …", "b": "/x, /y/z"}


def test_titles_describe_a_type_unless_other_types_have_them() -> None:
    site = "The Daily Lantern"
    kinds = {
        "a": TypeFacts(pages("a/{word}"), [f"Release 1.{k} notes" for k in range(9)]),
        "b": TypeFacts(pages("b/{word}"), [f"{site} | {k} things" for k in range(9)]),
        "c": TypeFacts(pages("c/{word}"), [f"{site} | {k} others" for k in range(9)]),
        "d": TypeFacts(pages("d/{word}"), ["Archive"] * 9),
        "e": TypeFacts(pages("e/{word}"), [f"Nr. {k}" for k in range(9)]),
    }
    assert name_types(kinds) == {
        "a": "/a/* “Release …”",
        "b": "/b/*",
        "c": "/c/*",
        "d": "/d/* “Archive”",
        "e": "/e/*",
    }


def test_types_with_the_same_key_path_are_distinguished() -> None:
    toc = Path((Step("html"), Step("div", "", ("toc", "wide")), Step("a")))
    kinds = {
        "a": TypeFacts(pages("docs/{word}"), key_path=toc),
        "b": TypeFacts(pages("docs/{word}x"), key_path=Path((Step("h1"),))),
        "c": TypeFacts(pages("docs/{word}y")),
        "d": TypeFacts(pages("docs/{word}z")),
    }
    assert name_types(kinds) == {
        "a": "/docs/* with div.toc",
        "b": "/docs/* with h1",
        "c": "/docs/*",
        "d": "/docs/* (2)",
    }


def test_the_order_of_the_pages_does_not_matter() -> None:
    addresses = [*pages("a/b/{word}"), *pages("a/c/{word}"), *pages("d/{word}.php")]
    titles = [f"The story of {k}" for k in range(15)]
    names = []
    for seed in range(5):
        random.Random(seed).shuffle(addresses)
        random.Random(seed).shuffle(titles)
        names.append(name_types({"x": TypeFacts(addresses, titles)}))
    assert names == [names[0]] * 5


@pytest.mark.parametrize(
    "address",
    ["", "/", "http://[broken/x", "?", "a" * 5000, "/".join("abcdefghijkl" * 50), "\u202e\x00\n/\ud800",
     "%ff%00/x", "http://example.org/文章/一.html", "./../x", "index.html",
     "2024/13/99/x", "2024", "a/2024/5"],
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 9])
def test_any_address_has_a_name(address: str, times: int) -> None:
    [name] = name_types(
        {"a": TypeFacts([address] * times, ["", " ", "x" * 999, "\ud800" * 9] * times)}
    ).values()
    assert 0 < len(name) <= MAX_NAME
    assert name.isprintable()
    assert name.encode()


def test_no_two_names_are_the_same() -> None:
    long = "x" * 200
    kinds = {f"t{k}": TypeFacts(pages(f"{long}/{{word}}{k}")) for k in range(20)}
    names = name_types(kinds)
    assert len(set(names.values())) == 20


def test_a_long_class_does_not_make_a_long_name() -> None:
    kinds = {
        name: TypeFacts(pages("docs/{word}"), key_path=Path((Step("div", "", (name * 500,)),)))
        for name in "ab"
    }
    assert max(map(len, name_types(kinds).values())) <= MAX_NAME + len("/docs/* with ")


def test_no_types_have_no_names() -> None:
    assert name_types({}) == {}
    assert name_types({"a": TypeFacts([])})["a"]
