"""Drift: what pages have lost and gained."""

from __future__ import annotations

import numpy as np
import pytest
from tests.templates.pages import learn, page

from webgrain.base.modelfile import DAMAGED
from webgrain.templates.drift import DriftReport, change_probabilities, drift, template_changes
from webgrain.templates.profile import Profile, Trait, drift_traits
from webgrain.templates.template import Template, template_from_dict, template_to_dict
from webgrain.templates.thresholds import MAX_PATHS, MAX_TIMES

OLD = "<div id=head>Site</div><h1>{0}</h1><div class=by>{0}</div><div class=text>" + "<p>{0}" * 4 + "</div>"


def pages(html: str, n: int = 15):
    return [page(html.format(k)) for k in range(n)]


@pytest.fixture(scope="module")
def template() -> Template:
    return learn(*pages(OLD)).template_


def found(template: Template, old: str, new: str, n: int = 10) -> DriftReport:
    assert old in OLD
    return drift(template, pages(OLD.replace(old, new), n))


@pytest.mark.parametrize("n", [1, 10, 150])
def test_unchanged_pages_have_no_drift(template: Template, n: int) -> None:
    assert drift(template, pages(OLD, n)) == DriftReport(n, "none")


@pytest.mark.parametrize(
    ("old", "new", "css"),
    [
        ("<div class=by>{0}</div>", "", "html > body > div.by"),
        ("id=head", "id=top", "html > body > div#head"),
        ("class=text", "class=zz", "html > body > div.text"),
        ("<h1>{0}</h1>", "<h2>{0}</h2>", "html > body > h1"),
        ("<p>{0}", "{0}", "html > body > div > p"),
    ],
)
def test_what_was_lost_is_an_alarm(template: Template, old: str, new: str, css: str) -> None:
    report = found(template, old, new)
    assert (report.level, [change.css for change in report.vanished]) == ("alarm", [css])
    [change] = report.vanished
    assert (change.before, change.now) == (1.0, 0.0)
    assert f"{css} has disappeared: on 100% of the pages before, on 0% now" in report.sentences()


def test_fewer_elements_of_a_path_are_an_alarm(template: Template) -> None:
    report = drift(template, pages(OLD.replace("<p>{0}" * 4, "<p>{0}" * 3)))
    [change] = report.vanished
    assert (report.level, change.css, change.times) == ("alarm", "html > body > div > p", 4)
    assert str(change) == "html > body > div > p: 4 elements or more on 100% of the pages before, on 0% now"


def test_a_wrapped_body_is_an_alarm_that_names_the_new_places(template: Template) -> None:
    report = drift(template, pages(f"<div id=all>{OLD}</div>"))
    assert report.level == "alarm"
    assert "html > body > div#head has moved to html > body > div#all > div#head" in report.sentences()


REVERSED = (
    "<div class=text>" + "<p>{0}" * 4 + "</div><div class=by>{0}</div><h1>{0}</h1><div id=head>Site</div>"
)


def test_another_order_is_an_alarm_that_names_the_place(template: Template) -> None:
    report = drift(template, pages(REVERSED))
    [change] = report.reordered
    assert (report.level, report.vanished, report.appeared) == ("alarm", (), ())
    assert (change.css, change.now) == ("html > body", 1.0)
    assert "html > body has its children in another order on 100% of the pages" in report.sentences()[0]
    assert report.to_dict()["reordered"][0]["css"] == "html > body"


def test_another_order_of_few_pages_is_no_alarm(template: Template) -> None:
    few = [*pages(OLD, 12), *pages(REVERSED, 1)]
    assert drift(template, few).level == "none"
    assert drift(template, pages(REVERSED, 2)).level != "alarm"


@pytest.mark.parametrize("banner", ["<aside class=vote><input></aside>", "<div class=ad>Buy</div>"])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_what_was_gained_is_a_notice_that_names_the_place(
    template: Template, banner: str, share: float
) -> None:
    new = [page(OLD.format(k) + (banner if k < 20 * share else "")) for k in range(20)]
    report = drift(template, new)
    [change] = report.appeared
    assert (report.level, report.vanished, change.now) == ("notice", (), share)
    assert change.css in ("html > body > aside.vote", "html > body > div.ad")
    assert "contains(concat(' ', normalize-space(@class), ' ')" in change.xpath


