"""What the pages of a site have in common."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from webgrain.base.modelfile import DAMAGED
from webgrain.columns.blocks import page_facts
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.extraction.sitetexts import SiteRows, judged_names, site_features, site_names
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

SENTENCE = "The keeper of harbour {0} lights lamp {0} at dusk, and nobody knows who pays him for it."
NOTE = "We light the lamps of all harbours of the north, and have done so for a hundred years."


def page(k: int) -> Page:
    name = "abcdefghijklm"[k]
    html = f"<title>Lamp {name} - Lamps</title><div class=note><p>{NOTE}</div><h1>Lamp {name}</h1>"
    html += f"<div class=text><p>{SENTENCE.format(name)}</div><a href=x>Lamp {name}x</a>"
    return parse(Source(f"{k}.html", html.encode()))


def columns(site: SiteTable, one: Page) -> dict[str, np.ndarray]:
    facts = page_facts(one)
    x = SiteRows.of(facts, site).features(facts, site)
    return dict(zip((*site_names(), *judged_names()), x.T, strict=True))


def test_texts_of_all_pages_differ_from_texts_of_one_page():
    x = columns(site_texts(map(page, range(8))), page(9))  # title, note, heading, text, link
    assert x["site text"].tolist() == [0, 1, 0, 0, 0]
    assert x["site same"].tolist() == [0, 1, 0, 0, 0]
    assert x["site varies"][1] == pytest.approx(1 / 8)
    assert x["site varies"][3] == 1


def judged(k: int, main: float, title: float, article: float) -> SiteTable:
    """Return the table of a page with these probabilities at the path of its text."""
    facts = page_facts(page(k))
    probability = np.zeros((len(facts.letters), 3), np.float32)
    probability[3] = main, 0.0, title
    return SiteTable.of_page(facts, probability, article=article)


def test_the_judgement_of_other_pages_is_found_at_a_path():
    site = SiteTable.merged([judged(k, 0.9 if k % 2 else 0.7, 0.4, 0.8) for k in range(8)])
    x = columns(site, page(9))
    assert x["site main at path"] == pytest.approx([0, 0, 0, 0.8, 0], abs=0.02)
    assert x["site title at path"] == pytest.approx([0, 0, 0, 0.4, 0], abs=1e-6)
    assert x["site article at path"] == pytest.approx([0.8] * 5, abs=1e-6)
    assert x["site page article"] == pytest.approx([0.8] * 5, abs=1e-6)


def test_the_verdicts_of_pages_with_a_rare_path_count_more():
    articles = [judged(k, 0.9, 0.4, 0.9) for k in range(4)]
    other = parse(Source("z", b"<title>Lamps</title><h2><i>Other</i></h2><p>Text"))
    odd = [SiteTable.of_page(page_facts(other), article=0.1) for _ in range(4)]
    x = columns(SiteTable.merged([*articles, *odd]), page(9))
    assert x["site all articles"][0] == pytest.approx(0.5, abs=1e-6)
    assert x["site page article"][0] > 0.8
    assert x["site page article above all"][0] == pytest.approx(x["site page article"][0] - 0.5, abs=1e-6)


def test_a_path_of_no_page_has_no_judgement():
    other = parse(Source("z", b"<h2><i>Other</i></h2>"))
    x = columns(SiteTable.merged([judged(0, 0.9, 0.1, 0.2)]), other)
    assert np.isnan(x["site main at path"]).all()
    assert np.isnan(x["site page article"]).all()


def counted(k: int) -> SiteTable:
    """Return the table of a page that is not judged."""
    return SiteTable.of_page(page_facts(page(k)))


def test_judged_pages_stand_for_the_others():
    pages = [judged(k, 0.9 if k % 2 else 0.7, 0.4, 0.8) for k in range(4)]
    site = SiteTable.merged([*pages, *map(counted, range(4, 8))])
    x = columns(site.judged_by([(SiteTable.merged(pages), 2.0)]), page(9))
    assert x["site main at path"] == pytest.approx([0, 0, 0, 0.8, 0], abs=0.02)
    assert x["site title at path"] == pytest.approx([0, 0, 0, 0.4, 0], abs=1e-6)
    assert x["site page article"] == pytest.approx([0.8] * 5, abs=1e-6)
    assert x["site all articles"] == pytest.approx([0.8] * 5, abs=1e-6)
    assert x["site text"].tolist() == [0, 1, 0, 0, 0]
    assert x["site varies"][1] == pytest.approx(1 / 8)


def test_the_judgements_of_all_pages_stay_as_they_are():
    pages = [judged(k, 0.9, 0.4, 0.8) for k in range(4)]
    site = SiteTable.merged(pages)
    assert site.judged_by([(site, 1.0)]).to_dict() == site.to_dict()


def test_a_place_without_judged_pages_has_no_judgement():
    other = parse(Source("z", b"<title>Lamps</title><h2><i>Other</i></h2><p>Text"))
    pages = judged(0, 0.9, 0.4, 0.8)
    site = SiteTable.merged([pages, SiteTable.of_page(page_facts(other))]).judged_by([(pages, 2.0)])
    x = columns(site, other)  # title, heading, text
    assert x["site path"].tolist() == [1, 0.5, 0.5]
    for name in ("main", "comment", "title", "article"):
        assert np.isnan(x[f"site {name} at path"]).tolist() == [False, True, True]
    assert x["site page article"] == pytest.approx([0.8] * 3, abs=1e-6)


def test_each_group_of_judged_pages_counts_for_the_pages_that_it_stands_for():
    other = parse(Source("z", b"<title>Lamps</title><h2><i>Other</i></h2><p>Text"))
    odd = SiteTable.of_page(page_facts(other), np.zeros((3, 3), np.float32), article=0.2)
    groups = [(judged(0, 0.9, 0.4, 0.8), 3.0), (odd, 1.0)]
    tables = [groups[0][0], counted(1), counted(2), odd]
    site = SiteTable.merged(tables).judged_by(groups)
    assert site.articles == pytest.approx(3 * 0.8 + 0.2)
    x = columns(site, page(9))
    assert x["site article at path"][0] == pytest.approx(
        (3 * 0.8 + 0.2) / 4
    )  # the title, which all pages have
    assert x["site article at path"][3] == pytest.approx(0.8)


def noted(k: int) -> Page:
    """Return a page with further texts that all pages have."""
    return parse(Source(f"{k}.html", page(k).source.body + b"<ul><li>Home<li>Harbours</ul>"))


def test_threads_do_not_disturb_each_other():
    sites = [site_texts(map(noted, range(first, first + 6))) for first in (0, 5)]
    work = [(noted(k), site) for _ in range(8) for k in range(12) for site in sites]
    expected = [site_features(*one).tobytes() for one in work]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda one: site_features(*one).tobytes(), work)
        assert list(found) == expected


def test_features_are_those_of_the_site_that_is_given():
    first, second = (site_texts(map(noted, range(start, start + 6))) for start in (0, 5))
    one = noted(9)
    x, y = site_features(one, first), site_features(one, second)
    assert site_features(one, second) is y
    assert not np.array_equal(x, y, equal_nan=True)


def test_an_unknown_path_has_no_values():
    x = columns(site_texts(map(page, range(4))), parse(Source("z", b"<h2><i>Other</i></h2>")))
    assert np.isnan(x["site same"]).all()
    assert x["site path"].tolist() == [0]


def test_a_site_equals_itself_after_saving_and_loading():
    site = site_texts(map(page, range(5)))
    again = SiteTable.from_dict(json.loads(json.dumps(site.to_dict())))
    assert len(again) == 5
    one, other = columns(site, page(7)), columns(again, page(7))
    assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


@pytest.mark.parametrize(
    "change",
    [
        {"texts": {}},
        {"pages": "?"},
        {"articles": -1.0},
        {"places": {"counts": {"keys": "", "values": "?"}}},
        {"nodes": {"keys": "?", "values": ""}},
    ],
)
def test_damaged_values_are_rejected(change: dict[str, object]):
    with pytest.raises(DAMAGED):
        SiteTable.from_dict(site_texts(map(page, range(3))).to_dict() | change)


def test_a_text_of_all_pages_is_not_main_text():
    def with_menu(k: int) -> Page:  # a page that has two texts in common with its site
        source = page(k).source
        assert source is not None
        return parse(replace(source, body=source.body + b"<p><a href=/>All lamps</a>"))

    article = SinglePage().predict(with_menu(9), site_texts(map(with_menu, range(9))))
    assert NOTE not in article.text
    assert SENTENCE.format("j") in article.text


def test_without_pages_a_site_changes_nothing():
    alone, known = SinglePage().predict(page(1)), SinglePage().predict(page(1), site_texts([]))
    assert (alone.text, alone.title, alone.confidence) == (known.text, known.title, known.confidence)


def test_pages_without_common_texts_are_read_by_themselves() -> None:
    def unrelated(k: int) -> Page:
        text = " ".join(f"w{k}x{i}" for i in range(60))
        return parse(Source(f"{k}", f"<h1>Page {k}</h1><p>{text}".encode()))

    pages = [unrelated(k) for k in range(6)]
    site = site_texts(pages)
    alone = [SinglePage().predict(page) for page in pages]
    assert [SinglePage().predict(page, site) for page in pages] == alone
