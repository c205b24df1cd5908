"""HTML documents of segmented pages and of page types; each is one file that needs nothing else.

The gallery uses a script to show one page at a time; without it, all pages are shown one below the other.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO

from webgrain.base.failures import Failure
from webgrain.io.local import replacing
from webgrain.page.addresses import css_paths, xpaths
from webgrain.page.blocks import Box
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import Path, Step
from webgrain.page.segmentation import Segment, Segmentation
from webgrain.page.text import text_of, visible_text
from webgrain.pagetypes.clustering import Clustering, PageType
from webgrain.report.html import LONG, Html, asset, document, element, foot, head, shortened, tone
from webgrain.report.pictures import boxes, open_screenshot
from webgrain.report.site import data_url
from webgrain.report.terminal import count, node_name, plain

TIP, ROOTS = 160, 8
"""Characters of a segment's text that its box shows under the pointer, and root nodes that are listed."""

EXAMPLES = 3
"""Example pages that are shown of each type."""

DEPTH, CHILDREN, TEXT = 5, 8, 60
"""Levels, sibling elements, and characters of text in the outline of an example page."""

_HIDDEN = frozenset(("#text", "script", "style", "head", "noscript", "template", "link", "meta", "br"))


@contextmanager
def open_gallery(path: pathlib.Path) -> Iterator[Gallery]:
    """Write a gallery of segmented pages to ``path``; the file appears when the block ends without an error.

    >>> import tempfile
    >>> from pathlib import Path
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
    """Writes pages with their segments to an open file, one by one: one screenshot at a time is in memory."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._links: list[Html] = []
        self._failures: list[Html] = []
        out.write(head("Segments", asset("report.css", "gallery.css"), asset("gallery.js")))
        out.write('<body class="gallery"><main>\n')

    def add(self, page: Page, segmentation: Segmentation, segments: Sequence[Segment]) -> None:
        """Show a page that has a screenshot and the boxes of that screenshot."""
        with open_screenshot(page) as screenshot:
            size = screenshot.size
            image = data_url(screenshot)
        key = f"p{len(self._links)}"
        drawn = list(zip(segments, boxes(page, segments), strict=True))
        facts = element("p", _facts(page, segmentation, segments))
        title = element("header", element("h2", page.id), facts)
        picture = element("img", alt=f"Screenshot of {page.id}", decoding="async", src=image)
        sheet = element("div", picture, _boxes(size, drawn), class_="sheet")
        figure = element("figure", sheet)
        items = [_segment(page, segment, placed) for segment, placed in drawn]
        listed = element("ol", *items, class_="segments")
        section = element("section", title, figure, listed, class_="page", id=key, aria_label=page.id)
        self._out.write(section)
        size_of_page = element("small", count(len(segments), "segment"))
        link = element("a", f"{page.id} ", size_of_page, href=f"#{key}")
        self._links.append(element("li", link))

    def add_failure(self, failure: Failure) -> None:
        """List a page that failed."""
        mark = element("b", "✕")
        error = element("small", f"{failure.stage}: {failure.error}")
        self._failures.append(element("li", mark, f" {failure.page} ", error, class_="failed"))

    def finish(self) -> None:
        """Write the list of pages, which the script moves to the front."""
        keys = f"{count(len(self._links), 'page')}. Keys: ↑ ↓ segments, ← → pages."
        box = element("input", type="checkbox", id="boxes", checked="")
        label = element("label", box, " Show the boxes")
        content = [element("p", keys), element("p", label), element("ol", *self._links)]
        if self._failures:
            content.append(element("p", f"{len(self._failures)} failed"))
            content.append(element("ol", *self._failures))
        heading = element("h1", "Segments")
        self._out.write("</main>" + element("nav", heading, *content, aria_label="Pages"))
        self._out.write(foot(asset("gallery.js")))


def _facts(page: Page, segmentation: Segmentation, segments: Sequence[Segment]) -> str:
    facts = [page.url or "", segmentation.method, count(len(segments), "segment")]
    if segmentation.energy is not None:
        facts.append(f"energy {segmentation.energy:.2f}")
    if segmentation.gap is not None:
        facts.append(f"the optimum is at most {segmentation.gap:.1%} lower")
    return " · ".join(filter(None, facts))


def _boxes(size: tuple[int, int], drawn: Sequence[tuple[Segment, tuple[Box, ...]]]) -> Html:
    """Return the boxes as SVG in CSS px, large ones first so that the pointer reaches those inside them."""

    def negative_area(pair: tuple[Box, Segment]) -> float:
        _, _, width, height = pair[0]
        return -width * height

    pairs = [(box, segment) for segment, placed in drawn for box in placed]
    pairs.sort(key=negative_area)
    shapes = [_box(box, segment) for box, segment in pairs]
    shapes += [_caption(box, segment) for box, segment in pairs]
    return element("svg", *shapes, viewBox=f"0 0 {size[0]} {size[1]}", aria_hidden="true")


def _box(box: Box, segment: Segment) -> Html:
    x, y, width, height = box
    shape = {
        "x": f"{x:g}",
        "y": f"{y:g}",
        "width": f"{max(width, 1):g}",
        "height": f"{max(height, 1):g}",
        "data_segment": segment.id,
    }
    title = element("title", segment.text[:TIP])
    return element("rect", title, class_=f"block c{tone(segment)}", **shape)


def _caption(box: Box, segment: Segment) -> Html:
    """Write number and role to the left of the upper left corner, where they hide the least."""
    width = 6 + 8 * len(segment.caption)
    x, y = max(box[0] - width, 0), box[1]
    back = element("rect", x=f"{x:g}", y=f"{y:g}", width=width, height=16)
    text = element("text", segment.caption, x=f"{x + 3:g}", y=f"{y + 13:g}")
    return element("g", back, text, class_=f"chip c{tone(segment)}", data_segment=segment.id)