def test_few_pages_and_few_learnt_pages_raise_no_alarm(template: Template) -> None:
    gone = "<div class=by>{0}</div>"
    assert found(template, gone, "", 2).level != "alarm"
    few = learn(*pages(OLD, 3)).template_
    assert [found(few, gone, "", n).level for n in (2, 10, 100)] == ["none", "notice", "alarm"]


def test_an_element_of_some_pages_may_be_missing() -> None:
    mixed = [page(OLD.format(k) + "<form><input></form>" * (k % 2)) for k in range(16)]
    assert drift(learn(*mixed).template_, pages(OLD, 5)).level == "none"


def test_a_new_look_names_the_uppermost_elements_only(template: Template) -> None:
    report = drift(template, pages("<main class=new><p>{0}</main>"))
    assert report.level == "alarm"
    assert {change.css for change in report.vanished} == {
        *("html > body > h1", "html > body > div#head", "html > body > div.by", "html > body > div.text")
    }
    assert [change.css for change in report.appeared] == ["html > body > main.new"]


def test_numbered_names_are_equal(template: Template) -> None:
    old, new = ([page(f"<div class=post-{k}>a<p>b") for k in some] for some in (range(15), range(70, 85)))
    assert drift(learn(*old).template_, new).level == "none"


def test_an_empty_list_is_named() -> None:
    html = "<h1>{0}</h1><ul class={1}>" + "<li>{0}" * 3
    old, new = (
        [page(html.format(k, name) + "<li>x" * (k % 3)) for k in range(15)] for name in ("news", "zz")
    )
    report = drift(learn(*old).template_, new)
    assert report.broken == (
        "the selector of the list, html > body > ul.news > li, selects nothing on 15 of 15 pages "
        "(before: on 0 of 15 pages)",
    )


def test_no_pages_are_no_drift(template: Template) -> None:
    assert drift(template, []) == DriftReport(0, "none")


def test_two_templates_are_compared_by_selector(template: Template) -> None:
    other = learn(*pages(OLD.replace("by", "author"))).template_
    assert template_changes(template, template) == ()
    assert [(change.css, change.before, change.now) for change in template_changes(template, other)] == [
        ("html > body > div.by", 1.0, 0.0),
        ("html > body > div.author", 0.0, 1.0),
    ]


def test_probabilities_agree_with_a_simulation() -> None:
    rng = np.random.default_rng(0)
    k, n, x, m = 5, 8, 1, 6
    share = rng.beta(k + 0.5, n - k + 0.5, 200_000)
    drawn = rng.binomial(m, share)
    (lost,), (gained,) = change_probabilities(np.array([k]), n, np.array([x]), m, 1)
    assert (10**lost, gained) == (pytest.approx((drawn <= x).mean(), rel=0.02), 0.0)
    (lost,), (gained,) = change_probabilities(np.array([1]), n, np.array([m]), m, 1)
    drawn = rng.binomial(m, rng.beta(1.5, n - 0.5, 200_000))
    assert (lost, 10**gained) == (0.0, pytest.approx((drawn == m).mean(), rel=0.2))


def test_a_profile_is_the_same_after_writing(template: Template) -> None:
    profile = Profile.from_dict(template.profile.to_dict())
    assert (profile.count, profile.uses) == (template.profile.count, template.profile.uses)
    assert profile.count[Trait(("html", "body", "div", "p"), "", 4)] == profile.n_pages == 15


@pytest.mark.parametrize(
    "change",
    [
        {"paths": [[0, "html", [99], {}]]},
        {"paths": [["x", "html", [1], {}]]},
        {"uses": [["list"]]},
        {"pages": None},
    ],
)
def test_a_damaged_profile_is_refused(template: Template, change: dict[str, object]) -> None:
    record = template_to_dict(template)
    with pytest.raises(DAMAGED):
        template_from_dict({**record, "profile": {**record["profile"], **change}})


@pytest.mark.parametrize(
    "html",
    ["", "<p hidden>x", "".join(f"<x{k}>a</x{k}>" for k in range(2100)), "<div>" * 600 + "x", "<p>a" * 2100],
)
def test_the_traits_of_hostile_pages_are_bounded(template: Template, html: str) -> None:
    traits = drift_traits(page(html))
    assert len(traits) <= MAX_PATHS * MAX_TIMES
    assert drift(template, [page(html)] * 10).level in ("none", "alarm")
