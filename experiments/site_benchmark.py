r"""Compare programs on whole sites: page types, texts, titles, verdicts, lists and confidence.

    python -m experiments.site_benchmark [--extractor WHAT] [--clusterer WHAT] [--site NAME] [--pages N]
                                         [--models DIR] [--programs NAME,...] [--records FILE]

WHAT is a Python function, ``package.module:function``, or a command. An extractor gets the HTML of a page
and returns its text, or a record with any of the fields ``text``, ``title``, ``verdict`` (article or index),
``confidence`` (that the text is good, 0..1), ``lists`` (a list of lists of rows; a row is a mapping or a
text) and ``type``. A clusterer gets all pages of a site as a list of pairs (path, HTML) and returns for each
page, in this order, a label or such a record. A command gets the HTML of a page on stdin, or as a clusterer a
JSON line with ``path`` and ``html`` for each page; it writes text or JSON, or as a clusterer a line for each
page.

The programs of other authors are left out with a message if they are not installed. The models of webgrain
have seen these sites; DIR contains models that have not (``experiments/training/left_out.py``). Measures,
means over the pages of a site and then over sites (docs/benchmark.md):

    types           adjusted Rand index over all pages that have a type
    text            word F1 of articles with at least ten true words; of the main text, or of the main text
                    with comments, whichever is higher
    titles, heads   share of the articles, and of the index pages, whose title has the true words
    articles, index share of the articles reported as article, and of the index pages reported as index
    list, best      row F1 of the first, and of the best, list of index pages with at least three records
    AUC, error      of the confidence that the F1 of the text is above .8
    ms              process time per page; a site is learnt from all its pages
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.siterules import decoded
from experiments.lists import row_f1
from experiments.pagetypes_bench import auc, calibration_error
from experiments.reader_bench import other_programs
from experiments.training.left_out import group_of
from experiments.typebaselines import Shingler, clusters_of, path_set
from webgrain import Site, extract
from webgrain.base.errors import InputError, WebgrainError
from webgrain.base.metrics import ari, word_score, words
from webgrain.base.modelfile import read_model
from webgrain.base.trees import packaged_trees, read_trees
from webgrain.extraction import boilerplate, single, threads
from webgrain.lists import ranking
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.paths import text_key
from webgrain.pagetypes import similarity
from webgrain.templates import acceptance

Record = Mapping[str, Any]
Run = Callable[[str, Sequence[Source], set[str]], Iterator[tuple[str, Record]]]
"""Takes the name of a site, its pages, and the ids of the pages that are scored; yields a record of each."""

MEASURES = {
    "types": "type",
    "text": "text",
    "titles": "title",
    "heads": "title",
    "articles": "verdict",
    "index": "verdict",
    "list": "lists",
    "best": "lists",
    "AUC": "confidence",
    "error": "confidence",
}
"""The measures, and the field that each needs."""
TRUST = {
    "types": "types",
    "text": "text",
    "titles": "title",
    "heads": "title",
    "list": "list",
    "best": "list",
}
"""The measures that are computed only for sites whose truth can be used for them."""
MODELS = ("single", "pairs", "lists", "acceptance", "boilerplate", "threads")
"""The models of webgrain; the name states which of them were trained on the sites."""
GOOD, LEAST_WORDS, LEAST_RECORDS = 0.8, 10, 3
SHINGLE = 1
"""Number of paths in a shingle of the baseline."""
SECONDS = 60
"""Time limit of a command."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program under comparison: its name, and the function that applies it to a site."""

    name: str
    run: Run


