"""PageTypes on made-up sites: types, assignments, conditions, labels, and pages that fit no type."""

from __future__ import annotations

import math

import lxml.html
import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.pagetypes.sites import make_site

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.metrics import ari
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.descriptions import Assignment
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel, find_condition
from webgrain.pagetypes.traits import naming_words, page_traits
from webgrain.pagetypes.typelabels import type_labels


def page(name, html):
    return parse(Source(name, html.encode()))


@pytest.fixture(scope="module")
def made():
    return make_site()


@pytest.fixture(scope="module")
def fitted(made):
    return PageTypes().fit(made[0])


def shop(k):
    kind = ("product", "list")[k % 3 == 0]
    rows = "<li><a href=x>Tea</a>" * (k % 4 + 2)
    product = f"<h1>Tea {k}</h1><form><input></form><p>{'Good tea. ' * (k % 5)}"
    body = product if kind == "product" else f"<ul>{rows}</ul>"
    return page(f"{kind}/{k}.html", f"<body class='{kind} x{k}'><nav>Menu</nav><main>{body}</main>")


@pytest.fixture(scope="module")
def shops():
    """The pages of a shop, and the types learnt from them."""
    pages = [shop(k) for k in range(30)]
    return pages, PageTypes().fit(pages)


def test_types_of_a_made_up_site_are_found(made, fitted):
    _, types, _ = made
    truth = np.unique(types, return_inverse=True)[1]
    assert ari(truth, fitted.clustering_.labels) == 1.0
    assert sorted(kind.size for kind in fitted.clustering_.types) == [20, 20, 20]
    assert all(kind.key_path is not None for kind in fitted.clustering_.types)


def test_the_pages_of_fit_are_assigned_to_their_types(made, fitted):
    found = fitted.clustering_
    for one, label in zip(made[0], found.labels.tolist(), strict=True):
        assert fitted.predict(one).type == found.types[label].label


def test_a_page_of_another_site_is_of_no_type(fitted):
    other = page("x", "<main><section><dl><dt>a<dd>b</dl></section></main>")
    assert fitted.predict(other) == Assignment("other", None, None)


def test_the_order_of_the_pages_does_not_change_the_types(made, fitted):
    again = PageTypes().fit(made[0][::-1]).clustering_
    assert {kind.label for kind in again.types} == {kind.label for kind in fitted.clustering_.types}
    assert ari(again.labels[::-1], fitted.clustering_.labels) == 1.0


@pytest.mark.parametrize(
    "pages",
    [
        [("a", "")],
        [("a", "<p>one page"), ("b", "")],
        [(str(k), "<div>" * 2000) for k in range(6)],
        [(str(k), f"<p id={k} class='{k} c'>") for k in range(8)],
    ],
    ids=["empty", "two", "deep", "no text"],
)
def test_odd_sites_have_types_too(pages):
    method = PageTypes().fit([page(name, html) for name, html in pages])
    assert len(method.labels_) == len(pages)
    assert sum(kind.size for kind in method.clustering_.types) == len(pages)


def test_a_site_of_equal_pages_has_one_type():
    found = PageTypes().fit([page(str(k), f"<h1>Page {k}</h1>") for k in range(9)]).clustering_
    assert [type_.key_path is not None for type_ in found.types] == [True]


def test_a_single_page_is_a_type():
    method = PageTypes().fit([page("a", "<h1>Tea</h1><p>Text")])
    assert [kind.size for kind in method.clustering_.types] == [1]
    assert method.clustering_.types[0].label != "other"


def test_pages_without_anything_in_common_are_of_no_type():
    bodies = ("<main id=a><h1>a", "<dl class=b><dt>b", "<table class=c><td>c", "<form><input><button>d")
    found = PageTypes().fit([page(f"{k}/{k}{k}", html) for k, html in enumerate(bodies)]).clustering_
    assert [(kind.label, kind.size, kind.key_path) for kind in found.types] == [("other", 4, None)]
    assert all(map(math.isnan, found.confidence))


def test_addresses_that_differ_only_in_the_query_separate_types_of_different_structure():
    pages = [page(f"index.php?id={k}", f"<div class=thread><h1>{k}</h1><p>Text") for k in range(12)]
    pages += [page(f"index.php?user={k}", f"<table class=user><tr><td>{k}</table>") for k in range(12)]
    assert ari([0] * 12 + [1] * 12, PageTypes().fit(pages).labels_) == 1.0


def test_pages_without_classes_have_types():
    pages = [page(f"a{k}.htm", f"<h1>{k}</h1><hr>{'<p>Some text.' * (2 + k % 3)}<hr>") for k in range(12)]
    row = "<tr><td><a href=x>y</a><td>1"
    pages += [page(f"b{k}.htm", f"<table>{row * (3 + k)}</table>") for k in range(12)]
    assert ari([0] * 12 + [1] * 12, PageTypes().fit(pages).labels_) == 1.0


