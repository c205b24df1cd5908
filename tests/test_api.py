"""The public API: what the documentation shows works, and wrong arguments raise a clear error."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import webgrain
from webgrain.base.errors import InputError, PageError, ParameterError, WebgrainError
from webgrain.base.guesses import NamesGuesses, by_guess
from webgrain.base.metrics import ari

ROOT = Path(__file__).parents[1]
SITE = ROOT / "examples" / "site"
TEXT = "One sentence, and then another one. "
POSTS = [
    f"<title>Post {k}</title><ul><li>Home<li>News</ul><article><h1>Post {k}</h1><p>{k} "
    f"{TEXT * (3 + ord(k) % 3)}"
    "</article>"
    for k in "abcdefgh"
]
LIST = "<title>List {0}</title><div><a href={0}>Post {0}</a><a href=z>Post z</a></div>"
LISTS = [LIST.format(k) for k in "mnopqrst"]
RECORDS = "<h1>Boats</h1>" + "".join(
    f"<div class=r><h3><a href=/{k}>Boat {k}</a></h3><b>{ord(k)} m</b><p>{TEXT}</div>" for k in "abcdefgh"
)
QUERIES = {f"page-{k + 1}": {f"post {letter}": 2} for k, letter in enumerate("abcdefgh")}


@pytest.fixture(scope="module")
def site() -> webgrain.Site:
    return webgrain.Site.fit([*POSTS, *LISTS])


@pytest.fixture(scope="module")
def pages() -> list[webgrain.Page]:
    return [webgrain.parse(html) for html in POSTS[:3]]


def test_parse_accepts_text_bytes_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<h1>Hi</h1>")
    for given in ("<h1>Hi</h1>", b"<h1>Hi</h1>", path, webgrain.Source("a", b"<h1>Hi</h1>")):
        assert webgrain.parse(given).dom.text == "Hi"


def test_extract_returns_title_text_markdown_and_metadata() -> None:
    html = "<html lang=en><title>A walk | Blog</title><meta name=author content=Kim>"
    html += f"<h1>A walk</h1><p>{TEXT * 9}"
    document = webgrain.extract(html)
    assert document.title == "A walk"
    assert document.text.startswith("One sentence")
    assert document.markdown.startswith("# A walk\n\nOne sentence")
    assert "<h1>A walk</h1>" in document.html
    assert document.metadata["author"] == "Kim"
    assert document.metadata["language"] == "en"


def test_a_document_has_facts_links_and_images() -> None:
    html = "<html lang=en><title>A walk</title><meta name=author content=Kim><h1>A walk</h1>"
    html += f"<p>{TEXT * 9}<a href=http://example.org/b>A <b>map</b></a> "
    html += "<img src=http://example.org/c.png alt=Hill>"
    document = webgrain.extract(html)
    assert (document.author, document.language) == ("Kim", "en")
    assert (document.published, document.modified) == (None, None)
    assert [(link.url, link.text) for link in document.links] == [("http://example.org/b", "A map")]
    assert [(image.url, image.alt) for image in document.images] == [("http://example.org/c.png", "Hill")]
    record = document.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert (record["title"], record["author"], record["published"]) == ("A walk", "Kim", None)


def test_metadata_cannot_be_changed_through_a_copy() -> None:
    document = webgrain.extract("<html lang=en><p>Text")
    document.metadata["language"] = "de"
    assert document.language == "en"


def test_links_are_absolute_if_the_url_is_known() -> None:
    html = f"<h1>A walk</h1><p>{TEXT * 9}<a href=b>A map</a>"
    assert webgrain.extract(html).links[0].url == "b"
    document = webgrain.extract(html, url="http://example.org/a/")
    assert (document.url, document.links[0].url) == ("http://example.org/a/", "http://example.org/a/b")


def test_a_page_has_title_text_and_links() -> None:
    page = webgrain.parse("<title>A <b>walk</title><p>One<p>Two <a href=b>B<img alt=b></a><a href=#c>C</a>")
    assert page.title == "A <b>walk"
    assert page.text == "One\nTwo BC\n"
    assert page.links == (("b", "B b"),)
    assert webgrain.parse("").title == ""


def test_a_segmentation_is_a_sequence() -> None:
    segmentation = webgrain.segment("<h1>News</h1><p>First item.<p>Second item.", granularity=1.0)
    assert len(segmentation) > 1
    assert [segmentation[k].text for k in range(len(segmentation))] == [each.text for each in segmentation]
    assert segmentation[-1] is segmentation[len(segmentation) - 1]
    assert segmentation[:2] == list(segmentation)[:2]
    with pytest.raises(IndexError):
        _ = segmentation[len(segmentation)]
    record = segmentation.to_dict()
    assert json.loads(json.dumps(record))["segments"][0]["text"] == segmentation[0].text
    unknown = webgrain.Segmentation(segmentation.labels, "by hand")
    with pytest.raises(ParameterError, match="page of this segmentation is unknown"):
        _ = unknown[0]
    with pytest.raises(ParameterError, match="page of this segmentation is unknown"):
        unknown.to_dict()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("document.date", "'Document' object has no attribute 'date'; use published."),
        ("document.titel", "'Document' object has no attribute 'titel'; use title."),
        ("document.nothing_like_it", "'Document' object has no attribute 'nothing_like_it'"),
        ("site.predict(POSTS[0]).to_json", "'Prediction' object has no attribute 'to_json'; use to_dict()."),
        (
            "page.html",
            "'Page' object has no attribute 'html'; use source.body.",
        ),
        ("page.author", "'Page' object has no attribute 'author'; use webgrain.extract(page).author."),
        ("blocks[0].content", "'Segment' object has no attribute 'content'; use text or markdown."),
        ("site.templates", "'Site' object has no attribute 'templates'; use types[k].template."),
        ("site.modle", "'Site' object has no attribute 'modle'; use model."),
        ("site.types[0].pages", "'SiteType' object has no attribute 'pages'; use size."),
        ("lists[0].columns", "'Listing' object has no attribute 'columns'; use names."),
        ("blocks.segments", "'Segmentation' object has no attribute 'segments'; use list(segmentation)."),
        ("webgrain.fetch", "module 'webgrain' has no attribute 'fetch'; use read."),
        ("webgrain.find_list", "module 'webgrain' has no attribute 'find_list'; use find_lists."),
    ],
)
def test_wrong_names_are_errors_with_the_right_name(site: webgrain.Site, name: str, message: str) -> None:
    page = webgrain.parse(POSTS[0])
    known = {"document": webgrain.extract(page), "page": page, "blocks": webgrain.segment(page)}
    known["lists"] = webgrain.find_lists(RECORDS)
    with pytest.raises(AttributeError) as error:
        eval(name, {"webgrain": webgrain, "site": site, "POSTS": POSTS, **known})
    assert str(error.value) == message


GUESSED = {
    "document": "publish_date pubdate meta meta_description keywords top_image top_img imgs videos root soup "
    "doc to_dataframe df to_markdown to_json as_dict summary excerpt sitename license canonical_link "
    "headline cleaned_text get_text main_text elements first_post updated_at last_modified creator "
    "raw_html encoding score words segments article_html autor",
    "page": "root soup xpath css select select_one find find_all findAll cssselect get_text text_content "
    "prettify html body meta json_ld main_text tables publish_date elements encoding lists type",
    "page.source": "html content text filename encoding",
    "site": "predict_proba fit_transform labels_ clusters partial_fit dump from_file transform drift",
    "site.types[0]": "pages selector to_dataframe id",
    "site.predict(POSTS[0])": "cluster page_type type_confidence publish_date boilerplate to_df",
    "lists[0]": "to_dataframe columns to_list data score next_page",
    "blocks": "text segments to_html n_segments probability",
    "blocks[0]": "bbox label category content element score name",
    "blocks.blocks[0]": "type bbox walk score",
    "chunk": "page_content metadata index content",
    "failure": "message id reason",
    "webgrain": "parse_html load_model extract_text bare_extraction Article BeautifulSoup fromstring "
    "partition_html read_html fetch_url html2txt load_html near_duplicates deduplicate cluster "
    "fit Crawler sitemap_search find_date chunk_by_title analyze extract_tables to_markdown",
    "webgrain.PageTypes()": "transform fit_transform labels clusters classify n_clusters_ dump",
    "webgrain.SiteTemplate()": "transform template dump",
    "webgrain.LearntCut()": "transform segment params",
}
"""Names that users of other libraries guess, by what they look for them at."""


@pytest.mark.parametrize("owner", GUESSED)
def test_names_of_other_libraries_are_errors_with_the_right_name(site: webgrain.Site, owner: str) -> None:
    page = webgrain.parse(POSTS[0])
    document = webgrain.extract(page)
    known = {
        "document": document,
        "page": page,
        "blocks": webgrain.segment(page),
        "chunk": document.chunks()[0],
    }
    known |= {"lists": webgrain.find_lists(RECORDS), "failure": webgrain.Failure("a.html", "read", "no page")}
    value = eval(owner, {"webgrain": webgrain, "site": site, "POSTS": POSTS, **known})
    for name in GUESSED[owner].split():
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; use .+\.$"):
            getattr(value, name)


def test_an_import_of_a_guessed_name_is_an_error_with_the_right_name() -> None:
    for name, instead in (("parse_html", "parse"), ("Article", "extract"), ("find_list", "find_lists")):
        with pytest.raises(ImportError, match=f"has no attribute '{name}'; use {instead}.$"):
            exec(f"from webgrain import {name}")
        assert not hasattr(webgrain, name)
    names: dict[str, object] = {}
    exec("from webgrain import lists, templates", names)  # modules, whose names are guesses, too
    assert names["lists"] is importlib.import_module("webgrain.lists")


def test_guesses_lead_to_names_that_exist() -> None:
    """No name that exists is a guess, and what to write instead begins with a name of the class."""
    classes = {each for each in all_subclasses(NamesGuesses) if each.__module__.startswith("webgrain.")}
    assert {each.__name__ for each in classes} >= {"Page", "Document", "Prediction", "Site", "Segment"}
    for each in classes:
        names = {*dir(each), *inspect.get_annotations(each), "model"}
        assert names.isdisjoint(each._guesses), each
        for instead in each._guesses.values():
            if not instead.startswith(("webgrain.", "list(", "len(")):
                assert re.match(r"\w+", instead)[0] in names, (each, instead)
    for name, instead in by_guess(webgrain._GUESSES).items():
        assert name not in webgrain.__all__
        assert re.match(r"\w+", instead)[0] in webgrain.__all__


def all_subclasses(base: type) -> Iterator[type]:
    """Yield the classes that are derived from a class."""
    for each in base.__subclasses__():
        yield each
        yield from all_subclasses(each)


def test_results_can_be_copied_and_pickled(site: webgrain.Site) -> None:
    page = webgrain.parse(POSTS[0])
    for value in (page, webgrain.extract(page), site.predict(page), webgrain.segment(page)):
        again = pickle.loads(pickle.dumps(copy.copy(value)))
        assert type(again) is type(value)
        assert not hasattr(value, "nothing")


def test_only_public_names_are_listed() -> None:
    assert dir(webgrain) == sorted(webgrain.__all__)


def test_segment_yields_blocks_with_addresses() -> None:
    blocks = list(webgrain.segment("<h1>Hi</h1><ul><li><a href=x>One</a><li><a href=y>Two</a></ul>"))
    assert " ".join(block.text for block in blocks).split() == ["Hi", "One", "Two"]
    for block in blocks:
        assert block.role is None or isinstance(block.role, str)
        assert block.xpath.startswith("/html[1]")
        assert block.css.startswith("html")
        assert block.box is None  # without a browser


@pytest.mark.parametrize("method", ["learntcut", "gcuts", "cclus"])
def test_segment_accepts_methods(method: str) -> None:
    assert len(webgrain.segment("<p>One<p>Two", method)) >= 1


def test_site_fit_accepts_a_folder_and_lists(site: webgrain.Site, tmp_path: Path) -> None:
    for k, html in enumerate([*POSTS, *LISTS]):
        (tmp_path / f"{k}.html").write_text(html)
    from_folder = webgrain.Site.fit(str(tmp_path))
    assert [kind.size for kind in from_folder.types] == [kind.size for kind in site.types] == [8, 8]
    labels = [kind.label for kind in webgrain.Site.fit(tmp_path).types]
    assert labels == [kind.label for kind in from_folder.types]


def test_site_fit_names_what_it_expects() -> None:
    for given, message in (("<h1>A</h1>", "got the HTML of one page"), ([], "at least one page, got none")):
        with pytest.raises(ParameterError, match=message):
            webgrain.Site.fit(given)


def test_site_predicts_type_title_and_text(site: webgrain.Site) -> None:
    new = POSTS[0].replace("Post a", "Post x").replace("<p>a", "<p>x")
    found = site.predict(new)
    assert found.type in {kind.label for kind in site.types}
    assert found.title == "Post x"
    document = webgrain.extract(new, site)
    assert document.text == found.text
    assert document.to_dict()["type"] == found.type
    assert document.text.startswith("x One sentence")


def test_site_saves_and_loads(site: webgrain.Site, tmp_path: Path) -> None:
    site.save(tmp_path / "site.json")
    loaded = webgrain.Site.load(str(tmp_path / "site.json"))
    assert [kind.label for kind in loaded.types] == [kind.label for kind in site.types]
    assert loaded.predict(POSTS[0]).text == site.predict(POSTS[0]).text


def test_site_accepts_queries_as_mapping_table_and_file(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [(page, query, clicks) for page, found in QUERIES.items() for query, clicks in found.items()]
    columns = dict(zip(("page", "query", "clicks"), map(list, zip(*rows, strict=True)), strict=True))
    path = tmp_path / "log.csv"
    path.write_text("page,query,clicks\n" + "".join(f"{p},{q},{c}\n" for p, q, c in rows))
    types = [
        [kind.label for kind in webgrain.Site.fit([*POSTS, *LISTS], queries=queries).types]
        for queries in (QUERIES, pa.table(columns), path, str(path))
    ]
    assert types[0] == types[1] == types[2] == types[3]


def test_site_fit_learns_from_a_sample() -> None:
    assert sum(kind.size for kind in webgrain.Site.fit([*POSTS, *LISTS], sample=6).types) == 6


@pytest.mark.parametrize("name", ["KeyClus", "PageTypes"])
def test_page_type_estimators(name: str, tmp_path: Path) -> None:
    estimator = getattr(webgrain, name)()
    labels = estimator.fit([*POSTS, *LISTS], QUERIES).labels_
    assert len(labels) == 16
    assert ari(labels, np.repeat([0, 1], 8)) == 1
    assert np.array_equal(getattr(webgrain, name)().fit_predict([*POSTS, *LISTS], QUERIES), labels)
    estimator.save(tmp_path / "types.json")
    loaded = getattr(webgrain, name).load(tmp_path / "types.json")
    assert loaded.predict(POSTS[0]).type == estimator.predict(POSTS[0]).type
    with pytest.raises(InputError, match=r"contains the estimator \w+, not RegexTree"):
        webgrain.RegexTree.load(tmp_path / "types.json")


def test_regextree_computes_the_noise_of_a_page() -> None:
    tree = webgrain.RegexTree().fit(POSTS)
    page = webgrain.parse(POSTS[0])
    noise = tree.noise(page)
    assert noise.shape == (len(page.dom),)
    nodes = [node for node in range(len(noise)) if page.dom.name(node) == "#text"]
    text = {page.dom.text_of(node): noise[node] for node in nodes}
    assert text["Home"] > text["Post a"]


def test_webstemmer_learns_layouts() -> None:
    assert webgrain.Webstemmer().fit(POSTS).predict(POSTS[0]) is not None


def test_learntcut_learns_and_scores(pages: list[webgrain.Page]) -> None:
    pytest.importorskip("sklearn")
    rendered = [webgrain.segment(html).page for html in POSTS]
    labels = [webgrain.segment(page).labels for page in rendered]
    score = webgrain.LearntCut().fit(rendered, labels).score(rendered, labels)
    assert -1 <= score <= 1


def test_find_duplicates_yields_pairs() -> None:
    pa = pytest.importorskip("pyarrow")
    texts = ["One two three four.", "Something else entirely.", "one, two, three, four"]
    ids = ["a", "b", "c"]
    kinds = {
        "texts": (texts, 0, 2),
        "pairs": (list(zip(ids, texts, strict=True)), "a", "c"),
        "table": (pa.table({"id": ids, "text": texts}), "a", "c"),
    }
    for given, a, b in kinds.values():
        [pair] = webgrain.find_duplicates(given)
        assert (str(pair.a), str(pair.b)) == (str(a), str(b))
        assert pair.verdict == "same-page"
        assert pair.similarity == 1
    long = [f"<main><p>{' '.join(f'word{k * j}' for j in range(60))}</main>" for k in (1, 2, 1)]
    sources = [webgrain.Source(str(k), html.encode()) for k, html in enumerate(long)]
    [pair] = webgrain.find_duplicates([webgrain.parse(source) for source in sources])
    assert (pair.a, pair.b) == ("0", "2")


ESTIMATORS = [
    "GCuts",
    "CertifiedGCuts",
    "CClus",
    "LearntCut",
    "KeyClus",
    "PageTypes",
    "RegexTree",
    "SiteTemplate",
    "Webstemmer",
    "Shingles",
]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_follow_the_conventions_of_scikit_learn(name: str) -> None:
    estimator = getattr(webgrain, name)()
    params = estimator.get_params()
    assert estimator.set_params(**params) is estimator
    assert estimator.get_params() == params
    with pytest.raises(ParameterError, match="has no parameter 'nonsense'"):
        estimator.set_params(nonsense=1)
    sklearn = pytest.importorskip("sklearn.base")
    copy = sklearn.clone(estimator)
    assert copy is not estimator
    assert copy.get_params() == params


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_of_the_wrong_type_raise(name: str) -> None:
    cls = getattr(webgrain, name)
    for parameter in cls().get_params():
        for value in (object(), complex(1, 1), float("nan"), "\0nonsense", -1e300):
            with pytest.raises(ParameterError) as error:
                cls(**{parameter: value})
            assert len(str(error.value)) < 400


WRONG = [
    None, 5, -1, 3.5, float("nan"), True, complex(1, 1), object(), object, len, lambda: None, range(3), set(),
    frozenset({1}), {"a": 1}, [1, 2], (None,), np.zeros(3), slice(1), NotImplemented, ..., bytearray(b"x"),
    iter([3]),
]  # fmt: skip
"""Values that are neither a page nor a list of pages."""


def single_page_calls(site: webgrain.Site) -> dict[str, object]:
    fitted = {
        "KeyClus": webgrain.KeyClus().fit([*POSTS, *LISTS]),
        "PageTypes": webgrain.PageTypes().fit([*POSTS, *LISTS]),
        "Webstemmer": webgrain.Webstemmer().fit(POSTS),
        "RegexTree": webgrain.RegexTree().fit(POSTS),
        "GCuts": webgrain.GCuts(),
        "CertifiedGCuts": webgrain.CertifiedGCuts(),
        "CClus": webgrain.CClus(),
        "LearntCut": webgrain.LearntCut(),
    }
    calls: dict[str, object] = {f"{name}.predict": estimator.predict for name, estimator in fitted.items()}
    calls["RegexTree.noise"] = fitted["RegexTree"].noise
    calls |= {"parse": webgrain.parse, "extract": webgrain.extract, "segment": webgrain.segment}
    return calls | {"Site.predict": site.predict, "Site.extract": site.extract}


def test_single_page_calls_reject_other_types(site: webgrain.Site) -> None:
    for name, call in single_page_calls(site).items():
        for value in WRONG:
            with pytest.raises(ParameterError) as error:
                call(value)
            message = str(error.value)
            assert "expected" in message.lower(), f"{name}: {message}"
            assert message.endswith(".")
            assert "\n" not in message
            assert len(message) < 300


def test_single_page_calls_detect_paths_passed_as_text(site: webgrain.Site, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>Hi")
    for call in single_page_calls(site).values():
        for value in (str(path), "missing/page.html", "https://example.org/"):
            with pytest.raises(ParameterError, match="Path"):
                call(value)
        with pytest.raises((InputError, PageError)):
            call(tmp_path / "missing.html")


def many_page_calls() -> dict[str, object]:
    calls = {
        name: getattr(webgrain, name)().fit for name in ("KeyClus", "PageTypes", "RegexTree", "Webstemmer")
    }
    calls["Site.fit"] = webgrain.Site.fit
    calls["read"] = lambda value: list(webgrain.read(value))
    calls["find_duplicates"] = lambda value: list(webgrain.find_duplicates(value))
    return calls


@pytest.mark.parametrize("name", many_page_calls())
def test_many_page_calls_reject_other_types(name: str) -> None:
    call = many_page_calls()[name]
    for value in [
        None,
        5,
        3.5,
        True,
        object(),
        object,
        len,
        1j,
        [1, 2],
        [None],
        ["<p>a", 3],
        iter([object()]),
    ]:
        with pytest.raises(ParameterError) as error:
            call(value)
        assert len(str(error.value)) < 400
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["GCuts", "CClus", "LearntCut"])
def test_learning_calls_reject_other_types(name: str, pages: list[webgrain.Page]) -> None:
    for wrong in ((None, None), (5, 5), (pages, None), (pages, [1]), (pages, ["a"] * 3), ([1, 2], [3, 4])):
        for method in ("fit", "score"):
            with pytest.raises(ParameterError):
                getattr(getattr(webgrain, name)(), method)(*wrong)


@pytest.mark.parametrize("value", [None, 5, 3.5, True, object(), [], {}, b"log", len, 1j, "", Path("no.csv")])
def test_wrong_queries_raise(value: object) -> None:
    if value is None or value == {}:
        return
    with pytest.raises(WebgrainError) as error:
        webgrain.Site.fit(POSTS, queries=value)
    assert len(str(error.value)) < 300


def test_files_that_are_missing_or_damaged_raise(tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_text('{"format": "webgrain estimator", "version": 1}')
    for load in (webgrain.Site.load, webgrain.KeyClus.load, webgrain.RegexTree.load):
        for value in (None, 5, [], object(), "", b"x"):
            with pytest.raises(ParameterError):
                load(value)
        for path in (tmp_path / "missing.json", tmp_path / "damaged.json", tmp_path):
            with pytest.raises(InputError):
                load(path)


def test_estimators_that_are_not_fitted_are_errors() -> None:
    for name in ("KeyClus", "PageTypes", "RegexTree", "Webstemmer"):
        with pytest.raises(ParameterError, match="fit"):
            getattr(webgrain, name)().predict(POSTS[0])


def test_crawl_rejects_wrong_arguments(tmp_path: Path) -> None:
    output = tmp_path / "site.warc.gz"
    for urls in (None, 5, [], [3], object(), b"http://a"):
        with pytest.raises(ParameterError):
            webgrain.crawl(urls, output)
    for wrong in (None, 5, "site.zip", [], object()):
        with pytest.raises(ParameterError):
            webgrain.crawl("https://example.org/", wrong)
    with pytest.raises(ParameterError, match="has no option dept"):
        webgrain.crawl("https://example.org/", output, dept=3)


def test_representations_are_short(site: webgrain.Site, pages: list[webgrain.Page]) -> None:
    segmentation = webgrain.segment(POSTS[0])
    document = webgrain.extract(POSTS[0])
    found = [site, *site.types, site.predict(POSTS[0]), pages[0], pages[0].dom, segmentation, *segmentation]
    found += [document, document.article, segmentation.page.view, webgrain.Source("a", b"x" * 10_000)]
    found += [webgrain.RegexTree().fit(POSTS), webgrain.RegexTree().fit(POSTS).template_]
    found += [
        webgrain.KeyClus().fit(POSTS),
        webgrain.PageTypes().fit(POSTS),
        webgrain.Webstemmer().fit(POSTS),
    ]
    found += [webgrain.PageTypes().fit(POSTS).clustering_]
    found += [webgrain.GCuts(), webgrain.CClus(), webgrain.LearntCut(), webgrain.Shingles()]
    found += [webgrain.Failure("page", "read", "an error")]
    found += webgrain.find_duplicates(["One two.", "one two"])
    for value in found:
        assert len(repr(value)) < 200, repr(value)[:300]


def test_notebooks_show_html(site: webgrain.Site) -> None:
    shown = [webgrain.extract("<h1>A<b></h1><p>B & C"), webgrain.segment(POSTS[0]), site]
    for value in [*shown, webgrain.RegexTree().fit(POSTS).template_]:
        assert "<" in value._repr_html_()
        assert len(value._repr_html_()) < 100_000


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = webgrain.nonsense


def test_all_public_names_exist_and_are_few() -> None:
    with warnings.catch_warnings(action="error"):
        assert all(getattr(webgrain, name) for name in webgrain.__all__)
    assert len(webgrain.__all__) <= 31


def test_importing_webgrain_is_cheap() -> None:
    code = "import sys, webgrain; print('numpy' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
