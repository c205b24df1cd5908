from __future__ import annotations

import random

import pytest

from webgrain.pagetypes.thresholds import MAX_NAME
from webgrain.pagetypes.typenames import TypeFacts, name_types


def pages(pattern: str, n: int = 12) -> list[str]:
    return [pattern.format(k=k, word=f"{'abcdefghijklmnop'[k % 16]}{k}", day=1 + k % 28) for k in range(n)]


def test_types_are_named_by_their_places() -> None:
    kinds = {
        "a": TypeFacts(pages("https://example.org/{day:02d}/blog/{word}.html")),
        "b": TypeFacts(pages("https://example.org/2024/05/{day:02d}/{word}/index.html")),
        "c": TypeFacts(pages("https://example.org/shop/{word}/reviews")),
        "d": TypeFacts(pages("https://example.org/viewtopic.php?t={k}"), kinds=["thread"] * 9),
        "e": TypeFacts(pages("https://example.org/classA{word}.html")),
        "f": TypeFacts(pages("https://example.org/src/deep/{word}/{word}_source.html")),
        "g": TypeFacts(pages("https://example.org/news/2024-05-{day:02d}-{word}.html")),
    }
    assert name_types(kinds) == {
        "a": "Blog posts in /…/blog/",
        "b": "Pages in /YYYY/MM/DD/",
        "c": "Product pages at /shop/…/reviews",
        "d": "Forum topics at /viewtopic.php?…",
        "e": "Pages at /class…",
        "f": "Pages in /src/deep/",
        "g": "News in /news/",
    }


def test_special_types_are_named_by_what_they_are() -> None:
    kinds = {label: TypeFacts([f"{label}/{k}" for k in range(3)]) for label in ("redirect", "error", "other")}
    assert name_types(kinds) == {"redirect": "Redirects", "error": "Error pages", "other": "Other pages"}


def test_a_few_pages_elsewhere_do_not_matter() -> None:
    mixed = [*pages("mod/{word}.html", 18), "glossary.html", "howto/auth.html"]
    assert name_types({"a": TypeFacts(mixed)}) == {"a": "Pages in /mod/"}


def test_pages_in_many_places_are_named_by_what_they_are() -> None:
    places = [f"{place}/{word}.html" for place in "abcdefghijkl" for word in "xyz"]
    kinds = {
        "a": TypeFacts(places, kinds=["article"] * 9 + ["list"]),
        "b": TypeFacts(["x.html", "y/z.html"]),
    }
    assert name_types(kinds) == {"a": "Articles", "b": "Pages /x, /y/z"}


@pytest.mark.parametrize(("elsewhere", "name"), [(2, "Pages in /errors/"), (3, "Pages")])
def test_a_name_states_a_folder_only_if_nearly_all_pages_are_in_it(elsewhere: int, name: str) -> None:
    addresses = [*pages("errors/{word}.html", 20 - elsewhere), *pages("{word}/book/{word}.html", elsewhere)]
    assert name_types({"a": TypeFacts(addresses)}) == {"a": name}


@pytest.mark.parametrize(
    ("authors", "composers", "others", "name"),
    [
        (6, 5, 1, "Pages in /authors/ and /composers/"),
        (6, 5, 2, "Pages"),
        (20, 1, 1, "Author pages in /authors/"),
        (20, 2, 1, "Pages"),
    ],
    ids=["nearly all", "too few", "one folder", "one small folder"],
)
def test_a_name_states_two_folders_that_have_nearly_all_pages(
    authors: int, composers: int, others: int, name: str
) -> None:
    folders = {"authors": authors, "composers": composers}
    inside = [f"{folder}/{n}{folder[0]}.html" for folder, pages in folders.items() for n in range(pages)]
    outside = [f"other{n}.html" for n in range(others)]
    assert name_types({"x": TypeFacts(inside + outside)}) == {"x": name}


def test_folders_that_several_types_share_are_in_no_name() -> None:
    posts = [f"{language}/{n}-{language}.html" for language in ("de", "en") for n in range(9)]
    lists = [f"{language}/{n}/{n}.html" for language in ("de", "en") for n in range(19)]
    names = name_types({"a": TypeFacts(posts), "b": TypeFacts(lists)})
    assert names == {"a": "Pages (a)", "b": "Pages (b)"}


