"""Lists of a page as tables."""

from __future__ import annotations

from tests.templates.test_regextree import learn, page

from webgrain.page.addresses import find_css
from webgrain.templates.records import listings

SHOP = "<h1>Shop</h1><div id=shelf>{}</div>"
ITEM = (
    "<div class=item><a href=/{0}><img src=/{0}.png></a><h3>Thing {0}</h3>"
    "<span class=price>{1}</span><i>Buy</i></div>"
)


def test_what_varies_is_a_column() -> None:
    one = page(SHOP.format("".join(ITEM.format(k, 10 - k) for k in range(3))))
    (found,) = listings(one, learn(one).predict(one))
    assert found.items == "div.item"
    assert [(field.name, field.css, field.attribute) for field in found.fields] == [
        ("a_href", "a", "href"),
        ("img_src", "a > img", "src"),
        ("h3", "h3", None),
        ("price", "span.price", None),
    ]
    assert found.records()[1] == {"a_href": "/1", "img_src": "/1.png", "h3": "Thing 1", "price": "9"}
    assert find_css(one.dom, found.css) == one.dom.parent[found.nodes[0]]


def test_records_of_several_elements_stay_together() -> None:
    one = page("<dl><dt>a<dd>1<dt>b<dd>2<dd>3<dt>c<dd>4</dl>")
    learnt = learn(one, page("<dl>" + "<dt>x<dd>y" * 6 + "</dl>"), page("<dl>" + "<dt>x<dd>y" * 6 + "</dl>"))
    (found,) = listings(one, learnt.predict(one))
    assert found.items == "dt"
    assert [(field.name, field.css) for field in found.fields] == [("dt", ""), ("dd", "~ dd")]
    assert found.rows == (("a", "1"), ("b", "2 3"), ("c", "4"))


def test_the_same_name_twice_gets_a_number() -> None:
    one = page("<table>" + "".join(f"<tr><td>{k}<b>{k}</b><td>{-k}" for k in range(4)) + "</table>")
    (found,) = listings(one, learn(one).predict(one))
    names = [field.name for field in found.fields]
    assert len(set(names)) == len(names)


def test_lists_that_never_vary_or_have_one_item_are_left_out() -> None:
    one = page("<ul><li>a<li>a</ul><ol><li>b</ol>")
    learnt = learn(page("<ul><li>a<li>a</ul><ol><li>b<li>c</ol>"), one)
    assert listings(one, learnt.predict(one)) == []


def test_a_page_of_another_site_has_none() -> None:
    other = page("<table><tr><td>x</table>")
    assert listings(other, learn(page("<ul><li>a<li>b</ul>")).predict(other)) == []


def test_what_is_out_of_place_is_no_field() -> None:
    learnt = learn(page("<ul><li>a<b>1</b><li>b<b>2</b></ul><div id=main><p class=note>x</div>"))
    one = page("<ul><li>a<b>1</b><li>b<section><p class=note>y</section></ul><div id=main></div>")
    (found,) = listings(one, learnt.predict(one))
    assert {field.css for field in found.fields} <= {"", "b"}


def test_bare_texts_are_items_too() -> None:
    one = page("<p>" + "".join(f"text {k}<br><a href={k}>link {k}</a>" for k in range(3)))
    (found,) = listings(one, learn(one).predict(one))
    assert next(field.css for field in found.fields) == ""
    assert any("text 1" in (value or "") for value in found.rows[1])
