"""``webgrain compare``: two pages side by side."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from webgrain.cli.dupes import Cut
from webgrain.cli.options import Browser, Rendering, grouped

if TYPE_CHECKING:
    from webgrain.duplicates.compare import Comparison


class Form(StrEnum):
    """Forms of a comparison."""

    text = "text"
    html = "html"


@grouped
def compare(
    *,
    a: Annotated[str, Argument(metavar="A", help="A page: a file or a URL; - is the standard input.")],
    b: Annotated[str, Argument(metavar="B", help="Another page.")],
    method: Cut,
    rendering: Rendering,
    browser: Browser,
    threshold: Annotated[
        float,
        Option("--threshold", metavar="X", help="Share of common shingles from which texts are duplicates."),
    ] = 0.8,
    form: Annotated[
        Form, Option("--format", metavar="FORMAT", help="text, or html: one file that needs nothing else.")
    ] = Form.text,
    file: Annotated[
        Path | None, Option("-o", "--output", metavar="FILE", help="Write to this file, not to stdout.")
    ] = None,
) -> None:
    """Lay two pages side by side, and mark which words differ.

    The first line says what the pages are to each other, and which share of the shingles (runs of six words)
    the pages, their main contents and their frames have in common. Then come their texts in two columns, with
    | between lines that differ, < and > beside lines that one page has alone. Words that only one page has
    stand in [- -] and {+ +}.

    Example: webgrain compare a.html b.html --format html -o difference.html
    """
    import sys

    from webgrain.cli.output import check_target
    from webgrain.io.read import read
    from webgrain.site.duplicates import Segments, compare_pages, page_texts

    if file is not None:
        check_target(file)
    layout = browser.layout(rendering, screenshot=False)
    texts = page_texts(read([a, b]), Segments(method.create()), layout)
    shown = _shown(compare_pages(texts, threshold), form)
    if file is None:
        sys.stdout.write(shown)
    else:
        file.write_text(shown, encoding="utf-8", errors="replace")


def _shown(found: Comparison, form: Form) -> str:
    """Return the comparison in a form."""
    from shutil import get_terminal_size

    from webgrain.report.difference import as_html, as_text

    if form is Form.html:
        return as_html(found)
    return "".join(f"{line}\n" for line in as_text(found, get_terminal_size((120, 24)).columns))
