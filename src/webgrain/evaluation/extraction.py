"""Evaluation of extraction on pages with known results: text, elements, containers, posts, metadata.

A `ReferencePage` has what is known of a page, an `Extraction` what a program extracts from it. Both may lack
a field (None): what is not known, or what a program never extracts, is not measured. An empty field states
that the page has no such thing, or that the program found none. A program that fails on a page counts as one
that found nothing.

`count_page` compares the two and returns *counts*: numbers that are added over pages. `measures` turns
counts, of one page or of many, into these measures, each the ratio of two counts (`MEASURES`):

=========================  ===============================================================================
f1, precision, recall      of the words of the text (`webgrain.base.metrics.word_score`), means over pages;
                           of a thread, those of the text and all posts
low                        share of the pages with an F1 under `LOW`
opening                    share of the pages whose text has the opening words (letters and digits)
snippet_f1                 F1 of texts that must be in the text (found: TP, else FN) and of texts that must
                           not (found: FP), over all pages: 2 TP / (2 TP + FP + FN). White space is
                           collapsed. So does the evaluation of trafilatura
included, excluded         shares of both that are in the text
NAME_recall                share of the elements of a type that were extracted, of those of the reference:
                           mean over the pages whose reference has them; see `webgrain.evaluation.elements`
NAME_precision             share of the extracted elements that are in the reference: mean over the pages with
                           extracted ones
NAME_recall_all, ...       the same shares of the elements of all pages together
false, lost                false and lost containers per page; false_largest, lost_largest: tokens in the
                           largest one of a page, 0 if there is none
post_f1                    F1 of the words of text and posts together
post_recall                share of the true posts that were extracted as separate posts: one to one, with
                           a word F1 of at least `SAME_POST`; the text is the first post of a thread
post_precision             share of the extracted posts that are true
first_post                 share of the threads whose first post, or text, is the first post, with the same F1
in_comments, not_in_text   shares of the texts in comments that are in the extracted posts, and that are not
                           in the extracted text
author_right, wrong,       shares of the pages with authors: the words of all names are equal, are not, or
missing                    there are none
author_invented            share of the pages that state no author for which there is one
date_right, ...            the same for the day of publication, see `days`
title, description         share of the pages with the same words, in the same order
language                   share of the pages with the same primary language
=========================  ===============================================================================
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.metrics import bag_score, word_score, words
from webgrain.evaluation.datasets import DATA_VARIABLE, data_folder, from_checkout
from webgrain.evaluation.elements import ELEMENT_TAGS, Container, compare_elements, containers, letters
from webgrain.io.contentmarks import content_of, truths_of
from webgrain.io.local import FolderAssets, is_inside, json_lines
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

LOW = 0.5
"""Word F1 of a page below which it counts as low."""
SAME_POST = 0.8
"""Word F1 from which two posts are the same."""
JOINING = frozenset(("and", "und", "et", "by"))
"""Words that are no part of the names of authors."""

Counts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ReferencePage:
    """A page with what is known of it; None: not known.

    Attributes:
        source: the page.
        group: what it is counted with in tables, such as its suite or its site.
        kind: of the page, such as "product".
        text: the main text; html: the main content as HTML, the reference for elements.
        included, excluded: texts that must be in the main text, and texts that must not.
        opening: the first words of the main text.
        posts: the posts of a thread, or the comments below the main text; thread: whether the page is a
            thread, whose first post is the first of ``posts``.
        in_comments: texts that must be in the comments.
        title, authors, date, language, description: metadata; the date begins with YYYY-MM-DD.
    """

    source: Source
    group: str = ""
    kind: str | None = None
    text: str | None = None
    html: str | None = None
    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    opening: str | None = None
    posts: tuple[str, ...] | None = None
    thread: bool = False
    in_comments: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] | None = None
    date: str | None = None
    language: str | None = None
    description: str | None = None

    @property
    def whole(self) -> str | None:
        """The main text and all posts."""
        text = None if self.thread else self.text
        return _joined(text, self.posts)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a program extracts from a page; None: the program does not extract it, empty: it found none.

    Attributes:
        text: the main text; html: the main content as HTML.
        posts: comments and replies; the first post of a thread is the text.
        thread: the text has all posts, and ``posts`` begins with the first one.
        title, authors, date, language, description: metadata; the date begins with YYYY-MM-DD.
    """

    text: str | None = None
    html: str | None = None
    posts: tuple[str, ...] | None = None
    title: str | None = None
    authors: tuple[str, ...] | None = None
    date: str | None = None
    language: str | None = None
    description: str | None = None
    thread: bool = False

    @property
    def whole(self) -> str | None:
        """The main text and all posts."""
        return self.text if self.thread else _joined(self.text, self.posts)


