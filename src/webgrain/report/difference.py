"""Two pages side by side, as text for a terminal and as an HTML document; the differences are marked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from webgrain.duplicates.compare import Comparison, Line, Row, Share, Side
from webgrain.report.html import Html, document, element
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
_KEPT = 2  # equal lines that are shown before and after a difference
_ONLY = (("[-", "-]"), ("{+", "+}"))


def as_text(found: Comparison, width: int = 120) -> Iterator[str]:
    r"""Yield the lines of a comparison as text.

    Between the columns, ``|`` marks lines that differ, ``<`` and ``>`` a line that only one page has. Words
    that only the left page has are enclosed in ``[-`` ``-]``, those of the right page in ``{+`` ``+}``. Of
    equal lines only the first two and the last two are shown.

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


def _row(row: Row, column: int) -> Iterator[str]:
    texts = []
    for line, (start, stop) in zip((row.left, row.right), _ONLY, strict=True):
        parts = _parts(line, row.kind) if line else ()
        marked = (text if shared else _enclosed(text, start, stop) for text, shared in parts)
        texts.append(plain("".join(marked), LENGTH))
    yield from _columns(texts[0], _BETWEEN[row.kind], texts[1], column)


def _columns(left: str, between: str, right: str, column: int) -> Iterator[str]:
    a, b = (textwrap.wrap(text, column) for text in (left, right))
    for k in range(max(len(a), len(b), 1)):
        line = f"{a[k] if k < len(a) else '':{column}} {between} {b[k] if k < len(b) else ''}"
        yield line.rstrip()


def _enclosed(text: str, start: str, stop: str) -> str:
    """Enclose a text without the white space at its ends."""
    before, inner, after = text.partition(text.strip())
    return f"{before}{start}{inner}{stop}{after}"


def summary(found: Comparison) -> str:
    """Return the verdict and the resemblances in one line."""
    alike = (("pages", found.whole), ("main contents", found.content), ("frames", found.frame))
    shares = ", ".join(f"{name} {share:.0%}".replace("%", " %") for name, share in alike if share is not None)
    return f"{found.verdict.value}: {MEANING[found.verdict.value]}; {shares} alike".replace(";  alike", "")


def _parts(line: Line, kind: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a line, up to its first `LENGTH` characters, and whether the other page has each.

    All parts of equal lines count as shared, also of lines that are too short for a shingle.
    """
    room = LENGTH
    for text, shared in line.runs:
        if room <= 0:
            yield "…", True
            return
        yield text[:room], shared or kind == "equal" or not text[:room].strip()
        room -= len(text)


def _shared(share: Share) -> str:
    return f"{share.shared} of {count(share.words, 'word')} shared"


def as_html(found: Comparison) -> str:
    """Return the document of two pages side by side; words that only one of them has are marked.

    >>> from webgrain.duplicates.repeats import PageText
    >>> from webgrain.site.duplicates import compare_pages
    >>> html = as_html(compare_pages([PageText("a", "<script>"), PageText("b", "Else")]))
    >>> "&lt;script&gt;" in html, "<script>" in html
    (True, False)
    """
    legend = ["Words that the other page lacks are ", element("mark", "marked")]
    heads = element("tr", *(_head(side) for side in (found.left, found.right)))
    rows = (
        element("tr", _cell(left, found.left, kind), _cell(right, found.right, kind), class_=kind) + "\n"
        for kind, left, right in found.rows()
    )
    table = element("table", element("thead", heads), element("tbody", Html("".join(rows))))
    return document(summary(found), element("p", *legend, "; the main content has a bar at its side."), table)


def _head(side: Side) -> Html:
    main = next((share for share in side.segments if share.main), None)
    notes = [f"main content: {_shared(main)}"] if main else []
    notes += [f"{count(side.more, 'more line')} not shown"] if side.more else []
    return element("th", plain(side.id), *(element("small", note) for note in notes), scope="col")


def _cell(line: Line | None, side: Side, kind: str) -> Html:
    if line is None:
        return element("td")
    share: Share | None = side.segments[line.segment] if line.segment >= 0 else None
    content: list[str] = []
    for text, shared in _parts(line, kind):
        before, inner, after = (text, "", "") if shared else text.partition(text.strip())
        content += [before, element("mark", inner) if inner else "", after]
    main = "main" if share and share.main else None
    return element("td", *content, class_=main, title=plain(", ".join(share.path)) if share else None)