def score(site: BenchSite, found: Mapping[str, Record], judged: Iterable[str]) -> dict[str, float]:
    """Return the measures of a site; nan where the site has no page for a measure, or no truth.

    found: the records by page; a page or field that is missing counts as wrong. judged: the pages for all
    measures but the types, which are compared over the pages that have one.
    """
    values = defaultdict[str, list[float]](list)
    confidence, f1s = list[float](), list[float]()
    for path in judged:
        truth, own = site.truth[path], found.get(path, {})
        role, text = site.roles[path], truth.get("text") or ""
        if role == "article" and len(words(text)) >= LEAST_WORDS:
            whole = "\n".join((text, *(truth.get("comments") or ())))
            read = str(own.get("text") or "")
            f1s.append(max(word_score(text, read).f1, word_score(whole, read).f1))
            confidence.append(float(own.get("confidence") or 0.0))
        if role in ("article", "index"):
            values["articles" if role == "article" else "index"].append(own.get("verdict") == role)
            if truth.get("title"):
                same = words(truth["title"]) == words(str(own.get("title") or ""))
                values["titles" if role == "article" else "heads"].append(same)
        records = truth.get("records") or []
        if role == "index" and len(records) >= LEAST_RECORDS:
            rows = [row_f1([_row(row) for row in some], records) for some in own.get("lists") or ()]
            values["list"].append(rows[0] if rows else 0.0)
            values["best"].append(max(rows, default=0.0))
    values["text"] = f1s
    result = {name: float(np.mean(values[name])) if values[name] else np.nan for name in MEASURES}
    if f1s:
        right = np.array(f1s) > GOOD
        result["AUC"] = auc(right, np.array(confidence))
        result["error"] = calibration_error(right, np.array(confidence))
    typed = [path for path in site.types if "type" in found.get(path, {})]
    if typed:
        number = {label: k for k, label in enumerate({str(found[path]["type"]) for path in typed})}
        true = np.unique([site.types[path] for path in typed], return_inverse=True)[1]
        result["types"] = ari(true, np.array([number[str(found[path]["type"])] for path in typed]))
    return {name: value if site.trust[TRUST.get(name, "text")] else np.nan for name, value in result.items()}


def _row(row: Any) -> Mapping[str, Any]:
    return row if isinstance(row, Mapping) else {"text": row}


# Programs.


def given(what: str, whole: bool) -> Program:
    """Return a program that the user names; whole: it gets all pages of a site (a clusterer)."""
    if re.fullmatch(r"[\w.]+:[\w.]+", what):
        module, _, name = what.partition(":")
        try:
            function: Callable[[Any], Any] = importlib.import_module(module)
            for part in name.split("."):
                function = getattr(function, part)
        except (ImportError, AttributeError) as error:
            raise InputError(f"{what} cannot be imported: {error}.") from error
    else:
        function = partial(_site_command if whole else _page_command, shlex.split(what))
    return Program(what, partial(_by_site if whole else _by_page, function))


def record_of(value: Any, field: str) -> Record:
    """Return a record from what a program returns: a mapping, or the value of a field.

    >>> record_of("Red lamp", "text"), record_of({"title": "Lamp"}, "text")
    ({'text': 'Red lamp'}, {'title': 'Lamp'})
    """
    return value if isinstance(value, Mapping) else {field: value}


def _by_page(
    function: Callable[[str], Any], name: str, sources: Sequence[Source], judged: set[str]
) -> Iterator[tuple[str, Record]]:
    for source in sources:
        if source.id in judged:
            try:
                yield source.id, record_of(function(decoded(source.body)), "text")
            except Exception as error:  # any error of a program of another author is a page without a result
                print(f"{name} {source.id}: {type(error).__name__}: {error}", file=sys.stderr)


def _by_site(
    function: Callable[[list[tuple[str, str]]], Iterable[Any]],
    name: str,
    sources: Sequence[Source],
    judged: set[str],
) -> Iterator[tuple[str, Record]]:
    pages = [(source.id, decoded(source.body)) for source in sources]
    try:
        values = list(function(pages))
        if len(values) != len(pages):
            raise ValueError(f"expected {len(pages)} results, got {len(values)}")
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return
    yield from ((path, record_of(value, "type")) for (path, _), value in zip(pages, values, strict=True))


