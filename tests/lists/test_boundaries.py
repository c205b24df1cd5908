"""Records between headings, rules and blank lines keep their own fields."""

from __future__ import annotations

import numpy as np
import pytest
from tests.work import lines_run

from webgrain.lists.boundaries import at_boundaries
from webgrain.lists.candidates import EXTENDED, Candidates
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
