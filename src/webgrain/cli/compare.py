"""``webgrain compare``: show two pages side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from webgrain.cli.dupes import ContentMethod
from webgrain.cli.options import THRESHOLD, Browser, Rendering, layout, option, with_options

Form = Literal["text", "html"]


@with_options
def compare(
    *,
    a: str = option(..., "A"),
    b: str = option(..., "B"),
    method: ContentMethod,
    rendering: Rendering,
    browser: Browser,
    threshold: float = THRESHOLD,
    form: Form = option("text", "--format FORMAT"),
    file: Path | None = option(None, "-o --output FILE"),
) -> None:
    """Show two pages side by side and mark the words that differ.

    The first line gives the verdict, and the similarity of the pages, of their main content and of the rest.
    It is the share of shingles (runs of six words) in common. Then follow the texts in two columns: | marks
    lines that differ, < and > mark lines of one page only, [- -] and {+ +} mark words of one page only.

    Example: webgrain compare a.html b.html --format html -o difference.html

    Options:
        a: A page: a file or a URL; - reads stdin.
        b: Another page.
        form: Format of the comparison: text or html (one file).
        file: File for the comparison. Default: stdout.
    """
    import sys
    from shutil import get_terminal_size

    from webgrain.cli.output import check_target
    from webgrain.io.read import read
    from webgrain.report.difference import as_html, as_text
    from webgrain.site.duplicates import Segments, compare_pages, page_texts

    if file is not None:
        check_target(file)
    texts = page_texts(read([a, b]), Segments(method.create()), layout(rendering, browser))
    comparison = compare_pages(texts, threshold)
    if form == "html":
        shown = as_html(comparison)
    else:
        lines = as_text(comparison, get_terminal_size((120, 24)).columns)
        shown = "".join(f"{line}\n" for line in lines)
    if file is None:
        sys.stdout.write(shown)
    else:
        file.write_text(shown, encoding="utf-8", errors="replace")
