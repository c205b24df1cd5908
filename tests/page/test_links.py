from __future__ import annotations

import random
from itertools import islice, product
from pathlib import Path
from urllib.parse import urljoin

import pytest
from experiments.datasets.bench import read_bench
from hypothesis import given
from hypothesis import strategies as st
from tests.page import linkreference as reference

from webgrain.page import links
from webgrain.page.anchors import AnchorTexts
from webgrain.page.links import (
    absolute,
    absolute_values,
    addresses,
    base_of,
    canonical,
    filled_links,
    joined,
    link_table,
    link_targets,
    numbered_targets,
    page_links,
    redirect,
    site_links,
    target_of,
)
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse


def read(name: str, html: str, url: str | None = None) -> Page:
    return parse(Source(name, html.encode(), url=url))


BASES = (
    *("http://h", "http://h/", "http://h/a/b.html", "https://U@H:80/a//b/c?q=/x#f", "http://h/a/../b/c", ""),
    *(
        "http://h/.a/b",
        "http://h/a;p/b;q",
        "http://local.invalid/%20x/y",
        "http://h?x",
        "ftp://h/a",
        "http://h/a/..",
        "file:///a/b",
        "http://h/User:a/b",
    ),
)


def test_addresses_are_joined_as_by_the_standard_library() -> None:
    parts = [*"ab/.#?:;%&=~ -é", "../", "a/", "b.html", "http://h", "https://B.example:80/a"]
    rng = random.Random(0)
    for _ in range(5000):
        base, href = rng.choice(BASES), "".join(rng.choices(parts, k=rng.randrange(6))).strip()
        assert joined(base, href) == urljoin(base, href), (base, href)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://user:pw@Example.ORG:443/A/", "example.org/A"),
        ("http://example.org:8080/index.php?q=1#x", "example.org:8080?q=1"),
        ("http://example.org/%7ea/ü", "example.org/~a/%C3%BC"),
        ("http://example.org/reindex.html", "example.org/reindex.html"),
        ("javascript:void(0)", ""),
        ("http://[broken", ""),
        ("http://example.org:port/", "example.org:port"),
        ("", ""),
    ],
)
def test_canonical(address: str, found: str) -> None:
    assert canonical(address) == found


def test_base_and_relative_links() -> None:
    page = read("x/a.html", "<base href=/y/><a href=b.html>B</a><a>no</a><a href='#c'>c</a>")
    assert page_links(page).target == ["local.invalid/y/b.html", "local.invalid/y"]
    assert target_of("http://example.org/a/", "//other.org/b") == "other.org/b"


def test_a_canonical_address_and_a_redirect_lead_to_the_page() -> None:
    anchors = AnchorTexts()
    pages = [
        read(
            "a.html", "<link rel=canonical href=http://example.org/real/><p>x", "http://example.org/print/1"
        ),
        read("old.html", "<meta http-equiv=Refresh content='0;URL=/real/'>", "http://example.org/old"),
        read("c.html", "<a href=/real/>Real</a> <a href=old>Old</a>", "http://example.org/c"),
        read("d.html", "<a href=/print/1#top><img alt='The print'></a>", "http://example.org/d"),
    ]
    assert addresses(pages[0]) == ["example.org/print/1", "example.org/real"]
    assert redirect(pages[1]) == "example.org/real"
    for page in pages:
        anchors.add(page)
    assert anchors.texts()["a.html"] == {"Real": 1, "Old": 1, "The print": 1}


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url='/b'", "local.invalid/b"),
        ('5; URL="b.html" ', "local.invalid/x/b.html"),
        ("0;url='b.html", "local.invalid/x/b.html"),
        ("0, b.html", "local.invalid/x/b.html"),
        ("0;url=it's", "local.invalid/x/it's"),
        ("5", ""),
        (" " * 200_000 + "'", ""),
        ("1" * 200_000 + "'", ""),
    ],
)
def test_a_redirect_is_read_as_by_browsers(content: str, target: str) -> None:
    value = content.replace('"', "&quot;")
    page = parse(Source("x/a.html", f'<meta http-equiv=refresh content="{value}"><p>x'.encode()))
    assert redirect(page) == target


def test_a_text_counts_once_for_each_page() -> None:
    anchors = AnchorTexts()
    for name in ("b.html", "c.html"):
        anchors.add(read(name, "<a href=a.html>A</a> <a href=./a.html>A</a>"))
    anchors.add(read("a.html", "<a href=a.html>Self</a>"))
    assert anchors.texts()["a.html"] == {"A": 2}


_STEPS = (
    "a",
    "b.html",
    "index.html",
    "Default.aspx",
    "..",
    ".",
    "",
    "?q=1",
    "#x",
    " #y",
    "//h.org/z",
    "c%20d",
    "é",
    ":",
)
_BASES = (
    "http://e.org", "http://e.org/", "http://e.org/a", "https://E.org/a/b.html", "http://e.org/a/b?x=/c/d",
    "http://e.org/a/b#/c/d", "http://e.org?x=/y", "http://local.invalid/a%20b/c", "https://e.org/a//b/", "",
)  # fmt: skip


@pytest.mark.parametrize("base", _BASES)
def test_plain_links_are_resolved_like_the_library(base: str) -> None:
    for steps in product(_STEPS, repeat=3):
        href = "/".join(steps)
        assert target_of(base, href) == canonical(urljoin(base, href.strip())), href


