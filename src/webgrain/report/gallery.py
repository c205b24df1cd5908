"""One HTML file that shows pages with their segments; nothing in it comes from elsewhere.

Pages are hostile: everything of theirs is escaped, and a policy in the file lets the browser use only the
script and the style that stand here, known by their hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TextIO

from webgrain.io.local import replacing
from webgrain.page import addresses as address
from webgrain.page.page import Page
from webgrain.page.text import text_of
from webgrain.report.boxes import boxes, open_screenshot
from webgrain.report.html import asset, policy, tone
from webgrain.report.site import data_url
from webgrain.report.terminal import count
from webgrain.results import Box, Failure, Segment, Segmentation

TEXT, TIP, ROOTS = 2000, 160, 8
"""Characters in the list and under the pointer, and root nodes, that are shown of a segment."""


@contextmanager
def open_gallery(path: Path) -> Iterator[Gallery]:
    """Write a gallery to ``path``; the file appears when the block ends without an error.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.results import Failure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_gallery(Path(folder) / "gallery.html") as gallery:
    ...         gallery.add_failure(Failure("a.html", "render", "the page took more than 20 s"))
    ...     "the page took" in (Path(folder) / "gallery.html").read_text(encoding="utf-8")
    True
    """
    with replacing(path) as part, part.open("w", encoding="utf-8", errors="replace") as out:
        gallery = Gallery(out)
        yield gallery
        gallery.finish()


class Gallery:
    """Writes pages to an open file, one by one, so that only one picture at a time is in memory."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._links: list[str] = []
        self._failures: list[str] = []
        style = asset("common.css", "gallery.css")
        out.write(_HEAD.format(policy=policy(style, asset("gallery.js"), images=True), style=style))

    def add(self, page: Page, segmentation: Segmentation, segments: Sequence[Segment]) -> None:
        """Show a page; it needs a screenshot, and the boxes of its segments must be those of its layout."""
        with open_screenshot(page) as screenshot:
            size, image = screenshot.size, data_url(screenshot)
        key = f"p{len(self._links)}"
        name = escape(page.id)
        found = list(zip(segments, boxes(page, segments), strict=True))
        self._out.write(
            f'<section class="page" id="{key}" aria-label="{name}"><header><h2>{name}</h2>'
            f"<p>{escape(_facts(page, segmentation, segments))}</p></header>\n"
            f'<figure><div class="sheet"><img alt="Screenshot of {name}" decoding="async" src="{image}">\n'
            f"{_blocks(size, found)}</div></figure>\n"
            f'<ol class="segments">{"".join(_item(page, *one) for one in found)}</ol></section>\n'
        )
        self._links.append(
            f'<li><a href="#{key}">{name} <small>{count(len(segments), "segment")}</small></a></li>'
        )

    def finish(self) -> None:
        """Write what is known only at the end: the list of pages; the script puts it in front."""
        self._out.write(_foot(self._links, self._failures))

    def add_failure(self, failure: Failure) -> None:
        """List a page that failed."""
        name, why = escape(failure.page), escape(f"{failure.stage}: {failure.error}")
        self._failures.append(f'<li class="failed"><b>✕</b> {name} <small>{why}</small></li>')


def _facts(page: Page, segmentation: Segmentation, segments: Sequence[Segment]) -> str:
    facts = [page.url or "", segmentation.method, count(len(segments), "segment")]
    if segmentation.energy is not None:
        facts.append(f"energy {segmentation.energy:.2f}")
    if segmentation.gap is not None:
        facts.append(f"the optimum is at most {segmentation.gap:.1%} lower")
    return " · ".join(filter(None, facts))


