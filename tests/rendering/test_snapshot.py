"""Rendered nodes and parsed nodes are the same nodes."""

from __future__ import annotations

import json
import tarfile
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.rendering.helpers import show

from webgrain.io.local import FolderAssets
from webgrain.page.dom import Dom
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.rendering.boxes import Snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from webgrain.rendering.chromium import Chromium

pytestmark = pytest.mark.browser

PAGES = [
    "",
    "plain text",
    "<!doctype html><!-- a --><html><!-- b --><body>c<!-- d -->e</html><!-- f -->",
    "<p>one<p>two<div>three</p>four",
    "<table><tr><td>a<td>b<p>c</table><table>d<tr>e<b>f",
    "<b><i>x</b>y</i><a href=1>a<a href=2>b",
    "<select><option>a<option selected>b<optgroup label=c><option>d</select><datalist><option>e</datalist>",
    "<noscript><p>a</noscript><iframe><p>b</iframe><noembed><p>c</noembed><xmp><p>d</xmp><plaintext><p>e",
    "<template><p>a<template>b</template></template><p>c<textarea>\n<p>d</textarea><pre>\n\ne</pre>",
    "<svg viewBox='0 0 1 1'><foreignObject><p>a</foreignObject><title>b</title><use href=#c /></svg>",
    "<math><mi>a</mi><annotation-xml encoding='text/html'><p>b</annotation-xml></math>",
    "<style>p::before {content: 'x'} p::first-letter {color: red} li::marker {color: red}</style><p>a<li>b",
    "<input value=a placeholder=b><button>c</button><meter value=1></meter><progress></progress><video>",
    "<details><summary>a</summary>b</details><dialog open>c</dialog><fieldset><legend>d</legend>e</fieldset>",
    "<frameset><frame src=a><noframes><p>b</noframes></frameset>",
    "<p>Gr&uuml;&szlig;e 日本 😀 &#0; &#x80; &amp; \x01 \f x\r\ny\rz",
    "<p A=1 a=2 B='x\"y' :c @d=e ä=f data-X=g>text<IMG SRC=x>",
    "<div>" * 700 + "deep" + "<p>x</p>" * 3,
    "<font>" * 30 + "<p>" * 30 + "a" + "</font>" * 15 + "b",
    "<p>" + "<b><i><u>" * 20 + "x<p>y</b>z",
    "<ul>" + "<li>a" * 500,
]  # fmt: skip


def assert_same(left: Dom, right: Dom) -> None:
    for column in fields(Dom):
        a, b = getattr(left, column.name), getattr(right, column.name)
        assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, column.name


@pytest.mark.parametrize("html", PAGES, ids=range(len(PAGES)))
def test_handmade_pages_have_the_parsed_nodes(browser: Chromium, html: str) -> None:
    page = show(browser, html)
    parsed = parse(Source("test", html.encode()))
    assert page.notes == parsed.notes
    assert_same(page.dom, parsed.dom)


@pytest.mark.parametrize("html", PAGES[1:17], ids=range(1, 17))
def test_tree_made_from_a_snapshot_is_the_parsed_tree(scripted: Chromium, html: str) -> None:
    assert_same(show(scripted, html).dom, parse(Source("test", html.encode())).dom)


def test_tree_that_the_parser_does_not_know_is_the_browsers(browser: Chromium) -> None:
    page = show(
        browser, "<div><template shadowrootmode=open><b>shadow</b><slot></slot></template><i>light</i></div>"
    )
    assert page.notes == ("The browser built another tree than the parser: the nodes are the browser's.",)
    assert [page.dom.name(i) for i in range(3, len(page.dom))] == ["div", "i", "#text"]
    assert page.view is not None
    assert page.view.visible[3:].all()


def raw_snapshot(*nodes: tuple[int, int, str, str]) -> dict[str, Any]:
    """A snapshot of nodes given as parent, type, name and value."""
    strings = sorted({text for node in nodes for text in node[2:]} | {"", "before"})
    columns: dict[str, Any] = {
        "parentIndex": [node[0] for node in nodes],
        "nodeType": [node[1] for node in nodes],
        "nodeName": [strings.index(node[2]) for node in nodes],
        "nodeValue": [strings.index(node[3]) for node in nodes],
        "attributes": [[] for _ in nodes],
        "pseudoType": {"index": [], "value": []},
        "shadowRootType": {"index": [], "value": []},
    }
    layout: dict[str, list[Any]] = {"nodeIndex": [], "bounds": [], "styles": []}
    document = {"documentURL": 0, "contentWidth": 9, "contentHeight": 9, "nodes": columns, "layout": layout}
    return {"strings": strings, "documents": [document]}