_UNUSUAL = (
    "/\t/x.org/a", "/\\\\x.org/a", "/ a", "/a\n/../b", "http:/a", "HTTP://X.org:80/a", "https://[", "http://u@/a",
    "http://e.org:443/", "mailto:x@y", "/?q=1", "/#x", "//", "/:a", "/" + "a/" * 3_000, "/" + "é" * 2_100,
    "http://e.org/" + "a/" * 3_000, "/" + "a" * 1_018, "/" + "a" * 1_022,
)  # fmt: skip
_UNUSUAL_BASES = (
    "file:///a/b", "http://", "http://[", "https://e.org:443/a", "http://user:word@e.org/a", "http://[::1]:80/a",
    " http://e.org/a", "http://" + "u" * 1_500 + "@e.org/", "http://" + "e" * 2_100, "http://u@/a",
    "e.org/a", "//e.org/a",
)  # fmt: skip


@pytest.mark.parametrize("base", [*_BASES[:-1], *_UNUSUAL_BASES])
def test_the_targets_of_a_page_are_those_of_each_link(base: str) -> None:
    hrefs = [*map("/".join, product(_STEPS, repeat=3)), *_UNUSUAL]
    html = "".join(f'<a href="{href}">x</a><area href="{href}">' for href in hrefs)
    page = parse(Source("a", html.encode(), url=base))
    targets = [target_of(base_of(page), href) for href in hrefs]
    nodes = page.dom.find_tag("a").tolist()
    assert link_targets(page) == {
        node: target for node, target, href in zip(nodes, targets, hrefs, strict=True) if href
    }
    assert page_links(page).target == 2 * [target for target in targets if target]
    check_links(page)


def check_links(page: Page) -> None:
    """Compare the links of a page as numbers with those as strings."""
    every = reference.link_targets(page)
    assert link_targets(page) == every
    numbers = link_table(page).keys[0][filled_links(page)].tolist()
    keys = dict(zip(every.values(), numbers, strict=True))
    assert [keys[target] for target in every.values()] == numbers
    assert len(set(keys.values())) == len(keys)
    assert keys.get("", 0) == 0
    inner, beside, elsewhere = reference.site_links(page)
    found = site_links(page)
    if "" not in {url.partition("/")[0] for url in addresses(page)}:
        assert dict(zip(found.node.tolist(), [found.urls[k] for k in found.number], strict=True)) == inner
        assert (found.beside, found.elsewhere) == (beside, elsewhere)
    number, external = reference.numbered_targets(page)
    assert numbered_targets(page).number.tolist() == number.tolist()
    assert numbered_targets(page).external.tolist() == external.tolist()
    found = page_links(page)
    rows = zip(found.node.tolist(), found.target, found.text, found.is_part.tolist(), strict=True)
    assert list(rows) == list(reference.links(page))


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_links_of_real_pages(site: str, data_dir: Path) -> None:
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    for source in islice(pages.sources(), 10):
        check_links(parse(source))


def test_relative_links_of_pages_with_and_without_folders() -> None:
    hrefs = (
        "b",
        "./b",
        "../b",
        "../../b",
        "b/",
        "b/index.html",
        "/b",
        "?q",
        "",
        "#x",
        "//h.org/z",
        "b?q=/c/d",
    )
    html = "".join(f"<a href='{href}'>x</a>" for href in hrefs)
    for url in (None, "http://h.org", "http://h.org/a", "http://h.org/a/", "http://h.org/a/b/c?q=/d/e"):
        for name in ("a", "a/b", "a/b/c.html"):
            head = ("", "<link rel=canonical href=http://h.org/a>", "<base href=/c/d/>")
            for link in head:
                check_links(read(name, link + html, url))


@pytest.mark.parametrize(
    ("fragment", "counts"), [("", True), ("#", True), ("#top", True), ("#c", False), ("#c ", False)]
)
def test_what_leads_to_a_part_of_a_page_does_not_name_it(fragment: str, counts: bool) -> None:
    anchors = AnchorTexts()
    anchors.add(read("a.html", f"<a href='b.html{fragment}'>Text</a>"))
    anchors.add(read("b.html", "<p>x"))
    assert bool(anchors.texts()["b.html"]) is counts


BASES = (
    *("http://e.org", "http://e.org/a/b/c?x#y", "https://e.org:8080/a/", "file:///tmp/a/b", "weird"),
    *("http://local.invalid/q/r", "http://local.invalid", "http://e.org/a//b/../c", "HTTP://E.org/A/b"),
)


@pytest.mark.parametrize("url", [None, *BASES])
@pytest.mark.parametrize("base", ["", "<base href='/z/k/'>"])
def test_absolute_values_are_those_of_single_links(url: str | None, base: str) -> None:
    choices = random.Random(1)
    parts = ["..", "a", "b c", "/", "//", "?", "#", "q=1", ":", "http://x.org", "https://Y.org:80/", ".", " "]
    hrefs = ["".join(choices.choices(parts, k=choices.randrange(6))) for _ in range(300)]
    hrefs += ["/".join(choices.choices(["..", "a", "", "."], k=3)) for _ in range(100)]
    hrefs += ["x" * 9_000, "../" * 9_000, "\x1da", "file:///x", "é\\", "[", "mailto:x"]
    html = base + "".join(f'<a href="{href}">x</a>' for href in hrefs)
    page = parse(Source("p/q.html", html.encode(), url=url))
    attributes, _ = page.dom.find_attribute("href")
    values = page.dom.values_of(attributes)
    assert absolute_values(page, attributes) == [absolute(page, value or "") for value in values]


URLS = st.text(alphabet="ab/.:?#;&%=[]@ -_~é\t\\A0", max_size=14)


@given(
    st.sampled_from(["http://a.example", "https://a.example/", "http://a.b/index.html", "HTTP://x", ""]), URLS
)
def test_usual_urls_have_the_canonical_form_of_any_url(start: str, rest: str) -> None:
    assert canonical(start + rest) == links._canonical(start + rest)
