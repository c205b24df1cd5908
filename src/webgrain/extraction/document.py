"""Documents: the extracted content of a page; its views as text, Markdown, HTML and JSON; records.

All views are made from one tree, see `webgrain.documents.parts`. The HTML contains no scripts, styles or
forms; its addresses are absolute HTTP addresses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from textwrap import indent
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from webgrain.base.failures import fact
from webgrain.base.guesses import NamesGuesses
from webgrain.base.htmltable import html_table
from webgrain.documents.article import Article, without_quotations
from webgrain.documents.content import Content
from webgrain.documents.partrecords import PartRecords
from webgrain.documents.parts import Image, Part, images_in, links_in, sections
from webgrain.page.addresses import noted_xpaths, xpaths_of
from webgrain.page.dom import Dom
from webgrain.page.links import Link
from webgrain.page.page import Page, PageResult
from webgrain.page.strings import name_set
from webgrain.page.turns import Steps

if TYPE_CHECKING:
    from webgrain.documents.chunks import Chunk


T = TypeVar("T")
_METADATA = "the metadata"


class KnownFact(NamedTuple):
    """A fact of a page that was computed, and a sentence for each part of it that is missing."""

    value: Any
    notes: tuple[str, ...]


_GUESSES = {
    name: instead
    for instead, names in {
        "author": "byline author_name creator writer",
        "published": "date publish_date published_date date_published publication_date published_at pubdate "
        "pub_date created created_at date_created",
        "modified": "updated updated_at date_modified modified_date last_modified",
        "language": "lang meta_lang",
        "title": "headline heading short_title h1",
        "text": "main_text plain_text raw_text article_text body_text cleaned_text clean_text article_body "
        "text_content inner_text get_text to_text as_text main",
        "text.split()": "words word_count tokens",
        "content or blocks": "body tree parts sections paragraphs elements",
        "markdown or as_markdown()": "md to_markdown",
        "html or as_html()": "to_html article_html summary_html to_xml xml markup",
        "to_dict()": "to_json as_dict asdict dict to_dataframe to_pandas to_df dataframe df",
        "json": "as_json dumps",
        "content.walk() and the kind of each part": "headings tables lists quotes videos movies embeds",
        "images": "imgs pictures figures",
        "posts": "first_post replies answers",
        "kind or verdict": "is_article article_type",
        "confidence": "score probability",
        "metadata": "meta metas meta_data head",
        "metadata.get('image')": "image top_image main_image top_img meta_img thumbnail image_url",
        "metadata.get('description')": "description summary excerpt meta_description",
        "metadata.get('tags')": "tags keywords meta_keywords categories category",
        "metadata.get('canonical')": "canonical canonical_link canonical_url",
        "metadata.get('site_name')": "site_name sitename publisher hostname host source_name",
        "metadata.get('licence')": "licence license",
        "page.dom": "dom root soup doc lxml",
        "page.source.body": "raw_html raw source",
        "page.charset": "charset encoding",
        "webgrain.Site.predict(page).type": "type page_type",
        "webgrain.segment(page)": "segments",
    }.items()
    for name in names.split()
}
"""Names that people guess, and what to write instead."""


@dataclass(frozen=True, slots=True, eq=False)
class Document(PageResult, NamesGuesses):
    """The extracted content of a page.

    Attributes:
        page: the page.
        article: the title and the blocks of the main content and the comments.
    """

    _guesses: ClassVar[Mapping[str, str]] = _GUESSES

    article: Article
    _facts: dict[str, KnownFact] = field(init=False, repr=False, default_factory=dict)

    def __getstate__(self) -> list[Any]:
        """Return what is pickled; of the facts a copy, since other threads may add some meanwhile."""
        return [self.page, self.article, self._facts.copy()]

    @property
    def title(self) -> str:
        """The title; empty if there is none."""
        return self.article.title

    @property
    def content(self) -> Part:
        """The main content and the comments: a tree of sections, blocks and inline parts."""
        return Part("document", 0, (*sections(self.article.main), *self.article.comments))

    @property
    def text(self) -> str:
        """The main text, code included, with a blank line between its blocks; of a thread, all posts."""
        return self.article.text

    @property
    def code(self) -> tuple[str, ...]:
        """The code blocks of the main text."""
        return self.article.code

    @property
    def comments(self) -> tuple[Part, ...]:
        """The comments of readers, with the replies to them; author and date are attributes.

        Those of a thread are the posts after the first one.
        """
        return self.article.comments

    @property
    def posts(self) -> tuple[Part, ...]:
        """The posts of a thread in their order, the first one included; empty for other kinds of pages."""
        return self.article.posts

    @property
    def blocks(self) -> tuple[Part, ...]:
        """Title, main content and comments in document order, without sections."""
        return tuple(self.article.blocks)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that was cut off, replaced, read from data, or could not be computed."""
        return (*self.page.notes, *self.article.notes, *self._failed_facts())

    def record_steps(self) -> Steps[None]:
        """Compute all facts that a record contains, in steps."""
        _ = self.metadata
        yield "metadata"

    def _failed_facts(self) -> tuple[str, ...]:
        """Return a sentence for each fact that could not be computed; all facts are computed first."""
        _ = self.metadata
        return self._facts[_METADATA].notes

    def _fact(self, name: str, compute: Callable[[list[str]], T], unknown: Callable[[], T]) -> T:
        """Return a fact, which is computed once.

        compute: is called with a list of sentences, to which it adds one for each part that is missing.
        unknown: returns the value of a fact that cannot be computed.
        """
        known = self._facts.get(name)
        if known is None:
            notes: list[str] = []
            value = fact(name, partial(compute, notes), unknown(), notes)
            # Threads that compute it at the same time get the same object.
            known = self._facts.setdefault(name, KnownFact(value, tuple(notes)))
        result: T = known.value
        return result

    @property
    def verdict(self) -> str:
        """``article``, ``index`` (a page that links to articles) or ``unknown``."""
        return self.article.verdict

    @property
    def kind(self) -> str:
        """``article``, ``thread``, ``product``, ``list``, ``documentation`` or ``other``.

        A product is any one thing with fields, such as a recipe or an event.
        """
        return self.article.kind

    @property
    def kinds(self) -> dict[str, float]:
        """The probability of each kind; empty if the method does not estimate them."""
        return dict(self.article.kinds)

    @property
    def confidence(self) -> float:
        """The confidence in title and text, 0..1."""
        return self.article.confidence

    @property
    def markdown(self) -> str:
        """Title and main content as Markdown, with links, lists, tables, code and formulas."""
        return self.as_markdown()

    def as_markdown(self, comments: bool | None = None) -> str:
        """Return title and main content as Markdown.

        comments: with the comments, as quotes; None: with those of a thread only.
        """
        from webgrain.documents.markdown import markdown  # most documents are written as text

        return markdown(self.title, _body(self.article, comments))

    @property
    def html(self) -> str:
        """Title and main content as an HTML document."""
        return self.as_html()

    def as_html(self, comments: bool | None = None) -> str:
        """Return title and main content as an HTML document.

        comments: with the comments; None: with those of a thread only.
        """
        return html_of(self.title, _body(self.article, comments), self.language or "")

    @property
    def json(self) -> dict[str, Any]:
        """The tree as plain values: kind, xpath, attributes, and children or text of each part."""
        records = PartRecords()
        tree = content_record(records, self.article)
        records.locate(xpaths_of(self.page.dom, records.nodes))
        return tree

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata that the page states, see `webgrain.extraction.metadata.metadata`."""
        from webgrain.extraction.metadata import metadata

        values: dict[str, Any] = self._fact(_METADATA, partial(metadata, self.page, self.article), dict)
        return dict(values)

    def with_metadata(self, known: dict[str, Any]) -> Self:
        """Return the same document with metadata that were read before."""
        document = replace(self)
        document._facts[_METADATA] = KnownFact(known, ())
        return document

    @property
    def author(self) -> str | None:
        """The authors, separated by commas; None if the page does not state them."""
        return self.metadata.get("author")

    @property
    def authors(self) -> tuple[str, ...]:
        """The name of each author; empty if the page does not state them."""
        from webgrain.extraction.authors import names_in

        return names_in(self.author or "")

    @property
    def published(self) -> str | None:
        """The date of publication in ISO 8601; None if the page does not state it."""
        return self.metadata.get("published")

    @property
    def modified(self) -> str | None:
        """The date of the last change in ISO 8601; None if the page does not state it."""
        return self.metadata.get("modified")

    @property
    def language(self) -> str | None:
        """The language, such as ``en``; None if the page does not state it.

        The metadata may have a ``detected_language``.
        """
        return self.metadata.get("language")

    @property
    def links(self) -> tuple[Link, ...]:
        """The links in the main content, each with its address and its text."""
        return links_in(self.article.main)

    @property
    def images(self) -> tuple[Image, ...]:
        """The images in the main content, each with its address and its alternative text."""
        return images_in(self.article.main)

    @property
    def front_matter(self) -> str:
        """The metadata as YAML between lines of three dashes, to be written before the Markdown."""
        known = {name: value for name, value in self.metadata.items() if name in METADATA_FIELDS}
        return front_matter({"title": self.title, "url": self.url, **known, "kind": self.kind})

    def chunks(
        self,
        max_tokens: int = 512,
        tokenizer: Any = None,
        *,
        as_markdown: bool = False,
        comments: bool | None = None,
    ) -> list[Chunk]:
        r"""Return the main content in chunks, for search and for language models.

        Chunks follow the sections. Blocks, items of lists, tables and code are only cut if they do not fit
        into a chunk alone, see `webgrain.documents.chunks`.

        Args:
            max_tokens: the greatest number of tokens of a chunk.
            tokenizer: a function that returns the number of tokens of a text, or the tokens; or an object
                with such a method ``encode``. None: `webgrain.documents.chunks.approximate_tokens`.
            as_markdown: the texts of the chunks are Markdown.
            comments: whether the comments follow the main content; None: those of a thread do.

        Raises:
            ParameterError: an argument has the wrong type or value.

        >>> from webgrain.page.parsing import parse
        >>> blocks = Part("heading", 3, ("A",), {"level": 2}), Part("paragraph", 4, ("One. Two.",))
        >>> document = Document(parse("<h2>A</h2><p>One. Two."), Article("article", "T", blocks))
        >>> [(chunk.headings, chunk.text) for chunk in document.chunks(3)]
        [(('T', 'A'), 'A\n\nOne.'), (('T', 'A'), 'Two.')]
        """
        from webgrain.documents.chunks import chunks

        blocks = sections(_body(self.article, comments=False))
        with_comments = self.article.joined if comments is None else comments
        replies = self.comments if with_comments else ()
        return chunks(self.page, self.title, (*blocks, *replies), max_tokens, tokenizer, as_markdown)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a record of ``webgrain extract``, ready for JSON."""
        return document_record(self)

    def __repr__(self) -> str:
        return f"<Document {self.title!r:.80}: {self.verdict}, {len(self.text):,} characters>"

    def _repr_html_(self) -> str:
        """Return the title, the metadata and the beginning of the text for notebooks."""
        rows = list(self.metadata.items())
        return f"<h3>{escape(self.title)}</h3>{html_table(('field', 'value'), rows)}" + "".join(
            f"<p>{escape(part)}</p>" for part in self.text[:2000].split("\n\n")
        )


