"""Chunks follow sections, are never too long, and contain all of the text."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import webgrain
from webgrain.base.errors import ParameterError
from webgrain.documents.article import Article
from webgrain.documents.chunks import approximate_tokens, counter, most_that_fit
from webgrain.documents.content import content
from webgrain.documents.parts import part_text
from webgrain.extraction.document import Document
from webgrain.page.addresses import find_xpath
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

SITE = Path(__file__).parents[2] / "examples" / "site"
PAGES = [
    "en/harbour/keeper-of-the-north-mole.html",
    "en/harbour/winter-ferry-timetable.html",
    "en/kitchen/smoked-mackerel-on-rye.html",
    "en/harbour/tide-clock-from-a-kitchen-timer.html",
    "de/kueche/brot-vom-vortag.html",
    "en/shop/storm-lantern.html",
]
SENTENCES = "One two three four. Five six seven eight! Nine ten?"


def words(text: str) -> int:
    return len(text.split())


def document_of(html: str, title: str = "T", **comments: object) -> Document:
    """A document of all blocks of a page."""
    page = parse(html)
    blocks = text_blocks(page)
    return Document(
        page, Article("article", title, content(page, blocks, range(len(blocks)), [1.0] * len(blocks)))
    )


def texts_of(html: str, most: int, **options: object) -> list[str]:
    return [chunk.text for chunk in document_of(html).chunks(most, words, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("most", "as_markdown"), [(5, False), (40, False), (100_000, False), (40, True), (200, True)]
)
def test_chunks_of_the_sample_site(name: str, most: int, as_markdown: bool) -> None:
    document = webgrain.extract(SITE / name)
    made = document.chunks(most, words, as_markdown=as_markdown)
    assert all(chunk.tokens == words(chunk.text) <= most for chunk in made)
    assert len({chunk.id for chunk in made}) == len(made)
    assert [chunk.number for chunk in made] == list(range(len(made)))
    read = " ".join([made[0].text, *(f"{' '.join(chunk.headings)} {chunk.text}" for chunk in made[1:])])
    expected = {word for block in document.article.main for word in part_text(block).split()}
    if not as_markdown:
        assert expected <= set(read.split())
    for chunk in made:
        assert chunk.headings[:1] == ((document.title,) if document.title else ())
        assert json.loads(json.dumps(chunk.to_dict())) == chunk.to_dict()
        assert all(find_xpath(document.page.dom, path) is not None for path in chunk.xpath)


def test_a_short_document_is_one_chunk() -> None:
    html = f"<p>{SENTENCES}<h2>A</h2><p>More.<ul><li>x<li>y</ul>"
    [chunk] = document_of(html).chunks()
    assert chunk.text == document_of(html).text
    assert (chunk.headings, chunk.number, chunk.page, chunk.url) == (("T",), 0, "page", None)
    [chunk] = document_of(html).chunks(as_markdown=True)
    assert chunk.text == f"{SENTENCES}\n\n## A\n\nMore.\n\n- x\n- y"


def test_sections_are_not_mixed() -> None:
    html = "<p>a b<h2>A</h2><p>c d e f<h3>B</h3><p>g h<h3>C</h3><p>i j<h2>D</h2><p>k l"
    made = document_of(html).chunks(6, words)
    assert [(chunk.headings, chunk.text.split()) for chunk in made] == [
        (("T",), ["a", "b"]),
        (("T", "A"), ["A", "c", "d", "e", "f"]),
        (("T", "A"), ["B", "g", "h", "C", "i", "j"]),
        (("T", "D"), ["D", "k", "l"]),
    ]


def test_a_heading_stays_with_its_text() -> None:
    assert texts_of("<h2>A</h2><p>b c d<h2>E</h2><p>f g", 6) == ["A\n\nb c d", "E\n\nf g"]
    made = document_of("<h2>A b c</h2><p>d e f g<p>h").chunks(4, words)
    assert [(chunk.headings, chunk.text) for chunk in made] == [
        (("T", "A b c"), "d e f g"),
        (("T", "A b c"), "h"),
    ]


def test_a_heading_without_text_is_not_one_of_the_headings() -> None:
    made = document_of("<h2><img src=a.png></h2><p>a b c<p>d e f").chunks(3, words)
    assert [(chunk.headings, chunk.text) for chunk in made] == [(("T",), "a b c"), (("T",), "d e f")]


def test_a_line_before_a_list_stays_with_it() -> None:
    assert texts_of("<p>a b c d.<p>You need<ul><li>e<li>f</ul>", 6) == ["a b c d.", "You need\n\ne\nf"]
    assert texts_of("<p>a b c d.<p>Answer:<p>e f", 6) == ["a b c d.", "Answer:\n\ne f"]


def test_paragraphs_are_cut_between_sentences_and_words() -> None:
    assert texts_of(f"<p>{SENTENCES}", 6) == ["One two three four.", "Five six seven eight! Nine ten?"]
    assert texts_of(f"<p>{SENTENCES}", 3)[:2] == ["One two three", "four."]
    assert [chunk.text for chunk in document_of("<p>abcdefgh ij").chunks(3, len)] == [
        "abc",
        "def",
        "gh",
        "ij",
    ]
    assert [chunk.text for chunk in document_of("<p>これは本。それも本。").chunks(6)] == [
        "これは本。",
        "それも本。",
    ]


def test_lists_are_cut_between_items() -> None:
    assert texts_of("<ul><li>a b<li>c d<li>e f<li>g</ul>", 4) == ["a b\nc d", "e f\ng"]
    assert texts_of("<ol><li>a b<li>c d<li>e f</ol>", 6, as_markdown=True) == ["1. a b\n2. c d", "3. e f"]
    nested = "<ul><li>a<ul><li>b c<li>d e</ul><li>f</ul>"
    assert texts_of(nested, 3) == ["a", "b c", "d e", "f"]


def test_tables_are_cut_between_rows_and_repeat_their_head() -> None:
    rows = "".join(f"<tr><td>{k}<td>x" for k in range(3))
    html = f"<table><caption>C</caption><tr><th>A<th>B{rows}</table>"
    head = "C\nA | B\n"
    assert texts_of(html, 9) == [f"{head}0 | x", f"{head}1 | x", f"{head}2 | x"]
    assert texts_of(html, 10) == [f"{head}0 | x\n1 | x", f"{head}2 | x"]
    assert texts_of(html, 13) == texts_of(html, 100)
    assert texts_of(html, 6)[:3] == ["C\nA | B", "0 | x\n1 | x", "2 | x"]


def test_code_is_cut_between_lines() -> None:
    assert texts_of("<pre>a = 1\n  b = 2\nc = 3</pre>", 6) == ["a = 1\n  b = 2", "c = 3"]
    assert texts_of("<pre>a = 1\n\nb = 2\nc = 3</pre>", 8) == ["a = 1", "b = 2\nc = 3"]
    made = texts_of("<pre><code class=language-c>a = 1\n  b = 2\nc = 3</code></pre>", 8, as_markdown=True)
    assert made == ["```c\na = 1\n  b = 2\n```", "```c\nc = 3\n```"]


@pytest.mark.parametrize(
    "block",
    [
        "<table><tr><th>A<th>B<tr><td>1<td>2<tr><td>3<td>4</table>",
        "<pre>a = 1\nb = 2\nc = 3</pre>",
        "<ul><li>a b c d e f g h i</ul>",
    ],
)
def test_what_fits_alone_is_not_cut(block: str) -> None:
    whole = part_text(document_of(block).content)
    most = words(whole)
    for before in ("<p>x y z.", "<h2>x y</h2>", "<p>x y:", "<h2>v</h2><p>w<h3>x</h3><p>y:"):
        assert whole in texts_of(f"{before}{block}<p>z", most)


def test_quotes_and_definitions_are_cut_between_their_blocks() -> None:
    assert texts_of("<blockquote><p>a b<p>c d<p>e</blockquote>", 4) == ["a b\n\nc d", "e"]
    assert texts_of("<dl><dt>a<dd>b<dt>c<dd>d</dl>", 2) == ["a\nb", "c\nd"]


def test_comments_are_chunks_if_they_are_wanted() -> None:
    document = webgrain.extract(SITE / "en/harbour/keeper-of-the-north-mole.html")
    if not document.comments:
        pytest.skip("the sample page has no comments")
    alone, both = document.chunks(100), document.chunks(100, comments=True)
    assert [chunk.id for chunk in both][: len(alone)] == [chunk.id for chunk in alone]
    assert len(both) > len(alone)


def test_ids_are_stable() -> None:
    html = "<h2>A</h2><p>a b c d<h2>B</h2><p>a b c d<h2>B</h2><p>a b c d<h2>C</h2><p>e"
    ids = [chunk.id for chunk in document_of(html).chunks(5, words)]
    assert len(set(ids)) == 4
    changed = [chunk.id for chunk in document_of(f"<p>new<div>{html}</div>").chunks(5, words)]
    assert changed[1:] == ids
    other = document_of(html, title="U").chunks(5, words)
    assert not {chunk.id for chunk in other} & set(ids)


def test_tokenizers_count_or_encode() -> None:
    class Encoder:
        def encode(self, text: str) -> list[int]:
            return [len(word) for word in text.split()]

    html = f"<p>{SENTENCES}<p>{SENTENCES}"
    by_number = [chunk.text for chunk in document_of(html).chunks(7, words)]
    for tokenizer in (str.split, Encoder(), lambda text: np.int64(words(text))):
        assert [chunk.text for chunk in document_of(html).chunks(7, tokenizer)] == by_number
    for tokenizer, message in ((5, "must count or encode a text, got int"), (lambda _: None, "got NoneType")):
        with pytest.raises(ParameterError, match=message):
            document_of(html).chunks(7, tokenizer)
    for most in (0, 1.5, True):
        with pytest.raises(ParameterError, match="max_tokens must be an integer of at least 1"):
            document_of(html).chunks(most)  # type: ignore[arg-type]


def test_the_approximate_count_is_additive() -> None:
    texts = [SENTENCES, "漢字 and kana かな", "ภาษาไทย", "x" * 13, "1,234.5 %"]
    assert approximate_tokens(" ".join(texts)) == sum(map(approximate_tokens, texts))
    assert approximate_tokens("x" * 13) == 3
    assert approximate_tokens("दिसंबर") == approximate_tokens("e\u0301t\u0301") == 1
    assert counter(None) is approximate_tokens


def test_most_that_fit() -> None:
    for number in range(20):
        for most in range(22):
            tried: list[int] = []

            def fits(n: int, most: int = most, tried: list[int] = tried) -> bool:
                tried.append(n)
                return n <= most

            assert most_that_fit(number, fits) == min(number, most)
            assert all(b <= 2 * a for a, b in pairwise([1, *tried]))


@pytest.mark.parametrize(
    "html",
    [
        "<ul>" + "<li>a b c" * 25_000,
        "<p>a" * 25_000,
        f"<p>{'word ' * 50_000}",
        f"<p>{'x' * 250_000}",
        "<pre>" + "line\n" * 25_000 + "</pre>",
        "<pre>" + "\n  " * 50_000 + "</pre><p>a",
        "<table>" + "<tr><td>1<td>2" * 15_000 + "</table>",
        "<h2>A</h2><p>a" * 15_000,
        "<blockquote>" * 10_000 + "a b c " * 1000,
        f"<p>{'a!' * 50_000}",
    ],
)
def test_large_documents_end(html: str) -> None:
    made = document_of(html).chunks(300)
    assert made
    assert all(chunk.tokens <= 300 for chunk in made)
