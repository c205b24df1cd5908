"""What the pages of a site have in common."""

from __future__ import annotations

import json

import numpy as np
import pytest

from webgrain.extraction.context import Surroundings
from webgrain.extraction.features import PageFacts, features
from webgrain.extraction.single import SinglePage, readable, site_texts
from webgrain.extraction.sitetexts import SiteTexts, page_texts, site_names
from webgrain.modelfile import DAMAGED
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

SAYS = "The keeper of harbour {0} lights lamp {0} at dusk, and nobody knows who pays him for it."
NOTE = "We light the lamps of all harbours of the north, and have done so for a hundred years."


def page(k: int) -> Page:
    name = "abcdefghijklm"[k]
    html = f"<title>Lamp {name} - Lamps</title><div class=note><p>{NOTE}</div><h1>Lamp {name}</h1>"
    html += f"<div class=text><p>{SAYS.format(name)}</div><a href=x>Lamp {name}x</a>"
    return parse(Source(f"{k}.html", html.encode()))


def columns(site: SiteTexts, one: Page) -> dict[str, np.ndarray]:
    read, blocks, _ = readable(one)
    facts = PageFacts(read.dom, blocks)
    around = Surroundings.of(facts, features(facts))
    return dict(zip(site_names(), site.features(page_texts(read.id, facts, around), around).T, strict=True))


def test_a_text_of_all_pages_is_told_from_one_of_each():
    x = columns(site_texts(map(page, range(8))), page(9))  # title, note, heading, text, link
    assert x["site text"].tolist() == [0, 1, 0, 0, 0]
    assert x["site same"].tolist() == [0, 1, 0, 0, 0]
    assert x["site varies"][1] == pytest.approx(1 / 8)
    assert x["site varies"][3] == 1


def test_a_page_that_was_learnt_from_is_read_like_another():
    site = site_texts(map(page, range(8)))
    others = site_texts(map(page, [k for k in range(8) if k != 3]))
    of_known, of_new = columns(site, page(3)), columns(others, page(3))
    for name in site_names():
        assert of_known[name] == pytest.approx(of_new[name], abs=1e-5, nan_ok=True), name


def test_an_unknown_path_has_no_values():
    x = columns(site_texts(map(page, range(4))), parse(Source("z", b"<h2><i>Other</i></h2>")))
    assert np.isnan(x["site same"]).all()
    assert x["site path"].tolist() == [0]


def test_a_site_is_read_as_it_was_written():
    site = site_texts(map(page, range(5)))
    again = SiteTexts.from_dict(json.loads(json.dumps(site.to_dict())))
    assert len(again) == 5
    one, other = columns(site, page(7)), columns(again, page(7))
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


@pytest.mark.parametrize(
    "change", [{"texts": {}}, {"ids": "?"}, {"paths": {"columns": 9, "keys": "", "values": ""}}]
)
def test_damaged_values_are_rejected(change: dict[str, object]):
    with pytest.raises(DAMAGED):
        SiteTexts.from_dict(site_texts(map(page, range(3))).to_dict() | change)


def test_a_text_of_all_pages_is_not_main_text():
    article = SinglePage().predict(page(9), site_texts(map(page, range(9))))
    assert NOTE not in article.text
    assert SAYS.format("j") in article.text


def test_without_pages_a_site_changes_nothing():
    alone, known = SinglePage().predict(page(1)), SinglePage().predict(page(1), site_texts([]))
    assert (alone.text, alone.title, alone.confidence) == (known.text, known.title, known.confidence)


def test_pages_without_common_texts_are_read_by_themselves() -> None:
    def unrelated(k: int) -> Page:
        text = " ".join(f"w{k}x{i}" for i in range(60))
        return parse(Source(f"{k}", f"<h1>Page {k}</h1><p>{text}".encode()))

    pages = [unrelated(k) for k in range(12)]
    site = site_texts(pages)
    alone = [SinglePage().predict(page) for page in pages]
    assert [SinglePage().predict(page, site) for page in pages] == alone
