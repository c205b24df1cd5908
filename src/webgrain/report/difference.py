"""Two pages side by side, as text for a terminal and as one HTML file; what differs is marked.

The HTML needs no script, and a policy in the file lets the browser use its style only: pages are hostile.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape
from itertools import groupby

from webgrain.duplicates.compare import Comparison, Line, Row, Share, Side
from webgrain.report.html import asset, policy
from webgrain.report.terminal import count, plain

MEANING = {
    "identical": "the text is the same",
    "near-duplicate": "nearly the same page",
    "same-content": "the same content in another frame",
    "same-template": "the same template with other content",
    "distinct": "different pages",
}
"""Verdicts in words."""

LENGTH = 4000
"""Characters of a line that are shown."""

_BETWEEN = {"equal": " ", "changed": "|", "left": "<", "right": ">"}
_KEPT = 2
_ONLY = (("[-", "-]"), ("{+", "+}"))


def as_text(found: Comparison, width: int = 120) -> Iterator[str]:
    r"""Go through the lines of a comparison as text.

    Between the columns stands ``|`` where lines differ, ``<`` or ``>`` where only one page has a line. Words
    of the left page that the right one has not stand in ``[-`` ``-]``, those of the right page in ``{+``
    ``+}``. Equal lines are left out but for two at each end.

    >>> from webgrain.duplicates.repeats import PageText
    >>> from webgrain.site.duplicates import compare_pages
    >>> pages = [PageText("a", "One two three four five six and more"), PageText("b", "Else")]
    >>> print(*as_text(compare_pages(pages), 60), sep="\n")
    distinct: different pages; pages 0 % alike
    a                            | b
    <BLANKLINE>
    [-One two three four five    | {+Else+}
    six and more-]               |
    """
    yield summary(found)
    column = max(20, (width - 4) // 2)
    yield from _columns(plain(found.left.id), "|", plain(found.right.id), column)
    for side, sign in ((found.left, "<"), (found.right, ">")):
        for share in side.segments:
            if share.main:
                yield f"{sign} main content: {_shared(share)}; {plain(', '.join(share.path), width)}"
    yield ""
    for kind, group in groupby(found.rows(), key=lambda row: row.kind):
        rows = list(group)
        hidden = len(rows) - 2 * _KEPT if kind == "equal" else 0
        for row in rows[:_KEPT] if hidden > 1 else rows:
            yield from _row(row, column)
        if hidden > 1:
            yield f"({count(hidden, 'equal line')})"
            for row in rows[-_KEPT:]:
                yield from _row(row, column)
    for side in (found.left, found.right):
        if side.more:
            yield f"({count(side.more, 'more line')} of {plain(side.id)})"


def summary(found: Comparison) -> str:
    """Return the verdict and the resemblances in one line."""
    alike = (("pages", found.whole), ("main contents", found.content), ("frames", found.frame))
    shares = ", ".join(f"{name} {share:.0%}".replace("%", " %") for name, share in alike if share is not None)
    return f"{found.verdict.value}: {MEANING[found.verdict.value]}; {shares} alike".replace(";  alike", "")


def as_html(found: Comparison) -> str:
    """Return a comparison as an HTML file that needs nothing else.

    >>> from webgrain.duplicates.repeats import PageText
    >>> from webgrain.site.duplicates import compare_pages
    >>> html = as_html(compare_pages([PageText("a", "<script>"), PageText("b", "Else")]))
    >>> "&lt;script&gt;" in html, "<script>" in html
    (True, False)
    """
    style = asset("common.css", "difference.css")
    sides = "".join(f"<th scope=col>{_side(side)}</th>" for side in (found.left, found.right))
    rows = "".join(
        f'<tr class="{kind}">{_cell(left, found.left, kind)}{_cell(right, found.right, kind)}</tr>\n'
        for kind, left, right in found.rows()
    )
    return _PAGE.format(
        policy=policy(style), style=style, summary=escape(summary(found)), sides=sides, rows=rows
    )


def _row(row: Row, column: int) -> Iterator[str]:
    left, right = (
        _marked(line, marks, row.kind) if line else ""
        for line, marks in zip((row.left, row.right), _ONLY, strict=True)
    )
    yield from _columns(left, _BETWEEN[row.kind], right, column)


def _columns(left: str, between: str, right: str, column: int) -> Iterator[str]:
    a, b = (textwrap.wrap(text, column) for text in (left, right))
    for k in range(max(len(a), len(b), 1)):
        line = f"{a[k] if k < len(a) else '':{column}} {between} {b[k] if k < len(b) else ''}"
        yield line.rstrip()


def _marked(line: Line, marks: tuple[str, str], kind: str) -> str:
    """Return a line whose differing words stand between marks."""
    pieces = _pieces(line, kind)
    return plain("".join(text if shared else _around(text, *marks) for text, shared in pieces), LENGTH)


def _pieces(line: Line, kind: str) -> Iterator[tuple[str, bool]]:
    """Go through the pieces of a line, up to its first `LENGTH` characters, and whether each is shared.

    A line that faces an equal one is, even where it is too short for a shingle.
    """
    room = LENGTH
    for text, shared in line.runs:
        if room <= 0:
            yield "…", True
            return
        yield text[:room], shared or kind == "equal" or not text.strip()
        room -= len(text)


def _around(text: str, start: str, stop: str) -> str:
    """Put marks around a text, inside of the spaces at its ends."""
    inner = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    return f"{lead}{start}{inner}{stop}{text[len(lead) + len(inner) :]}"


def _shared(share: Share) -> str:
    return f"{share.shared} of {count(share.words, 'word')} shared"


def _side(side: Side) -> str:
    main = next((share for share in side.segments if share.main), None)
    told = f"<small>main content: {_shared(main)}</small>" if main else ""
    more = f"<small>{count(side.more, 'more line')} not shown</small>" if side.more else ""
    return f"{escape(plain(side.id))}{told}{more}"


def _cell(line: Line | None, side: Side, kind: str) -> str:
    if line is None:
        return "<td></td>"
    share = side.segments[line.segment] if line.segment >= 0 else None
    where = f' title="{escape(plain(", ".join(share.path)))}"' if share else ""
    main = ' class="main"' if share and share.main else ""
    text = "".join(
        escape(piece) if shared else _around(escape(piece), "<mark>", "</mark>")
        for piece, shared in _pieces(line, kind)
    )
    return f"<td{main}{where}>{text}</td>"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Two pages side by side</title><style>{style}</style></head>
<body><h1>{summary}</h1>
<p>Words that the other page has not are <mark>marked</mark>; the main content has a bar at its side.</p>
<table><thead><tr>{sides}</tr></thead><tbody>
{rows}</tbody></table></body></html>
"""