EXTRACTED_FIELDS = tuple(field.name for field in fields(Extraction) if field.name != "thread")
"""The fields that a program may extract."""


def _joined(text: str | None, posts: Sequence[str] | None) -> str | None:
    if text is None and posts is None:
        return None
    return "\n\n".join(filter(None, (text, *(posts or ()))))


def nothing(names: Iterable[str]) -> Extraction:
    """Return the extraction of a program that found none of the fields that it extracts.

    >>> nothing(["text", "posts"]) == Extraction(text="", posts=())
    True
    """
    values: dict[str, Any] = {name: () if name in ("posts", "authors") else "" for name in names}
    return Extraction(**values)


@dataclass(frozen=True, slots=True)
class Extractor:
    """A program that is evaluated: its name, the `EXTRACTED_FIELDS` that it extracts, and its function."""

    name: str
    fields: tuple[str, ...]
    extract: Callable[[Page], Extraction]

    def run(self, page: Page) -> tuple[Extraction, str | None]:
        """Return what is extracted from a page and, if the program failed, why; then nothing is extracted."""
        try:
            return self.extract(page), None
        except Exception as error:  # of any program
            return nothing(self.fields), f"{type(error).__name__}: {error}"


class PageCounts(NamedTuple):
    """The counts of one page and one program; error: why the program failed, or None."""

    extractor: str
    group: str
    page: str
    counts: Counts
    error: str | None = None


def evaluate_extractors(
    pages: Iterable[ReferencePage], extractors: Sequence[Extractor]
) -> Iterator[PageCounts]:
    """Yield the counts of each page and program, page by page.

    >>> page = ReferencePage(Source("a", b"<title>T</title><p>One two"), text="One two three")
    >>> reader = Extractor("mine", ("text",), lambda page: Extraction(text="One"))
    >>> [measures(one.counts)["recall"] for one in evaluate_extractors([page], [reader])]
    [0.3333333333333333]
    """
    for reference in pages:
        page = parse(reference.source)
        for extractor in extractors:
            extraction, error = extractor.run(page)
            counts = count_page(reference, page, extraction)
            yield PageCounts(extractor.name, reference.group, page.id, counts, error)


def count_page(reference: ReferencePage, page: Page, extraction: Extraction) -> Counts:
    """Return the counts of one page: `measures` reads them. page: the parsed source of the reference."""
    return added(
        (
            {"pages": 1},
            _text_counts(reference, page, extraction),
            _snippet_counts(reference, extraction),
            _element_counts(reference, extraction),
            _post_counts(reference, extraction),
            _metadata_counts(reference, extraction),
        )
    )


def added(counts: Iterable[Counts]) -> dict[str, float]:
    """Return the sums of counts.

    >>> added([{"pages": 1, "f1": 0.5}, {"pages": 1}])
    {'pages': 2, 'f1': 0.5}
    """
    total: dict[str, float] = {}
    for numbers in counts:
        for name, number in numbers.items():
            total[name] = total.get(name, 0) + number
    return total


# Texts.


def _text_counts(reference: ReferencePage, page: Page, extraction: Extraction) -> Counts:
    """Return the counts of the words and of the containers."""
    pair = _compared_texts(reference, extraction)
    if pair is None:
        return {}
    true, extracted = pair
    score = word_score(true, extracted)
    false = containers(page, extracted, true)
    lost = containers(page, true, extracted)
    return {
        "texts": 1,
        **score._asdict(),
        "low": score.f1 < LOW,
        "false": len(false),
        "false_largest": _largest(false),
        "lost": len(lost),
        "lost_largest": _largest(lost),
    }


