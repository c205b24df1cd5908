"""Test suites of other programs from the files of their repositories: pages and records of their truths.

A recipe has the ``ids`` of the pages in the order of the suite here, the ``pages``, patterns of their paths,
and the ``truths``, patterns of the paths of files with truths: ``{}`` is the id of a page. The suite of
Postlight Parser is not built: its truths are statements of test programs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from webgrain.base.errors import InputError
from webgrain.page.page import Source
from webgrain.page.parsing import parse

Files = Mapping[str, bytes]
Record = dict[str, Any]


def wanted_paths(recipe: Mapping[str, Any]) -> set[str]:
    """Return all paths of pages and truths that a recipe may need.

    >>> sorted(wanted_paths({"ids": ["a"], "pages": ["x/{}.html", "y/{}.html"], "truths": ["all.json"]}))
    ['all.json', 'x/a.html', 'y/a.html']
    """
    patterns = (*recipe["pages"], *recipe["truths"])
    return {pattern.format(name) for pattern in patterns for name in recipe["ids"]}


def suite_files(suite: str, recipe: Mapping[str, Any], files: Files) -> tuple[dict[str, bytes], list[Record]]:
    """Return the pages by their names, and their records; `InputError` if a page is not in the source."""
    pages: dict[str, bytes] = {}
    records = []
    read = TRUTHS[suite](files)
    for number, name in enumerate(recipe["ids"]):
        body = _first(files, recipe["pages"], name)
        if body is None:
            raise InputError(f"The page {name} of {suite} is not in the source.")
        page = f"{number:04}.html"
        pages[page] = body
        truths = {key: value for key, value in read(name).items() if value not in (None, "", [])}
        records.append({"page": page, "url": truths.pop("url", None), "id": name, **truths})
    return pages, records


def _first(files: Files, patterns: list[str], name: str) -> bytes | None:
    paths = (pattern.format(name) for pattern in patterns)
    return next((files[path] for path in paths if path in files), None)


def _readability(files: Files) -> Callable[[str], Record]:
    def read(name: str) -> Record:
        folder = f"test/test-pages/{name}"
        html = files[f"{folder}/expected.html"].decode()
        known = json.loads(files[f"{folder}/expected-metadata.json"])
        page = parse(Source(name, html.encode(), charset="utf-8"))
        return {
            "title": known.get("title"),
            "author": known.get("byline"),
            "language": known.get("lang"),
            "description": known.get("excerpt"),
            "text": page.dom.text_of(0),
            "html": html,
            "site": known.get("siteName"),
            "date": known.get("publishedTime"),
        }

    return read


def _trafilatura(files: Files) -> Callable[[str], Record]:
    by_file = dict(_entries(files["tests/evaldata.json"]))

    def read(name: str) -> Record:
        known = by_file[name]
        return {
            "url": known["url"],
            "w": known["with"],
            "wo": known["without"],
            "annot": "title" in known,
            "licence": known.get("license"),
            **{key: known.get(key) for key in _TRAFILATURA},
        }

    return read


_TRAFILATURA = ("comments", "title", "author", "date", "description", "region", "tags")


def _htmldate(files: Files) -> Callable[[str], Record]:
    by_file = dict(_entries(files["tests/eval_default.json"]))
    by_file |= dict(_entries(files["tests/eval_mediacloud_2020.json"]))
    return lambda name: {"url": by_file[name]["url"], "date": by_file[name]["date"]}


def _entries(content: bytes) -> Iterator[tuple[str, Record]]:
    """Yield the name of the file and the entry of each page, with its address."""
    for url, entry in json.loads(content).items():
        yield entry["file"], {"url": url, **entry}


def _newspaper4k(files: Files) -> Callable[[str], Record]:
    def read(name: str) -> Record:
        path = f"tests/data/metadata/{name}.json"
        known = json.loads(files[path]) if path in files else {}
        return {
            "url": known.get("url"),
            "text": files[f"tests/data/txt/{name}.txt"].decode(),
            "title": known.get("title"),
            "language": known.get("meta_lang") or known.get("language"),
            "hasmeta": path in files,
            "date": known.get("publish_date"),
            "author": ", ".join(known.get("authors") or ()),
        }

    return read


def _goose3(files: Files) -> Callable[[str], Record]:
    by_name = {path.rpartition("/")[2]: body for path, body in files.items() if path.endswith(".json")}

    def read(name: str) -> Record:
        known = json.loads(by_name[f"{name}.json"])
        expected = known["expected"]
        return {
            "url": known.get("url"),
            "title": expected.get("title"),
            "language": expected.get("meta_lang"),
            "description": expected.get("meta_description"),
            "begin": expected.get("cleaned_text"),
            "date": expected.get("publish_date"),
            "author": ", ".join(expected.get("authors") or ()),
        }

    return read


TRUTHS: dict[str, Callable[[Files], Callable[[str], Record]]] = {
    "readability": _readability,
    "trafilatura": _trafilatura,
    "htmldate": _htmldate,
    "newspaper4k": _newspaper4k,
    "goose3": _goose3,
}
"""For each suite a function of the files of its repository that gives the truths of a page by its id."""
