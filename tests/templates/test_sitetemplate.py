"""Templates of page types: pages that are left out, files, wrong calls. The noise: `test_noise.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.templates.pages import page

from webgrain.base.errors import ParameterError
from webgrain.templates.sitetemplate import SiteTemplate


def test_a_page_of_another_kind_is_left_out_with_the_reason() -> None:
    html = "<div class=head>a</div><div class=text><h1>b</h1>" + "<p>c" * 5 + "</div>"
    odd = page("<table>" + "<tr><td>x" * 30 + "</table>", "odd")
    pages = [*(page(html + "<p>d" * n, f"{n}") for n in range(5)), odd]
    assert "table" in str(SiteTemplate(least_match=0.0).fit(pages).template_)
    learnt = SiteTemplate().fit(pages)
    assert list(learnt.rejected_) == ["odd"]
    assert "fits the other pages by" in learnt.rejected_["odd"]
    assert learnt.template_ is not None
    assert "table" not in str(learnt.template_)
    assert not learnt.predict(odd).accepted


def test_wrong_calls_are_refused_in_one_sentence() -> None:
    with pytest.raises(ParameterError, match="expected pages"):
        SiteTemplate().fit([])
    with pytest.raises(ParameterError, match="in common"):
        SiteTemplate().fit([page("")])
    with pytest.raises(ParameterError, match="in common"):
        SiteTemplate().fit([page("<p>a"), page("<table><tr><td>b<ul><li>c</ul><form><input></form></table>")])
    with pytest.raises(ParameterError, match="expected fit"):
        SiteTemplate().predict(page("x"))
    with pytest.raises(ParameterError, match="least_match"):
        SiteTemplate(least_match=2.0)


def test_html_is_accepted_wherever_a_page_is_and_a_saved_template_matches_the_same(tmp_path: Path) -> None:
    html = [f"<b>My site</b><h1>{n}</h1><p>{n}" for n in range(4)]
    method = SiteTemplate().fit(html)
    method.save(tmp_path / "template.json")
    again = SiteTemplate.load(tmp_path / "template.json")
    for one in (*html, "<h2>other</h2>"):
        assert again.predict(one).labels.tolist() == method.predict(page(one)).labels.tolist()
        assert again.accepts(one.encode()) == method.accepts(one) == ("My site" in one)
        assert again.noise(one).tolist() == method.noise(page(one)).tolist()
    assert method.noise(html[0]).max() == 1.0
    with pytest.raises(ParameterError, match="expected fit"):
        SiteTemplate().noise("<p>x")
