"""The sample site: its known truth must hold on the very pages that are shipped."""

from __future__ import annotations

import csv
import json
import posixpath
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selectolax.lexbor import LexborNode

EXAMPLES = Path(__file__).parents[1] / "examples"
SITE = EXAMPLES / "site"
TRUTH: dict[str, Any] = json.loads((EXAMPLES / "truth.json").read_text("utf-8"))
PAGES: list[dict[str, Any]] = TRUTH["pages"]
BY_NAME = {page["page"]: page for page in PAGES}
UNREAD = {"script", "style", "noscript", "template"}
LEGACY_CHARSETS = {"de/wege/durch-die-salzwiesen.html": "windows-1252"}


def each_page(check: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
    """Make a test that calls a check for all pages, and names the page that fails."""

    def test() -> None:
        for page in PAGES:
            try:
                check(page)
            except AssertionError as error:
                error.add_note(page["page"])
                raise

    return test


def parse(page: dict[str, Any]) -> LexborHTMLParser:
    data = (SITE / page["page"]).read_bytes()
    return LexborHTMLParser(data.decode(LEGACY_CHARSETS.get(page["page"], "utf-8")), scripting=True)


def only(tree: LexborHTMLParser, css: str) -> LexborNode:
    found = tree.css(css)
    assert len(found) == 1, f"{css} matches {len(found)} elements"
    return found[0]


def bare(text: str) -> str:
    return "".join(text.split())


def body_of(tree: LexborHTMLParser) -> LexborNode:
    assert tree.body is not None
    return tree.body


def leaves(node: LexborNode, hidden: set[int]) -> Iterator[LexborNode]:
    """Yield what a reader sees: texts that are not blank, and elements without children."""
    for child in node.iter(include_text=True):
        if child.tag == "-text":
            if child.text().strip():
                yield child
        elif child.is_element_node and child.tag not in UNREAD and child.mem_id not in hidden:
            if child.child is None:
                yield child
            yield from leaves(child, hidden)


def owners(leaf: LexborNode, roots: Counter[int]) -> int:
    """Return the number of segment roots at or above a leaf."""
    node: LexborNode | None = leaf
    count = 0
    while node is not None:
        count += roots[node.mem_id]
        node = node.parent
    return count


def files(folder: Path) -> dict[str, bytes]:
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_there_are_enough_pages_types_and_languages() -> None:
    types = Counter(page["type"] for page in PAGES)
    assert len(PAGES) >= 40
    assert {"front", "list", "article", "product", "person", "search", "static"} == set(types)
    assert {page["language"] for page in PAGES} == {"en", "de"}
    assert types["article"] >= 20
    assert {"print", "partner", "legacy", "broken", "error"} <= {page["template"] for page in PAGES}


def test_truth_names_every_page_once() -> None:
    assert sorted(BY_NAME) == sorted(f.relative_to(SITE).as_posix() for f in SITE.rglob("*.html"))
    assert len(BY_NAME) == len(PAGES)
    assert f" {len(PAGES)} pages" in (EXAMPLES / "README.md").read_text("utf-8").replace("\n", " ")
    assert all(page["url"] == TRUTH["base_url"] + page["page"] for page in PAGES)


def test_the_folder_is_small() -> None:
    shipped = [f for f in EXAMPLES.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
    assert sum(f.stat().st_size for f in shipped) < 1_000_000


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "build.py"), "-o", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    assert files(tmp_path / "site") == files(SITE)
    assert (tmp_path / "truth.json").read_bytes() == (EXAMPLES / "truth.json").read_bytes()


BROKEN = {"en/archive/harbour-books.html", "en/people/the-chandlers.html"}
"""Links that `webgrain audit` finds broken."""


@each_page
def test_links_resolve(page: dict[str, Any]) -> None:
    tree = parse(page)
    folder = posixpath.dirname(page["page"])
    for name in ("href", "src", "action"):
        for node in tree.css(f"[{name}]"):
            target = urlsplit(node.attributes[name] or "")
            if target.netloc or not target.path:
                continue
            path = posixpath.normpath(posixpath.join(folder, unquote(target.path)))
            assert (SITE / path).is_file() or path in BROKEN, f"{page['page']} points to {path}"


def test_every_page_is_linked_from_another() -> None:
    linked = set()
    for page in PAGES:
        folder = posixpath.dirname(page["page"])
        for node in parse(page).css("a[href]"):
            target = posixpath.normpath(posixpath.join(folder, urlsplit(node.attributes["href"] or "").path))
            linked.add(target if target != page["page"] else "")
    assert set(BY_NAME) - linked == {"index.html"}


@each_page
def test_no_mark_of_the_builder_is_left(page: dict[str, Any]) -> None:
    html = (SITE / page["page"]).read_bytes()
    assert b"data-seg" not in html
    assert b"data-main" not in html
    assert b"{{" not in html


@each_page
def test_segments_hold_every_visible_leaf_exactly_once(page: dict[str, Any]) -> None:
    tree = parse(page)
    roots = Counter(only(tree, css).mem_id for segment in page["segments"] for css in segment["css"])
    hidden = {only(tree, css).mem_id for css in page["hidden"]}
    found = list(leaves(body_of(tree), hidden))
    assert found
    for leaf in found:
        assert owners(leaf, roots) == 1, f"{leaf.tag} {leaf.text()!r} has {owners(leaf, roots)} segments"
    assert {segment["name"] for segment in page["segments"]} <= set(TRUTH["roles"])


@each_page
def test_fields_and_records_are_there(page: dict[str, Any]) -> None:
    tree = parse(page)
    for css in page["fields"].values():
        assert only(tree, css).text().strip()
    for record in page["records"]:
        items = [n for n in only(tree, record["css"]).iter() if n.is_element_node]
        assert len(items) == record["items"] > 0


@each_page
def test_title_and_main_text_occur_in_the_page(page: dict[str, Any]) -> None:
    tree = parse(page)
    visible = bare(body_of(tree).text())
    assert page["main_text"]
    if page["title"] is not None:
        assert bare(only(tree, page["fields"]["title"]).text()) == bare(page["title"])
    place = 0
    for text in page["main_text"]:
        assert text == " ".join(text.split())
        place = visible.index(bare(text), place)
    for text in page["comments"]:
        assert bare(text) in visible


@each_page
def test_main_text_leaves_comments_and_frame_out(page: dict[str, Any]) -> None:
    tree = parse(page)
    others = [s for s in page["segments"] if TRUTH["roles"][s["name"]] != "content"]
    noise = "".join(bare(only(tree, css).text()) for segment in others for css in segment["css"])
    long = [text for text in page["main_text"] if len(text) > 60]
    assert not [text for text in long if bare(text) in noise]


def test_a_broken_page_is_parsed_as_by_a_browser() -> None:
    page = BY_NAME["en/notices/storm-diary.html"]
    assert page["title"] == "Storm diary, January 1978"
    assert page["main_text"][0].startswith("From the notebook of Karl Lund, boat man of the club")
    assert "04.00 11 no steps" in page["main_text"]
    assert page["main_text"][-1] == "Owed: one drink, by Pelle"


def test_the_legacy_charset_is_declared_correctly() -> None:
    for name, charset in LEGACY_CHARSETS.items():
        data = (SITE / name).read_bytes()
        assert f'<meta charset="{charset}">'.encode() in data
        with pytest.raises(UnicodeDecodeError):
            data.decode("utf-8")


def test_copies_have_the_same_text() -> None:
    ties = [(page, tie) for page in PAGES for tie in page["duplicates"]]
    assert {tie["kind"] for _, tie in ties} == {"print", "syndicated"}
    for page, tie in ties:
        twin = BY_NAME[tie["page"]]
        assert page["main_text"] == twin["main_text"]
        assert {"page": page["page"], "kind": tie["kind"]} in twin["duplicates"]


def test_related_pages_have_other_texts() -> None:
    ties = [(page, tie) for page in PAGES for tie in page["related"]]
    assert {tie["kind"] for _, tie in ties} == {"translation", "variant"}
    for page, tie in ties:
        twin = BY_NAME[tie["page"]]
        assert page["main_text"] != twin["main_text"]
        assert {"page": page["page"], "kind": tie["kind"]} in twin["related"]


def test_one_promotion_is_on_about_a_third_of_the_pages() -> None:
    shown = Counter(
        phrase
        for file in SITE.rglob("*.html")
        for phrase in (b"The 2026 tide table is here.", b"Lecture on Saturday")
        if phrase in file.read_bytes()
    )
    assert 0.25 < shown[b"The 2026 tide table is here."] / len(PAGES) < 0.4
    assert 0 < shown[b"Lecture on Saturday"] / len(PAGES) < 0.2


def test_search_log_is_about_these_pages() -> None:
    with (EXAMPLES / "queries.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    unknown = {row["url"] for row in rows} - {page["url"] for page in PAGES}
    assert len(rows) >= 80
    assert unknown == {TRUTH["base_url"] + "en/old/herring-fair-1998.html"}
    assert all(row["query"] and int(row["clicks"]) > 0 for row in rows)