def _body(article: Article, comments: bool | None = None) -> tuple[Part, ...]:
    """Return the main content without a heading that repeats the title at its beginning, and the comments.

    comments: None: as the text of the article has them.
    """
    main = article.main
    repeated = bool(main) and main[0].kind == "heading" and main[0].text == article.title
    with_comments = article.joined if comments is None else comments
    return (*main[repeated:], *(article.comments if with_comments else ()))


# YAML.

_PLAIN_LINES = re.compile(r"[\u0085\u2028\u2029\ufeff\ufffe\uffff\x7f-\x9f]")


def front_matter(values: dict[str, Any]) -> str:
    r"""Return fields as YAML between lines of three dashes; empty ones are left out.

    Texts are quoted as in JSON, which YAML 1.2 contains.

    >>> print(front_matter({"title": 'a: "b"', "tags": ["x", "y"], "author": ""}))
    ---
    title: "a: \"b\""
    tags: ["x", "y"]
    ---
    <BLANKLINE>
    """

    def quoted(value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return _PLAIN_LINES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)

    lines = [f"{name}: {quoted(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---", ""])


# HTML.

_TAGS = {
    "paragraph": "p", "item": "li", "definitions": "dl", "term": "dt", "definition": "dd", "table": "table",
    "row": "tr", "quote": "blockquote", "figure": "figure", "section": "section", "comment": "article",
    "title": "p", "sub": "p", "strong": "strong", "emphasis": "em", "deleted": "del",
    "literal": "code", "subscript": "sub", "superscript": "sup", "list": "ul",
}  # fmt: skip
_BREAKS_AFTER = name_set("p li dl dt dd table tr blockquote figure section article ul ol caption figcaption")