def _compared_texts(reference: ReferencePage, extraction: Extraction) -> tuple[str, str] | None:
    """Return the true and the extracted text; None if one is not known."""
    if reference.thread:
        true, extracted = reference.whole, extraction.whole
    else:
        true, extracted = reference.text, extraction.text
    return None if true is None or extracted is None else (true, extracted)


def _largest(parts: Sequence[Container]) -> int:
    return max((container.size for container in parts), default=0)


def _snippet_counts(reference: ReferencePage, extraction: Extraction) -> Counts:
    """Return the counts of texts that must be in the text, and that must not."""
    if extraction.text is None:
        return {}
    counts: dict[str, float] = {}
    if reference.included or reference.excluded:
        positive = _contained(reference.included, extraction.text)
        negative = _contained(reference.excluded, extraction.text)
        counts["included"] = positive
        counts["included_all"] = len(reference.included)
        counts["excluded"] = negative
        counts["excluded_all"] = len(reference.excluded)
        counts["snippet_f1"] = 2 * positive
        counts["snippets"] = positive + negative + len(reference.included)
    if reference.opening:
        counts["opening"] = letters(reference.opening) in letters(extraction.text)
        counts["openings"] = 1
    return counts


def _contained(snippets: Iterable[str], text: str) -> int:
    """Return how many snippets are in a text."""
    text = " ".join(text.split())
    return sum(" ".join(snippet.split()) in text for snippet in snippets)


def _element_counts(reference: ReferencePage, extraction: Extraction) -> Counts:
    if reference.html is None or extraction.html is None:
        return {}
    titles = [title for title in (reference.title, extraction.title) if title]
    counts: dict[str, float] = {}
    for name, (true, extracted, right) in compare_elements(reference.html, extraction.html, titles).items():
        counts |= {f"{name}_true": true, f"{name}_extracted": extracted, f"{name}_right": right}
        if true:
            counts |= {f"{name}_recall": right / true, f"{name}_true_pages": 1}
        if extracted:
            counts |= {f"{name}_precision": right / extracted, f"{name}_extracted_pages": 1}
    return counts


# Posts.


def _post_counts(reference: ReferencePage, extraction: Extraction) -> Counts:
    """Return the counts of posts and comments."""
    counts: dict[str, float] = {}
    if reference.in_comments and extraction.text is not None and extraction.posts is not None:
        counts["in_comments"] = _contained(reference.in_comments, "\n".join(extraction.posts))
        counts["comments"] = len(reference.in_comments)
        counts["not_in_text"] = counts["comments"] - _contained(reference.in_comments, extraction.text)
    if reference.posts is None or extraction.text is None:
        return counts
    if reference.thread or reference.text is not None:
        counts["post_f1"] = word_score(reference.whole or "", extraction.whole or "").f1
        counts["post_pages"] = 1
    if extraction.posts is not None:
        adds_first = reference.thread and not extraction.thread
        extracted = [extraction.text, *extraction.posts] if adds_first else list(extraction.posts)
        extracted = list(filter(None, extracted))
        counts["post_right"] = matching_posts(reference.posts, extracted)
        counts["post_true"], counts["post_extracted"] = len(reference.posts), len(extracted)
    if reference.thread and reference.posts:
        is_parted = extraction.thread and extraction.posts
        first = extraction.posts[0] if is_parted else extraction.text  # type: ignore[index]
        counts["first_post"] = word_score(reference.posts[0], first).f1 >= SAME_POST
        counts["threads"] = 1
    return counts


def matching_posts(true: Sequence[str], extracted: Sequence[str]) -> int:
    """Return the number of pairs of a true and an extracted post that are the same.

    Posts are the same from a word F1 of `SAME_POST`; the most similar ones are paired first, and each post is
    in one pair at most.

    >>> matching_posts(["I agree.", "I agree.", "Why?"], ["i agree", "Because."])
    1
    """
    true_bags = [Counter(words(post)) for post in true]
    extracted_bags = [Counter(words(post)) for post in extracted]
    pairs = [
        (-bag_score(true_words, extracted_words).f1, i, j)
        for i, true_words in enumerate(true_bags)
        for j, extracted_words in enumerate(extracted_bags)
        if _may_be_same(true_words.total(), extracted_words.total())
    ]
    paired: set[int] = set()
    paired_extracted: set[int] = set()
    for negative_f1, i, j in sorted(pairs):
        if -negative_f1 >= SAME_POST and i not in paired and j not in paired_extracted:
            paired.add(i)
            paired_extracted.add(j)
    return len(paired)


