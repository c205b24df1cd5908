"""Tests of parts within the text of a page that do not belong to it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.uncompiled import load_source

from webgrain.columns.blocks import PageFacts, page_facts
from webgrain.extraction import asides, thresholds
from webgrain.extraction.asides import (
    without_counters,
    without_forms,
    without_pointers,
    without_products,
    without_teasers,
)
from webgrain.extraction.single import SinglePage, smoothing_groups, without_asides
from webgrain.page.parsing import parse

TEXT = (
    "The harbour was built by fishermen who carried each stone down the hill.",
    "Visitors come for the light, which is softer here than anywhere else, and rent rooms above the shops.",
    "In winter the ferry stops, and the town belongs to its cats, of which the baker feeds forty.",
)
PARAGRAPHS = "".join(f"<p>{text} {text}" for text in TEXT)


def teasers(card: str, address: str = "/story", number: int = 3) -> str:
    """Return cards; card: with the fields link, close and text."""
    return "".join(
        card.format(link=f"<a href={address}{k}>", close="</a>", text=f"A storm took roof number {k}.")
        for k in range(number)
    )


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("1 of 3", "2 of 3", "3 of 3"), ()),
        (("1of4", "2of4"), ()),
        (("1/12", "2/12"), ()),
        (("2 von 9", "5 von 9"), ()),
        (("1 из 2", "2 из 2"), ()),
        (("1 of 3",), ("1 of 3",)),
        (("1 of 3", "1 of 3"), ("1 of 3", "1 of 3")),
        (("2 of 3", "1 of 3"), ("2 of 3", "1 of 3")),
        (("1 of 3", "2 of 4"), ("1 of 3", "2 of 4")),
        (("2 of 3", "4 of 3"), ("2 of 3", "4 of 3")),
        (("1 2", "2 2"), ("1 2", "2 2")),
        (("1 March 4", "2 March 4"), ("1 March 4", "2 March 4")),
    ],
)
def test_lines_that_count_up_are_no_text(lines: tuple[str, ...], kept: tuple[str, ...]) -> None:
    facts = page_facts(parse("<p>The lamp is lit." + "".join(f"<div>{line}</div>" for line in lines)))
    main = without_counters(facts, np.ones(len(facts.letters)))
    assert tuple(facts.blocks.texts[k] for k in main.nonzero()[0]) == ("The lamp is lit.", *kept)


@pytest.mark.parametrize("tag", ["h3", "td"])
def test_headings_and_cells_do_not_count(tag: str) -> None:
    lines = "".join(f"<tr><{tag}>{k} of 3</{tag}></tr>" for k in range(1, 4))
    facts = page_facts(parse(f"<table>{lines}</table>" if tag == "td" else lines))
    assert without_counters(facts, np.ones(3)).all()


def test_teasers_of_two_sorts_that_alternate_are_no_text() -> None:
    card = "<div><h3>{link}{text}{close}</h3></div><section><h4>{link}{text}{close}</h4></section>"
    facts = page_facts(parse(f"{PARAGRAPHS}<main>{teasers(card)}</main>"))
    main = without_teasers(facts, np.ones(len(facts.letters)), np.arange(len(facts.letters)))
    assert main.tolist() == [1.0] * 3 + [0.0] * 6


@pytest.mark.parametrize(
    ("form", "is_text"),
    [
        ("<div><h3>Each week</h3><p>The best stories.</p><form><input type=email></form></div>", False),
        ("<p>The best stories.<form><input type=email></form>", True),  # beside the text, not in a part
        ("<div><p>The best stories.</p><form><input name=your_mail><input type=submit></form></div>", False),
        ("<div><p>The best stories.</p><form><input name=q></form></div>", True),
        ("<div><p>The best stories.</p><form><input type=email><input name=town></form></div>", True),
        ("<div><h1>Each week</h1><p>The best stories.</p><form><input type=email></form></div>", True),
    ],
)
def test_texts_around_a_form_for_an_address(form: str, is_text: bool) -> None:
    facts = page_facts(parse(PARAGRAPHS * 2 + form))
    blocks = np.arange(len(facts.letters))
    main = without_forms(facts, np.ones(len(blocks)), blocks)
    assert main[:6].all()
    assert main[6:].all() == is_text


@pytest.mark.parametrize(
    ("card", "address", "is_text"),
    [
        ("<div><h3>{link}The roof{close}</h3><p>{text}</p></div>", "/story", False),
        ("<div>{link}<h3>The roof</h3>{close}<p>{text}</p></div>", "/story", False),
        ("<div><h3> {link}<span>The roof</span>{close} </h3><p>{text}</p></div>", "/story", False),
        ("<h4>{link}The roof{close}</h4><p>{text}</p>", "/story", False),
        ("<div><h3>The roof</h3><p>{text}</p></div>", "/story", True),
        ("<div><h3>{link}The roof{close}</h3><p>{text}</p></div>", "#answer", True),
    ],
)
def test_teasers_behind_the_text(card: str, address: str, is_text: bool) -> None:
    facts = page_facts(parse(PARAGRAPHS + f"<section>{teasers(card, address)}</section>"))
    blocks = np.arange(len(facts.letters))
    main = without_teasers(facts, np.ones(len(blocks)), blocks)
    assert main[:3].all()
    assert main[3:].all() == is_text
    assert main[3:].any() == is_text


@pytest.mark.parametrize(
    ("addresses", "is_text"),
    [
        (("https://a.example/1", "HTTPS://A.example/2", "//a.example"), False),
        (("/1", "b/2", "c.html"), False),
        (("https://a.example/1", "https://b.example/2", "https://c.example/3"), True),
        (("https://a.example/1", "https://a.example/2", "/3"), True),
        (("/1", "/2", "/3", "/4", "https://advertiser.example"), False),
        (("/1", "/2", "#3"), True),
        (("http://[a/1", "http://[a/2", "http://[a/3"), False),
    ],
)
def test_teasers_lead_to_one_host(addresses: tuple[str, ...], is_text: bool) -> None:
    cards = "".join(
        f"<div><h3><a href='{address}'>The roof</a></h3><p>{TEXT[0]}</div>" for address in addresses
    )
    facts = page_facts(parse(f"{PARAGRAPHS}<section>{cards}</section>"))
    blocks = np.arange(len(facts.letters))
    main = without_teasers(facts, np.ones(len(blocks)), blocks)
    assert main[:3].all()
    assert main[3:].all() == main[3:].any() == is_text


@pytest.mark.parametrize(
    "html",
    [
        f"<section>{teasers('<h3>{link}The roof{close}</h3><p>{text}</p>')}</section>",  # nothing before
        PARAGRAPHS + teasers("<h3>{link}The roof{close}</h3><p>{text}</p>"),  # beside the text
        PARAGRAPHS + f"<section>{teasers('<h3>{link}The roof{close}</h3>', number=2)}</section>",
        PARAGRAPHS + f"<section>{teasers('<h3>{link}The roof{close}</h3>')}</section>" + PARAGRAPHS,
    ],
)
def test_linked_headings_of_the_text_are_kept(html: str) -> None:
    facts = page_facts(parse(html))
    blocks = np.arange(len(facts.letters))
    assert without_teasers(facts, np.ones(len(blocks)), blocks).all()


@pytest.mark.parametrize(
    ("line", "is_text"),
    [
        ("<p>Read also: <a href=b>The ferry is late</a>", False),
        ("<p><b>Lesen Sie auch:</b> <a href=b>Die Fähre ist spät</a>", False),
        ("<p>À lire aussi : <a href=b>Le bac est en retard</a>", False),
        ("<p>Читайте также: <a href=b>Паром опаздывает</a>", False),
        ("<p>あわせて読みたい：<a href=b>船は遅れている</a>", False),
        (
            "<p>Read also: <a href=b>the ferry</a>, which was late on nine of ten days in June",
            True,
        ),
        ("<p>Read more about <a href=b>the ferry that is late</a>", True),
        ("<p>See also: <a href=b>ferry</a>", True),
        ("<p>Related: the ferry", True),
    ],
)
def test_lines_that_point_to_other_pages(line: str, is_text: bool) -> None:
    facts = page_facts(parse(PARAGRAPHS + line + PARAGRAPHS))
    blocks = np.arange(len(facts.letters))
    main = without_pointers(facts, np.ones(len(blocks)), blocks)
    assert main.tolist() == [1.0] * 3 + [float(is_text)] + [1.0] * 3


@pytest.mark.parametrize("line", ["Follow us on Net", "Please follow us!", "Folgen Sie uns", "Suivez-nous"])
def test_requests_to_follow_are_no_text_at_the_end(line: str) -> None:
    facts = page_facts(parse(f"<p>{line}{PARAGRAPHS}<p>{line}"))
    blocks = np.arange(len(facts.letters))
    main = without_pointers(facts, np.ones(len(blocks)), blocks)
    assert main.tolist() == [1.0] * 4 + [0.0]


def test_a_page_of_asides_only_keeps_its_text() -> None:
    facts = page_facts(parse("<p>1 of 2<p>2 of 2"))
    assert without_asides(facts, np.ones(2), np.arange(2), True, "article").all()


def test_index_pages_keep_teasers_and_pointers() -> None:
    cards = teasers("<div><h3>{link}The roof{close}</h3><p>{text}</p></div>")
    facts = page_facts(parse(f"{PARAGRAPHS}<section>{cards}</section><p>Read also: <a href=b>The boat</a>"))
    main, chosen = np.ones(len(facts.letters)), np.arange(len(facts.letters))
    assert without_asides(facts, main, chosen, False, "list").all()
    assert not without_asides(facts, main, chosen, True, "article").all()


def test_counters_in_a_list_do_not_return() -> None:
    items = "".join(
        f"<li><span class=n>{k} / 3</span><img src=/{k}.jpg><p>{text}</p></li>"
        for k, text in enumerate(TEXT, 1)
    )
    html = (
        f"<title>Harbour</title><article><h1>Harbour</h1>{PARAGRAPHS}<ul>{items}</ul>{PARAGRAPHS}</article>"
    )
    text = SinglePage().predict(html).text
    assert all(line in text for line in TEXT)
    assert "/ 3" not in text


def test_tables_of_links_are_smoothed_by_themselves() -> None:
    links = "<table><tr><td><a href=a>Bees</a><br><a href=b>Roads</a></table>"
    html = f"<table><tr><td>{TEXT[0]}<br><br>{TEXT[1]}</table>{links}<table><tr><td>{TEXT[2]}</table>"
    group = smoothing_groups(page_facts(parse(html)))
    assert group.tolist() == [0, 0, 1, 1, 0]
    links_only = page_facts(parse(links + links))
    assert len(set(smoothing_groups(links_only).tolist())) == 1


def texts_around_forms(facts: PageFacts, chosen: NDArray[np.intp]) -> list[int]:
    """Return the chosen blocks around forms for an e-mail address, form by form."""
    dom, dropped = facts.dom, list[int]()
    weight, first = facts.blocks.weight, facts.blocks.first
    for form in dom.find_tag("form").tolist()[: thresholds.MOST_FORMS]:
        fields = [node for node in dom.find_tag("input").tolist() if form <= node < dom.end[form]]
        fields = fields[: thresholds.MOST_FIELDS]
        types = {field: (dom.get(field, "type") or "text").strip().lower() for field in fields}
        of_text = ("text", "email", "tel", "search", "password")
        written = [field for field in fields if types[field] in of_text]
        if len(written) != 1:
            continue
        [field] = written
        if types[field] != "email" and "mail" not in (dom.get(field, "name") or "").lower():
            continue
        largest, part = list[int](), form
        for _ in range(3):
            inside = [k for k in chosen.tolist() if part <= first[k] < dom.end[part]]
            has_title = any(part <= node < dom.end[part] for node in dom.find_tag("h1").tolist())
            if has_title or weight[inside].sum() > thresholds.FORM_SHARE * weight[chosen].sum():
                break
            largest, part = inside, max(int(dom.parent[part]), 0)
        dropped += largest
    return sorted({*dropped})


@pytest.mark.parametrize("kernel", ["as installed", "uncompiled"])
def test_texts_around_forms_of_random_pages(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kernel == "uncompiled":
        monkeypatch.setattr(asides, "pagekernel", load_source(monkeypatch, "extraction.pagekernel"))
    rng = np.random.default_rng(7)
    fields = [
        "<input>", "<input type=email>", "<input type=' EMAIL ' name=a>", "<input name=E-Mail>",
        "<input type='' name=q>", "<input type=hidden name=mail>", "<input type=submit>", "<p>Write.",
    ]  # fmt: skip
    texts = ["", "<p>The lamp is lit at dusk.", "<p>" + "The keeper writes it down. " * 8, "<h1>Lamps</h1>"]
    dropped = 0
    for _ in range(200):
        page = ""
        for _ in range(rng.integers(1, 5)):
            before, behind, around = rng.choice(texts, 3, p=[0.3, 0.5, 0.1, 0.1])
            form = f"<form>{''.join(rng.choice(fields, rng.integers(4)))}</form>"
            page += f"{texts[2]}<section>{around}<div>{before}{form}{behind}</div></section>"
        facts = page_facts(parse(page))
        chosen = (rng.random(len(facts.letters)) < 0.9).nonzero()[0]
        main = without_forms(facts, np.ones(len(facts.letters)), chosen)
        expected = texts_around_forms(facts, chosen)
        assert (main == 0).nonzero()[0].tolist() == expected
        dropped += len(expected)
    assert dropped > 50


def test_fields_of_a_form_are_read_up_to_a_limit() -> None:
    form = "<div><p>The best stories.</p><form><input type=email>{}<input name=town></form></div>"
    many = "<input type=submit>" * thresholds.MOST_FIELDS
    for others, is_text in (("", True), (many, False)):
        facts = page_facts(parse(PARAGRAPHS * 2 + form.format(others)))
        main = without_forms(facts, np.ones(len(facts.letters)), np.arange(len(facts.letters)))
        assert main[-1] == is_text


CARDS = "".join(
    f"<li><h3><a href=/p{k}>Lamp number {k}</a></h3><p>It shines {k} hours.</li>" for k in range(1, 4)
)


def text_of_product(page: str) -> set[str]:
    """Return the blocks of the page of a product that are text without those of other products."""
    facts = page_facts(parse(page))
    main = without_products(facts, np.ones(len(facts.letters)), np.arange(len(facts.letters)))
    return {facts.blocks.texts[k] for k in main.nonzero()[0]}


@pytest.mark.parametrize(
    "label",
    [
        "Related products", "RELATED PRODUCTS", "Related products:", "You may also like",
        "You might also like…", "Customers also bought", "Customers who bought this item also bought",
        "Recently viewed items", "Frequently bought together", "Ähnliche Produkte",
        "Das könnte Ihnen auch gefallen", "Produits similaires",
        "Productos relacionados", "Prodotti correlati", "Produtos relacionados", "Gerelateerde producten",
        "Podobne produkty", "Похожие товары", "関連商品", "相关产品", "Benzer ürünler",
    ],
)  # fmt: skip
def test_other_products_are_no_text_of_a_product(label: str) -> None:
    page = f"<p>{TEXT[0]}<section><h2>{label}</h2><ul>{CARDS}</ul></section><p>{TEXT[1]}"
    assert text_of_product(page) == {TEXT[0], TEXT[1]}


@pytest.mark.parametrize(
    "section",
    [
        "<h2>Related products</h2><ul>{}</ul><h2>Size</h2>",
        "<div><div><h2>Related products</h2></div><div><ul>{}</ul></div></div><h2>Size</h2>",
        "<div><span>Related products</span></div><ol>{}</ol><h1>Size</h1>",
        "<div><p>Related products</p><div><ul>{}</ul></div></div><div>Size</div>",
    ],
)
def test_a_section_of_other_products_ends_with_its_element_or_the_next_heading(section: str) -> None:
    cards = CARDS.replace("h3", "b") if "<span>" in section else CARDS
    page = f"<p>{TEXT[0]}" + section.format(cards) + f"<p>{TEXT[1]}"
    assert text_of_product(page) == {TEXT[0], "Size", TEXT[1]}


@pytest.mark.parametrize(
    "page",
    [
        f"<p>{TEXT[0]}<h2>Related productions</h2><ul>{CARDS}</ul>",
        f"<p>{TEXT[0]}<h2>Products that are related products of the sea</h2><ul>{CARDS}</ul>",
        f"<h2>Related products</h2><ul>{CARDS}</ul>",
        f"<p>{TEXT[0]}<div><p>Related products<ul>{CARDS}</ul><h1>The red lamp</h1></div>",
    ],
)
def test_texts_behind_other_labels_before_the_text_and_around_the_title_stay(page: str) -> None:
    assert len(text_of_product(page)) == len({*page_facts(parse(page)).blocks.texts})


def test_labels_of_other_products_count_up_to_a_limit() -> None:
    sections = "<div><h2>Related products</h2><p>A lamp.</div>" * (thresholds.MOST_LABELS + 1)
    facts = page_facts(parse(f"<p>{TEXT[0]}{sections}"))
    main = without_products(facts, np.ones(len(facts.letters)), np.arange(len(facts.letters)))
    assert main.nonzero()[0].tolist() == [0, len(main) - 2, len(main) - 1]


def test_other_products_are_text_of_pages_that_are_no_products() -> None:
    facts = page_facts(parse(f"<p>{TEXT[0]}<h2>Related products</h2><ul>{CARDS}</ul>"))
    ones, every = np.ones(len(facts.letters)), np.arange(len(facts.letters))
    assert without_asides(facts, ones, every, False, "list").all()
    assert without_asides(facts, ones, every, False, "product").sum() == 1