def html_of(title: str, blocks: tuple[Part, ...], language: str = "") -> str:
    """Return a title, empty for none, and blocks as an HTML document.

    >>> link = Part("link", 4, ("a < b",), {"url": "http://example.org/?a=1&b=2"})
    >>> print(html_of("T", (Part("paragraph", 3, (link,)),)).split("</title>")[1])
    <BLANKLINE>
    <h1>T</h1>
    <p><a href="http://example.org/?a=1&amp;b=2">a &lt; b</a></p>
    <BLANKLINE>
    """
    lang = f' lang="{escape(language)}"' if language else ""
    head = f'<!DOCTYPE html>\n<html{lang}>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
    heading = f"<h1>{escape(title)}</h1>\n" if title else ""
    return f"{head}{heading}{''.join(map(_html, blocks))}".rstrip("\n") + "\n"


def _html(part: Part | str, around: str = "") -> str:
    """Return a part as HTML; around: the kind of the part that contains it."""
    if isinstance(part, str):
        return escape(part, quote=False)
    kind, attributes = part.kind, part.attributes
    if kind == "break":
        return "<br>"
    if kind == "image":
        return f'<img src="{escape(attributes["url"])}" alt="{escape(attributes.get("alt", ""))}">'
    if kind == "embed":
        title = f' title="{escape(attributes["title"])}"' if attributes["title"] else ""
        return f'<iframe src="{escape(attributes["url"])}"{title} sandbox="allow-scripts"></iframe>'
    inside = "".join(_html(child, kind) for child in _lines_joined(part))
    if kind == "math":
        name = "div" if attributes.get("display") else "span"
        tex = escape(attributes.get("tex", ""), quote=False)
        return f"<{name}>{f'<code>{tex}</code>' if tex else attributes.get('mathml', '')}</{name}>"
    if kind == "code":
        named = f' class="language-{escape(attributes["language"])}"' if "language" in attributes else ""
        return f"<pre><code{named}>{inside}</code></pre>\n"
    if kind == "ruby":
        above = f"<rt>{escape(attributes['annotation'])}</rt>" if "annotation" in attributes else ""
        return f"<ruby>{inside}{above}</ruby>"
    if kind == "comment" and attributes:
        inside = f"<p>{escape(', '.join(attributes.values()))}</p>\n{inside}"
    tag, given = _tag(part, around)
    markup = "".join(f' {name}="{escape(str(value))}"' for name, value in given.items())
    return f"<{tag}{markup}>{inside}</{tag}>" + "\n" * (tag in _BREAKS_AFTER or kind == "heading")