def test_a_title_of_function_words_describes_no_type() -> None:
    kinds = {"a": TypeFacts(pages("a/{word}"), [f"The {word}" for word in ("sea", "port", "boat", "crane")])}
    assert name_types(kinds) == {"a": "Pages in /a/"}


def test_methods_are_reference_pages_in_documentation_only() -> None:
    assert name_types({"a": TypeFacts(pages("methods/{word}"), kinds=["article"] * 9)}) == {
        "a": "Articles in /methods/"
    }


def test_names_stay_short() -> None:
    long = ["salt/all-that-may-be-said-about-it", "tea", "a/b/bread-and-how-to-bake-it"]
    folders = [f"{letter * 20}/{word}" for letter in "abcdefgh" for word in ("salt", "tea")]
    names = name_types({"a": TypeFacts(long), "b": TypeFacts(folders)})
    assert names["a"] == "Pages /tea, …"
    assert names["b"] == "Pages"


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
        "a": "Pages in /a/ “Release …”",
        "b": "Pages in /b/",
        "c": "Pages in /c/",
        "d": "Pages in /d/ “Archive”",
        "e": "Pages in /e/",
    }


def test_types_with_the_same_name_are_distinguished_by_their_labels() -> None:
    kinds = {
        "guide": TypeFacts(pages("docs/{word}")),
        "class": TypeFacts(pages("docs/{word}x")),
        "other-page": TypeFacts(pages("else/{word}y")),
    }
    assert name_types(kinds) == {
        "guide": "Manual pages in /docs/ (guide)",
        "class": "Manual pages in /docs/ (class)",
        "other-page": "Pages in /else/",
    }


@pytest.mark.parametrize(
    ("address", "kind", "name"),
    [
        ("/forum/viewforum.php?f={k}", "list", "Forum boards at /forum/viewforum.php?…"),
        ("/thema/{word}", "thread", "Forum topics in /thema/"),
        ("/topics/{word}", "article", "Articles in /topics/"),
        ("/tag/{word}", "list", "Tag pages in /tag/"),
        ("/tag/{word}", "article", "Articles in /tag/"),
        ("/produkte/{word}", "product", "Product pages in /produkte/"),
        ("/catégories/{word}", "list", "Category pages in /catégories/"),
        ("/news/{word}", "list", "Lists of news in /news/"),
        ("/news/page/{k}", "list", "Numbered list pages in /news/page/"),
        ("/news/{word}/index.html", "article", "News in /news/"),
        ("/imovel-{word}", "product", "Detail pages at /imovel-…"),
        ("/User:{word}", "other", "Member pages at /User:…"),
        ("/{word}", "documentation", "Documentation pages in /"),
        ("/{word}", "thread", "Discussions in /"),
        ("/文章/{word}", "", "Pages in /文章/"),
    ],
)
def test_a_name_states_what_the_pages_are(address: str, kind: str, name: str) -> None:
    facts = TypeFacts(pages(f"https://example.org{address}"), kinds=[kind] * 9 if kind else [])
    others = TypeFacts([*pages("/x{word}.html"), *pages("/forum/x{word}.html")])
    assert name_types({"page": facts, "x": others})["page"] == name


def test_a_label_states_what_the_pages_are_if_their_addresses_do_not() -> None:
    facts = TypeFacts(pages("/{word}"), kinds=["product"] * 9)
    assert name_types({"recipe": facts}) == {"recipe": "Recipes in /"}
    assert name_types({"page": facts}) == {"page": "Detail pages in /"}


def test_pages_of_several_kinds_have_no_kind() -> None:
    facts = TypeFacts(pages("/x/{word}"), kinds=["article"] * 5 + ["list"] * 4)
    assert name_types({"page": facts}) == {"page": "Pages in /x/"}


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


def test_a_long_label_does_not_make_a_long_name() -> None:
    kinds = {name * 500: TypeFacts(pages("docs/{word}")) for name in "ab"}
    assert max(map(len, name_types(kinds).values())) <= MAX_NAME + len("Manual pages in /docs/ ()")


def test_no_types_have_no_names() -> None:
    assert name_types({}) == {}
    assert name_types({"a": TypeFacts([])})["a"]
