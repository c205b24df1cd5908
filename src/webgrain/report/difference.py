"""Two pages side by side, as text for a terminal and as an HTML document; the differences are marked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from webgrain.duplicates.compare import Comparison, FacingLines, Line, Side
from webgrain.report.html import Html, document, element
from webgrain.report.terminal import count, plain

MEANING = {
    "same-page": "the text is the same",
    "same-content": "the same content, in another template",
    "near-duplicate": "most of what is specific to each page is on the other",
    "contains": "one page contains much of the other",
    "same-template": "the same template with other content",
    "too-little-text": "too little text for a verdict",
    "distinct": "different pages",
}
"""Verdicts in words."""

LENGTH = 4000
"""Characters of a line that are shown."""

_BETWEEN = {"equal": " ", "changed": "|", "left": "<", "right": ">"}
_KEPT = 2  # equal lines that are shown before and after a difference
_ONLY = (("[-", "-]"), ("{+", "+}"))


def as_text(comparison: Comparison, width: int = 120) -> Iterator[str]:
    r"""Yield the lines of a comparison as text.

    Between the columns, ``|`` marks lines that differ, ``<`` and ``>`` a line that only one page has. Words
    that only the left page has are enclosed in ``[-`` ``-]``, those of the right page in ``{+`` ``+}``. Of
    equal lines only the first two and the last two are shown.

    >>> from webgrain.duplicates.sketches import PageText
    >>> from webgrain.site.duplicates import compare_pages
    >>> pages = [PageText("a", "One two three four five six and more"), PageText("b", "Else")]
    >>> print(*as_text(compare_pages(pages), 60), sep="\n")
    distinct: different pages; 0 % alike
    a                            | b
    < 0 of 8 words shared
    > 0 of 1 word shared
    <BLANKLINE>
    [-One two three four five    | {+Else+}
    six and more-]               |
    """
    yield _summary(comparison)
    column = max(20, (width - 4) // 2)
    yield from _columns(plain(comparison.left.id), "|", plain(comparison.right.id), column)
    for side, sign in ((comparison.left, "<"), (comparison.right, ">")):
        yield f"{sign} {_shared(side)}"
    yield ""
    for change, group in groupby(comparison.rows(), key=lambda row: row.relation):
        rows = list(group)
        hidden = len(rows) - 2 * _KEPT if change == "equal" else 0
        for row in rows[:_KEPT] if hidden > 1 else rows:
            yield from _row(row, column)
        if hidden > 1:
            yield f"({count(hidden, 'equal line')})"
            for row in rows[-_KEPT:]:
                yield from _row(row, column)
    for side in (comparison.left, comparison.right):
        if side.more:
            yield f"({count(side.more, 'more line')} of {plain(side.id)})"


def _row(row: FacingLines, column: int) -> Iterator[str]:
    texts = []
    for line, (start, stop) in zip((row.left, row.right), _ONLY, strict=True):
        parts = _parts(line, row.relation) if line else ()
        marked = (text if shared else _enclosed(text, start, stop) for text, shared in parts)
        texts.append(plain("".join(marked), LENGTH))
    yield from _columns(texts[0], _BETWEEN[row.relation], texts[1], column)


def _columns(left: str, between: str, right: str, column: int) -> Iterator[str]:
    a, b = (textwrap.wrap(text, column) for text in (left, right))
    for k in range(max(len(a), len(b), 1)):
        line = f"{a[k] if k < len(a) else '':{column}} {between} {b[k] if k < len(b) else ''}"
        yield line.rstrip()


def _enclosed(text: str, start: str, stop: str) -> str:
    """Enclose a text without the white space at its ends."""
    before, inner, after = text.partition(text.strip())
    return f"{before}{start}{inner}{stop}{after}"


def _summary(comparison: Comparison) -> str:
    """Return the verdict and the resemblance in one line."""
    alike = (
        "" if comparison.resemblance is None else f"; {comparison.resemblance:.0%} alike".replace("%", " %")
    )
    return f"{comparison.verdict.value}: {MEANING[comparison.verdict.value]}{alike}"


def _parts(line: Line, change: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a line, up to its first `LENGTH` characters, and whether the other page has each.

    All parts of equal lines count as shared, also of lines that are too short for a shingle.
    """
    room = LENGTH
    for text, shared in line.runs:
        if room <= 0:
            yield "…", True
            return
        yield text[:room], shared or change == "equal" or not text[:room].strip()
        room -= len(text)


def _shared(side: Side) -> str:
    return f"{side.shared} of {count(side.words, 'word')} shared"


def as_html(comparison: Comparison) -> str:
    """Return the document of two pages side by side; words that only one of them has are marked.

    >>> from webgrain.duplicates.sketches import PageText
    >>> from webgrain.site.duplicates import compare_pages
    >>> html = as_html(compare_pages([PageText("a", "<script>"), PageText("b", "Else")]))
    >>> "&lt;script&gt;" in html, "<script>" in html
    (True, False)
    """
    legend = ["Words that the other page lacks are ", element("mark", "marked")]
    heads = element("tr", *(_head(side) for side in (comparison.left, comparison.right)))
    rows = (
        element("tr", _cell(left, change), _cell(right, change), class_=change) + "\n"
        for change, left, right in comparison.rows()
    )
    table = element("table", element("thead", heads), element("tbody", Html("".join(rows))))
    return document(_summary(comparison), element("p", *legend, "."), table)


def _head(side: Side) -> Html:
    notes = [_shared(side)] + ([f"{count(side.more, 'more line')} not shown"] if side.more else [])
    return element("th", plain(side.id), *(element("small", note) for note in notes), scope="col")


def _cell(line: Line | None, change: str) -> Html:
    content: list[str] = []
    for text, shared in _parts(line, change) if line else ():
        before, inner, after = (text, "", "") if shared else text.partition(text.strip())
        content += [before, element("mark", inner) if inner else "", after]
    return element("td", *content)