def _lines_joined(part: Part) -> tuple[Part | str, ...]:
    """Return the children; of an item, a definition or a cell with one text its inline parts."""
    first, *rest = part.children or ("",)
    only_lists = all(isinstance(child, Part) and child.kind == "list" for child in rest)
    holder = part.kind in ("item", "definition", "cell") and only_lists
    if holder and isinstance(first, Part) and first.kind == "paragraph":
        return (*first.children, *rest)
    return part.children


def _tag(part: Part, around: str) -> tuple[str, dict[str, Any]]:
    """Return the tag of a part and its HTML attributes."""
    kind, attributes = part.kind, part.attributes
    if kind == "heading":
        return f"h{min(max(int(attributes.get('level', 2)), 1), 6)}", {}
    if kind == "list" and attributes.get("ordered"):
        return "ol", {"start": attributes["start"]} if attributes.get("start", 1) != 1 else {}
    if kind == "cell":
        spans = {name: attributes[name] for name in ("colspan", "rowspan") if name in attributes}
        return "th" if attributes.get("header") else "td", spans
    if kind == "caption":
        return {"table": "caption", "figure": "figcaption"}.get(around, "p"), {}
    if kind == "link":
        named = {"id": attributes["id"]} if "id" in attributes else {}
        return "a", {"href": attributes["url"], **named}
    return _TAGS.get(kind, "div"), {}