def _segment(page: Page, segment: Segment, placed: tuple[Box, ...]) -> Html:
    text = shortened(segment.text or text_of(page, segment.roots, alt=True), LONG)
    leaves = f"{segment.leaves} {'leaf' if segment.leaves == 1 else 'leaves'}"
    if not placed:
        leaves = f"{leaves}, not visible in the picture"
    mark = element("b", element("span", str(segment.id)))
    content = element("p", text or element("small", "no text"), class_="text")
    return element(
        "li",
        mark,
        " ",
        *_role(segment),
        element("small", leaves),
        content,
        _addresses(page, segment),
        tabindex=0,
        class_=f"c{tone(segment)}",
        data_segment=segment.id,
    )


def _role(segment: Segment) -> list[Html]:
    """Return role, confidences and importance, where they are known."""
    shown = []
    if segment.role:
        share = "" if segment.role_probability is None else f" {segment.role_probability:.0%}"
        shown += [element("strong", segment.role), element("small", f"{share} · ")]
    if segment.confidence is not None:
        shown.append(element("small", f"one segment {segment.confidence:.0%} · "))
    if segment.importance is not None:
        shown += [element("strong", f"importance {segment.importance:.0%}"), Html(" ")]
    return shown


def _addresses(page: Page, segment: Segment) -> Html:
    roots = segment.roots[:ROOTS]
    rows = [
        element("li", *_labelled("XPath", xpath), element("br"), *_labelled("CSS", css))
        for xpath, css in zip(xpaths(page.dom, roots), css_paths(page.dom, roots), strict=True)
    ]
    more = len(segment.roots) - ROOTS
    if more > 0:
        rows.append(element("li", f"and {more} more"))
    return element("ul", *rows, class_="where")


def _labelled(label: str, address: str) -> tuple[Html, str, Html]:
    return element("small", label), " ", element("code", address)


def write_types(
    path: pathlib.Path,
    clustering: Clustering,
    pages: Mapping[str, Page],
    source: str,
    names: Mapping[str, str],
) -> None:
    """Write the document of the page types of a site.

    pages: the example pages, by id; only the names of missing ones are shown. source: what the key paths were
    matched with, in words. names: display names of the types, by label.
    """
    facts = f"{count(len(clustering.pages), 'page')}, {count(len(clustering), 'type')}; {source}."
    lead = element("p", f"{facts} Elements on the key path are marked.")
    parts = (_type(page_type, names[page_type.label], pages) for page_type in clustering.types)
    with replacing(path) as part:
        part.write_text(document("Page types", lead, *parts), encoding="utf-8", errors="replace")


def _type(page_type: PageType, name: str, pages: Mapping[str, Page]) -> Html:
    size = f"{count(page_type.size, 'page')}, {page_type.share:.0%} of the site"
    path = element("code", page_type.key_path.css if page_type.key_path else "none")
    facts = element("p", "Label: ", element("code", page_type.label), f". {size}. Key path: ", path)
    tab = element("p", f"Tab: {plain(page_type.tab)}") if page_type.tab else None
    contents = element("ul", *(element("li", plain(text, 200)) for text in page_type.contents))
    examples = page_type.examples[:EXAMPLES]
    shown = [_example(page, pages.get(page), page_type.key_path) for page in examples]
    row = element("div", *shown, class_="row")
    return element("section", element("h2", name), facts, tab, contents, row)


def _example(name: str, page: Page | None, key_path: Path | None) -> Html:
    if page is None:
        return element("article", element("h3", name))
    marked = _nodes_of(page.dom, key_path) if key_path else frozenset()
    return element("article", element("h3", name), element("ul", _outline(page, 0, marked, 0)))


def _outline(page: Page, node: int, marked: frozenset[int], depth: int) -> Html:
    """Return an item of a nested list: an element and those below it, elements of the key path marked."""
    dom = page.dom
    children = [child for child in dom.children(node) if dom.name(child) not in _HIDDEN]
    name = plain(node_name(dom, node), TEXT)
    content = [element("mark", name) if node in marked else name]
    if not children or depth >= DEPTH:
        text = plain(visible_text(page, node), TEXT)
        content += [" ", element("small", text)] if text else []
    holds_marked = any(node < other < int(dom.end[node]) for other in marked)
    if children and (depth < DEPTH or holds_marked):
        items = [_outline(page, child, marked, depth + 1) for child in children[:CHILDREN]]
        more = len(children) - CHILDREN
        if more > 0:
            items.append(element("li", element("small", f"and {more} more")))
        content.append(element("ul", *items))
    return element("li", *content)


def _nodes_of(dom: Dom, path: Path) -> frozenset[int]:
    """Return the first elements on a key path, by the tags, ids and classes of its steps."""
    nodes = list(range(len(dom))) if path.steps[0].id else [0]
    for number, step in enumerate(path.steps):
        if number and number in path.loose:
            nodes = [below for node in nodes[:200] for below in range(node + 1, int(dom.end[node]))]
        elif number:
            nodes = [child for node in nodes[:200] for child in dom.children(node)]
        nodes = [node for node in nodes if _is_at_step(dom, node, step)]
    return frozenset(nodes[:20])


def _is_at_step(dom: Dom, node: int, step: Step) -> bool:
    """Return whether an element has the tag, the id and the classes of a step."""
    if dom.name(node) != step.tag:
        return False
    if step.id and dom.get(node, "id") != step.id:
        return False
    classes = (dom.get(node, "class") or "").split()
    return set(step.classes) <= set(classes)
