"""``webgrain fields``: the pages of each type of a site as a table of their fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from click.exceptions import Exit

from webgrain.base.errors import InputError, ParameterError
from webgrain.cli.options import STRICT, InputOptions, option, with_options
from webgrain.cli.output import (
    check_json_target,
    check_target,
    format_of_name,
    make_folder,
    report,
    report_failure,
    without_failures,
)

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.fields.field import Fields
    from webgrain.io.write import Writer
    from webgrain.page.page import Page, Source
    from webgrain.page.turns import Steps
    from webgrain.site.model import SiteModel

_Table = Literal["jsonl", "csv", "parquet"]


@dataclass(slots=True)
class _TypeTable:
    """The file of a type, and the number of pages written to it."""

    path: Path
    writer: Writer
    pages: int = 0


@with_options
def fields(
    *,
    inputs: InputOptions,
    output: Path | None = option(None, "-o --output FILE"),
    form: _Table | None = option(None, "--format FORMAT"),
    types: list[str] | None = option(None, "--type LABEL"),
    model: Path | None = option(None, "--model FILE"),
    save: Path | None = option(None, "--save FILE"),
    marks: Path | None = option(None, "--marks FILE"),
    strict: bool = STRICT,
) -> None:
    """Write the pages of each type of a site as a table: a row per page, a column per field.

    A field is what differs from page to page at the same place: title, price, date, author, image, values
    with a label. Without -o, prints the fields of each type: name, type of value, share of the pages,
    selector and an example. With -o FILE, writes a table per type: page, url and the fields, and prints the
    number of its pages. A site with several types has a file for each, FILE-LABEL, unless --type names one.

    Example: webgrain fields shop/ -o products.csv

    Options:
        output: File for the table, .jsonl, .csv or .parquet; or a folder, with a file per type.
        form: jsonl, csv or parquet. Default: as FILE ends, otherwise jsonl.
        types: Only the type with this label, as printed without -o. May be repeated.
        model: Model of the site, from webgrain audit or --save. Default: it is learnt from the pages.
        save: Also write the model to FILE (JSON): the one that was learnt, or that --marks has changed.
        marks: Learn fields from marked pages: lines of JSON in FILE, each with page (its id) and fields (an
            object with the value of each field as the page shows it). Two or three pages are sufficient.
    """
    from webgrain.site.model import load_model

    if save is not None:
        if model is not None and marks is None:
            raise ParameterError(
                "--save writes the model that is learnt; it cannot be combined with --model without --marks."
            )
        check_json_target(save, "--save")
    if output is not None:
        _check_output(output)  # before the site is learnt
    marked = _read_marks(marks) if marks is not None else []
    failures: list[Failure] = []
    learnt = load_model(model) if model else _learnt_model(inputs, failures)
    for failure in failures:
        report_failure(failure)
    if marked:
        _correct(learnt, marked, inputs)
    if save is not None:
        learnt.save(save)
    chosen = _chosen_types(learnt, types or [])
    reported = {failure.page for failure in failures}
    failed = len(reported)
    if output is None:
        print("\n".join(_lines(learnt, chosen)))
    else:
        failures_of_tables, others, tables = _write_tables(inputs, learnt, chosen, output, form, reported)
        failed += failures_of_tables
        _print_counts(learnt, tables, others)
    if failed and strict:
        raise Exit(1)


def _check_output(output: Path) -> None:
    """Raise `ParameterError` or `InputError` if tables cannot be written to a path."""
    if format_of_name(output) is not None:
        check_target(output)
    elif output.suffix and not output.is_dir():
        raise ParameterError(
            f"-o {output}: expected a file that ends in .jsonl, .csv or .parquet, or a folder."
        )


def _print_counts(model: SiteModel, tables: list[_TypeTable], others: Counter[str | None]) -> None:
    """Print the number of pages of each table; others: number of pages that are in none, by their type."""
    from webgrain.report.terminal import count

    if not any(table.pages for table in tables):
        report(_why_no_page(model, others))
    print("\n".join(f"{table.path}: {count(table.pages, 'page')}" for table in tables))


class Mark(NamedTuple):
    """A marked page: its id, and the values of fields by their names."""

    page: str
    fields: dict[str, str]


def _read_marks(path: Path) -> list[Mark]:
    """Read marked pages; `InputError` for another file."""
    from webgrain.io.local import json_lines

    marks = list(json_lines(path, "marks", _mark))
    if not marks:
        raise InputError(f"{path} marks no page.")
    return marks


def _mark(record: Any) -> Mark:
    page, values = record["page"], record["fields"]
    texts = [page, *values, *values.values()]
    if not values or not all(isinstance(text, str) for text in texts):
        raise ValueError("expected page and fields, with texts")
    return Mark(page, dict(values))


def _correct(model: SiteModel, marks: list[Mark], inputs: InputOptions) -> None:
    """Learn the fields of types from marked pages of the input."""
    from webgrain.base.failures import Failure
    from webgrain.engines.guard import run_step
    from webgrain.fields.field import Fields
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.site.typelearning import select_pages

    pages = {page.id: page for page in select_pages(inputs.read(), [mark.page for mark in marks])}
    for mark in marks:
        if mark.page not in pages:
            raise InputError(
                f"--marks: there is no page {mark.page!r:.80} in the input, or it cannot be read."
            )
        page = pages[mark.page]
        label = run_step(page, "fields", lambda page: model.types.assign(page).type)
        if isinstance(label, Failure):
            raise InputError(f"--marks: the page {mark.page!r:.80} cannot be read: {label.error}")
        if label is None or label == OTHER:
            raise InputError(f"--marks: the page {mark.page!r:.80} has no type of the site.")
        model.fields.setdefault(label, Fields()).correct(page, mark.fields)


def _why_no_page(model: SiteModel, others: Counter[str | None]) -> str:
    """Return why no page is in a table; others: number of pages that are in none, by their type."""
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count, plain

    if not others:
        return "No page is in a table: no page could be read."
    labels = [label for label, _ in others.most_common() if label not in (None, OTHER)]
    if not labels:
        read = count(others.total(), "page")
        return f"No page is in a table: of {read}, none has a type of the model (perhaps of another site)."
    names = ", ".join(plain(model.name(label) or label, 80) for label in labels[:3])
    return f"No page is in a table: the pages are of other types ({names})."


def _learnt_model(inputs: InputOptions, failures: list[Failure]) -> SiteModel:
    """Return the model of the site of the input; pages that fail are added to ``failures``."""
    from webgrain.site.learning import learn_site, least
    from webgrain.site.thresholds import SAMPLE

    if "-" in (inputs.inputs or []):
        raise InputError("Fields are learnt from the pages of a site, but stdin holds only one page.")
    readable: Iterator[Source | Page] = without_failures(inputs.read(), failures)
    chosen = set(least((item.id for item in readable), SAMPLE))
    name = Path((inputs.inputs or ["site"])[0]).name

    def items() -> Iterator[Source | Page]:
        again: Iterator[Source | Page] = without_failures(inputs.read(), [])
        return (item for item in again if item.id in chosen)

    model = learn_site(items, name)
    failures += model.failures
    return model


def _chosen_types(model: SiteModel, labels: list[str]) -> dict[str, Fields]:
    """Return the fields of the types with some labels, or of all types that have any."""
    for label in labels:
        if label not in model.fields:
            known = ", ".join(model.fields) or "none"
            raise ParameterError(f"--type {label}: there is no such type with fields; there are {known}.")
    chosen = {label: each for label, each in model.fields.items() if label in labels or not labels}
    if not chosen:
        raise InputError("No type of the site has fields: a type needs three pages that differ.")
    return chosen


def _lines(model: SiteModel, chosen: dict[str, Fields]) -> Iterator[str]:
    """Yield the fields of each type as text."""
    from webgrain.report.terminal import plain

    for number, (label, of_type) in enumerate(chosen.items()):
        if number:
            yield ""
        yield f"{plain(model.name(label) or label)}  [{label}]"
        for column, each in zip(of_type.columns[2:], of_type, strict=True):
            selector = plain(each.css or each.xpath or "", 60)
            example = plain(each.examples[0], 40) if each.examples else ""
            yield f"  {plain(column, 24):24} {each.type:6} {each.share:4.0%}  {selector}  {example}"


def _write_tables(
    inputs: InputOptions,
    model: SiteModel,
    chosen: dict[str, Fields],
    output: Path,
    form: _Table | None,
    reported: Set[str],
) -> tuple[int, Counter[str | None], list[_TypeTable]]:
    """Write the table of each type; reported: the ids of pages whose failure is on stderr already.

    Returns the number of pages that failed, the number of those in no table by their type, and the tables.
    """
    from webgrain.base.failures import Failure
    from webgrain.engines.groups import run_in_turns
    from webgrain.page.parsing import as_page
    from webgrain.page.turns import PATIENCE, page_bytes, page_groups

    def row(page: Source | Page) -> Steps[tuple[str | None, dict[str, Any]]]:
        page = as_page(page)
        yield "read"
        return model.fields_of(page)

    def rows() -> Iterator[tuple[str | None, dict[str, Any]] | Failure]:
        for group in page_groups(inputs.read(), page_bytes, PATIENCE):
            yield from run_in_turns(group, "fields", row)

    failed = 0
    others: Counter[str | None] = Counter()
    with ExitStack() as stack:
        tables = _tables(stack, chosen, output, form)
        for made in rows():
            if isinstance(made, Failure):
                failed += 1
                if made.page not in reported:
                    report_failure(made)
                continue
            label, values = made
            if label in tables:
                tables[label].writer.write(values)
                tables[label].pages += 1
            else:
                others[label] += 1
    return failed, others, list(tables.values())


def _tables(
    stack: ExitStack, chosen: dict[str, Fields], output: Path, form: _Table | None
) -> dict[str | None, _TypeTable]:
    """Open a file for each type; return the tables by label."""
    from webgrain.io.write import open_writer

    form = form or format_of_name(output) or "jsonl"
    is_file = format_of_name(output) is not None
    if not is_file:
        make_folder(output)
    tables: dict[str | None, _TypeTable] = {}
    for label, of_type in chosen.items():
        name = re.sub(r"[^\w.-]+", "-", label)
        if not is_file:
            path = output / f"{name}.{form}"
        else:
            path = output if len(chosen) == 1 else output.with_name(f"{output.stem}-{name}{output.suffix}")
            check_target(path)
        tables[label] = _TypeTable(path, stack.enter_context(open_writer(form, path, of_type.columns)))
    return tables
