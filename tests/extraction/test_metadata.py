"""Metadata that pages state."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import webgrain
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction.metadata import metadata
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.page.page import Source
from webgrain.page.parsing import parse

PROSE = (
    "<p>The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it.</p>" * 3
)


def found(html: str, url: str = "https://www.lantern.example/a/lamp", alone: bool = False) -> dict[str, Any]:
    page = parse(Source("a", html.encode(), url=url))
    return metadata(page, None if alone else SinglePage().predict(page))


def of_ld(value: object, body: str = f"<h1>Lamp</h1>{PROSE}") -> dict[str, Any]:
    return found(f'<title>Lamp</title><script type="application/ld+json">{json.dumps(value)}</script>{body}')


def test_json_ld_with_a_graph_and_references() -> None:
    article = {
        "@type": ["Article", "NewsArticle"], "headline": "Lamp", "datePublished": "2020-05-17T08:09:10+00:00",
        "dateModified": "2020-05-18", "author": {"@id": "#kim"}, "keywords": ["light", "sea"],
        "image": {"@type": "ImageObject", "url": "/lamp.jpg"}, "inLanguage": "en",
        "publisher": {"@type": "Organization", "name": "The Lantern"}, "license": "https://example.org/by",
    }  # fmt: skip
    graph = {
        "@graph": [
            {"@type": "WebSite", "name": "x"},
            article,
            {"@id": "#kim", "@type": "Person", "name": "Kim Auk"},
        ]
    }
    values = of_ld([graph])
    assert (values["author"], values["published"]) == ("Kim Auk", "2020-05-17T08:09:10+00:00")
    assert (values["modified"], values["tags"]) == ("2020-05-18", ["light", "sea"])
    assert (values["image"], values["language"]) == ("https://www.lantern.example/lamp.jpg", "en")
    assert (values["site_name"], values["licence"]) == ("The Lantern", "https://example.org/by")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("Kim", "Kim"),
        ({"name": "Kim"}, "Kim"),
        ([{"name": "Kim"}, {"name": "Ann"}], "Kim, Ann"),
        ([{"name": "Kim"}, {"@type": "Organization", "name": "The Lantern"}], "Kim"),
        ("By Kim Auk", "Kim Auk"),
        ("Kim &amp; Ann", "Kim & Ann"),
        ({"@id": ["#kim"], "name": "Kim"}, "Kim"),
        ({"@id": {"@value": "#kim"}, "name": "Kim"}, "Kim"),
    ],
)
def test_authors_in_json_ld(author: object, name: str) -> None:
    assert of_ld({"headline": "Lamp", "author": author})["author"] == name


@pytest.mark.parametrize(
    "script", ["{", "[]", "null", '"a"', "[[[]]]", '{"author": 3}', "[" * 10_000, '{"@graph": {"a": null}}']
)
def test_broken_json_ld_is_ignored(script: str) -> None:
    values = found(f'<script type="application/ld+json">{script}</script><h1>Lamp</h1>{PROSE}')
    assert "published" not in values


def test_the_description_of_the_page_counts_and_not_that_of_a_comment() -> None:
    comment = {"@type": "Comment", "author": {"name": "Ann"}, "datePublished": "2021-01-01"}
    article = {
        "headline": "Lamp",
        "comment": [comment],
        "author": {"name": "Kim"},
        "datePublished": "2020-05-17",
    }
    values = of_ld(article)
    assert (values["author"], values["published"]) == ("Kim", "2020-05-17")


@pytest.mark.parametrize(
    ("name", "content", "field", "value"),
    [
        ("article:published_time", "2020-05-17T08:09:10Z", "published", "2020-05-17T08:09:10+00:00"),
        ("DC.date.issued", "2020-05-17", "published", "2020-05-17"),
        ("citation_publication_date", "2020/05/17", "published", "2020-05-17"),
        ("parsely-pub-date", "2020-05-17", "published", "2020-05-17"),
        ("sailthru.date", "Sun, 17 May 2020 08:09:10", "published", "2020-05-17"),
        ("og:updated_time", "2020-05-17", "modified", "2020-05-17"),
        ("citation_author", "Auk, Kim", "author", "Auk, Kim"),
        ("og:locale", "en_GB", "language", "en-GB"),
        ("og:site_name", "The Lantern", "site_name", "The Lantern"),
        ("og:image", "x.png", "image", "https://www.lantern.example/a/x.png"),
        ("og:description", "A  lamp.", "description", "A lamp."),
        ("og:url", "/lamp", "canonical", "https://www.lantern.example/lamp"),
        ("article:tag", "light", "tags", ["light"]),
        ("dcterms.license", "CC BY", "licence", "CC BY"),
    ],
)
def test_meta_elements(name: str, content: str, field: str, value: object) -> None:
    for attribute in ("name", "property"):
        assert found(f'<meta {attribute}="{name}" content="{content}"><p>x')[field] == value
    assert found(f'<meta name="{name}" value="{content}"><p>x')[field] == value


def test_a_date_beside_the_title_may_be_in_an_element_named_as_a_comment() -> None:
    head = (
        '<div class="CommentHead"><div><h1>Lamp</h1></div><div class="comment-date">17 May 2020</div></div>'
    )
    assert found(f"<title>Lamp</title>{head}{PROSE}")["published"] == "2020-05-17"
    below = '<div class="comments"><p>Yes.<p>18 May 2020</div>'
    assert "published" not in found(f"<title>Lamp</title><h1>Lamp</h1>{PROSE}{below}")


def test_microdata_and_link_relations() -> None:
    body = (
        "<h1>Lamp</h1><div itemprop=author itemscope><a href=/k><span itemprop=name>Kim Auk</span></a></div>"
        "<time itemprop=datePublished datetime=2020-05-17>May</time>" + PROSE + "<a rel=tag href=t>sea</a>"
        "<a rel='license noopener' href=https://example.org/by>CC</a>"
    )
    values = found(f"<html lang=de><link rel=canonical href=/lamp><title>Lamp</title>{body}")
    assert (values["author"], values["published"]) == ("Kim Auk", "2020-05-17")
    assert (values["tags"], values["licence"]) == (["sea"], "https://example.org/by")
    assert (values["language"], values["canonical"]) == ("de", "https://www.lantern.example/lamp")


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("<p>By Kim Auk</p>", "Kim Auk"),
        ("<p>Von Kim Auk</p>", "Kim Auk"),
        ("<div class=post-author>Kim Auk<span>Keeper</span></div>", "Kim Auk"),
        ("<div class=authorName>By <a href=/k>Kim Auk</a></div>", "Kim Auk"),
        ("<p>Light | <a href=/author/kim>Kim Auk</a></p>", "Kim Auk"),
        ("<a rel=author href=/k>Kim Auk</a>", "Kim Auk"),
        ("<p>May 17, 2020 by Kim Auk</p>", "Kim Auk"),
        ("<p>By Kim Auk May 17, 2020</p>", "Kim Auk"),
        ("<p>by: Kim Auk, May 17, 2020</p>", "Kim Auk"),
        ("<p>By Kim Auk on Sunday, May 17, 2020</p>", "Kim Auk"),
        ("<p>By<b>Kim Auk</b></p>", "Kim Auk"),
        ("<p>Posted 3 hours ago by Kim Auk</p>", "Kim Auk"),
        ("<p>By Sunday, May 17, 2020, it was lit.</p>", None),
        ("<div class=author>5 min read</div>", None),
        ("<div class=author>https://x.example/</div>", None),
        ("<div class=author-bio>A keeper.</div>", None),
        ("<p>28 de diciembre de 1990</p>", None),
        ("<p>Posted in Lamps</p>", None),
        ("<p>Written by the editors on a rainy day</p>", None),
        ("<p>Posted by admin on March 4, 2012</p>", "admin"),
        ("<p>By Kim Auk and Jo Lund | 02/03/20</p>", "Kim Auk, Jo Lund"),
        ("<p>By Kim and Jo Lund</p>", "Kim and Jo Lund"),
    ],
)
def test_bylines_near_the_title(byline: str, author: str | None) -> None:
    assert found(f"<title>Lamp</title><h1>Lamp</h1>{byline}{PROSE}").get("author") == author


def test_a_tag_with_a_hash_is_the_same_tag() -> None:
    html = "<title>Lamp</title><meta name=keywords content='Oil, Harbour'><a rel=tag href=/t># Oil</a>"
    assert found(f"{html}<h1>Lamp</h1>{PROSE}")["tags"] == ["Oil", "Harbour"]


def test_who_signed_below_the_text_is_the_author() -> None:
    def author(signed: str) -> str | None:
        return found(f"<title>Lamp</title><h1>Lamp</h1>{PROSE * 30}{signed}").get("author")

    assert author("<p>Written by Kim Auk") == "Kim Auk"
    assert author("<p>This post was written by Kim Auk, who keeps the lamp of the north mole.") == "Kim Auk"


def test_a_change_below_the_text_is_the_date_if_there_is_no_other() -> None:
    html = f"<title>Lamp</title><h1>Lamp</h1>{PROSE * 30}<p>Last updated: May 17, 2020"
    assert found(html)["published"] == "2020-05-17"
    assert found(f"{html}<p>Opened on May 3, 2019")["published"] == "2019-05-03"


def test_dates_near_the_title() -> None:
    start = "<title>Lamp</title><nav><p>1 May 2019: sale<p>News<p>Shop<p>Help</nav><h1>Lamp</h1>"
    assert found(f"{start}<p>17 May 2020</p>{PROSE}<p>18 May 2021</p>")["published"] == "2020-05-17"
    updated = "<p>Updated 18 May 2021</p><p>17 May 2020</p>"
    assert found(f"{start}{updated}{PROSE}")["published"] == "2020-05-17"
    hidden = "<time class=updated datetime=2021-05-18>x</time><time datetime=2020-05-17>y</time>"
    assert found(f"{start}{hidden}{PROSE}")["published"] == "2020-05-17"
    assert found(PROSE, "https://a.example/2020/05/17/lamp")["published"] == "2020-05-17"


def test_a_visible_date_before_the_stated_one_is_the_publication() -> None:
    ld = '<script type="application/ld+json">{"headline": "Lamp", "datePublished": "2021-01-01", %s}</script>'
    body = f"<title>Lamp</title><h1>Lamp</h1><p>17 May 2020</p>{PROSE}"
    assert found(ld % '"a": 1' + body)["published"] == "2020-05-17"
    later = body.replace("2020", "2022")
    assert found(ld % '"a": 1' + later)["published"] == "2021-01-01"
    assert found(ld % '"dateModified": "2020-05-17"' + body)["published"] == "2021-01-01"


def test_references_that_are_not_resolved_have_no_name() -> None:
    article = {
        "headline": "Lamp",
        "publisher": {"@id": "#x"},
        "keywords": "light, sea",
        "image": {"@id": "#logo"},
    }
    values = of_ld([article, {"@id": "#logo", "name": "Logo", "url": "/logo.png"}])
    assert "site_name" not in values
    assert (values["tags"], values["image"]) == (["light", "sea"], "https://www.lantern.example/logo.png")


def test_hostile_values() -> None:
    values = found(
        "<meta name=author content='a\x00b\u2028'><meta property=og:image content='javascript:x'><p>x"
    )
    assert "image" not in values
    assert values["author"] == "a\ufffdb"
    assert found("", alone=True) == {"url": "https://www.lantern.example/a/lamp"}


@pytest.mark.parametrize(
    "script",
    [
        '<!-- %s -->', "// <![CDATA[\n%s\n// ]]>", "/* a comment */ %s;", "%s {}",
        '{"@graph": [%s, {"@type": "WebSite", "@id": "#site"}]}',
    ],
)  # fmt: skip
def test_json_ld_with_usual_mistakes(script: str) -> None:
    author = '{"givenName": "Kim", "familyName": "Auk",}'
    value = f'{{"headline": "Lamp",\n"author": {author}, "datePublished": "2020-05-17"}}'
    html = (
        f'<title>Lamp</title><script type="application/ld+json">{script % value}</script><h1>Lamp</h1>{PROSE}'
    )
    values = found(html)
    assert (values["author"], values["published"]) == ("Kim Auk", "2020-05-17")
    escaped = html.replace(script % value, (script % value).replace('"', "&quot;"))
    assert found(escaped)["author"] == "Kim Auk"


def test_reviews_and_comments_state_nothing_about_the_page() -> None:
    review = {"@type": "Review", "author": {"name": "Max Tern"}, "datePublished": "2021-03-04"}
    assert "author" not in of_ld({"@type": "Product", "name": "Lamp", "review": [review]})
    day = "<time datetime=2021-03-04>4 March 2021</time>"
    cards = f"<div class=review><b class=author>Max Tern</b>{day}<p>Good.</div>"
    values = found(f"<title>Lamp</title><h1>Lamp</h1>{PROSE}{cards * 2}")
    assert not {"author", "published"} & values.keys()
    bar = "<div id=wm-ipp><p>10 Feb 2012</p></div>"
    assert "published" not in found(f"<title>Lamp</title>{bar}<h1>Lamp</h1>{PROSE}")


@pytest.mark.parametrize(
    ("content", "authors"),
    [
        ("Kim Auk and Jo Lund", ("Kim Auk", "Jo Lund")),
        ("Kim Auk, Jo Lund &amp; Al Tern", ("Kim Auk", "Jo Lund", "Al Tern")),
        ("Ministry of Light and Free Schools", ("Ministry of Light and Free Schools",)),
        ("Lund, Jo", ("Lund, Jo",)),
        ("Jo Lund, Jr.", ("Jo Lund, Jr.",)),
        ("kim@lamp.example (Kim Auk)", ("Kim Auk",)),
        ("Kim Auk &lt;kim@lamp.example&gt;", ("Kim Auk",)),
        ("admin", ()),
        ("Webmaster", ()),
        ("WordPress", ()),
    ],
)
def test_names_in_meta_elements(content: str, authors: tuple[str, ...]) -> None:
    head = f"<meta name=author content='{content}'><title>Lamp</title>"
    document = webgrain.extract(f"{head}<h1>Lamp</h1>{PROSE}")
    assert document.authors == authors
    assert document.author == (", ".join(authors) or None)


@pytest.mark.parametrize(
    ("line", "author"),
    [
        (
            "<p>By <a rel=author href=/k>Kim Auk</a> and <a rel=author href=/j>Jo Lund</a></p>",
            "Kim Auk, Jo Lund",
        ),
        ("<div class=author><a rel=author href=/k>View all posts by Kim Auk</a></div>", "Kim Auk"),
        ("<p>By Kim Auk @kimauk</p>", "Kim Auk"),
        ("<p><b>Datum:</b> 26. Januar 2022</p>", None),
    ],
)
def test_all_authors_and_names_only(line: str, author: str | None) -> None:
    assert found(f"<title>Lamp</title><h1>Lamp</h1>{line}{PROSE}").get("author") == author


@pytest.mark.parametrize(
    ("html", "published", "modified"),
    [
        ("<p>02.12.19</p>", "2019-12-02", None),
        ("<link rel=canonical href=https://www.lantern.example/2021/10/20/lamp/>", "2021-10-20", None),
        ("<p><b>Datum:</b> 26. Januar 2022</p>", "2022-01-26", None),
        ("<p>Published: 4 March 2019 | Updated: 20 November 2023</p>", "2019-03-04", "2023-11-20"),
        ("<p>04-Mar-07</p>", "2007-03-04", None),
        ("<p>2010. március 4.</p>", "2010-03-04", None),
        ("<meta property=og:updated_time content=1670745600><p>3 March 2021", "2021-03-03", "2022-12-11"),
    ],
)
def test_forms_of_dates(html: str, published: str, modified: str | None) -> None:
    values = found(f"<title>Lamp</title>{html if html[1] in 'lm' else ''}<h1>Lamp</h1>{html}{PROSE}")
    assert (values.get("published"), values.get("modified")) == (published, modified)


@pytest.mark.parametrize(
    ("language", "lines", "published"),
    [
        ("en-US", "<p>By Kim Auk, 03/04/2007</p>", "2007-03-04"),
        ("en-US", "<p>Posted 03/04/2007</p>", "2007-03-04"),
        ("en-GB", "<p>By Kim Auk, 03/04/2007</p>", "2007-04-03"),
    ],
)
def test_dates_of_american_pages_begin_with_the_month(language: str, lines: str, published: str) -> None:
    html = f"<html lang={language}><title>Lamp</title><h1>Lamp</h1>{lines}{PROSE}"
    assert found(html).get("published") == published


def test_many_lines_with_dates_and_names_take_linear_time() -> None:
    lines = "".join(
        f"<p class=author>By Kim Auk{k}</p><time>{k % 28 + 1} May 2020</time>" for k in range(20_000)
    )
    page = parse(f"<h1>Lamp</h1>{PROSE}<div class=comments>{lines}</div>")
    article = Article("article", "Lamp", (Part("title", 3, ("Lamp",)), Part("paragraph", 5, ("The keeper",))))
    start = time.process_time()
    metadata(page, article)
    assert time.process_time() - start < 10


def test_the_number_of_authors_is_bounded() -> None:
    names = [f"{first}{second}ko Berg" for first in "ABCDEFGHIJ" for second in "aeiouy"]
    head = "".join(f"<meta name=author content='{name}'>" for name in names)
    author = found(f"<title>Lamp</title>{head}<h1>Lamp</h1>{PROSE}")["author"]
    assert author.split(", ") == names[:50]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<b>Notice</b><!DOCTYPE html><html><head><title>Pears</title></head><body><p>Text", "Pears"),
        ("Notice<!DOCTYPE html><title>Pears</title><p>Text", "Pears"),
        ("<title>Pears</title><p>Text<title>Another</title>", "Pears"),
        ("<p>Text<svg><title>A picture</title></svg>", None),
        ("<p>Text<svg><title>A picture</title></svg><title>Pears</title>", "Pears"),
    ],
)
def test_a_title_in_the_body_is_that_of_the_document(html: str, title: str | None) -> None:
    assert webgrain.extract(html).metadata.get("document_title") == title


def of_site(line: str, pages: int = 12, k: int = 0) -> list[dict[str, Any]]:
    """Return the metadata of page k of a site whose pages have a line, without and with the site."""
    names = "abcdefghijklmnopqrstuvwxyz"[:pages]
    html = "<title>Lamp {0}</title><nav><p>News</p><p>Harbours</p></nav><h1>Lamp {0}</h1>{1}{2}"
    parsed = [
        parse(
            Source(f"{name}.html", html.format(name, line, PROSE.replace("keeper", f"{name}keeper")).encode())
        )
        for name in names
    ]
    texts, page = site_texts(parsed), parsed[k]
    return [metadata(page, SinglePage().predict(page, site)) for site in (None, texts)]


def test_a_name_or_day_that_many_pages_of_the_site_have_is_none_of_the_page() -> None:
    alone, with_site = of_site("<p>Author</p><p>Message</p><p>17 May 2020</p>")
    assert (alone["author"], alone["published"]) == ("Message", "2020-05-17")
    assert not {"author", "published"} & with_site.keys()
    assert "author" not in of_site("<p>By Kim Auk</p>")[1]  # nearly all pages have this line
    few = of_site("<p>Author</p><p>Message</p><p>17 May 2020</p>", pages=4)[1]
    assert (few["author"], few["published"]) == ("Message", "2020-05-17")
    assert "modified" not in of_site("<p>Updated: 17 May 2020</p>")[1]


def test_a_declared_author_may_be_that_of_all_pages() -> None:
    for line in ("<meta name=author content='Kim Auk'><p>Kim Auk</p>", "<p class=author>Kim Auk</p>"):
        assert of_site(line)[1]["author"] == "Kim Auk"


def test_a_long_name_of_a_meta_element_takes_no_time() -> None:
    name = "publish " * 100_000 + "by"
    start = time.process_time()
    _ = webgrain.extract(f'<meta name="{name}" content="2020-01-01"><p>Text').metadata
    assert time.process_time() - start < 10  # 100 s if each word is followed to the end
