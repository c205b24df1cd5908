"""Test suites of other programs: pages with truths about their text, elements and metadata.

Layout of the folder ``main-content/suites``: ``<suite>.tar.xz`` with the pages ``NNNN.html``, and
``<suite>.jsonl.xz`` with a record per page: ``page``, ``url`` or null, ``id`` of the suite, and truths.

===========  =================================================================================================
readability  test pages of Mozilla's Readability: article as text and HTML, title, byline, language, date
trafilatura  evaluation data of trafilatura: texts that must be in the text (``w``) and that must not
             (``wo``), texts in comments, metadata. ``annot``: whether the metadata were annotated; then a
             page without author or date states none
htmldate     evaluation data of htmldate: date of publication; NaN if the page states none
postlight    fixtures of Postlight Parser: title, author, date, opening words
newspaper4k  test data of newspaper4k: text, title, authors, date, language
goose3       test data of goose3: opening words, title, language, description
===========  =================================================================================================

The truths were made for the program of the suite and partly with it: compare programs on several suites. The
descriptions of postlight mean nothing. Excerpts of readability are often its first paragraph, so they are no
description either.
"""

from __future__ import annotations

import html
import json
import lzma
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webgrain.base.errors import InputError, ParameterError
from webgrain.evaluation.datasets import archive_files
from webgrain.evaluation.extraction import ReferencePage, reference_page
from webgrain.page.page import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

SUITES = ("readability", "trafilatura", "htmldate", "postlight", "newspaper4k", "goose3")

_NAMES = {"w": "included", "wo": "excluded", "begin": "opening", "comments": "in_comments"}
_NO_DESCRIPTION = ("readability", "postlight")


def read_suites(folder: Path, names: Sequence[str] = ()) -> Iterator[ReferencePage]:
    """Yield the pages of suites, in the order of `SUITES`; names: only those, by default all in the folder.

    `InputError` if a suite is missing or damaged, `ParameterError` for an unknown name.

    >>> from pathlib import Path
    >>> list(read_suites(Path("nowhere"), ["goose3"]))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: nowhere/goose3.jsonl.xz cannot be read: No such file or directory.
    """
    for name in names:
        if name not in SUITES:
            raise ParameterError(f"suite must be one of {', '.join(SUITES)}, got {name!r}.")
    present = [name for name in SUITES if (folder / f"{name}.jsonl.xz").is_file()]
    if not names and not present:
        raise InputError(f"There are no suites in {folder}.")
    for name in [name for name in SUITES if name in (names or present)]:
        yield from read_suite(folder, name)


def read_suite(folder: Path, name: str) -> Iterator[ReferencePage]:
    """Yield the pages of one suite; `InputError` if it is missing or damaged."""
    path = folder / f"{name}.jsonl.xz"
    try:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        bodies = dict(archive_files(folder / f"{name}.tar.xz"))
        for record in records:
            page = record["page"]
            source = Source(f"{name}/{page}", bodies[page], url=record["url"])
            yield replace(reference_page(source, truths(name, record)), group=name)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (EOFError, lzma.LZMAError, ValueError, KeyError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def truths(suite: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the truths of a record with the names of `ReferencePage`.

    >>> truths("htmldate", {"page": "0000.html", "date": float("nan")})["date"]
    ''
    >>> truths("trafilatura", {"w": ["A"], "annot": True})["authors"]
    []
    """
    values = {_NAMES.get(key, key): value for key, value in record.items() if value is not None}
    author = values.pop("author", None)
    if author is not None:
        values["authors"] = [author]
    if values.get("date") != values.get("date"):  # NaN
        values["date"] = ""
    if suite == "trafilatura" and record["annot"]:
        values.setdefault("authors", [])
        values.setdefault("date", "")
    if suite in _NO_DESCRIPTION:
        values.pop("description", None)
    if "opening" in values:
        values["opening"] = html.unescape(values["opening"])
    return values