def _blocks(size: tuple[int, int], found: Sequence[tuple[Segment, tuple[Box, ...]]]) -> str:
    """Return the boxes as SVG in CSS px; large ones first, so that the pointer reaches the inner ones."""
    each = [(box, segment) for segment, mine in found for box in mine]
    each.sort(key=lambda one: -one[0][2] * one[0][3])
    rects = "".join(_rect(box, segment) for box, segment in each)
    captions = "".join(_caption(box, segment) for box, segment in each)
    return f'<svg viewBox="0 0 {size[0]} {size[1]}" aria-hidden="true">{rects}{captions}</svg>'


def _rect(box: Box, segment: Segment) -> str:
    x, y, w, h = box
    return (
        f'<rect class="block {_color(segment)}" data-segment="{segment.id}" x="{x:g}" y="{y:g}" '
        f'width="{max(w, 1):g}" height="{max(h, 1):g}"><title>{escape(segment.text[:TIP])}</title></rect>\n'
    )


def _caption(box: Box, segment: Segment) -> str:
    """Write number and role beside the upper left corner, where they hide least."""
    width = 6 + 8 * len(segment.caption)
    x, y = max(box[0] - width, 0), box[1]
    return (
        f'<g class="chip {_color(segment)}" data-segment="{segment.id}">'
        f'<rect x="{x:g}" y="{y:g}" width="{width}" height="16"/>'
        f'<text x="{x + 3:g}" y="{y + 13:g}">{escape(segment.caption)}</text></g>\n'
    )


def _color(segment: Segment) -> str:
    return f"c{tone(segment)}"


def _item(page: Page, segment: Segment, found: tuple[Box, ...]) -> str:
    text = segment.text or text_of(page, segment.roots, alt=True)
    text = escape(text[:TEXT]) + ("…" if len(text) > TEXT else "")
    more = len(segment.roots) - ROOTS
    where = _where(page, segment.roots[:ROOTS])
    where += [f"<li>and {more} more</li>"] if more > 0 else []
    leaves = f"{segment.leaves} {'leaf' if segment.leaves == 1 else 'leaves'}"
    leaves += "" if found else ", none to be seen in the picture"
    return (
        f'<li tabindex="0" class="{_color(segment)}" data-segment="{segment.id}">'
        f"<b><span>{segment.id}</span></b> {_purpose(segment)}"
        f'<small>{leaves}</small><p class="text">{text or "<small>no text</small>"}</p>'
        f'<ul class="where">{"".join(where)}</ul></li>\n'
    )


def _purpose(segment: Segment) -> str:
    """Return role and confidence, where they are known."""
    sure = segment.role_probability, segment.confidence
    role, one = ("" if share is None else f" {share:.0%}" for share in sure)
    told = f"<strong>{escape(segment.role)}</strong><small>{role} · </small>" if segment.role else ""
    told += f"<small>one segment{one} · </small>" if one else ""
    return told + (
        "" if segment.importance is None else f"<strong>importance {segment.importance:.0%}</strong> "
    )


def _where(page: Page, nodes: Sequence[int]) -> list[str]:
    return [
        f"<li><small>XPath</small> <code>{escape(xpath)}</code><br>"
        f"<small>CSS</small> <code>{escape(css)}</code></li>"
        for xpath, css in zip(
            address.xpaths(page.dom, nodes), address.css_paths(page.dom, nodes), strict=True
        )
    ]


_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Segments</title><style>{style}</style></head>
<body><main>
"""


def _foot(links: Sequence[str], failures: Sequence[str]) -> str:
    """Return the list of pages, and the script."""
    return _FOOT.format(
        pages=count(len(links), "page"),
        links="".join(links),
        failed=f"<p>{len(failures)} failed</p><ol>{''.join(failures)}</ol>" if failures else "",
        script=asset("gallery.js"),
    )


_FOOT = """</main>
<nav aria-label="Pages"><h1>Segments</h1>
<p>{pages}. Keys: ↑ ↓ segments, ← → pages.</p>
<p><label><input type="checkbox" id="boxes" checked> Show the boxes</label></p>
<ol>{links}</ol>{failed}</nav>
<script>{script}</script></body></html>
"""