def _may_be_same(size: int, other: int) -> bool:
    """Return whether the F1 of bags of these sizes can reach `SAME_POST`."""
    return 2 * min(size, other) >= SAME_POST * (size + other)


# Metadata.


def _metadata_counts(reference: ReferencePage, extraction: Extraction) -> Counts:
    counts: dict[str, float] = {}
    if reference.authors is not None and extraction.authors is not None:
        true_names, names = _names(reference.authors), _names(extraction.authors)
        counts |= _outcome("author", bool(true_names), bool(names), names == true_names)
    if reference.date is not None and extraction.date is not None:
        day = extraction.date[:10]
        is_right = any(day.startswith(right) for right in days(reference.date))
        counts |= _outcome("date", bool(reference.date), bool(day), is_right)
    for name, comparable in (("title", words), ("description", words), ("language", _primary)):
        true, extracted = getattr(reference, name), getattr(extraction, name)
        if true and extracted is not None:
            counts[name] = comparable(true) == comparable(extracted)
            counts[f"{name}s"] = 1
    return counts


def _outcome(name: str, stated: bool, extracted: bool, right: bool) -> Counts:
    """Return the counts of a value that pages may state or not."""
    if not stated:
        return {f"{name}_invented": extracted, f"{name}_unstated": 1}
    return {
        f"{name}_stated": 1,
        f"{name}_right": extracted and right,
        f"{name}_wrong": extracted and not right,
        f"{name}_missing": not extracted,
    }


def days(date: str) -> set[str]:
    """Return the days that a true date may mean.

    A date may be only a year, or a year and a month: then all of its days are right. A time in UTC, other
    than midnight, does not state the zone of the site: then the days on which it is that time somewhere are
    right.

    >>> sorted(days("2019-02-26T15:00:00.000Z")), days("2019-02-26T15:00:00+09:00"), days("2019-02-26")
    (['2019-02-26', '2019-02-27'], {'2019-02-26'}, {'2019-02-26'})
    """
    right = {date[:10]}
    match = _UTC.fullmatch(date)
    if match and match[2] != "00:00":
        with suppress(ValueError, OverflowError):  # no such time
            time = datetime.fromisoformat(f"{match[1]}T{match[2]}")
            right |= {(time + timedelta(hours=shift)).date().isoformat() for shift in _ZONES}
    return right


_UTC = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|\+00:?00)")
_ZONES = (-12, 14)
"""The least and the greatest difference of a time zone from UTC, in hours."""


def _names(authors: Iterable[str]) -> Counter[str]:
    """Return the words of the names of authors, without those that join names.

    >>> _names(["By Kim Berg and Jo Lund"]) == _names(["Jo Lund", "Kim Berg"])
    True
    """
    return Counter(word for word in words(" ".join(authors)) if word not in JOINING)


def _primary(language: str) -> str:
    """Return the primary subtag of a language.

    >>> _primary("en-US"), _primary("de_DE")
    ('en', 'de')
    """
    return re.split("[-_]", language.strip().casefold())[0]


# Measures.