def _run(command: Sequence[str], text: str) -> str:
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=SECONDS, check=True)
    return done.stdout.decode("utf-8", "replace")


def _page_command(command: Sequence[str], html: str) -> Any:
    return _value(_run(command, html))


def _site_command(command: Sequence[str], pages: Sequence[tuple[str, str]]) -> list[Any]:
    lines = (json.dumps({"path": path, "html": html}) for path, html in pages)
    return [_value(line) for line in _run(command, "\n".join(lines) + "\n").splitlines()]


def _value(text: str) -> Any:
    """Return a record if the output of a command is one, else the output."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, Mapping) else text


def by_webgrain(
    models: Path | None, name: str, sources: Sequence[Source], judged: set[str]
) -> Iterator[tuple[str, Record]]:
    """Yield the predictions of `webgrain.Site`, learnt from all pages of the site."""
    with _left_out(models, name):
        site = Site.fit(sources)
        for source in sources:
            found = site.predict(source)
            yield source.id, {"type": found.type, **_content(found), "lists": _rows(found.lists)}


def by_page_alone(
    models: Path | None, name: str, sources: Sequence[Source], judged: set[str]
) -> Iterator[tuple[str, Record]]:
    """Yield what `webgrain.extract` and `webgrain.find_lists` find on each page without its site."""
    with _left_out(models, name):
        for source in sources:
            if source.id in judged:
                yield source.id, {**_content(extract(source)), "lists": _rows(ranking.find_lists(source))}


def by_shingles(name: str, sources: Sequence[Source], judged: set[str]) -> Iterator[tuple[str, Record]]:
    """Yield the clusters of pages with the same shingle of paths."""
    shingler = Shingler([path_set(parse(source).dom) for source in sources])
    labels = clusters_of(shingler.shingles(SHINGLE, 0))
    yield from ((source.id, {"type": label}) for source, label in zip(sources, labels.tolist(), strict=True))


def _text_and_title(read: Callable[[str], str], title: Callable[[str], str | None], html: str) -> Record:
    return {"text": read(html), "title": title(html) or ""}


def others() -> Iterator[Program]:
    """Yield the programs of other authors that are installed, with titles if they find any."""
    titles: dict[str, Callable[[str], str | None]] = {}
    with suppress(ImportError):
        import trafilatura

        titles["trafilatura"] = lambda html: getattr(trafilatura.extract_metadata(html), "title", None)
    with suppress(ImportError):
        import readability

        titles["readability-lxml"] = lambda html: readability.Document(html).short_title()
    for name, read in other_programs().items():
        function = partial(_text_and_title, read, titles[name]) if name in titles else read
        yield Program(name, partial(_by_page, function))


def _content(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("verdict", "title", "text", "confidence")}


def _rows(lists: Iterable[Any]) -> list[list[dict[str, Any]]]:
    return [listing.records() for listing in lists]


@contextmanager
def _replaced(folder: Path) -> Iterator[None]:
    """Use the models of a folder, as far as it has them, in place of those that come with webgrain."""
    loaders = [
        single.trained_models,
        boilerplate.trained_boilerplate,
        acceptance.trained_acceptance,
        ranking.trained_lists,
    ]
    loaders += [threads.thread_models, similarity.trained_pairs, similarity._trained]

    def own(package: str, file: str, names: Mapping[str, tuple[str, ...]], format_: str) -> Any:
        path = folder / file
        return (
            read_trees(path, names, format_)
            if path.exists()
            else packaged_trees(package, file, names, format_)
        )

    def pairs() -> dict[str, Any]:
        return read_model(folder / "pairs.json", similarity.FORMAT, similarity.VERSION)[0]

    modules = (single, boilerplate, acceptance, ranking, threads)
    with patch.object(
        similarity, "_trained", pairs if (folder / "pairs.json").exists() else similarity._trained
    ):
        patches = [patch.object(module, "packaged_trees", own) for module in modules]
        for one in patches:
            one.start()
        for loader in loaders:
            loader.cache_clear()
        try:
            yield
        finally:
            for one in patches:
                one.stop()
            for loader in loaders:
                loader.cache_clear()


def _left_out(models: Path | None, name: str) -> Any:
    return nullcontext() if models is None else _replaced(models / str(group_of()[name]))


def programs(models: Path | None = None) -> list[Program]:
    """Return webgrain, the programs of other authors that are installed, and the baseline of page types."""
    seen = [name for name in MODELS if models is None or not list(models.glob(f"*/{name}.*"))]
    note = f" (has seen the sites: {', '.join(seen)})"
    return [
        Program(f"webgrain{note}", partial(by_webgrain, models)),
        Program(f"webgrain, page alone{note}", partial(by_page_alone, models)),
        *others(),
        Program("path shingles", by_shingles),
    ]


# The comparison.


def compare(
    some: Sequence[Program], sites: Iterable[BenchSite], most: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a record of each site and program: pages, measures, and milliseconds per page.

    most: the number of pages of a site, drawn by a key of their paths, that are judged by all measures but
    the types; None: all.
    """
    for site in sites:
        sources = list(site.sources())
        judged = sorted(site.roles, key=text_key)[:most]
        for program in some:
            begin = sum(os.times()[:4])
            found = dict(program.run(site.name, sources, set(judged)))
            milliseconds = 1000 * (sum(os.times()[:4]) - begin) / max(len(found), 1)
            fields = {field for record in found.values() for field in record}
            values = score(site, found, judged)
            yield {
                "program": program.name,
                "site": site.name,
                "pages": len(found),
                "fields": sorted(fields),
                **{name: values[name] for name in MEASURES},
                "ms": milliseconds,
            }


