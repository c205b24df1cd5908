"""The pages of a type decide together about segments and roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.papers.articles import article

from webgrain.page.outline import visible_tree
from webgrain.page.parsing import as_page
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation.learntcut import DECIDED, decisions
from webgrain.segmentation.segmenter import ROLES, segmenter
from webgrain.site.learning import learn_site
from webgrain.site.model import SiteSegmenter, load_model
from webgrain.site.typecut import TypeCut

if TYPE_CHECKING:
    from pathlib import Path

    from webgrain.page.page import Page, Source
    from webgrain.site.model import SiteModel

NAMES = [*ROLES]
PAGE = as_page("<div><p>One<p>Two</div><p>Three")  # html, head, body, div, p, text, p, text, p, text
WHERE = np.arange(len(PAGE.dom), dtype=np.int32)
WHOLE = np.array([-1, -1, -1, 0, 0, 0, 0, 0, 1, 1], np.int32)
PARTS = np.array([-1, -1, -1, -1, 0, 0, 1, 1, 2, 2], np.int32)
AS_WHOLE, IN_PARTS = (WHOLE, ("article", "menu")), (PARTS, ("title", "article", "menu"))


class Given:
    """Returns given segmentations, one after the other."""

    def __init__(self, *cuts: tuple[Any, tuple[str, ...]]) -> None:
        self.cuts = list(cuts)

    def predict(self, page: Page) -> Segmentation:
        labels, roles = self.cuts.pop(0)
        return Segmentation(labels, "given", roles=roles, role_probability=np.full(len(roles), 0.5))


def learnt(*cuts: tuple[Any, tuple[str, ...]], at: Any = WHERE) -> TypeCut:
    given: Any = Given(*cuts)
    return TypeCut.learn(len(WHERE), [(PAGE, at, given.predict(PAGE)) for _ in cuts])


@pytest.fixture(scope="module")
def model() -> SiteModel:
    return learn_site(lambda: [source(number) for number in range(12)], "example.org")


def source(number: int) -> Source:
    found = article(number, comments=number % 3).source
    assert found is not None
    return found


def test_most_pages_decide() -> None:
    div, first, last = 3, 4, 8
    cut = learnt(*[AS_WHOLE] * 12, IN_PARTS)
    assert cut.decided[div].tolist() == [0, 0, -1, NAMES.index("article")]
    assert NAMES[cut.decided[last, -1]] == "menu"
    assert cut.share[[div, last]].tolist() == [1.0, 1.0]
    assert cut.decided[first].tolist() == [-1, -1, -1, -1]  # one page only has a segment there
    cut = learnt(*[IN_PARTS] * 12, AS_WHOLE)
    assert cut.decided[div].tolist() == [1, -1, 0, -1]
    assert NAMES[cut.decided[first, -1]] == "title"


def test_the_share_of_a_role_is_that_of_the_pages() -> None:
    cut = learnt(*[AS_WHOLE] * 19, (WHOLE, ("product", "menu")))
    assert (NAMES[cut.decided[3, -1]], cut.share[3].round(2)) == ("article", 0.95)


def test_a_small_majority_and_few_pages_decide_nothing() -> None:
    assert learnt(AS_WHOLE, AS_WHOLE, AS_WHOLE, IN_PARTS).decided[3, 0] == -1
    assert (learnt(AS_WHOLE, AS_WHOLE).decided == -1).all()


def test_a_page_has_one_vote_for_all_places_of_a_template_node() -> None:
    items = np.where(WHERE == 6, 4, WHERE).astype(np.int32)  # both paragraphs are one node of the template
    cut = learnt(*[IN_PARTS] * 3, at=items)
    assert cut.decided[4].tolist() == [-1, 0, -1, -1]
    assert cut.share[4] == 0.5  # half of each vote for the role is no majority


def test_nodes_outside_of_the_template_decide_nothing_and_are_left_alone() -> None:
    nowhere = np.full(len(WHERE), -1, np.int32)
    cut = learnt(*[AS_WHOLE] * 3, at=nowhere)
    assert (cut.decided == -1).all()
    sure = TypeCut(np.ones((len(WHERE), 4), np.int8), np.ones(len(WHERE)))
    own, found = segmenter().predict(PAGE), sure.segment(PAGE, nowhere, segmenter())
    assert (found.labels == own.labels).all()
    assert found.roles == own.roles


def test_pages_follow_the_decisions() -> None:
    decided = np.full((len(WHERE), 4), -1, np.int8)
    decided[[2, 3], 0] = 1, 0
    decided[3, 1], decided[3, 3] = 0, NAMES.index("cookies")
    found = TypeCut(decided, np.full(len(WHERE), 0.75)).segment(PAGE, WHERE, segmenter())
    assert found.labels[3:].tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert found.roles[0] == "cookies"
    assert found.role_probability is not None
    assert found.role_probability[0] == 0.75


@pytest.mark.parametrize("html", ["", "<p hidden>No", "<title>No</title>", "One"])
def test_pages_without_segments_do_no_harm(html: str) -> None:
    page = as_page(html)
    at = np.arange(len(page.dom), dtype=np.int32)
    cut = TypeCut.learn(len(page.dom), [(page, at, segmenter().predict(page))] * 3)
    assert len(cut.segment(page, at, segmenter())) == bool(len(visible_tree(page)))
    assert decisions(page, np.full(len(page.dom), -1)).shape == (len(page.dom), len(DECIDED))


def test_pages_of_a_type_have_the_same_segments(model: SiteModel) -> None:
    [label] = model.templates
    cut = model.cuts[label]
    pages = [as_page(source(number)) for number in range(20, 26)]
    seen: dict[tuple[int, int], set[int]] = {}
    for page in pages:
        found = model.segment(page)
        at = model.predict(page).match
        assert at is not None
        chosen = decisions(page, found.labels)
        for node, column in zip(*np.nonzero((chosen >= 0) & (at.labels >= 0)[:, None]), strict=True):
            seen.setdefault((int(at.labels[node]), int(column)), set()).add(int(chosen[node, column]))
    decided = [len(answers) for (node, column), answers in seen.items() if cut.decided[node, column] >= 0]
    assert len(decided) > 10
    assert np.mean(np.array(decided) == 1) > 0.9


def test_the_decisions_are_written_with_the_model(model: SiteModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    again, page = load_model(tmp_path / "model.json"), as_page(source(30))
    [label] = model.cuts
    assert (again.cuts[label].decided == model.cuts[label].decided).all()
    one, other = model.segment(page), SiteSegmenter(again, segmenter()).predict(page)
    assert (one.labels == other.labels).all()
    assert one.roles == other.roles


def test_other_methods_segment_each_page_on_its_own(model: SiteModel) -> None:
    assert model.segment(as_page(source(31)), segmenter("gcuts")).method == "gcuts"


@pytest.mark.parametrize(
    "values",
    [
        {"decided": [[0, 0, 0, 0]], "share": [0.0, 0.0]},
        {"decided": [[0, 0, 0, len(ROLES)]] * 2, "share": [0.0, 0.0]},
        {"decided": [[2, 0, 0, 0]] * 2, "share": [0.0, 0.0]},
        {"decided": [[0, 0, -2, 0]] * 2, "share": [0.0, 0.0]},
        {"decided": [[0, 0, 0, 0]] * 2, "share": []},
    ],
)
def test_damaged_decisions_are_rejected(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"decision|reshape"):
        TypeCut.from_dict(values, 2)
