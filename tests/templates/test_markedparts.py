"""Marked parts: what each part of a template is on its pages."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

from webgrain.base.errors import InputError
from webgrain.page.page import Source
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.template import (
    Template,
    outline_rows,
    read_template,
    template_outline,
    write_template,
)

FRAME = """<header class=site-header><a href=/>Home</a> <i>In your basket:</i> <b>{cart}</b></header>
<nav><a href=/tea>Tea</a> <a href=/cups>Cups</a></nav>
<main>{main}</main>
<footer>All rights reserved. <a href=/imprint>Imprint</a></footer>"""
WORDS = ["amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath"]


def learnt(mains: list[str]) -> Template:
    pages = [
        Source(f"{k}.html", FRAME.format(cart=k, main=main).encode(), charset="utf-8")
        for k, main in enumerate(mains)
    ]
    template = SiteTemplate().fit(pages).template_
    assert template is not None
    return template


def roles(template: Template) -> dict[str, str]:
    """Return the role of each marked part in ``main``, by the name of its row."""
    rows = outline_rows(template)
    return {row.name: row.role for row in rows if row.role and "main" in row.css}


def test_the_frame_is_marked_though_a_number_in_it_differs() -> None:
    template = learnt([f"<h1>{word}</h1><p>All about {word} and more" for word in WORDS])
    marked = {row.name: row.role for row in outline_rows(template)}
    assert marked["header.site-header"] == "frame"
    assert marked["nav"] == "navigation"
    assert marked["footer"] == "frame"
    assert marked["main"] == "content"


def test_highlighted_code_is_one_part() -> None:
    code = "<pre><i class=k>def</i> <b>{0}</b>(<u>x</u>): <i class=k>return</i> <b>{0}</b> + <s>1</s></pre>"
    template = learnt([f"<h1>{word}</h1>{code.format(word)}<p>All about {word} and more" for word in WORDS])
    inside = [template.css(part.node) for part in template.marked if "pre" in template.css(part.node)]
    assert all(css.endswith("pre") for css in inside)
    assert "content" in {part.role for part in template.marked if "main" in template.css(part.node)}


def test_a_list_of_links_in_pre_has_parts() -> None:
    mains = []
    for number, word in enumerate(WORDS):
        links = " ".join(f"<a href=/{word}{k}>{word} and {word} {k}</a>" for k in range(3 + number % 4))
        mains.append(f"<h1>{word}</h1><pre>{links}<hr><i>Made with care for you</i></pre>")
    template = learnt(mains)
    inside = [template.css(part.node).rpartition("main > ")[2] for part in template.marked]
    assert {"pre > a", "pre > i"} <= set(inside)


def test_labels_are_apart_from_their_values() -> None:
    template = learnt(
        [f"<h1>{word}</h1><p class=by>Posted by <b>{word} Kim</b></p><p>On {word} " * 3 for word in WORDS]
    )
    texts = {part.role: part.texts for part in template.marked if part.role == "label"}
    assert all(text.startswith("Posted by") for text in texts["label"])


def test_a_table_of_labels_and_values() -> None:
    rows = "<tr><th>Weight of the cup<td>{0} 1{1} g<tr><th>Made in the year<td>19{1}{1} by {0}"
    mains = [
        f"<h1>{word}</h1><p>{word} is what this text is about, and more of it. </p><table>"
        + rows.format(word, k)
        + "</table>"
        for k, word in enumerate(WORDS)
    ]
    assert roles(learnt(mains))["table"] == "table"


def test_cards_are_items_and_their_heading_is_a_label() -> None:
    mains = []
    for k, word in enumerate(WORDS):
        cards = "".join(
            f"<li class=card><a href=/{word}{n}>{word} number {n}</a><b>{k + n} €</b><i>Add</i>"
            for n in range(3 + k % 3)
        )
        mains.append(f"<h1>{word}</h1><h2>Related articles</h2><ul>{cards}</ul>")
    marked = roles(learnt(mains))
    assert marked["li.card"] == "items"
    assert marked["h2"] == "label"


def test_a_list_within_a_text_is_a_part_of_the_text() -> None:
    mains = []
    for k, word in enumerate(WORDS):
        items = "".join(f"<li><a href=/{word}{n}>{word} {n}</a>" for n in range(2 + k % 3))
        mains.append(f"<h1>{word}</h1><p>{word} is a long text of many words. <p>More {word}<ul>{items}</ul>")
    assert set(roles(learnt(mains)).values()) == {"content"}


def test_the_columns_of_a_page_are_no_items() -> None:
    mains = []
    for word in WORDS:
        story = "".join(f"<p>{word} {n} tells a long story to all." for n in range(5))
        mains.append(
            f"<div class=box><h1>{word}</h1>{story}</div><div class=box><p>By {word}<p>On {word}</div>"
        )
    assert "items" not in roles(learnt(mains)).values()


def test_posts_are_items() -> None:
    mains = []
    for k, word in enumerate(WORDS):
        posts = "".join(
            f"<div class=post><b>{word} {n}</b><i>{n} May</i><p>I think that {word} {n} is right.</div>"
            for n in range(3 + k % 4)
        )
        mains.append(f"<h1>{word}</h1>{posts}")
    assert roles(learnt(mains))["div.post"] == "items"


def test_parts_do_not_overlap_and_have_texts_of_two_pages() -> None:
    template = learnt([f"<h1>{word}</h1><p>All about {word}" for word in WORDS])
    ends = [(part.node, int(template.end[part.node])) for part in template.marked]
    assert all(end <= node for (_, end), (node, _) in pairwise(ends))
    [content] = [part for part in template.marked if part.role == "content"]
    assert content.texts == ("amber All about amber", "birch All about birch")


def test_the_order_of_the_pages_has_no_effect() -> None:
    pages = [
        Source(f"{word}.html", FRAME.format(cart=k, main=f"<h1>{word}</h1>").encode(), charset="utf-8")
        for k, word in enumerate(WORDS)
    ]
    one, other = (SiteTemplate().fit(order).template_ for order in (pages, pages[::-1]))
    assert one is not None
    assert other is not None
    assert one.marked == other.marked


def test_a_file_keeps_the_marked_parts(tmp_path: Path) -> None:
    template = learnt([f"<h1>{word}</h1><p>All about {word}" for word in WORDS])
    write_template(tmp_path / "template.json", template)
    assert read_template(tmp_path / "template.json").marked == template.marked
    record = json.loads((tmp_path / "template.json").read_text("utf-8"))
    for node in record["nodes"]:
        if "role" in node:
            node["role"] = "advert"
    (tmp_path / "damaged.json").write_text(json.dumps(record), "utf-8")
    with pytest.raises(InputError):
        read_template(tmp_path / "damaged.json")


def test_a_template_of_an_earlier_version_has_an_outline_of_elements(tmp_path: Path) -> None:
    template = learnt([f"<h1>{word}</h1>" for word in WORDS])
    write_template(tmp_path / "template.json", template)
    record = json.loads((tmp_path / "template.json").read_text("utf-8"))
    for node in record["nodes"]:
        node.pop("role", None)
        node.pop("texts", None)
    (tmp_path / "template.json").write_text(json.dumps(record), "utf-8")
    old = read_template(tmp_path / "template.json")
    assert old.marked == ()
    assert template_outline(old).splitlines()[:2] == ["html", "  body"]


def test_many_siblings_take_linear_time() -> None:
    def seconds(size: int) -> float:
        pages = [f"<h1>{k}</h1>" + f"<div><a>{k}</a><b>x</b></div>" * size for k in range(2)]
        start = process_time()
        SiteTemplate().fit(pages)
        return process_time() - start

    seconds(100)
    assert seconds(40_000) < 60 * max(seconds(2_000), 0.01)