def test_redirect_stubs_and_error_pages_have_types_of_their_own():
    pages = [shop(k) for k in range(20)]
    pages += [page(f"r{k}", f"<meta http-equiv=refresh content='0; url=/{k}'>") for k in range(3)]
    pages += [page("s", "<script>location.href = '/a'</script>")]
    pages += [page(f"e{k}", "<title>404 Not Found</title><h1>Not Found</h1><p>No page.") for k in range(2)]
    method = PageTypes().fit(pages)
    label = [method.clustering_.types[k].label for k in method.labels_.tolist()]
    assert label[20:] == ["redirect"] * 4 + ["error"] * 2
    assert not {"redirect", "error"} & set(label[:20])
    assert method.predict(pages[-1]).type == "error"


def test_a_page_about_the_number_404_is_no_error_page():
    title = "<title>Bus 404 to town and several other places</title>"
    pages = [page(f"{k}", f"{title}<p>Leaves at {k}") for k in range(9)]
    assert {kind.label for kind in PageTypes().fit(pages).clustering_.types}.isdisjoint({"error"})


def test_conditions_select_exactly_the_pages_of_a_type(shops):
    pages, found = shops[0], shops[1].clustering_
    assert len(found.types) == 2
    for number, kind in enumerate(found.types):
        assert kind.condition.agreement == 1.0
        assert kind.condition.words.startswith("has ")
        for one, label in zip(pages, found.labels.tolist(), strict=True):
            html = one.source.body.decode()
            assert bool(LexborHTMLParser(html).css(kind.condition.css)) == (label == number)
            assert lxml.html.document_fromstring(html).xpath(kind.condition.xpath) == (label == number)


def test_a_condition_excludes_paths_of_other_types():
    has = np.array([[1, 0], [1, 0], [1, 1], [1, 1]], bool)
    literals, agreement = find_condition(has, np.array([1, 1, 0, 0], bool), np.arange(2))
    assert literals == [(0, True), (1, False)]
    assert agreement == 1.0


def test_labels_are_names_of_the_pages_without_their_numbers(shops):
    halves = [shops[1], PageTypes().fit([shop(k) for k in range(40, 60)])]
    labels = [{kind.label for kind in half.clustering_.types} for half in halves]
    assert labels == [{"product", "list"}] * 2


def test_types_inherit_the_labels_of_earlier_types(shops):
    pages, before = shops
    names = {"product": "goods", "list": "shelf"}
    old = before.model_.relabelled(names)
    after = PageTypes().fit(pages[10:], previous=old)
    assert {kind.label for kind in after.clustering_.types} == {"goods", "shelf"}
    assert after.predict(pages[1]).type == "goods"


def test_pages_outside_of_the_sample_are_assigned(shops):
    method = PageTypes(sample=20).fit(shops[0])
    assert ari([k % 3 == 0 for k in range(30)], method.labels_) == 1.0


def test_confidence_is_a_probability(made, fitted):
    confidence = fitted.clustering_.confidence
    assert ((confidence > 0.5) & (confidence <= 1)).all()
    assert fitted.predict(made[0][0]).confidence == pytest.approx(confidence[0])


def test_a_model_in_a_file_assigns_the_same(shops, tmp_path):
    pages, method = shops
    method.model_.save(tmp_path / "types.json", {"pages": 30})
    again = TypeModel.load(tmp_path / "types.json")
    assert [again.assign(one).type for one in pages] == [method.predict(one).type for one in pages]
    assert again.rules == method.model_.rules
    again.save(tmp_path / "again.json", {"pages": 30})
    assert (tmp_path / "types.json").read_bytes() == (tmp_path / "again.json").read_bytes()


def test_wrong_calls_are_refused():
    with pytest.raises(InputError, match="No page could be read"):
        PageTypes().fit([])
    with pytest.raises(ParameterError, match="call fit first"):
        PageTypes().predict("<p>x")
    with pytest.raises(ParameterError, match="least"):
        PageTypes(least=2)


