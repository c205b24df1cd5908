"""Which texts come from the source of an article."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.datasets.noise import NoiseScore, noise_score, noise_truths

from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.papers.regextree import RegexTree
from webgrain.templates.sections import Sectioner

PAGE = """<nav><a href=/>Home</a></nav><h1>{0} title</h1><p>The {0} body of <b>{0}</b> words.
<pre>x = {0}</pre><p>Shared notice.<div id=comments><p>A comment on {0}</div><footer>Imprint</footer>"""
NAMES = ("first", "second", "third", "fourth")


def pages() -> list[Page]:
    return [parse(Source(name, PAGE.format(name).encode())) for name in NAMES]


def noise_by_text(page: Page, code: bool) -> dict[str, bool]:
    sources = [[f"{name} title", f"The {name} body of {name} words. Shared notice."] for name in NAMES]
    truth = noise_truths(pages(), sources, code)[0]
    return {
        page.dom.text_of(node).strip(): bool(noise)
        for node, noise in zip(truth.node.tolist(), truth.noise, strict=True)
    }


def test_what_the_source_has_is_no_noise() -> None:
    assert noise_by_text(pages()[0], code=True) == {
        "Home": True, "first title": False, "The first body of": False, "first": False,
        "x = first": False, "Imprint": True,
    }  # fmt: skip


def test_code_is_noise_where_the_source_would_have_it() -> None:
    assert noise_by_text(pages()[0], code=False)["x = first"] is True


def test_comments_and_texts_of_every_article_are_neither() -> None:
    assert not {"A comment on first", "Shared notice."} & noise_by_text(pages()[0], code=True).keys()


def test_a_score_counts_words_and_sections() -> None:
    template = RegexTree().fit(pages()).template_
    assert template is not None
    sources = [[f"{name} title", f"The {name} body of {name} words."] for name in NAMES]
    truth = noise_truths(pages(), sources, code=True)[0]
    found = Sectioner(template=template).predict(pages()[0])
    score = noise_score(truth, found)
    assert (score.precision, score.recall) == (1.0, 1.0)
    assert score.share == pytest.approx(4 / int(truth.words.sum()))  # Home, Imprint, Shared notice
    assert len(score) == len(NoiseScore._fields)


def test_a_page_without_text_has_a_truth() -> None:
    (truth,) = noise_truths([parse(Source("a", b""))], [["title"]], code=True)
    assert len(truth.node) == len(truth.words) == len(truth.noise) == 0
    assert truth.noise.dtype == np.bool_