_TEXT = {
    "f1": ("f1", "texts"),
    "precision": ("precision", "texts"),
    "recall": ("recall", "texts"),
    "low": ("low", "texts"),
    "opening": ("opening", "openings"),
    "snippet_f1": ("snippet_f1", "snippets"),
    "included": ("included", "included_all"),
    "excluded": ("excluded", "excluded_all"),
}
CONTAINERS = {name: (name, "texts") for name in ("false", "false_largest", "lost", "lost_largest")}
RECALL = {f"{name}_recall": (f"{name}_recall", f"{name}_true_pages") for name in ELEMENT_TAGS}
PRECISION = {f"{name}_precision": (f"{name}_precision", f"{name}_extracted_pages") for name in ELEMENT_TAGS}
TOGETHER = {
    **{f"{name}_recall_all": (f"{name}_right", f"{name}_true") for name in ELEMENT_TAGS},
    **{f"{name}_precision_all": (f"{name}_right", f"{name}_extracted") for name in ELEMENT_TAGS},
}
POSTS = {
    "post_f1": ("post_f1", "post_pages"),
    "post_recall": ("post_right", "post_true"),
    "post_precision": ("post_right", "post_extracted"),
    "first_post": ("first_post", "threads"),
    "in_comments": ("in_comments", "comments"),
    "not_in_text": ("not_in_text", "comments"),
}
METADATA = {
    **{f"author_{name}": (f"author_{name}", "author_stated") for name in ("right", "wrong", "missing")},
    "author_invented": ("author_invented", "author_unstated"),
    **{f"date_{name}": (f"date_{name}", "date_stated") for name in ("right", "wrong", "missing")},
    "date_invented": ("date_invented", "date_unstated"),
    "title": ("title", "titles"),
    "language": ("language", "languages"),
    "description": ("description", "descriptions"),
}
MEASURES = _TEXT | CONTAINERS | RECALL | PRECISION | TOGETHER | POSTS | METADATA
"""The measures: the two counts whose ratio each one is."""


def measures(counts: Counts) -> dict[str, float]:
    """Return the measures that counts have; a measure without a count or of nothing is left out.

    >>> measures({"texts": 2, "f1": 1.5, "low": 1})
    {'f1': 0.75, 'low': 0.5}
    """
    return {
        name: counts[above] / counts[below]
        for name, (above, below) in MEASURES.items()
        if above in counts and counts.get(below)
    }


def record(counts: Counts) -> dict[str, float | None]:
    """Return counts as a row of a table: pages, all measures, and the numbers of elements by type.

    A measure that the counts lack is None.

    >>> record({"pages": 2, "texts": 2, "f1": 1.5})["f1"]
    0.75
    """
    known = measures(counts)
    elements = [f"{name}_{column}" for name in ELEMENT_TAGS for column in ("true", "extracted", "right")]
    return {
        "pages": counts["pages"],
        **{name: known.get(name) for name in MEASURES},
        **{name: counts.get(name) for name in elements},
    }