def table(records: Sequence[Record]) -> str:
    """Return the means over sites of each program as a table; measures that it never returns are left out."""
    lines = [f"| program | sites | {' | '.join(MEASURES)} | ms |", f"|---|---|{'---|' * (len(MEASURES) + 1)}"]
    for name in dict.fromkeys(record["program"] for record in records):
        own = [record for record in records if record["program"] == name]
        given = {field for record in own for field in record["fields"]}
        cells = []
        for measure, field in MEASURES.items():
            values = [record[measure] for record in own if not np.isnan(record[measure])]
            cells.append(f"{np.mean(values):.3f}" if values and field in given else "-")
        lines.append(
            f"| {name} | {len(own)} | {' | '.join(cells)} | {np.mean([record['ms'] for record in own]):.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Read the command line, compare, and print a line for each site and the table of means."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--extractor", action="append", default=[], help="function or command; may be repeated"
    )
    parser.add_argument(
        "--clusterer", action="append", default=[], help="function or command; may be repeated"
    )
    parser.add_argument("--programs", help="names of the other programs to run, with commas; default: all")
    parser.add_argument("--site", action="append", help="name of a site; may be repeated; default: all")
    parser.add_argument("--pages", type=int, help="most pages of a site that are judged; default: all")
    parser.add_argument("--models", type=Path, help="folder of models that have not seen the sites")
    parser.add_argument("--records", type=Path, help="also write a record per site and program to this file")
    args = parser.parse_args()
    try:
        some = programs(args.models)
        if args.programs is not None:
            some = [one for one in some if one.name.partition(" (")[0] in args.programs.split(",")]
        some += [given(what, False) for what in args.extractor] + [
            given(what, True) for what in args.clusterer
        ]
        records = []
        for record in compare(some, read_bench(args.site), args.pages):
            records.append(record)
            shown = [name for name, field in MEASURES.items() if field in record["fields"]]
            figures = ", ".join(f"{name} {record[name]:.2f}" for name in shown if not np.isnan(record[name]))
            print(f"{record['site']}: {record['program']}: {figures}", file=sys.stderr, flush=True)
            if args.records:
                with args.records.open("a", encoding="utf-8") as file:
                    print(json.dumps(record), file=file)
        print(table(records))
    except WebgrainError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
