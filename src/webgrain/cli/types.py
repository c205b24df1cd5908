"""``webgrain types``: the pages of a site in, their types out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Exit, Option

from webgrain.cli.options import Inputs, Queries, Strict, grouped
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from webgrain.io.write import Writer
    from webgrain.results import PageType
    from webgrain.site.types import LearntTypes


class Method(StrEnum):
    """Methods that learn page types."""

    pagetypes = "pagetypes"
    keyclus = "keyclus"


class Table(StrEnum):
    """Formats of the types, and of the pages with their types."""

    text = "text"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


@dataclass(frozen=True, slots=True)
class Told:
    """What is written."""

    model: Annotated[
        Path | None,
        Option("--model", metavar="FILE", help="Assign pages to the types in FILE, which -o has written."),
    ] = None
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="FILE", help="Write the learnt types to FILE (JSON).")
    ] = None
    fields: Annotated[
        bool, Option("--fields", help="What the pages of each type have at one place, as selectors.")
    ] = False
    html: Annotated[
        Path | None, Option("--html", metavar="FILE", help="Also show three examples of each type as HTML.")
    ] = None


@grouped
def types(
    *,
    inputs: Inputs,
    queries: Queries = None,
    told: Told,
    format: Annotated[  # noqa: A002 - the option's name
        Table,
        Option(
            "--format",
            metavar="FORMAT",
            help="text: a table of the types; jsonl, csv or parquet: a record for each page, or each field.",
        ),
    ] = Table.text,
    method: Annotated[
        Method,
        Option(
            "--method",
            metavar="METHOD",
            help="pagetypes: key paths by structure; keyclus: the published method, key paths by queries.",
        ),
    ] = Method.pagetypes,
    tabs: Annotated[
        bool, Option("--tabs", help="Split types further by the content of their open tab.")
    ] = False,
    previous: Annotated[
        Path | None,
        Option("--previous", metavar="FILE", help="Keep the labels of types that are in FILE already."),
    ] = None,
    seed: Annotated[int, Option("--seed", metavar="N", help="Seed of what is random.")] = 0,
    strict: Strict = False,
) -> None:
    """Learn the page types of a site, each with its key path.

    Prints for each type its display name, its label in brackets, which stays the same from run to run, its
    number of pages, its key path as CSS selector and the contents of the key path on some pages. Pages that
    fit no type are shown last, as the group "other".
    Without a search log, anchor texts, titles and headings serve as pseudo-queries. With --format jsonl, csv
    or parquet, a record per page: page, url, type, key_path (css, xpath) and confidence; the type of pages
    that fit no type is "other", without key path and confidence, and pages that a model does not know have
    no type. With --fields: type, css, xpath, share (of the type's pages) and contents.

    Example: webgrain types site/ --queries queries.tsv -o types.json
    """
    from webgrain.cli.output import check_target

    if told.model is not None:
        if queries or told.output or told.fields or told.html or previous:
            raise ParameterError("--model assigns pages; it can be combined with --format only.")
        _assign(inputs, told.model, format, strict)
        return
    for path in filter(None, (told.output, told.html)):
        check_target(path)
    learnt = learn(inputs, queries, tabs, seed, previous, method)
    _tell(learnt, inputs, told, format)
    if strict and learnt.failures:
        raise Exit(1)


def learn(
    inputs: Inputs,
    queries: Path | None,
    tabs: bool,
    seed: int,
    previous: Path | None,
    method: Method = Method.pagetypes,
) -> LearntTypes:
    """Learn the types of the input pages; each page that failed has a line on stderr."""
    from webgrain.cli.output import say
    from webgrain.io.queries import read_queries
    from webgrain.pagetypes.keyclus import KeyClus, TypeModel
    from webgrain.pagetypes.pagetypes import PageTypes
    from webgrain.site.types import learn_types

    if "-" in (inputs.inputs or []):
        raise InputError("The types of a site need its pages; the standard input holds only one.")
    before = TypeModel.load(previous) if previous else None
    log = read_queries(queries) if queries else None
    estimator = KeyClus if method is Method.keyclus else PageTypes
    learnt = learn_types(inputs.read, estimator(tabs=tabs, random_state=seed), log, failed=say)
    if log is not None and log.dropped:
        print(
            "webgrain: the search log has more addresses than are kept; the first ones are.", file=sys.stderr
        )
    return learnt if before is None else learnt.renamed(before)


def _tell(learnt: LearntTypes, inputs: Inputs, told: Told, table: Table) -> None:
    """Write what was learnt to the files that were named, and to stdout."""
    if told.output:
        _save(learnt, told.output)
    if told.html:
        _show(inputs, learnt, told.html)
    if table is not Table.text:
        _write(table, _fields(learnt) if told.fields else learnt.records())
    else:
        print("\n".join(_field_lines(learnt) if told.fields else _lines(learnt)))


def _save(learnt: LearntTypes, path: Path) -> None:
    told = {"pages": len(learnt.clustering.pages), "queries": learnt.source}
    learnt.model.save(path, told | {"params": dict(learnt.clustering.params)})


def _show(inputs: Inputs, learnt: LearntTypes, path: Path) -> None:
    from webgrain.report.documents import EXAMPLES, write_types
    from webgrain.site.types import select_pages

    ids = {page for kind in learnt.clustering.types for page in kind.examples[:EXAMPLES]}
    shown = {page.id: page for page in select_pages(inputs.read(), ids)}
    write_types(path, learnt.clustering, shown, learnt.source, learnt.names())


def _assign(inputs: Inputs, path: Path, table: Table, strict: bool) -> None:
    from webgrain.cli.output import say
    from webgrain.pagetypes.keyclus import TypeModel
    from webgrain.records import failure_record
    from webgrain.results import Failure
    from webgrain.site.types import assign_types

    failed = False

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal failed
        for found in assign_types(inputs.read(), TypeModel.load(path)):
            if isinstance(found, Failure):
                failed = True
                say(found)
            yield failure_record(found) if isinstance(found, Failure) else found

    _write(Table.jsonl if table is Table.text else table, rows())
    if strict and failed:
        raise Exit(1)


def _write(table: Table, rows: Iterable[dict[str, Any]]) -> None:
    from webgrain.io.write import open_writer

    with open_writer(table.value, "-") as records:
        _fill(records, rows)


def _fill(records: Writer, rows: Iterable[dict[str, Any]]) -> None:
    for row in rows:
        records.write(row)


def _lines(learnt: LearntTypes) -> Iterator[str]:
    """Yield the table of the types as text."""
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count

    found = learnt.clustering
    others = sum(kind.size for kind in found.types if kind.label == OTHER)
    types = count(sum(kind.label != OTHER for kind in found.types), "type")
    other = f", {count(others, 'page')} of no type" if others else ""
    yield f"{count(len(found.pages), 'page')}, {types}{other}; {learnt.source}."
    small = [kind for kind in found.types if kind.key_path is None and kind.size < 3 and kind.label != OTHER]
    names = learnt.names()
    for kind in found.types:
        if kind not in small:
            yield ""
            yield from _type_lines(kind, names[kind.label])
    if small:
        few = sum(kind.size for kind in small)
        yield f"\n{count(few, 'page')} in {count(len(small), 'type')} of one or two, without a key path."


def _type_lines(kind: PageType, name: str) -> Iterator[str]:
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count, plain

    yield f"{plain(name)}  [{kind.label}]  {count(kind.size, 'page')} ({kind.share:.0%})" + (
        f"  tab: {plain(kind.tab)}" if kind.tab else ""
    )
    if kind.label != OTHER:
        yield f"  key path  {plain(kind.key_path.css) if kind.key_path else 'none: grouped by other paths'}"
    if kind.contents:
        yield "  contents  " + " | ".join(plain(text, 50) for text in kind.contents)
    yield "  pages     " + " ".join(plain(page, 80) for page in kind.examples[:3])


def _fields(learnt: LearntTypes) -> Iterator[dict[str, Any]]:
    for kind in learnt.clustering.types:
        for one in kind.fields:
            yield {
                "type": kind.label,
                "css": one.path.css,
                "xpath": one.path.xpath,
                "share": round(one.share, 3),
                "contents": list(one.contents),
            }


def _field_lines(learnt: LearntTypes) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    for kind in learnt.clustering.types:
        if kind.fields:
            yield f"{kind.label}  {count(kind.size, 'page')}"
        for one in kind.fields:
            yield f"  {one.share:4.0%}  {plain(one.path.css)}"
            yield "        " + " | ".join(plain(text, 50) for text in one.contents)
