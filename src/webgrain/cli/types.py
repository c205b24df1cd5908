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
    from webgrain.site.types import Learnt


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
    raw: Annotated[
        bool,
        Option("--raw", help="With --model: parse only pages whose type cannot be seen in their bytes."),
    ] = False
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
    tabs: Annotated[
        bool, Option("--tabs", help="Tell pages apart by what their open tab says, too.")
    ] = False,
    previous: Annotated[
        Path | None,
        Option("--previous", metavar="FILE", help="Keep the labels of types that are in FILE already."),
    ] = None,
    seed: Annotated[int, Option("--seed", metavar="N", help="Seed of what is random.")] = 0,
    strict: Strict = False,
) -> None:
    """Tell the types of a site's pages by their key paths.

    Prints for each type its name for people, in brackets its label, which stays from run to run, its pages,
    its key path as CSS selector and what that says on some pages.
    Without a search log, anchor texts, titles and headings serve as pseudo-queries. With --format jsonl, csv
    or parquet, a record per page: page, url, type (none where no type fits), key_path (css, xpath) and
    confidence (none with --raw, where the page was not parsed). With --fields: type, css, xpath, share (of
    the type's pages) and contents.

    Example: webgrain types site/ --queries queries.tsv -o types.json
    """
    from webgrain.cli.output import check_target

    if told.model is not None:
        if queries or told.output or told.fields or told.html or previous:
            raise ParameterError("--model assigns pages; it goes with --format and --raw alone.")
        _assign(inputs, told.model, told.raw, format, strict)
        return
    if told.raw:
        raise ParameterError("--raw looks for known types, so it needs a --model.")
    for path in filter(None, (told.output, told.html)):
        check_target(path)
    learnt = learn(inputs, queries, tabs, seed, previous)
    _tell(learnt, inputs, told, format)
    if strict and learnt.failures:
        raise Exit(1)


def learn(inputs: Inputs, queries: Path | None, tabs: bool, seed: int, previous: Path | None) -> Learnt:
    """Learn the types of the pages that were named; those that failed get a line on stderr."""
    from webgrain.cli.output import say
    from webgrain.io.queries import read_queries
    from webgrain.pagetypes.keyclus import KeyClus
    from webgrain.pagetypes.typemodel import TypeModel
    from webgrain.site.types import learn_types

    if "-" in (inputs.inputs or []):
        raise InputError("The types of a site need its pages; the standard input holds only one.")
    before = TypeModel.load(previous) if previous else None
    log = read_queries(queries) if queries else None
    learnt = learn_types(inputs.read, KeyClus(tabs=tabs, random_state=seed), log, failed=say)
    if log is not None and log.dropped:
        print(
            "webgrain: the search log has more addresses than are kept; the first ones are.", file=sys.stderr
        )
    return learnt if before is None else learnt.renamed(before)


def _tell(learnt: Learnt, inputs: Inputs, told: Told, table: Table) -> None:
    """Write what was learnt to the files that were named, and to stdout."""
    if told.output:
        _save(learnt, told.output)
    if told.html:
        _show(inputs, learnt, told.html)
    if table is not Table.text:
        _write(table, _fields(learnt) if told.fields else learnt.records())
    else:
        print("\n".join(_field_lines(learnt) if told.fields else _lines(learnt)))


def _save(learnt: Learnt, path: Path) -> None:
    told = {"pages": len(learnt.clustering.pages), "queries": learnt.source}
    learnt.model.save(path, told | {"params": dict(learnt.clustering.params)})


def _show(inputs: Inputs, learnt: Learnt, path: Path) -> None:
    from webgrain.report.types import EXAMPLES, write_types
    from webgrain.site.types import wanted

    ids = {page for kind in learnt.clustering.types for page in kind.examples[:EXAMPLES]}
    shown = {page.id: page for page in wanted(inputs.read(), ids)}
    write_types(path, learnt.clustering, shown, learnt.source, learnt.names())


def _assign(inputs: Inputs, path: Path, raw: bool, table: Table, strict: bool) -> None:
    from webgrain.cli.output import say
    from webgrain.pagetypes.typemodel import TypeModel
    from webgrain.results import Failure, failure_record
    from webgrain.site.types import assign_types

    failed = False

    def rows() -> Iterator[dict[str, Any]]:
        nonlocal failed
        for found in assign_types(inputs.read(), TypeModel.load(path), raw=raw):
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


def _lines(learnt: Learnt) -> Iterator[str]:
    """Yield the table of the types as text."""
    from webgrain.report.terminal import count

    found = learnt.clustering
    yield f"{count(len(found.pages), 'page')}, {count(len(found), 'type')}; {learnt.source}."
    small = [kind for kind in found.types if kind.key_path is None and kind.size < 3]
    names = learnt.names()
    for kind in found.types:
        if kind not in small:
            yield ""
            yield from _type_lines(kind, names[kind.label])
    if small:
        few = sum(kind.size for kind in small)
        yield f"\n{count(few, 'page')} in {count(len(small), 'type')} of one or two, without a key path."


def _type_lines(kind: PageType, name: str) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    yield f"{plain(name)}  [{kind.label}]  {count(kind.size, 'page')} ({kind.share:.0%})" + (
        f"  tab: {plain(kind.tab)}" if kind.tab else ""
    )
    yield f"  key path  {plain(kind.key_path.css) if kind.key_path else 'none: put together by other paths'}"
    if kind.contents:
        yield "  it says   " + " | ".join(plain(text, 50) for text in kind.contents)
    yield "  pages     " + " ".join(plain(page, 80) for page in kind.examples[:3])


def _fields(learnt: Learnt) -> Iterator[dict[str, Any]]:
    for kind in learnt.clustering.types:
        for one in kind.fields:
            yield {
                "type": kind.label,
                "css": one.path.css,
                "xpath": one.path.xpath,
                "share": round(one.share, 3),
                "contents": list(one.contents),
            }


def _field_lines(learnt: Learnt) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    for kind in learnt.clustering.types:
        if kind.fields:
            yield f"{kind.label}  {count(kind.size, 'page')}"
        for one in kind.fields:
            yield f"  {one.share:4.0%}  {plain(one.path.css)}"
            yield "        " + " | ".join(plain(text, 50) for text in one.contents)