# Records.


def tree_record(dom: Dom, tree: Part) -> dict[str, Any]:
    """Return a tree as plain values; blocks have the XPath of their element.

    >>> from webgrain.page.parsing import parse_html
    >>> tree_record(parse_html("<p>Text"), Part("paragraph", 3, ("Text",)))
    {'kind': 'paragraph', 'xpath': '/html[1]/body[1]/p[1]', 'text': 'Text'}
    """
    records = PartRecords()
    record = records.of_part(tree)
    records.locate(xpaths_of(dom, records.nodes))
    return record


def content_record(records: PartRecords, article: Article) -> dict[str, Any]:
    """Return the tree of an article as plain values, see `Document.content`; its XPaths are not filled in."""
    table = article.blocks.table if isinstance(article.blocks, Content) else None
    blocks = map(records.of_part, article.main) if table is None else records.of_table(table)
    return records.of_document(blocks, map(records.of_part, article.comments))


METADATA_FIELDS = (
    "author", "published", "modified", "description", "language", "image", "canonical", "site_name", "tags",
    "licence", "paywall", "detected_language",
)  # fmt: skip
"""Fields of the metadata in records, null where the page does not state them."""


def document_record(document: Document) -> dict[str, Any]:
    """Return a document with the fields of ``webgrain extract``, ready for JSON.

    >>> from webgrain.page.parsing import parse
    >>> article = Article("article", "", (Part("paragraph", 3, ("Text",)),))
    >>> record = document_record(Document(parse("<p>Text"), article))
    >>> record["text"], record["content"]["children"][0]["xpath"]
    ('Text', '/html[1]/body[1]/p[1]')
    """
    page, article, known = document.page, document.article, document.metadata
    records = PartRecords()
    content = content_record(records, article)
    where, notes = noted_xpaths(page, records.nodes)
    records.locate(where)
    return {
        "page": page.id,
        "url": page.url,
        "notes": [
            *notes,
            *article.notes,
            *document._failed_facts(),
        ],
        "verdict": article.verdict,
        "kind": article.kind,
        "kinds": dict(article.kinds),
        "title": article.title,
        "text": article.text,
        "comments": comment_records(article.comments),
        "code": list(article.code),
        "sub": list(article.sub),
        **{name: known.get(name) for name in METADATA_FIELDS},
        "content": content,
        "layout": article.layout,
        "confidence": article.confidence,
        "evidence": article.evidence,
    }