HTML = [
    (-1, 9, "#document", ""),
    (0, 1, "HTML", ""),
    (1, 1, "BODY", ""),
    (2, 3, "#text", "a"),
    (2, 1, "P", ""),
]


@pytest.mark.parametrize(
    "changed", [HTML[:-1], [*HTML[:3], (2, 3, "#text", "b"), HTML[4]], [*HTML[:4], (1, 1, "P", "")],
                [*HTML[:4], (2, 1, "I", "")], [*HTML, (2, 3, "#text", "")]],
    ids=["missing", "text", "parent", "tag", "empty text more"],
)  # fmt: skip
def test_any_difference_is_noticed(changed: list[tuple[int, int, str, str]]) -> None:
    dom = Snapshot(raw_snapshot(*HTML), 99).to_dom()
    assert Snapshot(raw_snapshot(*HTML), 99).matches(dom)
    assert not Snapshot(raw_snapshot(*changed), 99).matches(dom)


def test_comments_pseudo_elements_and_shadow_trees_are_left_out() -> None:
    raw = raw_snapshot(
        *HTML, (4, 8, "#comment", "c"), (4, 1, "::before", ""), (4, 1, "SLOT", ""), (7, 1, "I", "")
    )
    nodes = raw["documents"][0]["nodes"]
    nodes["pseudoType"] = {"index": [6], "value": [0]}
    nodes["shadowRootType"] = {"index": [7], "value": [0]}
    dom = Snapshot(raw, 99).to_dom()
    assert [dom.name(i) for i in range(len(dom))] == ["html", "body", "#text", "p", "i"]
    assert dom.parent.tolist() == [-1, 0, 1, 1, 3]


@pytest.fixture(
    scope="module",
    params=[pytest.param(4, id="sample"), pytest.param(80, id="all", marks=pytest.mark.full)],
)
def captured(
    request: pytest.FixtureRequest, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[dict[str, Any]]]:
    """Real pages, unpacked, and an earlier capture of each."""
    archive = data_dir / "segmentation" / "pages.tar.xz"
    if not archive.is_file():
        pytest.skip(f"no development data: the file {archive} does not exist")
    folder = tmp_path_factory.mktemp("pages")
    wanted: int = request.param
    with tarfile.open(archive, "r|xz") as members:
        sites: set[str] = set()
        for member in members:
            sites.add("/".join(member.name.split("/")[:2]))
            if len(sites) > wanted + 2:  # the folders of the two sets count as well
                break
            members.extract(member, folder, filter="data")
    known: list[dict[str, Any]] = []
    with tarfile.open(archive.with_name("snapshots.tar.xz"), "r|xz") as members:
        for member in members:
            if len(known) == wanted:
                break
            if member.name.startswith("inputs/") and member.name.endswith(".json"):
                record = json.load(members.extractfile(member))  # type: ignore[arg-type]
                if (folder / record["dataset"] / record["rel"]).is_file():
                    known.append(record)
    assert len(known) >= wanted - 1
    return folder, known


def shared_leaves(page: Page, record: dict[str, Any]) -> tuple[int, int]:
    """How many leaves of an earlier capture are there again (kind, box within 1.6 px), and of how many."""
    assert page.view is not None
    kind = leaf_kinds(page)
    mine = np.column_stack([kind, page.view.box])[kind > 0]
    columns = [[record[name][i] for i in record["leaf"]] for name in ("kind", "x", "y", "w", "h")]
    theirs = np.array(columns, float).T
    near = np.abs(mine[:, None, 1:] - theirs[None, :, 1:]).max(axis=2) < 1.6
    return int((near & (mine[:, None, 0] == theirs[None, :, 0])).any(axis=0).sum()), len(theirs)


@pytest.mark.full
@pytest.mark.data
def test_real_pages_have_the_parsed_nodes_and_the_captured_leaves(
    browser: Chromium, captured: tuple[Path, list[dict[str, Any]]]
) -> None:
    folder, records = captured
    found = []
    for record in records:
        file = folder / record["dataset"] / record["rel"]
        root = folder / record["dataset"] / record["rel"].split("/")[0]
        source = Source(
            record["page"], file.read_bytes(), assets=FolderAssets(root), path=str(file.relative_to(root))
        )
        page = browser.render(source)
        assert page.notes == parse(source).notes, record["page"]
        assert_same(page.dom, parse(source).dom)
        found.append(shared_leaves(page, record))
        assert found[-1][0] >= 0.9 * found[-1][1], record["page"]
    hits, total = np.sum(found, axis=0)
    assert hits >= 0.99 * total
