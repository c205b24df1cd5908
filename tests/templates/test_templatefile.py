"""Templates as files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.templates.pages import page, random_page

from webgrain.base.errors import InputError
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.template import read_template, write_template

if TYPE_CHECKING:
    from pathlib import Path

    from webgrain.templates.template import Template


@pytest.fixture(scope="module")
def template() -> Template:
    import random

    rng = random.Random(2)
    learnt = SiteTemplate(least_match=0.0).fit(random_page(rng) for _ in range(8)).template_
    assert learnt is not None
    return learnt


def test_what_is_written_is_read(template: Template, tmp_path: Path) -> None:
    write_template(tmp_path / "t.json", template)
    again = read_template(tmp_path / "t.json")
    assert str(again) == str(template)
    for name in ("op", "parent", "end", "page_support", "is_list", "shape", "usual"):
        np.testing.assert_array_equal(getattr(again, name), getattr(template, name))
    for name in ("symbols", "symbol_support", "n_pages", "known"):
        assert getattr(again, name) == getattr(template, name)
    assert again.noise.keys() == template.noise.keys()
    for node, shares in template.noise.items():
        assert again.noise[node] == pytest.approx(shares, abs=1e-4)
    write_template(tmp_path / "again.json", again)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "t.json").read_bytes()


def test_a_template_that_was_read_matches_as_before(template: Template, tmp_path: Path) -> None:
    import random

    write_template(tmp_path / "t.json", template)
    one, other = TemplateMatcher(template), TemplateMatcher(read_template(tmp_path / "t.json"))
    for seed in range(5):
        new = random_page(random.Random(seed))
        assert one.match(new).labels.tolist() == other.match(new).labels.tolist()


def test_the_file_has_the_selector_of_each_node(tmp_path: Path) -> None:
    pages = [f"<div id=main><ul class=m-7><li class='a b-{k}'>{k}<b>x</b></ul><p>{k}</div>" for k in "123"]
    template = SiteTemplate().fit(pages).template_
    assert template
    write_template(tmp_path / "a.json", template)
    nodes = json.loads((tmp_path / "a.json").read_text())["nodes"]
    selectors = {number: node["css"] for number, node in enumerate(nodes) if "css" in node}
    assert selectors == {number: template.css(number) for number in selectors}
    assert "html > body > div#main > ul > li.a > b" in selectors.values()


def test_it_can_be_edited_by_hand(tmp_path: Path) -> None:
    learnt = SiteTemplate(least_match=0.0).fit([page("<h1>a</h1><p>b<p>c"), page("<h1>a</h1><p>b")]).template_
    assert learnt is not None
    write_template(tmp_path / "t.json", learnt)
    result = json.loads((tmp_path / "t.json").read_text("utf-8"))
    result["nodes"] = [node for node in result["nodes"] if "h1" not in node.get("css", "")]
    (tmp_path / "t.json").write_text(json.dumps(result), "utf-8")
    assert str(read_template(tmp_path / "t.json")) == "html[body[(p[#text])*]]"


def test_selectors_lead_to_the_nodes(template: Template) -> None:
    selectors = [template.css(node) for node in range(len(template)) if template.symbols[node]]
    assert selectors[0] == "html"
    assert "html > body > div.main > p > b" in selectors


def change(path: list[Any], value: Any) -> Any:
    def edit(result: Any) -> None:
        for step in path[:-1]:
            result = result[step]
        result[path[-1]] = value

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        change(["version"], 3),
        change(["format"], "other"),
        change(["nodes"], []),
        change(["nodes"], {}),
        change(["nodes"], [3]),
        change(["nodes", 0], {"op": "star", "pages": 1, "depth": 0}),
        change(["nodes", 1, "depth"], 7),
        change(["nodes", 1, "depth"], 0),
        change(["nodes", 1, "depth"], -1),
        change(["nodes", 1, "op"], "plus"),
        change(["nodes", 1, "symbols"], []),
        change(["nodes", 1, "symbols"], [[1, 1]]),
        change(["nodes", 1, "shape"], ["xyz", "1"]),
        change(["nodes", 1, "shape"], ["f" * 80, "1"]),
        change(["nodes", 1, "pages"], "3"),
        change(["nodes", 1, "pages"], 2**40),
        change(["nodes", 1, "noise"], [["text", "a", 2.0]]),
        change(["nodes", 1, "noise"], [["colour", "a", 0.5]]),
        change(["nodes", -1, "op"], "star"),
        change(["pages"], None),
        change(["usual"], "high"),
        change(["usual"], [[1.0]]),
        change(["marks"], 5),
    ],
)
def test_a_damaged_template_gives_one_sentence(template: Template, tmp_path: Path, edit: Any) -> None:
    path = tmp_path / "t.json"
    write_template(path, template)
    result = json.loads(path.read_text("utf-8"))
    edit(result)
    path.write_text(json.dumps(result), "utf-8")
    with pytest.raises(InputError) as error:
        read_template(path)
    assert "\n" not in str(error.value)
    assert "template" in str(error.value)