def comment_records(comments: Iterable[Part], level: int = 0) -> list[dict[str, Any]]:
    """Return author, date, level and text of comments; replies follow a comment and have a level more.

    >>> reply = Part("comment", 4, (Part("paragraph", 4, ("No.",)),))
    >>> comment_records([Part("comment", 3, (Part("paragraph", 3, ("Yes.",)), reply), {"author": "Kim"})])[1]
    {'author': None, 'date': None, 'level': 1, 'text': 'No.'}
    """
    records = []
    for part in comments:
        known = {name: part.attributes.get(name) for name in ("author", "date")}
        text = "\n\n".join(child.text for child in part.parts if child.kind != "comment")
        records.append({**known, "level": level, "text": text})
        records += comment_records((child for child in part.parts if child.kind == "comment"), level + 1)
    return records


def article_text(article: Article, comments: bool | None = None) -> str:
    r"""Return title and main text as plain text, with a blank line between the parts.

    comments: with the comments, each after a line with its author and date; replies are indented. None: with
    the posts of a thread.

    >>> article_text(Article("article", "T", (Part("paragraph", 3, ("Text",)), Part("code", 4, ("x = 1",)))))
    'T\n\nText\n\nx = 1\n'
    """
    pieces = [article.title, *(part.text for part in _body(article, comments=False))]
    with_comments = article.joined if comments is None else comments
    posts = without_quotations(article.main_text, article.comments) if with_comments else ()
    for comment in comment_records(posts):
        head = ", ".join(filter(None, (comment["author"], comment["date"])))
        pieces.append(indent("\n".join(filter(None, (head, comment["text"]))), "    " * comment["level"]))
    return "\n\n".join(filter(None, pieces)) + "\n"


_LABELS = {"title": "TITLE", "comment": "COMMENT", "sub": "SUB", "code": "CODE"}


def article_lines(page: Page, article: Article, mark_index: bool = False) -> str:
    """Return an article as the lines of Webstemmer: ``TITLE:``, ``MAIN-1:``, ``SUB-2:``, with block numbers.

    A page of no known layout begins with ``!UNMATCHED:``, other pages with ``!MATCHED:``; mark_index: index
    pages with ``!INDEX:``.

    >>> from webgrain.page.parsing import parse
    >>> block = Part("paragraph", 3, ("Text",))
    >>> print(article_lines(parse("<p>Text"), Article("article", "T", (block,), "1")))
    !MATCHED: page
    PATTERN: 1
    MAIN-0: Text
    <BLANKLINE>
    """
    index = "INDEX" if mark_index else "MATCHED"
    mark = {"article": "MATCHED", "index": index}.get(article.verdict, "UNMATCHED")
    lines = [f"!{mark}: {_line(page.id)}"]
    lines += [f"PATTERN: {_line(article.layout)}"] if article.layout else []
    for number, block in enumerate(_line_blocks(article)):
        label = _LABELS.get(block.kind, "MAIN")
        start = label if label == "TITLE" else f"{label}-{number}"
        whole = block.text.splitlines() if block.kind in ("code", "table") else [_line(block.text)]
        lines += [f"{start}: {line}" for line in whole]
    return "\n".join([*lines, ""])


def _line_blocks(article: Article) -> Iterator[Part]:
    """Yield the blocks of an article; of lists, definitions and quotes the blocks in them."""
    waiting = list(reversed(article.blocks))
    while waiting:
        part = waiting.pop()
        if part.kind in ("list", "item", "definitions", "definition", "quote", "figure"):
            waiting += reversed(list(part.parts))
        elif part.kind not in ("image", "embed", "link"):
            yield part


def _line(text: str) -> str:
    return " ".join(text.split())
