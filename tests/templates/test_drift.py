"""Drift: what pages have lost and gained."""

from __future__ import annotations

import pytest
from tests.templates.test_regextree import learn, page

from webgrain.templates.drift import diff, drift
from webgrain.templates.thresholds import MIN_DRIFT_PAGES

OLD = "<div id=head>Site</div><h1>{0}</h1><div class=by>{0}</div><div class=text>" + "<p>{0}" * 4 + "</div>"


def pages(html: str, n: int = 12):
    return [page(html.format(k)) for k in range(n)]


def test_nothing_changed() -> None:
    found = drift(learn(*pages(OLD)).template_, pages(OLD))
    assert (found.level, found.vanished, found.appeared, found.accepted, found.score) == (
        "none",
        (),
        (),
        1.0,
        1.0,
    )


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_what_appeared_is_a_notice(share: float) -> None:
    new = [
        page(OLD.format(k) + ("<form class=vote><input></form>" if k < 12 * share else "")) for k in range(12)
    ]
    found = drift(learn(*pages(OLD)).template_, new)
    assert [(change.css, change.now) for change in found.appeared] == [("html > body > form.vote", share)]
    assert found.level != "none"


def test_what_vanished_is_an_alarm() -> None:
    found = drift(learn(*pages(OLD)).template_, pages(OLD.replace("<div class=by>{0}</div>", "")))
    assert [change.css for change in found.vanished] == ["html > body > div.by"]
    assert found.level == "alarm"


def test_few_pages_raise_no_alarm() -> None:
    template, gone = learn(*pages(OLD)).template_, OLD.replace("<div class=by>{0}</div>", "")
    few, enough = (drift(template, pages(gone, n)) for n in (MIN_DRIFT_PAGES - 1, MIN_DRIFT_PAGES))
    assert few.vanished == enough.vanished
    assert (few.level, enough.level) == ("notice", "alarm")
    assert drift(template, pages(OLD, 1)).level == "none"


def test_a_new_look_is_an_alarm_that_names_the_uppermost_nodes_only() -> None:
    found = drift(learn(*pages(OLD)).template_, pages("<main class=new><p>{0}</main>"))
    assert found.level == "alarm"
    assert found.accepted == 0.0
    assert "html > body > div.text" in [change.css for change in found.vanished]
    assert not any(" > p" in change.css for change in found.vanished)
    assert [change.css for change in found.appeared] == ["html > body > main.new"]


def test_no_pages_are_no_drift() -> None:
    found = drift(learn(*pages(OLD)).template_, [])
    assert (found.pages, found.vanished, found.appeared) == (0, (), ())


def test_two_templates_are_compared_by_selector() -> None:
    one, other = learn(*pages(OLD)).template_, learn(*pages(OLD.replace("by", "author"))).template_
    assert diff(one, one) == ()
    assert [(change.css, change.before, change.now) for change in diff(one, other)] == [
        ("html > body > div.by", 1.0, 0.0),
        ("html > body > div.author", 0.0, 1.0),
    ]
