"""Images and descriptions that many pages of a site declare are not those of a page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

import webgrain
from webgrain import Site
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.declared import declared_values
from webgrain.extraction.metadata import metadata
from webgrain.extraction.single import SinglePage, page_table, site_texts
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.site.model import SiteModel

LOGO, SLOGAN = "https://lantern.example/logo.png", "News from the coast"
WORDS = "The keeper of the mole lights the lamp {0} at dusk, and nobody pays him for lamp {0}. "


def page(number: int, image: str = LOGO, description: str = SLOGAN, head: str = "") -> Page:
    """Return an article that declares an image and a description, if they are not empty."""
    head += f"<meta property=og:image content='{image}'>" if image else ""
    head += f"<meta name=description content='{description}'>" if description else ""
    html = f"<title>Lamp {number}</title>{head}<nav><a href=/>Home</a></nav>"
    html += f"<h1>Lamp {number}</h1><p>{WORDS.format(number) * 3}"
    return parse(Source(f"{number}.html", html.encode(), url=f"https://lantern.example/{number}"))


def lost(page: Page, site: SiteTable) -> set[str]:
    """Return the fields of the metadata that a page has only without its site."""
    article = SinglePage().predict(page, site)
    return metadata(page, replace(article, shared_values=frozenset())).keys() - metadata(page, article).keys()


def stated(page: Page, site: SiteTable | None) -> tuple[str, str]:
    """Return the image and the description of a page, empty if it has none."""
    values = metadata(page, SinglePage().predict(page, site))
    return values.get("image", ""), values.get("description", "")


def test_values_of_many_pages_are_not_those_of_a_page() -> None:
    site = site_texts(map(page, range(12)))
    other = page(99, "https://lantern.example/99.png", "The lamp of the mole")
    assert stated(page(99), None) == (LOGO, SLOGAN)
    assert stated(page(99), site) == ("", "")
    assert stated(other, site) == ("https://lantern.example/99.png", "The lamp of the mole")


def test_a_value_of_the_page_behind_a_shared_one_counts() -> None:
    site = site_texts(map(page, range(12)))
    value = {"headline": "Lamp 99", "image": "/99.png", "description": "The lamp of the mole"}
    head = f'<script type="application/ld+json">{json.dumps(value)}</script>'
    expected = ("https://lantern.example/99.png", "The lamp of the mole")
    assert stated(page(99, head=head), site) == expected


def test_few_pages_and_small_shares_are_no_rule() -> None:
    def of_site(with_logo: int, others: int, silent: int = 0) -> SiteTable:
        pages = [page(k) for k in range(with_logo)]
        pages += [page(100 + k, f"/{k}.png", f"About lamp {k}") for k in range(others)]
        pages += [page(1000 + k, "", "") for k in range(silent)]
        return site_texts(pages)

    both = {"image", "description"}
    assert lost(page(99), of_site(4, 0)) == set()
    assert lost(page(99), of_site(5, 45)) == both
    assert lost(page(99), of_site(5, 46)) == set()
    assert lost(page(99), of_site(5, 0, silent=60)) == both  # pages without a value do not count


@pytest.mark.parametrize(
    ("name", "url"),
    [("index.html", None), ("a", "https://lantern.example/"), ("a", "https://lantern.example/index.php")],
)
def test_the_start_page_has_them(name: str, url: str | None) -> None:
    site = site_texts(map(page, range(12)))
    assert page(99).source is not None
    source = replace(page(99).source, id=name, url=url)
    assert lost(parse(source), site) == set()
    assert lost(parse(replace(source, id="99.html", url=None)), site) == {"image", "description"}


def test_a_value_of_another_field_does_not_count() -> None:
    site = site_texts(map(page, range(12)))
    head = f"<meta property=og:site_name content='{SLOGAN}'>"
    article = SinglePage().predict(page(99, description="", head=head), site)
    assert metadata(page(99, description="", head=head), article)["site_name"] == SLOGAN


def test_each_value_is_declared_once() -> None:
    head = f"<meta property=og:description content=' {SLOGAN} '><meta name=twitter:image content='{LOGO}'>"
    keys, fields = declared_values(page(1, head=head))
    assert fields.tolist() == [0, 1]
    assert keys.tolist() == declared_values(page(2))[0].tolist()
    assert [len(values) for values in declared_values(parse("<p>Text"))] == [0, 0]


def test_order_and_parts_of_the_pages_have_no_effect() -> None:
    pages = [page(k, LOGO if k % 2 else f"/{k}.png") for k in range(14)]

    def merged(parts: Iterable[Iterable[Page]]) -> dict[str, object]:
        return SiteTable.merged(SiteTable.merged(map(page_table, part)) for part in parts).shared().to_dict()

    whole = merged([pages])
    assert merged([pages[::-1]]) == whole
    assert merged([pages[9:], pages[:9]]) == whole


def test_a_page_without_text_has_no_shared_image() -> None:
    site = site_texts(map(page, range(12)))
    empty = parse(f"<meta property=og:image content='{LOGO}'><script>draw()</script>")
    assert stated(empty, None) == (LOGO, "")
    assert stated(empty, site) == ("", "")


def test_a_site_learns_them_also_from_an_update(tmp_path: Path) -> None:
    site = Site.fit([page(k, f"/{k}.png", f"About lamp {k}").source for k in range(12)])
    new = page(99)
    assert site.predict(new).metadata["description"] == SLOGAN
    site.update([page(k).source for k in range(20, 40)])
    assert not {"image", "description"} & site.predict(new).metadata.keys()
    assert not {"image", "description"} & site.extract(new, links=False).metadata.keys()
    site.save(tmp_path / "site.json")
    assert site.predict(new).metadata == Site.load(tmp_path / "site.json").predict(new).metadata


def test_a_model_that_knows_none_reads_all() -> None:
    stored = Site.fit([page(k).source for k in range(12)]).model.to_dict()
    assert "image" not in SiteModel.from_dict(stored).predict(page(99)).metadata
    del stored["texts"]["declared"]  # as of an earlier version
    assert SiteModel.from_dict(stored).predict(page(99)).metadata["image"] == LOGO
    assert webgrain.extract(page(99)).metadata["image"] == LOGO
