"""``webgrain text``: the plain text of pages."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from webgrain.cli.options import Inputs, Strict, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.cli.run import Write
    from webgrain.page.page import Page


@grouped
def text(*, inputs: Inputs, strict: Strict = False) -> None:
    """Print the plain text of pages, one block a line.

    A blank line is between pages. All that can be read is printed, menus and the like too; webgrain extract
    finds the main text.

    Example: webgrain text page.html
    """
    from webgrain.cli.run import run
    from webgrain.cli.textout import say_notes
    from webgrain.pipeline import Layout, pages
    from webgrain.report.articles import page_text
    from webgrain.run.attempt import attempt

    def read(page: Page) -> str:
        say_notes(page)
        return page_text(page)

    found = pages(inputs.read(), Layout(render="none"))
    run((attempt(page, "text", read) for page in found), _open(), strict)


@contextmanager
def _open() -> Iterator[Write[str]]:
    from webgrain.cli.textout import open_text

    with open_text(None) as say:
        first = True

        def write(result: object) -> None:
            nonlocal first
            if isinstance(result, str):
                say(result if first else f"\n{result}")
                first = False

        yield write
