"""Sections of pages."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.templates.pages import learn
from tests.views import with_lines
from tests.work import lines_run

from webgrain.base.errors import ParameterError
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_of
from webgrain.templates.sections import BestSectioner, Sectioner, Sections, importance
from webgrain.templates.sitetemplate import SiteTemplate

HTML = """<div id=head><h1>Site</h1><ul>
<li><a href=/>Home</a><li><a href=/n>News</a><li><a href=/a>About</a></ul></div>
<div id=main><h2>Title {0}</h2>{1}</div><div id=foot>All rights reserved</div>"""


def page(html: str) -> Page:
    read = parse(Source("page", html.encode()))
    return with_lines(read)


def texts(one: Page, found: Sections) -> list[str]:
    """The text of each section."""
    leaves = np.flatnonzero(one.dom.is_text & (found.labels >= 0))
    return [text_of(one, leaves[found.labels[leaves] == k].tolist()) for k in range(len(found))]


@pytest.fixture(scope="module")
def cutter() -> Sectioner:
    pages = [page(HTML.format(n, f"<p>Text {n} of the page." * (n + 1))) for n in range(6)]
    template = learn(*pages).template_
    assert template is not None
    return Sectioner(template=template)


def test_a_list_is_one_section_and_noise_is_separated_from_content(cutter: Sectioner) -> None:
    new = page(HTML.format("new", "<p>Something. " * 3))
    found = cutter.predict(new)
    result = dict(zip(texts(new, found), zip(found.listed, found.noisy, strict=True), strict=True))
    assert result["Home News About"] == (True, True)
    assert result["All rights reserved"] == (False, True)
    assert result["Something. Something. Something."] == (True, False)
    assert found.match.score == 1.0


def test_every_visible_leaf_is_in_a_section(cutter: Sectioner) -> None:
    new = page(
        HTML.format("new", "<p>a<table><tr><td>b</table><form><input></form>") + "<aside>c<b>d</b></aside>"
    )
    found = cutter.predict(new)
    leaves = np.flatnonzero(new.dom.is_text)
    seen = leaves[[bool(new.dom.text_of(leaf).strip()) for leaf in leaves.tolist()]]
    assert (found.labels[seen] >= 0).all()
    assert sorted(set(found.labels[found.labels >= 0].tolist())) == list(range(len(found)))
    assert found.importance.min() >= 0
    assert found.importance.max() <= 1


def test_a_page_of_another_site_is_all_important(cutter: Sectioner) -> None:
    found = cutter.predict(page("<table><tr><td>x<td>y</table>"))
    assert found.importance.tolist() == [1.0] * len(found)
    assert not found.match.accepted


@pytest.mark.parametrize(("separator", "expected"), [("<hr>", ["ab", "c"]), ("", ["abc"])])
def test_separators_divide_the_text_between_them(separator: str, expected: list[str]) -> None:
    learnt = learn(page("<h1>x</h1>")).template_
    assert learnt is not None
    one = page(f"<body style='height: 2000px'><i>a</i><u>b</u>{separator}<s>c</s>")
    assert texts(one, Sectioner(template=learnt).predict(one)) == expected


def test_runs_of_formatting_elements_are_one_section() -> None:
    block = "<div><p>{0}</p></div>" * 12
    learnt = learn(page("<h1>x</h1>")).template_
    assert learnt is not None
    one = page(f"<b>a</b> <i>b</i> c<div>{block.format('d')}</div><em>e</em><div>{block.format('f')}</div>")
    found = texts(one, Sectioner(template=learnt).predict(one))
    assert "ab c" in found
    assert "e" in found


def test_the_outermost_list_counts() -> None:
    inner = "<ul><li>x<li>y</ul>"
    pages = [page("<ul>" + f"<li>a{inner}" * n + "</ul>") for n in (2, 3)]
    learnt = learn(*pages).template_
    assert learnt is not None
    assert len(Sectioner(template=learnt).predict(pages[1])) == 1


@pytest.mark.parametrize(
    "html", ["", "<script>x</script>", "<div>" * 400 + "x", "<hr>" * 50 + "x", "a\0b<hr>c"]
)
def test_unusual_pages_are_matched(cutter: Sectioner, html: str) -> None:
    one = page(html)
    found = cutter.predict(one)
    assert found.labels.shape == (len(one.dom),)
    assert found.importance.shape == found.noisy.shape == found.listed.shape


def test_without_a_layout_the_leaves_stand_for_the_area(cutter: Sectioner) -> None:
    one = parse(Source("page", HTML.format("new", "<p>Something. " * 3).encode()))
    assert "Home News About" in texts(one, cutter.predict(one))


def plain() -> Sectioner:
    """A sectioner whose template knows nothing of the pages below."""
    learnt = learn(page("<h1>x</h1>")).template_
    assert learnt is not None
    return Sectioner(template=learnt)


def box(text: str, height: int, inner: str = "div") -> str:
    return f"<{inner}><p style='height: {height}px'>{text}</p></{inner}>"


@pytest.mark.parametrize(
    ("area", "expected"), [(0.1, ["a", "b", "c", "d"]), (0.45, ["a", "b c", "d"]), (0.9, ["a", "b c", "d"])]
)
def test_the_area_determines_which_nodes_are_cut(area: float, expected: list[str]) -> None:
    one = page(box("a", 100) + f"<div>{box('b', 300)}{box('c', 300)}</div>" + box("d", 100))
    cut = plain()
    assert texts(one, cut.set_params(area=area).predict(one)) == expected


@pytest.mark.parametrize(("tag", "expected"), [("div", ["b", "c"]), ("dl", ["b c"])])
def test_only_nodes_with_large_sectioning_children_are_cut(tag: str, expected: list[str]) -> None:
    one = page(box("a", 50) + f"<div>{box('b', 400, tag)}{box('c', 400, tag)}</div>" + box("d", 50))
    assert texts(one, plain().predict(one)) == ["a", *expected, "d"]


def test_layout_tables_are_cut() -> None:
    html = "<table><tr><td height=600>menu<td><p>text<p>text</table>"
    one = page(html)
    assert texts(one, plain().predict(one)) == ["menu", "text text"]


@pytest.mark.parametrize("n", [2, 7])
@pytest.mark.parametrize("text", ["<div>{}</div>", "<div><div>{}</div></div>", "<table><tr><td>{}</table>"])
def test_no_section_has_the_first_and_the_last_text(text: str, n: int) -> None:
    pages = [page("".join(text.format(f"{k} {m}") for k in range(n + m))) for m in range(3)]
    for method in (
        plain(),
        Sectioner(template=learn(*pages).template_),
    ):
        for wrapper in ("<main>{}</main>", "<font>{}</font>", "<img><a>{}<img>", "<ul><li>{}</ul>"):
            one = page(wrapper.format(text.format("x") * n))
            labels = method.predict(one).labels[one.dom.is_text]
            assert labels[0] != labels[-1]
        for one in pages:
            labels = method.predict(one).labels[one.dom.is_text]
            assert labels[0] != labels[-1]


@pytest.mark.parametrize(
    "html", ["<p>a", "<p>a<p>b", "<h1>a</h1><p>b <b>c</b>", "a<br>b", "<ul><li>a<li>b</ul>"]
)
def test_a_page_that_is_a_single_unit_is_one_section(html: str) -> None:
    learnt = learn(page(html), page(html)).template_
    assert learnt is not None
    assert len(Sectioner(template=learnt).predict(page(html))) == 1


def test_a_list_of_large_parts_is_cut_further() -> None:
    html = "<div>{0}" + "<div><h2>{0}</h2>" + "<p>{0} text of the page" * 9 + "</div>" * 2
    pages = [page("<h1>Title</h1>" + html.format(k) * (k % 2 + 2)) for k in range(6)]
    learnt = learn(*pages).template_
    assert learnt is not None
    headings = [node for node in range(len(pages[0].dom)) if pages[0].dom.name(node) == "h2"]
    small, large = (Sectioner(template=learnt, area=area).predict(pages[0]).labels for area in (0.15, 0.9))
    assert len(set(small[headings].tolist())) == len(headings) == 2
    assert len(set(large[headings].tolist())) == 1


@pytest.mark.parametrize("html", ["<p>a<hr>", "<div>a</div><hr>", "<i>a</i><hr>"])
def test_the_time_is_linear_in_the_number_of_separators(html: str) -> None:
    method, lines = plain(), []
    for n in (100, 800):
        one = parse(html * n)
        work = partial(method.cut, one, method.match(one))
        assert len(work()) == n
        lines.append(lines_run(work))
    assert lines[1] < 9 * lines[0], lines


def test_wrong_parameters_are_refused(cutter: Sectioner) -> None:
    with pytest.raises(ParameterError, match="threshold"):
        Sectioner(template=cutter.template, threshold=2.0)
    with pytest.raises(ParameterError, match="area"):
        Sectioner(template=cutter.template, area=-0.1)


# The constants of the paper: a value on either side of each.


def test_the_defaults_are_those_of_the_paper(cutter: Sectioner) -> None:
    assert (cutter.area, cutter.threshold) == (0.15, 0.25)


@pytest.mark.parametrize(("leaves", "sections"), [(15, 1), (16, 2)])
def test_nodes_with_a_child_of_more_than_15_percent_of_the_page_are_cut(leaves: int, sections: int) -> None:
    # A page of 100 leaves, without boxes: a node with two children of 15 or 16 leaves each, and others.
    child = f"<div>{'<b>x</b>' * leaves}</div>"
    others = 100 - 2 * leaves
    rest = "".join(f"<div>{'<i>y</i>' * min(10, others - k)}</div>" for k in range(0, others, 10))
    one = parse(f"<div>{child * 2}</div>{rest}")
    found = plain().predict(one)
    bold = one.dom.find_tag("b")
    assert len(bold) == 2 * leaves
    assert len(set(found.labels[bold].tolist())) == sections


def noise_of_bold(one: Page) -> np.ndarray:
    """(n,) a noise confidence of 1 for leaves in bold, 0 for others."""
    noise = np.zeros(len(one.dom))
    for node in one.dom.find_tag("b").tolist():
        noise[node : one.dom.end[node]] = 1.0
    return noise


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><b>123456</b><i>12</i>", 2 / 8),
        ("<p><b>1</b><b>2</b><b>3</b><i>123456</i>", 6 / 9),
        ("<p><b>12345</b><img src=a>", 10 / 15),  # an image counts as ten characters
        ("<p><b>12345</b><input>", 5 / 10),  # another leaf counts as five
        ("<p><b><img src=a></b><input>12345", 10 / 20),
    ],
)
def test_importance_is_weighted_by_the_size_of_leaves(html: str, expected: float) -> None:
    one = page(html)
    labels = np.zeros(len(one.dom), np.int32)
    assert importance(one, labels, noise_of_bold(one)).tolist() == pytest.approx([expected])


@pytest.mark.parametrize(("new", "noisy"), [(32, True), (34, False)])
def test_sections_with_an_importance_below_25_percent_are_noisy(new: int, noisy: bool) -> None:
    # 32 of 132 characters are .242; 34 of 136 are .25.
    html = f"<p><b>{'n' * (100 if noisy else 102)}</b><i>{{}}</i>"
    pages = [page(html.format(letter * new)) for letter in "abcd"]
    template = SiteTemplate(words=False).fit(pages).template_
    assert template is not None
    found = Sectioner(template=template).predict(page(html.format("x" * new)))
    assert found.importance.tolist() == pytest.approx([new / (132 if noisy else 136)])
    assert found.noisy.tolist() == [noisy]


def test_the_best_template_is_that_of_the_highest_score() -> None:
    htmls = {
        "text": "<h1>{0}</h1>" + "<p>Text {0}" * 3,
        "list": "<h1>{0}</h1><ul>" + "<li>Item {0}" * 3 + "</ul>",
        "both": "<h1>{0}</h1><p>Text {0}<ul>" + "<li>Item {0}" * 2 + "</ul>",
        "again": "<h1>{0}</h1>" + "<p>Text {0}" * 3,
    }
    pages = {name: [page(html.format(n)) for n in "abc"] for name, html in htmls.items()}
    cutters = {}
    for name, of_name in pages.items():
        template = learn(*of_name).template_
        assert template is not None
        cutters[name] = Sectioner(template=template)
    best = BestSectioner(cutters)
    others = [page("<table><tr><td>a</table>"), page("<p>a<ul><li>b</ul>"), page("")]
    for each in [*[of_name[0] for of_name in pages.values()], *others]:
        name, match = best.match(each)
        matches = {name: cutter.match(each) for name, cutter in cutters.items()}
        assert name == max(matches, key=lambda name: matches[name].score)
        assert match.score == matches[name].score
        assert match.probability == matches[name].probability