class ScoreTable(NamedTuple):
    """A table of measures: its name, the names of the measures, and a row per group and program.

    A row has the group, the program, its pages, and the values of the measures, None for a missing one.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[str, str, int, list[float | None]]]


TABLES = {
    "text": (*_TEXT, *CONTAINERS),
    "recall of elements": tuple(RECALL),
    "precision of elements": tuple(PRECISION),
    "posts": tuple(POSTS),
    "metadata": tuple(METADATA),
}
"""The measures of each table."""


def score_tables(sums: Mapping[tuple[str, str], Counts]) -> Iterator[ScoreTable]:
    """Yield the tables of the sums of counts, without rows, columns and tables that have no value.

    >>> sums = {("news", "mine"): {"pages": 2, "texts": 2, "f1": 1.5, "low": 0}}
    >>> list(score_tables(sums))
    [ScoreTable(name='text', columns=('f1', 'low'), rows=[('news', 'mine', 2, [0.75, 0.0])])]
    """
    known = {key: measures(counts) for key, counts in sums.items()}
    for table, names in TABLES.items():
        columns = tuple(name for name in names if any(name in values for values in known.values()))
        rows = [
            (*key, int(sums[key]["pages"]), [values.get(name) for name in columns])
            for key, values in known.items()
            if not values.keys().isdisjoint(columns)
        ]
        if rows:
            yield ScoreTable(table, columns, rows)


def summaries(results: Iterable[PageCounts]) -> dict[tuple[str, str], Counts]:
    """Return the sums of counts by group and program, in the order of their first pages."""
    parts: dict[tuple[str, str], list[Counts]] = {}
    for page in results:
        parts.setdefault((page.group, page.extractor), []).append(page.counts)
    return {key: added(counts) for key, counts in parts.items()}


# Files of truths.


def read_reference_pages(path: Path) -> Iterator[ReferencePage]:
    """Read a file of truths (JSON lines, a record per page) and its pages, one after the other.

    A record has the path of a ``page`` relative to the file, optionally its ``url``, and the fields of
    `ReferencePage`: texts, and lists of texts for ``included``, ``excluded``, ``posts``, ``in_comments`` and
    ``authors``; ``thread`` is true or false. Labels with marks of content
    (`webgrain.io.contentmarks`) are such records, too. Other fields are ignored. `InputError` if the
    file or a page cannot be read, or a record is invalid.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.html").write_text("<p>One")
    ...     _ = (Path(folder) / "truths.jsonl").write_text('{"page": "a.html", "text": "One"}')
    ...     [page] = read_reference_pages(Path(folder) / "truths.jsonl")
    >>> page.source.body, page.text, page.title
    (b'<p>One', 'One', None)
    """
    yield from json_lines(path, "truths", partial(_reference_page, FolderAssets(path.parent)))


def load_reference_pages(path: Path | None = None, suites: Sequence[str] = ()) -> Iterator[ReferencePage]:
    """Read the pages of a file of truths (``.jsonl``) or of a folder with test suites of other programs.

    path: None: ``main-content/suites`` in `webgrain.evaluation.datasets.data_folder`; suites: only these, by
    default all. `InputError` if the data does not exist or its reader is missing, `ParameterError` if suites
    are given for a file or one is unknown.

    >>> load_reference_pages(Path("nowhere"))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: There are no known pages at nowhere: name them, or set WEBGRAIN_DATA.
    """
    path = data_folder() / "main-content" / "suites" if path is None else path
    if not path.exists():
        raise InputError(f"There are no known pages at {path}: name them, or set {DATA_VARIABLE}.")
    if path.is_dir():
        reader = from_checkout("suites", "A folder of suites")
        pages: Iterator[ReferencePage] = reader.read_suites(path, suites)
        return pages
    if suites:
        raise ParameterError(f"suite must be omitted for the file of truths {path}.")
    return read_reference_pages(path)


def _reference_page(assets: FolderAssets, record: Any) -> ReferencePage:
    """Return the page of one record; `ValueError` if the record is invalid."""
    if not isinstance(record, dict) or not isinstance(record.get("page"), str):
        raise ValueError("expected a record with the path of a page as page")
    name = record["page"]
    if not is_inside(name):
        raise ValueError(f"expected the path of a page below the folder of the file, got {name!r}")
    body = assets.read(name)
    if body is None:
        raise ValueError(f"the page {name!r} is not there")
    source = Source(name, body, url=_text(record, "url"))
    content, absent = content_of(record)
    if content is None:
        return reference_page(source, record)
    truths = truths_of(parse(source), content, absent, _text(record, "kind"))
    given = record.keys() & truths.keys()
    return replace(
        reference_page(source, record), **{name: truths[name] for name in truths if name not in given}
    )


def reference_page(source: Source, record: Mapping[str, Any]) -> ReferencePage:
    """Return a page with the truths of a record, see `read_reference_pages`; `ValueError` for a wrong value.

    >>> reference_page(Source("a", b""), {"title": "A", "authors": ["Kim", "Lee"]}).authors
    ('Kim', 'Lee')
    """
    values: dict[str, Any] = {name: _text(record, name) for name in _TEXTS}
    values |= {name: _texts(record, name) for name in _LISTS if record.get(name) is not None}
    values["group"] = values["group"] or ""
    thread = record.get("thread", False)
    if not isinstance(thread, bool):
        raise ValueError(f"expected thread as true or false, got {thread!r}")
    return ReferencePage(source, thread=thread, **values)


_TEXTS = ("group", "kind", "text", "html", "opening", "title", "date", "language", "description")
_LISTS = ("included", "excluded", "posts", "in_comments", "authors")


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"expected {name} as a text, got {value!r:.80}")
    return value


def _texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = record[name]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"expected {name} as a list of texts, got {value!r:.80}")
    if not all(map(str.strip, value)):
        raise ValueError(f"expected {name} without empty texts, got {value!r:.80}")
    return tuple(value)
