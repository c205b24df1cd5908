"""Every stage on every hostile page, small: nothing but an answer or a stated failure, whatever the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.hostile.corpus import PAGES
from tests.hostile.stages import STAGES

from webgrain.base.failures import Failure
from webgrain.documents.notes import NOTE_PREFIX
from webgrain.engines.guard import Guard
from webgrain.extraction.document import Document
from webgrain.extraction.single import SinglePage
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse, parse_html

if TYPE_CHECKING:
    from webgrain.page.dom import Dom

SIZE = 260  # more than a byte can count


def small(name: str, size: int = SIZE) -> Page:
    return parse(Source(name, PAGES[name](size), "https://hostile.example/"))


@pytest.mark.parametrize("name", PAGES)
def test_no_page_breaks_a_stage(name: str) -> None:
    guard, page = Guard(), small(name)
    assert_is_a_tree_of_clean_text(page.dom)
    for stage, work in STAGES.items():
        if stage == "site":  # it consists of the other stages
            continue
        done = guard.call(page, stage, work)
        assert not isinstance(done, Failure), f"{stage}: {done.error}"
        if isinstance(done, dict):
            json.dumps(done, ensure_ascii=False).encode("utf-8")


@pytest.mark.full  # the quick tests audit a site of all hostile pages
@pytest.mark.parametrize("name", PAGES)
def test_no_page_breaks_a_site(name: str) -> None:
    done = Guard().call(small(name, 100), "site", STAGES["site"])
    assert not isinstance(done, Failure), done.error
    json.dumps(done, ensure_ascii=False).encode("utf-8")


def assert_is_a_tree_of_clean_text(dom: Dom) -> None:
    assert is_tree(dom)
    values = "".join(value or "" for value in dom.values_of(np.arange(len(dom.value))))
    (dom.text + values + "".join(dom.names) + "".join(dom.tags)).encode("utf-8")


def is_tree(dom: Dom) -> bool:
    """Whether each node lies in the slices of its ancestors and in no others."""
    open_ = []
    for node, (above, end) in enumerate(zip(dom.parent.tolist(), dom.end.tolist(), strict=True)):
        while open_ and open_[-1][1] <= node:
            open_.pop()
        if above != (open_[-1][0] if open_ else -1) or not node < end <= (
            open_[-1][1] if open_ else len(dom)
        ):
            return False
        open_.append((node, end))
    return True


def test_main_content_as_html_runs_nothing() -> None:
    attack = (
        "<svg onload=x()><a xlink:href='javascript:x()'>t</a></svg><a href=' java\nscript:x()'>t</a>"
        "<img src=x onerror=x()><p style='x:y' onclick=x()>t<iframe srcdoc='<script>x()</script>'></iframe>"
        "<math><mtext><script>x()</script></mtext></math><xmp></xmp><script>x()</script></xmp><base href=//b>"
        "<form action='javascript:x()'><button formaction='javascript:x()'>t</button></form><p title='\">'>t"
    )
    bodies = [make(20) for make in PAGES.values()]
    for body in [*bodies, *(body + (attack + "<p>Some words of text. ").encode() * 9 for body in bodies)]:
        page = parse(Source("page", body, "https://hostile.example/"))
        dom = parse_html(Document(page, SinglePage().predict(page)).html)
        tags = {dom.name(node) for node in range(len(dom))}
        assert not {"script", "svg", "iframe", "form", "base", "style", "object", "annotation-xml"} & tags
        names = [dom.names[name] for name in dom.attr_name.tolist()]
        assert not [name for name in names if name.startswith("on") or name in ("style", "srcdoc")]
        assert all(name.startswith(NOTE_PREFIX) for name in dom.column("id") if name is not None)
        for address in filter(None, dom.column("href") + dom.column("src")):
            assert address.startswith(("http://", "https://", "mailto:", f"#{NOTE_PREFIX}")), address