def test_many_types_of_two_pages_beside_a_large_one_are_not_merged_with_it():
    pages = [
        page(f"story/{k}.html", f"<article class=story><h1>Tale of {k} lamps</h1>{'<p>Text.' * 5}")
        for k in range(540)
    ]
    tags = ("dl", "ol", "table", "pre", "form", "section")
    for kind in range(30):
        tag, inner = tags[kind % 6], tags[(kind // 6 + kind + 1) % 6]
        body = f"<{tag} class=box{chr(97 + kind)}><{inner} class=part{chr(97 + kind)}>" * (1 + kind % 3)
        pages += [page(f"{tag}{kind}/{k}.html", f"<div id=area{chr(97 + kind)}>{body}{k}") for k in range(2)]
    labels = PageTypes().fit(pages).labels_
    assert set(labels[:540].tolist()).isdisjoint(labels[540:].tolist())
    assert len(set(labels[:540].tolist())) == 1


def test_pages_of_different_sites_are_of_different_types():
    bodies = {
        "recipe": "<main class=recipe><h1>Soup</h1><ul><li>salt<li>water</ul><p>Boil the water.</main>",
        "thread": "<table class=posts><tr><td>Kim<td>Hello<tr><td>Lee<td>Thanks</table>",
    }
    frames = {"recipe": "<nav><a href=/>Kitchen</a></nav>{}", "thread": "<center><b>Board</b></center>{}"}
    pages = [page(f"{kind}/{k}.html", frames[kind].format(bodies[kind])) for kind in bodies for k in range(6)]
    assert ari([0] * 6 + [1] * 6, PageTypes().fit(pages).labels_) == 1.0


LABELLED = [
    ("blogs/{0}.html", "<h1>{0}</h1>", "blogs"),
    ("thread.php?mode=view&n={0}", "<h1>{0}</h1>", "view"),
    ("{0}.html", "<meta property=og:type content=product><h1>{0}</h1>", "product"),
    ("{0}.html", '<script type="application/ld+json">{{"@type": ["Recipe"]}}</script><h1>{0}</h1>', "recipe"),
    ("{0}.html", "<div itemscope itemtype=https://schema.org/Event><h1>{0}</h1>", "event"),
    ("{0}.html", "<body class='single single-post n{0}'><h1>{0}</h1>", "post"),
    ("{0}.html", "<body class='catalog-product-view'><h1>{0}</h1>", "product"),
    ("{0}.html", "<body class='tm-isblog x-posts s-tag-tea'><h1>{0}</h1>", "page"),
    ("page/{0}.html", "<h1>{0}</h1><a href=a>A long text of a link</a>", "index"),
    ("{0}.html", "<title>Thread {0} by Kim</title><h1>{0}</h1>", "thread"),
    ("{0}.html", "<title>With thread {0} by Kim</title><h1>{0}</h1>", "thread"),
    ("{0}.html", "<h1 class=big>{0}</h1><p>Text", "page"),
    ("{0}.html", "<h1>{0}</h1><a href=a>A long text of a link</a>", "index"),
]


@pytest.mark.parametrize(("address", "html", "label"), LABELLED)
def test_a_label_is_a_word_of_the_address_the_metadata_the_body_or_the_titles(address, html, label):
    pages = [page(address.format(k), html.format(k)) for k in range(8)]
    pages += [page(f"{k}/y.html", "<table><tr><td>1<td>2<tr><td>3<td>4</table>") for k in range(8)]
    assert label in {kind.label for kind in PageTypes().fit(pages).clustering_.types}


def labels_of(*groups):
    """Return the labels of groups of pages with these numbers of pages, addresses and bodies."""
    pages = [page(address.format(k), html) for n, address, html in groups for k in range(n)]
    words = [naming_words(one) for one in pages]
    ends = np.cumsum([n for n, _, _ in groups])
    numbers = [list(range(end - n, end)) for end, (n, _, _) in zip(ends, groups, strict=True)]
    return type_labels([page_traits(one) for one in pages], words, numbers, [""] * len(groups))


TEXT, LINKS = "<p>A text of some words", "<a href=a>A long text of a link</a>"


def test_types_with_the_same_label_are_distinguished_by_the_next_word():
    wiki = (9, "wiki/{}", TEXT), (8, "wiki/{}?action=history", TEXT)
    assert labels_of(*wiki, (9, "{}", TEXT)) == ["wiki", "history", "page"]


def test_types_with_the_same_label_and_no_other_word_are_indexes_or_have_numbers():
    others = (9, "a/{}", TEXT), (9, "b/{}", TEXT)
    tags = (9, "tags/{}", TEXT), (8, "tags/{}", LINKS), (7, "tags/{}", "<div class='teaser-box'>Tea"), *others
    assert labels_of(*tags)[:3] == ["tags", "tags-index", "tags-2"]
    assert labels_of(*others, (8, "{}", LINKS), (7, "{}", LINKS))[2:] == ["index", "index-2"]


def test_a_label_is_a_word_that_most_pages_of_the_type_have():
    mixed = [page(f"{folder}/{k}", TEXT) for folder in ("errors", "guide") for k in range(6)]
    pages = [*mixed, *(page(f"{k}", TEXT) for k in range(12))]
    words = [naming_words(one) for one in pages]
    groups = [list(range(12)), list(range(12, 24))]
    labels = type_labels([page_traits(one) for one in pages], words, groups, ["", ""])
    assert labels == ["page", "page-2"]


def test_contents_of_a_type_are_without_scripts_and_styles():
    html = "<div class=name><script>var x = 1</script><style>b {{ top: 0 }}</style><b>Lamp {0}</b></div>"
    pages = [page(f"{k}.html", html.format(k)) for k in range(9)]
    pages += [page(f"b{k}.html", "<table class='data'><tr><td>1<td>2") for k in range(8)]
    found = PageTypes().fit(pages).clustering_.types[0]
    assert all(text.startswith("Lamp") for text in found.contents)
