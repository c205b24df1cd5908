"""The fields of made-up shops and newspapers, and of the sample site."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import ParameterError
from webgrain.fields.field import Fields
from webgrain.fields.places import held_texts, label_pairs
from webgrain.fields.selectors import proposed_selectors
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site.site import Site

if TYPE_CHECKING:
    from webgrain.fields.field import Field

EXAMPLES = Path(__file__).parents[2] / "examples" / "site"
WORDS = [
    "amber",
    "birch",
    "cedar",
    "dune",
    "ember",
    "fern",
    "gorse",
    "heath",
    "iris",
    "juniper",
    "kelp",
    "larch",
    "moss",
    "nettle",
    "oak",
    "pine",
]


def product(number: int, weight: str = "", author: str = "Kim Auk") -> str:
    word = WORDS[number % len(WORDS)].title()
    rows = f"<tr><th>Weight<td>{number + 1}00 g</tr><tr><th>Wood<td>{word}</tr>"
    others = "".join(f"<li><a href=/{k}>{WORDS[k % 16]}</a> <b class=price>{k},00 €</b>" for k in range(5))
    return f"""<!doctype html><title>{word} bowl - Shop</title>
<body><header><a href=/>Shop</a> <span class=cart>0,00 €</span></header>
<nav class=breadcrumb><a href=/>Home</a> <a href=/bowls>Bowls {number % 3}</a></nav>
<main><article><h1>{word} bowl no {number}</h1>
<img class=photo src=/pictures/{number}.jpg><p class=byline>By {author} on {number % 27 + 1} May 2021</p>
<p class=cost><del>{number + 20},50 €</del> <ins>{number + 10},50 €</ins></p>
<p>Article: AB-{number}7</p><p>{weight}</p>
<table>{rows}</table><p>This bowl of {word} is oiled {number + 2} times by hand.
{"It holds soup, fruit and keys. " * 8}</p></article>
<section class=related><h2>More</h2><ul>{others}</ul></section></main>
<footer><p>Open from nine to five</p></footer>"""


def sources(count: int = 14) -> list[Source]:
    return [Source(f"bowls/{k}.html", product(k).encode()) for k in range(count)]


@pytest.fixture(scope="module")
def shop() -> Site:
    return Site.fit(sources(), name="shop")


@pytest.fixture(scope="module")
def fields(shop: Site) -> Fields:
    [of_type] = [type_.fields for type_ in shop.types if type_.fields]
    return of_type


def test_a_new_page_has_the_values_that_a_reader_sees(fields: Fields) -> None:
    values = fields.of(product(40, author="Lee Tern"))
    assert values["title"] == "Iris bowl no 40"
    assert values["date"] == "2021-05-14"
    assert values["price"] == "50,50 €"
    assert values["price_old"] == "60,50 €"
    assert values["weight"] == "4100 g"
    assert values["article"] == "AB-407"
    assert values["breadcrumb"] == ["Home", "Bowls 1"]
    assert str(values["image"]).endswith("/pictures/40.jpg")
    assert "times by hand" in str(values["text"])


def test_types_of_values(fields: Fields) -> None:
    types = {name: fields[name].type for name in ("title", "date", "price", "image", "breadcrumb")}
    assert types == {
        "title": "text", "date": "date", "price": "price", "image": "image", "breadcrumb": "list"
    }  # fmt: skip


def test_what_all_pages_have_is_no_field(fields: Fields) -> None:
    examples = " ".join(text for field in fields for text in field.examples)
    assert "Open from nine" not in examples
    assert "0,00 €" not in [field.examples[0] for field in fields]


def test_the_order_of_the_pages_has_no_effect(shop: Site) -> None:
    again = Site.fit(sources()[::-1], name="shop")
    rows, others = (
        {label: fields.to_rows() for label, fields in site.model.fields.items()} for site in (shop, again)
    )
    assert rows == others


def test_a_table_has_a_row_for_each_page(shop: Site) -> None:
    [type_] = [type_ for type_ in shop.types if type_.fields]
    rows = type_.table(sources(3))
    assert [row["page"] for row in rows] == ["bowls/0.html", "bowls/1.html", "bowls/2.html"]
    assert rows[2]["title"] == "Cedar bowl no 2"
    assert set(rows[0]) == {"page", "url", *type_.fields.names}


def test_fields_are_stored_with_the_site(shop: Site, tmp_path: Path) -> None:
    shop.save(tmp_path / "shop.json")
    again = Site.load(tmp_path / "shop.json")
    page = product(40)
    for label, fields in shop.model.fields.items():
        assert again.model.fields[label].of(page) == fields.of(page)
    record = json.loads((tmp_path / "shop.json").read_text())
    del record["fields"]  # as in files of earlier versions
    (tmp_path / "old.json").write_text(json.dumps(record))
    old = Site.load(tmp_path / "old.json")
    assert [len(type_.fields) for type_ in old.types] == [0] * len(old.types)


def test_a_type_without_fields_keeps_those_of_marked_pages(tmp_path: Path) -> None:
    site = Site.fit([Source(f"{k}.html", product(k).encode()) for k in range(2)], name="two")
    site.types[0].fields.correct(product(1), {"price": "11,50 €"})
    site.save(tmp_path / "two.json")
    [fields] = Site.load(tmp_path / "two.json").model.fields.values()
    assert fields.of(product(7)) == {"price": "17,50 €"}


@pytest.mark.parametrize("attribute", ["name", "property"])
def test_meta_elements_have_their_names_in_either_attribute(attribute: str) -> None:
    head = "<meta {}=twitter:description content='Made of {}'>"
    pages = [head.format(attribute, WORDS[k]) + product(k) for k in range(8)]
    site = Site.fit([Source(f"bowls/{k}", html.encode()) for k, html in enumerate(pages)])
    description = site.types[0].fields["description"]
    assert description.css == f'meta[{attribute}="twitter:description"]'
    assert description.of(pages[3]) == f"Made of {WORDS[3]}"


def test_an_unknown_name_is_an_error(fields: Fields) -> None:
    with pytest.raises(ParameterError, match="There is no field 'colour'; the fields are title"):
        fields["colour"]


# Corrected by marked pages


def weighed(number: int) -> str:
    return product(number, weight=f"Weighs {number * 3 + 1} pounds")


def test_two_marked_pages_give_a_new_field() -> None:
    fields = Fields()
    fields.correct(weighed(3), {"pounds": "10"}).correct(weighed(5), {"pounds": "16"})
    assert fields.of(weighed(20))["pounds"] == 61


def test_a_marked_page_replaces_a_wrong_field(shop: Site) -> None:
    fields = Fields([*shop.model.fields[next(iter(shop.model.fields))]])
    fields.correct(product(2), {"price": "22,50 €"}).correct(product(9), {"price": "29,50 €"})
    assert fields.of(product(30))["price"] == "50,50 €"


def test_a_right_field_stays(fields: Fields) -> None:
    before = fields["title"]
    changed = Fields([*fields]).correct(product(2), {"title": "Cedar bowl no 2"})
    assert changed["title"] == before


def test_a_value_that_the_page_lacks_is_an_error() -> None:
    with pytest.raises(ParameterError, match="the value of 'price' must be a text, got 99"):
        Fields().correct("<p>99", {"price": 99})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="has no '99 €' for 'price'"):
        Fields().correct(product(1), {"price": "99 €"})


def test_an_image_is_marked_by_its_address() -> None:
    fields = Fields().correct(product(1), {"photo": "/pictures/1.jpg"})
    assert fields.of(product(7))["photo"] == "/pictures/7.jpg"


# Selectors


def selected_by_lxml(field: Field, html: str) -> tuple[list[str], list[str]]:
    parsel = pytest.importorskip("parsel")
    page = parsel.Selector(html)
    by_css = page.css(field.css) if field.css else []
    by_xpath = page.xpath(field.xpath) if field.xpath else []
    return [" ".join("".join(x.css("::text").getall()).split()) for x in by_css], [
        " ".join(str(x.xpath("string()").get()).split()) for x in by_xpath
    ]


def test_css_and_xpath_select_the_same_with_lxml() -> None:
    sources = [
        Source(path.name, path.read_bytes()) for path in sorted((EXAMPLES / "en").rglob("*.html"))[:24]
    ]
    model = Site.fit(sources, name="sample").model
    counted = 0
    for source in sources:
        label = model.types.assign(parse(source)).type or ""
        for field in model.fields.get(label, ()):
            if field.css and not field.label and not field.key and field.type not in ("list", "image"):
                by_css, by_xpath = selected_by_lxml(field, source.body.decode())
                assert by_css[:1] == by_xpath[:1], field
                counted += 1
    assert counted > 50


def test_names_that_some_readers_of_css_refuse_are_not_written() -> None:
    doms = [parse(f"<p class='--wide -1 tone md:wide' id='-'>{k}<p>").dom for k in range(2)]
    proposed = [selector.css for selector in proposed_selectors(doms, [[3], [3]])]
    assert proposed[:2] == ["p.tone", r"p.md\:wide"]
    assert not any("--" in css or "-1" in css or "#" in css for css in proposed)


# Pages that try to take long


@pytest.mark.parametrize(
    "html",
    [
        "<p>" + "<a>x</a> " * 20_000,
        "<b>" * 400 + "<i>x</i> " * 5_000,
        "<dl>" + "<dt>a<dd>b" * 20_000,
        "<table>" + "<tr><td>a:<td>b" * 20_000,
        "<p>" + "a: b<br>" * 20_000,
        "<div>" * 500 + "x",
    ],
    ids=["links", "bold", "terms", "rows", "lines", "deep"],
)
def test_texts_and_labels_of_a_hostile_page_end_soon(html: str) -> None:
    page = parse(html)
    start = time.process_time()
    held_texts(page)
    label_pairs(page)
    assert time.process_time() - start < 10
