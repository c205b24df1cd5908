"""Records between headings, rules and blank lines keep their own fields."""

from __future__ import annotations

import numpy as np
import pytest
from tests.work import lines_run

from webgrain.lists.boundaries import at_boundaries
from webgrain.lists.candidates import ELEMENTS, EXTENDED, Candidates
from webgrain.lists.ranking import find_lists
from webgrain.page.dom import Dom
from webgrain.page.parsing import parse

TALKS = range(6)


@pytest.mark.parametrize(
    ("between", "record"),
    [
        ("<hr>", "<h3>Talk {0} on tea</h3><p>Speaker {0}: Kim Berg</p><a href=/t{0}>Slides {0}</a>"),
        ("", "<h3>Talk {0} on tea</h3><p>Speaker {0}: Kim Berg</p><a href=/t{0}>Slides {0}</a>"),
        ("<br><br>", "<b>Talk {0} on tea</b><br>Speaker {0}: Kim Berg<br><a href=/t{0}>Slides {0}</a>"),
        ("<br>\n<br>\n", "Speaker {0}: Kim Berg<br><b>Talk {0} on tea</b><br><a href=/t{0}>Slides {0}</a>"),
    ],
)
def test_a_row_has_the_fields_of_one_record(between: str, record: str) -> None:
    html = "<h1>Talks</h1><div>" + between.join(record.format(k) for k in TALKS) + "</div>"
    rows = find_lists(html)[0].records()
    assert len(rows) == len(TALKS)
    for k, row in enumerate(rows):
        text = " ".join(str(value) for value in row.values() if value)
        assert all(part in text for part in (f"Talk {k}", f"Speaker {k}", f"/t{k}"))
        assert not any(f"Talk {other}" in text for other in TALKS if other != k)


def extended_items(html: str, tag: str) -> tuple[Dom, Candidates]:
    """Return a page and the items that begin at its elements with a tag."""
    dom = parse(html).dom
    start = dom.find_tag(tag).astype(np.int64)
    stop = np.append(start[1:], dom.end[dom.parent[start[-1]]])
    return dom, Candidates(start, stop, np.array([0, len(start)]), np.array([EXTENDED]))


def extended(html: str, tag: str) -> tuple[list[str], list[str]]:
    """Return the texts of the items that begin at elements of a tag, before and after they are moved."""
    dom, items = extended_items(html, tag)
    moved = at_boundaries(dom, items)

    def texts(of: Candidates) -> list[str]:
        starts, stops = of.items(0)
        offsets = dom.text_start
        return [
            "".join(dom.text[offsets[a] : offsets[b]].split()) for a, b in zip(starts, stops, strict=True)
        ]

    return texts(items), texts(moved)


NAMES = ("Upper mill", "Lower mill", "Saw mill", "Paper mill", "Oil mill", "Hammer mill", "Old mill")


@pytest.mark.parametrize(
    ("between", "record"),
    [
        ("<hr>", "<p><a href=/{0}>{1}</a></p><p>Built in 17{0}2.</p>"),
        ("<hr>", "<b>{1}</b><p>It was built in 17{0}2 near the sea.<p>Tel. 20{0}"),
        ("<br><br>", "<b>{1}</b><br>Bridge Road {0}<br>Tel. 20{0}"),
        ("<br>\n<br>\n", "<b>{1}</b><br>Bridge Road {0}<br><a href=/{0}>Map of {1}</a>"),
    ],
)
@pytest.mark.parametrize("around", ["<td>{0}</td>", "<div>{0}</div>", "{0}<hr><address>By Ada</address>"])
def test_records_of_one_form_between_separators_are_rows(between: str, record: str, around: str) -> None:
    rows = between.join(record.format(k, name) for k, name in enumerate(NAMES))
    menu = "<div><a href=/>Home</a> <a href=/about>About</a> <a href=/contact>Contact</a></div>"
    found = find_lists(f"{menu}<h1>Mills</h1>{around.format(rows)}")
    texts = [" ".join(str(value) for value in row.values() if value) for row in found[0].records()]
    assert len(texts) == len(NAMES)
    for k, text in enumerate(texts):
        assert NAMES[k] in text
        assert f"17{k}2" in text or f"Bridge Road {k}" in text
        assert not any(name in text for name in NAMES if name != NAMES[k])
        assert "Ada" not in text


def test_paragraphs_between_blank_lines_are_no_records() -> None:
    prose = "The mill was built by a farmer, and it is in use today, as all mills of the valley are."
    assert not find_lists("<p>" + "<br><br>".join(f"{name}: {prose}" for name in NAMES))


def elements(html: str, tag: str) -> tuple[list[str], list[str]]:
    """Return the texts of the elements with a tag, and of the records that they are items of."""
    dom = parse(html).dom
    start = dom.find_tag(tag).astype(np.int64)
    items = Candidates(
        start, dom.end[start].astype(np.int64), np.array([0, len(start)]), np.array([ELEMENTS])
    )
    before, after = (
        [
            "".join(dom.text[dom.text_start[a] : dom.text_start[b]].split())
            for a, b in zip(*of.items(0), strict=True)
        ]
        for of in (items, at_boundaries(dom, items))
    )
    return before, after


def test_links_within_the_parts_of_records_become_records() -> None:
    before, after = elements(
        "<div>" + "<hr>".join(f"<p><a>n{k}</a></p><p>t{k}</p>" for k in TALKS) + "</div>", "a"
    )
    assert before == [f"n{k}" for k in TALKS]
    assert after == [f"n{k}t{k}" for k in TALKS]


@pytest.mark.parametrize(
    "record",
    [
        "<p><a>n{0}</a></p>",  # nothing besides the item
        "<p><a>n{0}</a></p><p><a>m{0}</a></p>",  # two items
    ],
)
def test_elements_that_are_no_part_of_a_record_stay(record: str) -> None:
    before, after = elements("<div>" + "<hr>".join(record.format(k) for k in TALKS) + "</div>", "a")
    assert before == after


def test_items_without_separators_stay() -> None:
    before, after = extended("<dl>" + "".join(f"<dt>{k}<dd>v{k}" for k in TALKS) + "</dl>", "dt")
    assert before == after


def test_items_that_begin_at_a_separator_stay() -> None:
    before, after = extended("<div>" + "".join(f"<h2>{k}</h2><p>v{k}</p>" for k in TALKS) + "</div>", "h2")
    assert before == after


def test_the_first_item_does_not_take_what_precedes_the_list() -> None:
    records = "<hr>".join(f"<b>n{k}</b><a>l{k}</a>" for k in TALKS)
    _, after = extended(f"<div><p>About</p><p>Intro</p>{records}</div>", "a")
    assert after == [f"n{k}l{k}" for k in TALKS]


def test_several_separators_in_an_item_move_nothing() -> None:
    before, after = extended("<div>" + "<hr><p>x</p><hr>".join(f"<a>l{k}</a>" for k in TALKS) + "</div>", "a")
    assert before == after


def test_the_work_for_many_siblings_is_linear() -> None:
    def lines(size: int) -> int:
        page = "<div>" + "<hr>".join(f"<b>n{k}</b><a href={k}>l{k}</a>" for k in range(size)) + "</div>"
        dom, items = extended_items(page, "a")
        return lines_run(lambda: at_boundaries(dom, items))

    assert lines(1_000) > 1_000  # the items are moved
    assert lines(4_000) < 4.1 * lines(1_000)
