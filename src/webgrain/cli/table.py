"""``webgrain table``: the lists of pages as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain.cli import options
from webgrain.cli.options import option, with_options
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from webgrain.cli.output import Write
    from webgrain.lists.records import Listing
    from webgrain.page.page import Page

_ENDINGS = {".csv": "csv", ".parquet": "parquet", ".jsonl": "jsonl"}


@with_options
def table(
    *,
    inputs: options.Inputs,
    model: Path | None = option(None, "--model FILE"),
    number: str = option("1", "--list N"),
    selectors: bool = option(False, "--selectors"),
    form: options.Format | None = option(None, "--format FORMAT"),
    output: Path | None = option(None, "-o --output FILE"),
    strict: bool = options.STRICT,
) -> None:
    """Extract the lists of pages as a table, a row per item.

    A page may contain several lists; the first is the list that readers visit the page for, such as its
    products or articles. Every row has page, list (1 for the first), item (the number of the row) and the
    fields of the item, such as name, link, date, price and image.

    Example: webgrain table shop/ -o products.csv

    Options:
        model: Model of the site from webgrain audit. Without it, each page is read on its own.
        number: Which list of a page: 1 for the first, 2 for the second, or all.
        selectors: Write the CSS selectors and XPaths of the lists and of their fields instead of the rows.
        form: jsonl, csv or parquet. Default: as the name of the file ends, otherwise csv.
        output: File for the table. Default: stdout.
    """
    from webgrain.cli.output import check_target, run
    from webgrain.engines.guard import run_step
    from webgrain.pipeline import Layout, pages

    if number != "all" and not (number.isdecimal() and int(number) >= 1):
        raise ParameterError(f"--list must be a number of at least 1, or all, got {number!r:.40}.")
    ending = _ENDINGS.get(output.suffix.lower()) if output else None
    if output and form and ending and form != ending:
        raise ParameterError(f"--format {form} contradicts the name {output.name}.")
    if output is not None:
        check_target(output)
    find = _finder(model)

    def rows(page: Page) -> list[dict[str, Any]]:
        return list(_rows(page, find(page), number, selectors))

    results = (run_step(page, "lists", rows) for page in pages(inputs.read(), Layout(render="none")))
    run(results, _open_rows(form or ending or "csv", output), strict)


def _finder(model: Path | None) -> Callable[[Page], tuple[Listing, ...]]:
    """Return a function that finds the lists of a page."""
    if model is None:
        from webgrain.lists.ranking import find_lists

        return find_lists
    from webgrain.modelfile import format_of
    from webgrain.site.model import FORMAT, load_model

    if (kind := format_of(model)) not in (FORMAT, None):
        raise InputError(f"{model} is a {kind} file, expected a model from webgrain audit.")
    site = load_model(model)
    return lambda page: site.predict(page).lists


def _rows(page: Page, lists: tuple[Listing, ...], number: str, selectors: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of the chosen lists of a page, or a row of selectors per list."""
    for k, each in enumerate(lists, 1):
        if number not in ("all", str(k)):
            continue
        head: dict[str, Any] = {"page": page.id, "list": k}
        if selectors:
            selected = each.selectors()
            yield head | {"probability": each.probability, "css": selected.pop("list")} | selected
            continue
        for item, record in enumerate(each.records(), 1):
            yield (
                head
                | {"item": item}
                | {name if name not in _HEAD else f"{name}_2": x for name, x in record.items()}
            )


_HEAD = ("page", "list", "item")


@contextmanager
def _open_rows(form: str, target: Path | None) -> Iterator[Write[list[dict[str, Any]]]]:
    """Write the rows of pages; failures are reported on stderr only."""
    from webgrain.cli.output import without_failing
    from webgrain.io.write import open_writer

    pages = written = 0
    with open_writer(form, target or "-", () if form == "jsonl" else _HEAD) as writer:

        def write(rows: list[dict[str, Any]]) -> None:
            nonlocal pages, written
            pages += 1
            written += len(rows)
            for row in rows:
                writer.write(row)

        yield without_failing(write)
    if pages and not written:
        raise InputError("No page has a list.")
