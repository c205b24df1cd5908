"""Lists of a page: candidates, choice, records, selectors."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.lists.reading import find_items, read_list
from tests.lists.selectorreference import Scopes
from tests.work import lines_run

from webgrain.base.errors import ParameterError
from webgrain.columns.sitetable import SiteTable
from webgrain.lists import records
from webgrain.lists.candidates import ELEMENTS, EXTENDED, LINES, Candidates, find_candidates
from webgrain.lists.features import list_features, list_names, node_shares, node_texts
from webgrain.lists.ranking import choose_lists, find_lists
from webgrain.lists.records import KnownSelectors, Listing, read_lists
from webgrain.lists.selectors import Located, SelectorStep, locate, to_css
from webgrain.page.addresses import find_css, find_xpath
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import visible_texts
from webgrain.page.values import Question

MENU = (
    "<nav><ul>"
    + "".join(f"<li><a href=/{name}>{name}</a>" for name in ("Home", "News", "Help"))
    + "</ul></nav>"
)
ITEM = (
    "<div class='item'><a href='/thing-{0}'><img src='/{0}.png'></a>"
    "<h3><a href='/thing-{0}'>A useful thing with number {0}</a></h3>"
    "<p>It is the best thing of its kind that {0} people have bought.</p>"
    "<span class='price'>{0}9.50 EUR</span><i>Buy</i></div>"
)
SHOP = (
    f"<title>Things</title>{MENU}<main><h1>Things</h1><div id='shelf'>{{}}</div></main><footer>2020</footer>"
)


def shop(n: int = 6) -> str:
    return SHOP.format("".join(ITEM.format(k) for k in range(1, n + 1)))


def items_of(html: str) -> set[tuple[tuple[int, int], ...]]:
    found = find_candidates(parse(html))
    return {tuple(zip(*(x.tolist() for x in found.items(k)), strict=True)) for k in range(len(found))}


def test_the_list_of_a_shop_comes_before_its_menu() -> None:
    first = find_lists(shop())[0]
    assert first.items == "div"
    assert first.css == "#shelf"
    assert [row["name"] for row in first.records()] == [
        f"A useful thing with number {k}" for k in range(1, 7)
    ]


def test_fields_have_names_and_equal_texts_are_left_out() -> None:
    records = find_lists(parse(Source("a", shop().encode(), url="http://example.org/x/")))[0].records()
    assert records[1] == {
        "name": "A useful thing with number 2",
        "link": "http://example.org/thing-2",
        "image": "http://example.org/2.png",
        "text": "It is the best thing of its kind that 2 people have bought.",
        "item": "29.50 EUR Buy",
        "price": "29.50 EUR",
    }


def test_selectors_are_computed_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [(found.css, found.items, found.fields) for found in find_lists(shop())]
    asked: list[int] = []

    def counted(*arguments: Any) -> Located:
        asked.append(1)
        return locate(*arguments)

    monkeypatch.setattr(records, "locate", counted)
    lists = find_lists(shop())
    assert lists[0].records()
    assert not asked
    assert [(found.css, found.items, found.fields) for found in lists] == wanted
    assert len(asked) == len(lists)


def test_a_pickled_list_has_its_selectors_and_not_the_page() -> None:
    page = parse(shop(500))
    found = find_lists(page)[0]
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert len(pickle.dumps(found)) < len(pickle.dumps(page.dom)) + len(pickle.dumps(found.to_dict()))


def test_selectors_of_lists_with_equal_places_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownSelectors()
    wanted = [listing.to_dict() for listing in find_lists(shop(6))]

    def lists(n: int, html: str = "{}") -> list[dict[str, Any]]:
        return [listing.to_dict() for listing in find_lists(html.format(shop(n)), known=known)]

    assert lists(6) == wanted
    with monkeypatch.context() as context:
        context.setattr(records, "container_texts", None)  # would be called for others
        assert lists(6) == wanted
        assert [listing["fields"] for listing in lists(8)] == [listing["fields"] for listing in wanted]
    assert lists(6, "<div id=shelf></div>{}")[0]["list"] != wanted[0]["list"] == "#shelf"
    for html in ("<p>a</p>{}", "<p>a</p><section id=c>{}</section>", "<svg>{}</svg>", "<math><mi>{}</math>"):
        assert (
            lists(7, html) == lists(7, html) == [each.to_dict() for each in find_lists(html.format(shop(7)))]
        )


def test_the_container_of_rows_is_the_table() -> None:
    rows = [f"<td><a href=/{k}>Town {k}</a><td>{k}7" for k in range(4)]
    assert (table_of(*rows).css, table_of(*rows).items) == ("html > body > table", "tr")
    assert table_of(*rows).items_xpath == "/html[1]/body[1]/table[1]//tr"
    headed = table_of("<th>Town<th>Posts", *rows)
    assert (headed.css, headed.items) == ("html > body > table", "tr:nth-of-type(n+2)")


def test_fields_are_children_of_an_item_where_others_are_alike() -> None:
    parsel = pytest.importorskip("parsel")
    item = "<div class=i><p><b>One {0}</b></p><div>and {0}<p><b>Two {0}</b></p></div></div>"
    html = f"<section>{''.join(map(item.format, range(4)))}</section>"
    page = parse(html)
    start = page.dom.nodes_where("class", Question(lambda value: value == "i", bool))
    listing = read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS)
    assert {":scope > p:nth-of-type(1)", ":scope div"} <= {field.css for field in listing.fields}
    for field, column in zip(listing.fields, zip(*listing.rows, strict=True), strict=True):
        for found, value in zip(parsel.Selector(html).css("div.i"), column, strict=True):
            [element] = found.css(field.css or ":scope")
            assert value in " ".join(element.css("::text").getall())


def test_copies_of_a_list_are_left_out() -> None:
    items = "".join(
        f"<div class=item><a href=/{k}><h3>Story {k}</h3></a><p>It is {k}.</div>" for k in range(4)
    )
    page = parse(f"<div class=wide>{items}</div><div class=narrow>{items}</div><div class=item>{{}}</div>")
    start = page.dom.nodes_where("class", Question(lambda value: value == "item", bool))
    stop = page.dom.end[start].astype(np.int64)
    listing = read_list(page, start[:8], stop[:8], ELEMENTS)
    assert (listing.css, listing.items, len(listing.rows)) == ("div.wide", "div", 4)
    assert len(read_list(page, start, stop, ELEMENTS).rows) == 9
    assert len(read_list(page, start[:7], stop[:7], ELEMENTS).rows) == 7


def test_a_list_whose_values_an_earlier_one_has_is_left_out() -> None:
    cards = "".join(f"<div><a href=/{k}>Story {k}</a><p>It is {k}.</p></div>" for k in range(4))
    links, others = (
        "".join(f"<li><a href=/{k}>Story {k}</a>" for k in at) for at in (range(4), (0, 1, 2, 5))
    )
    page = parse(f"<main>{cards}</main><ul>{links}</ul><ol>{others}</ol>")
    tags = [np.flatnonzero(page.dom.tag == page.dom.tags.index(tag)) for tag in ("div", "li")]
    start = np.concatenate(tags).astype(np.int64)
    items = Candidates(
        start, page.dom.end[start].astype(np.int64), np.arange(0, 13, 4), np.zeros(3, np.int64)
    )
    lists = read_lists(page, items, [0.9, 0.8, 0.7], KnownSelectors())
    assert [listing.probability for listing in lists] == [0.9, 0.7]
    lists = read_lists(page, items.take(np.array([1, 0, 2])), [0.9, 0.8, 0.7], KnownSelectors())
    assert [listing.probability for listing in lists] == [0.9, 0.8, 0.7]  # the cards have more


@pytest.mark.parametrize(
    "prices",
    [
        "<p><del>$2{k}</del> <ins>$1{k}</ins></p>",
        "<p><s>$2{k}</s> <b class=now>$1{k}</b></p>",
        "<p><i class=old-price>$2{k}</i> <i class=final>$1{k}</i></p>",
        "<div class='n compare'><i class=m>$2{k}</i></div><div class=n><i class=m>$1{k}</i></div>",
    ],
)
def test_a_former_price_is_a_column_of_its_own(prices: str) -> None:
    cards = "".join(f"<li><a href=/{k}>Lamp {k}</a>{prices.format(k=k)}" for k in range(4))
    page = parse(f"<ul>{cards}</ul>")
    start = np.flatnonzero(page.dom.tagged("li"))
    listing = read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS)
    record = listing.records()[3]
    assert (record["name"], record["price"], record["price_old"]) == ("Lamp 3", "$13", "$23")


def test_columns_have_different_names() -> None:
    cells = "<b class=a>1{k}</b> <i class=a>2{k}</i> <u class=a_2>3{k}</u> <b class=link>4{k}</b>"
    cards = "".join(f"<li><a href=/{k}>Lamp {k}</a> {cells.format(k=k)}" for k in range(4))
    page = parse(f"<ul>{cards}</ul>")
    start = np.flatnonzero(page.dom.tagged("li"))
    record = read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS).records()[2]
    columns = {name: record[name] for name in ("a", "a_3", "a_2", "link", "link_2")}
    assert columns == {"a": "12", "a_3": "22", "a_2": "32", "link": "/2", "link_2": "42"}


def test_equal_links_are_not_the_names_of_items() -> None:
    page = parse("".join(f"<p><b>Lamp {k}</b> is a lamp. <a href=/{k}>more</a></p>" for k in range(4)))
    start = np.flatnonzero(page.dom.tagged("p"))
    record = read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS).records()[2]
    assert record["name"] == "Lamp 2 is a lamp. more"


def test_the_term_of_a_definition_is_its_name() -> None:
    page = parse(
        "<dl>" + "".join(f"<dt>Term {k}<dd>It is <a href=/{k}>the {k}</a>" for k in range(4)) + "</dl>"
    )
    start = np.flatnonzero(page.dom.tagged("dt"))
    stop = page.dom.end[start + 2].astype(np.int64)
    assert [record["name"] for record in read_list(page, start, stop, EXTENDED).records()] == [
        f"Term {k}" for k in range(4)
    ]


def test_lists_follow_by_probability_and_do_not_overlap() -> None:
    lists = find_lists(shop())
    assert [x.probability for x in lists] == sorted((x.probability for x in lists), reverse=True)
    found = find_candidates(parse(shop()))
    chosen = choose_lists(found, np.linspace(1.0, 0.5, len(found)))
    spans = sorted(pair for k in chosen for pair in zip(*(x.tolist() for x in found.items(k)), strict=True))
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    (first, last), (start, stop) = found.items(int(chosen[0])), found.items(0)
    assert (first <= start).all()
    assert (last >= stop).all()


def test_a_list_has_whole_rows_in_place_of_a_part_of_each() -> None:
    rows = "".join(f"<li><b><a href=/{k}>Lamp {k}</a></b><p>It is {k}.</p></li>" for k in range(3))
    page = parse(f"<ul>{rows}</ul>")
    found = find_candidates(page)
    names = [page.dom.name(found.items(k)[0][0]) for k in range(len(found))]
    probability = np.where(np.array(names) == "b", 0.8, 0.2)
    assert names[choose_lists(found, probability)[0]] == "b"  # the rows are improbable
    probability[names.index("li")] = 0.5
    assert names[choose_lists(found, probability)[0]] == "li"


@pytest.mark.parametrize("html", ["", "<p>One paragraph.", "<ul><li>One</ul>", "<ul><li>a<li>a<li>a</ul>"])
def test_a_page_without_repetition_has_no_list(html: str) -> None:
    assert find_lists(html) == ()


def test_an_article_has_no_probable_list() -> None:
    html = f"{MENU}<article><h1>A walk</h1><p>" + "One step, and then another one. " * 30 + "</article>"
    assert all(found.probability < 0.5 for found in find_lists(html))


def test_items_of_several_siblings_are_candidates() -> None:
    # html 0, head 1, body 2, dl 3, dt 4, text 5, dd 6, text 7, dt 8, text 9, dd 10, text 11
    assert ((4, 8), (8, 12)) in items_of("<dl><dt>a<dd>1<dt>b<dd>2</dl>")


def test_items_in_several_parents_are_candidates() -> None:
    html = "<div><div><p>a</p><p>b</p></div><div><p>c</p></div></div>"
    assert {5, 7, 10} in [{start for start, _ in items} for items in items_of(html)]


def test_lines_and_groups_of_lines_are_candidates() -> None:
    found = find_candidates(parse("<p><b>One</b><br>first<br><br><b>Two</b><br>second</p>"))
    lines = [len(found.items(k)[0]) for k in range(len(found)) if found.kind[k] == LINES]
    assert lines == [4, 2]


def test_the_star_of_a_template_is_a_candidate() -> None:
    page = parse("<div><h2>a</h2><p>b</p><h3>c</h3></div>")
    star = np.full(len(page.dom), -1)
    star[[4, 6]] = 7  # h2 and p
    found = find_candidates(page, star)
    assert [4, 6] in [found.items(k)[0].tolist() for k in range(len(found))]


def test_definitions_are_read_with_selectors_of_what_follows() -> None:
    page = parse("<dl><dt>a<dd>1<dt>b<dd>2<dt>c<dd>3</dl>")
    found = find_candidates(page)
    k = next(
        k
        for k in range(len(found))
        if found.kind[k] == EXTENDED and page.dom.name(found.items(k)[0][0]) == "dt"
    )
    listing = read_list(page, *found.items(k), EXTENDED)
    assert listing.items == "dt"
    assert [(field.name, field.css, field.xpath) for field in listing.fields] == [
        ("name", "", "."),
        ("dd", ":scope + dd", "./following-sibling::*[1][self::dd]"),
    ]
    assert listing.rows == (("a", "1"), ("b", "2"), ("c", "3"))


def test_a_header_row_is_not_selected() -> None:
    page = parse(
        "<table><tr><th>Name<th>Size" + "".join(f"<tr><td>n{k}<td>{k}" for k in range(3)) + "</table>"
    )
    rows = [node for node in range(len(page.dom)) if page.dom.name(node) == "tr"][1:]
    steps = find_items(page, rows)
    assert to_css(steps) == "tr:nth-of-type(n+2)"
    assert np.flatnonzero(Scopes(page.dom, np.array([4])).select(steps) == 0).tolist() == rows


def test_classes_are_written_as_in_the_markup() -> None:
    page = parse("<div>" + "".join(f"<p class='w-1/2 post-{k} x'>a{k}" for k in range(3)) + "<p>end</div>")
    items = [node for node in range(len(page.dom)) if page.dom.get(node, "class")]
    assert to_css(find_items(page, items)) == r"p.w-1\/2"


def test_no_selector_is_better_than_a_wrong_one() -> None:
    page = parse("<div><p>a<p>b<p>c<p>d</div>")
    assert find_items(page, [4, 8]) == ()
    assert find_items(page, [4, 6, 8, 10]) == (SelectorStep("p"),)


def test_the_container_is_found_by_css_and_xpath() -> None:
    page = parse(f"<div><div class=a><ul><li>{'x' * 9}<li>y<li>z</ul></div></div>")
    listing = read_list(page, np.array([6, 8, 10]), np.array([8, 10, 12]), 0)
    assert find_css(page.dom, listing.css) == find_xpath(page.dom, listing.xpath) == 5


def test_adjacent_inline_texts_stay_words() -> None:
    page = parse(
        "<ul>" + "".join(f"<li><a href={k}>Name{k}</a><time>May {k}</time>" for k in range(3)) + "</ul>"
    )
    rows = read_list(page, np.array([4, 9, 14]), np.array([9, 14, 19]), 0).records()
    assert rows[1]["name"] == "Name1"
    assert rows[1]["li"] == "Name1 May 1"


def test_a_line_break_separates_words() -> None:
    rows = "".join(f"<li><a href=/{k}>Red<br>lamp {k}</a><p>From<br>Ulm {k}<img hidden>now" for k in range(3))
    page = parse(f"<ul>{rows}</ul>")
    start = np.flatnonzero(page.dom.tagged("li"))
    listing = read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS)
    assert listing.records()[1] == {
        "name": "Red lamp 1",
        "link": "/1",
        "text": "From Ulm 1 now",
    }


def test_nested_lists_are_one_row_per_outer_item() -> None:
    tags = "".join(f"<li><a href=/t{k}>tag{k}</a>" for k in range(3))
    rows = "".join(
        f"<article><h2><a href=/p{k}>The post with the number {k}</a></h2><p>Some words about {k}.</p>"
        f"<ul>{tags}</ul></article>"
        for k in range(8)
    )
    first = find_lists(f"<title>Blog</title>{MENU}<main><h1>Blog</h1>{rows}</main>")[0]
    assert len(first.rows) == 8


def test_a_layout_table_without_classes() -> None:
    rows = "".join(
        f"<tr><td><a href=doc{k}.html>The document about subject {k}</a><td>{k} pages" for k in range(9)
    )
    html = f"<table><tr><td>{MENU}<td><h1>Documents</h1><table>{rows}</table></table>"
    first = find_lists(html)[0]
    assert [row["name"] for row in first.records()][:2] == [
        "The document about subject 0",
        "The document about subject 1",
    ]


def test_five_thousand_items_are_read_in_linear_time() -> None:
    assert len(find_lists(shop(5000))[0].rows) == 5000
    few, many = (lines_run(lambda: find_lists(shop(n))) for n in (200, 1600))  # noqa: B023
    assert many < 9 * few, (few, many)


@pytest.mark.parametrize("name", ["repeated", "model", "star"])
def test_wrong_arguments_are_errors(name: str) -> None:
    for wrong in (3, "x", np.zeros(4)):
        with pytest.raises(ParameterError, match="expect"):
            find_lists(shop(3), **{name: wrong})


def test_repeated_texts_are_a_feature() -> None:
    texts = node_texts(parse(shop(3) + f"<p>Page {k}") for k in range(10))
    page = parse(shop(6))
    found, names = find_candidates(page), list_names()
    known = list_features(page, found, texts)[:, names.index("site half")]
    unknown = list_features(page, found)[:, names.index("site half")]
    assert (unknown == -1).all()
    assert known.max() == pytest.approx(1.0)
    assert node_shares(visible_texts(page), SiteTable()) is None


def table_of(*rows: str) -> Listing:
    """Return the list of the rows of a table."""
    page = parse(f"<table>{''.join(f'<tr>{row}' for row in rows)}</table>")
    start = np.array([k for k in range(len(page.dom)) if page.dom.name(k) == "tr"])
    return read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS)


def test_the_row_of_column_names_is_no_item() -> None:
    rows = [
        f"<td><a href=/{k}>{name}</a><td>{k}7<td>from {name}"
        for k, name in enumerate(("Ulm", "Bonn", "Kiel"))
    ]
    for cell in ("th", "td"):
        head = "".join(f"<{cell}>{name}" for name in ("Town", "Posts &amp; more", "Last post"))
        found = table_of(head, *rows)
        assert [field.name for field in found.fields] == ["name", "link", "posts_more", "last_post"]
        assert found.records()[0] == {
            "name": "Ulm",
            "link": "/0",
            "posts_more": "07",
            "last_post": "from Ulm",
        }
        assert len(found.rows) == 3
        assert found.items


def test_a_first_row_like_the_others_is_an_item() -> None:
    rows = [f"<td><a href=/{k}>{name}</a><td>{k}7" for k, name in enumerate(("Ulm", "Bonn", "Kiel"))]
    assert len(table_of(*rows).rows) == 3
    assert len(table_of("<td>Ulm<td>8", "<td>Bonn<td>9", "<td>Kiel<td>7").rows) == 3
    assert len(table_of("<th>Ulm<th>8", "<th>Bonn<th>9").rows) == 2
    assert len(table_of("<td>a<td>b", "<td><a href=/>c</a><td>d").rows) == 2


def test_columns_that_span_others_have_the_names_of_their_places() -> None:
    rows = [f"<td>{k}<td>x{k}<td><a href=/{k}>Town {k}</a><td>y{k}" for k in range(4)]
    found = table_of("<th colspan=2>Number<th colspan=0>Town<th colspan=zz>Last", *rows)
    assert [field.name for field in found.fields] == ["name", "number", "td", "link", "last"]
