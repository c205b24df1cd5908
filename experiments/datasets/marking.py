"""Labels of pages from rules.

    python -m experiments.datasets.marking look FOLDER [--data NAME] [SITE ...]
    python -m experiments.datasets.marking outline FOLDER PAGE NUMBER
    python -m experiments.datasets.marking check FOLDER RULES ...
    python -m experiments.datasets.marking write FOLDER LABELS ANNOTATOR RULES ...

An annotator that cannot use the window of ``webgrain label``, such as a language model, writes a file of
rules for each page, with CSS selectors or numbers of elements. ``look`` renders the pages of a data set
into FOLDER, with pictures and an outline of the elements of each; ``outline`` prints all elements below one.
``check`` compares rules with the page, reports what is wrong or missing, and draws the marked blocks into
the picture. ``write`` writes the labels in the format of `webgrain.evaluation.datasets`. Nothing here calls a
method of webgrain that segments or extracts.

Rules of a page (JSON)::

    {
      "page": "site/path.html",
      "kind": "article",
      "blocks": [["header", "body > header"], ["article*", "main .teaser"], ["content", ["h1", "@57"]]],
      "content": [
        ["main", "article .text"], ["aside", "article .text .share"],
        ["title", "h1"],
        ["author", ".byline", {"text": "Ann Miller"}],
        ["date", ".byline", {"text": "May 3, 2014", "value": "2014-05-03"}],
        ["comment*", "ol.comments > li"], ["body*", "ol.comments > li > .text"],
        ["item*", "ul.products > li"],
        ["price", ".price"],
        ["value*", "table.data td", {"label": "table.data th"}],
        ["value", "p.size", {"text": "12 cm", "label_text": "Size"}]
      ],
      "absent": ["author"]
    }

A selector is CSS, ``@n`` (the element with this number in the outline), or a list of both. All elements that
it selects are one mark; with ``*`` behind the name, each element is a mark. ``text`` is the part of
the text of the element that is meant, ``attribute`` the attribute, ``value`` a date in ISO format, ``label``
and ``label_text`` the label of a value. ``absent`` names what the page does not state.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ImageDraw, ImageFont
from selectolax.lexbor import LexborHTMLParser, LexborNode

from experiments.datasets.blocks import block_sources, read_records
from webgrain.base.errors import PageError
from webgrain.evaluation.datasets import data_folder
from webgrain.io.contentmarks import CONTENT, PAGE_KINDS, ContentMark, leaves_below, leaves_of, raw_text
from webgrain.io.labels import LabelledPage, LabelledSegment, write_labels
from webgrain.io.store import open_store, read_store
from webgrain.labeling.pages import page_view
from webgrain.page.addresses import find_xpath, xpaths
from webgrain.page.dom import Dom
from webgrain.page.page import Page, Source
from webgrain.page.parsing import decode, find_charset
from webgrain.rendering.chromium import Chromium
from webgrain.report.pictures import open_screenshot
from webgrain.segmentation.segmenter import ROLES

TILE = (1000, 1500)
"""Width of the pictures, and height of each part, in px."""

MAX_TILES = 8
MAX_LINES = 700
"""Lines of an outline; further siblings of similar ones have a line each."""
BLANK = 4
"""Leaves in no block that are listed by ``check``."""


class Marker:
    """A rendered page whose elements can be selected.

    page: with a view; html: the text that was parsed, as UTF-8.
    """

    def __init__(self, page: Page, html: bytes) -> None:
        self.page = page
        self._tree = LexborHTMLParser(html, scripting=True)

    def select(self, selector: str | Sequence[str]) -> list[int]:
        """Return the nodes that a selector selects, in document order; `ValueError` if it is invalid."""
        nodes: set[int] = set()
        for part in [selector] if isinstance(selector, str) else selector:
            if part.startswith("@"):
                nodes.add(self._numbered(part))
            elif part.startswith("/"):
                node = find_xpath(self.page.dom, part)
                nodes |= set() if node is None else {node}
            else:
                nodes |= set(self._css(part))
        return sorted(nodes)

    def _numbered(self, part: str) -> int:
        if not re.fullmatch(r"@\d+", part) or int(part[1:]) >= len(self.page.dom):
            raise ValueError(f"{part} is not the number of a node.")
        return int(part[1:])

    def _css(self, selector: str) -> Iterator[int]:
        try:
            elements = self._tree.css(selector)
        except Exception as error:
            raise ValueError(f"{selector!r} is not a valid selector: {error}") from error
        for element in elements:
            node = find_xpath(self.page.dom, self._xpath(element))
            if node is None:
                raise ValueError(f"{selector!r} selects an element that is not in the tree; use @numbers.")
            yield node

    def _xpath(self, element: LexborNode) -> str:
        steps = []
        node: LexborNode | None = element
        while node is not None and node.tag and not node.tag.startswith("-"):
            number, before = 1, node.prev
            while before is not None:
                number += before.tag == node.tag
                before = before.prev
            steps.append(f"*[name()='{node.tag}'][{number}]" if _in_svg(node) else f"{node.tag}[{number}]")
            node = node.parent
        return "/" + "/".join(reversed(steps))


def _in_svg(node: LexborNode) -> bool:
    above: LexborNode | None = node
    while above is not None:
        if above.tag in ("svg", "math"):
            return True
        above = above.parent
    return False


# Rules to labels.


def labelled(marker: Marker, rules: dict[str, Any], annotator: str) -> tuple[LabelledPage, list[str]]:
    """Return the labels that rules give for a page, and what is wrong with the rules."""
    errors: list[str] = []
    segments: list[LabelledSegment] = []
    content: list[ContentMark] = []
    for name, selector, _ in _rules(rules, "blocks", errors):
        for nodes in _marks(marker, name, selector, errors):
            segment = LabelledSegment(_paths(marker, nodes), (), name.rstrip("*"))
            segments.append(segment)
    for name, selector, options in _rules(rules, "content", errors):
        try:
            content += _content(marker, name, selector, options, errors)
        except ValueError as error:
            errors.append(f"content {name} {selector}: {error}")
    absent = tuple(rules.get("absent", ()))
    source = Source(rules["page"], b"")
    page = LabelledPage(source, tuple(segments), annotator, rules.get("kind"), None, tuple(content), absent)
    return page, errors


def _rules(
    rules: dict[str, Any], part: str, errors: list[str]
) -> Iterator[tuple[str, str | list[str], dict[str, str]]]:
    names = ROLES if part == "blocks" else CONTENT
    for rule in rules.get(part, ()):
        name, selector, *options = rule
        if name.rstrip("*") not in names:
            errors.append(f"{part}: {name} is not one of {', '.join(names)}.")
            continue
        yield name, selector, options[0] if options else {}


def _marks(marker: Marker, name: str, selector: str | list[str], errors: list[str]) -> list[list[int]]:
    """Return the nodes of each mark of a rule; nodes inside of others of the same mark are left out."""
    try:
        nodes = marker.select(selector)
    except ValueError as error:
        errors.append(f"{name}: {error}")
        return []
    if not nodes:
        errors.append(f"{name}: {selector} selects nothing.")
        return []
    if name.endswith("*"):
        return [[node] for node in nodes]
    end = marker.page.dom.end
    outer: list[int] = []
    for node in nodes:
        if not outer or node >= end[outer[-1]]:
            outer.append(node)
    return [outer]


def _paths(marker: Marker, nodes: list[int]) -> tuple[str, ...]:
    return tuple(xpaths(marker.page.dom, nodes))


def _content(
    marker: Marker, name: str, selector: str | list[str], options: dict[str, str], errors: list[str]
) -> Iterator[ContentMark]:
    unknown = options.keys() - {"text", "attribute", "value", "label", "label_text"}
    if unknown:
        raise ValueError(f"unknown options {', '.join(sorted(unknown))}.")
    marks = _marks(marker, name, selector, errors)
    labels: list[list[int]] = []
    if "label" in options:
        labels = _marks(marker, name, options["label"], errors)
        if len(labels) != len(marks):
            raise ValueError(f"{len(marks)} values, but {len(labels)} labels.")
    value = options.get("value")
    if value is not None and not re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", value):
        raise ValueError(f"the value must be a date such as 2014-05-03, got {value!r}.")
    for place, nodes in enumerate(marks):
        label = labels[place] if labels else []
        label_span = None
        if "label_text" in options:
            label = label or nodes
            label_span = _span(marker, label, options["label_text"], None)
        attribute = options.get("attribute")
        yield ContentMark(
            name=name.rstrip("*"),
            xpath=_paths(marker, nodes),
            span=_span(marker, nodes, options["text"], attribute) if "text" in options else None,
            attribute=attribute,
            value=value,
            label=_paths(marker, label),
            label_span=label_span,
        )


def _span(marker: Marker, nodes: list[int], text: str, attribute: str | None) -> tuple[int, int]:
    raw = raw_text(marker.page.dom, nodes, attribute)
    wanted = " ".join(text.split())
    first = raw.find(wanted)
    if first < 0:
        raise ValueError(f"the text {wanted!r} is not in {raw[:200]!r}.")
    return first, first + len(wanted)


# What an annotator sees.


def outline(page: Page, most: int = MAX_LINES) -> str:
    """Return the elements of a page with visible leaves, a line each: number, names, box, leaves, text.

    Elements with the same leaves are one line; the names are those of all of them, the outermost first.
    """
    view = page_view(page)
    dom = page.dom
    lines = [f"page {page.id}", *_head(page), ""]
    children: dict[int, list[int]] = {}
    for part, parent in enumerate(view.parent.tolist()):
        children.setdefault(parent, []).append(part)

    def chain(part: int) -> list[int]:
        """Return the nodes from the topmost node of a part to the deepest with the same leaves."""
        nodes = [int(view.node[part])]
        inside = [int(view.node[child]) for child in children.get(part, ())]
        target = inside[0] if inside else None
        if target is None:
            last = nodes[0]
            below = [node for node in range(last + 1, int(dom.end[last])) if view.part[node] == part]
            return nodes + [node for node in below if not dom.is_text[node]][:6]
        above = [node for node in dom.ancestors(target) if nodes[0] < node and view.part[node] == part]
        return nodes + sorted(above)

    def write(part: int, depth: int, brief: bool) -> None:
        nodes = chain(part)
        names = " > ".join(_name(dom, node) for node in nodes)
        x, y, width, height = view.box[part].round().astype(int).tolist()
        leaves = int(view.last[part] - view.first[part])
        text = " ".join(view.text[view.first[part] : view.last[part]])
        size = 90 if leaves == 1 else 50
        place = f"[{x},{y} {width}x{height}]"
        lines.append(f"{'  ' * min(depth, 24)}@{nodes[0]} {names}  {place} {leaves}  {text[:size]!r}")
        if brief:
            return
        seen: dict[str, int] = {}
        for child in children.get(part, ()):
            shape = f"{_name(dom, int(view.node[child]))}"
            seen[shape] = seen.get(shape, 0) + 1
            inner = view.last[child] - view.first[child]
            write(child, depth + 1, brief=seen[shape] > 3 and inner > 1 and len(children[part]) > 8)

    write(0, 0, brief=False)
    if len(lines) > most:
        rest = f"... {len(lines) - most} further lines: the command outline prints all below an element"
        lines = [*lines[:most], rest]
    return "\n".join(lines)


def _name(dom: Dom, node: int) -> str:
    attributes = dom.attributes(node)
    name = dom.name(node)
    if dom.is_text[node]:
        return "text"
    name += f"#{attributes['id'][:30]}" if attributes.get("id") else ""
    classes = attributes.get("class", "").split()[:4]
    name += "".join(f".{value[:30]}" for value in classes)
    for key in ("role", "itemprop", "rel", "datetime"):
        name += f"[{key}={attributes[key][:30]}]" if attributes.get(key) else ""
    return name


def _head(page: Page) -> Iterator[str]:
    """Yield the title and the declared metadata of a page."""
    dom = page.dom
    for node in range(len(dom)):
        name = dom.name(node)
        if name == "title":
            yield f"@{node} title: {raw_text(dom, [node])[:200]}"
        if name == "meta":
            attributes = dom.attributes(node)
            key = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
            if re.search(r"author|date|time|publish|creator|modified", key, re.IGNORECASE):
                yield f"@{node} meta {key}: {attributes.get('content', '')[:120]}"
        if name == "script" and "ld+json" in dom.attributes(node).get("type", ""):
            yield f"@{node} JSON-LD: {raw_text(dom, [node])[:600]}"
        date = dom.get(node, "datetime")
        if name == "time" and date:
            yield f"@{node} time datetime={date[:30]}: {raw_text(dom, [node])[:60]}"


# What is wrong or missing.


def check(marker: Marker, page: LabelledPage) -> Iterator[str]:
    """Yield what is wrong or missing in the labels of a page, a line each, and what they contain."""
    view = page_view(marker.page)
    dom = marker.page.dom
    leaf = leaves_of(marker.page)
    members = [leaves_below(leaf, dom, segment.nodes(dom)) for segment in page.segments]
    yield from _block_errors(page, members)
    covered = np.zeros(len(leaf), bool)
    for member in members:
        covered |= member
    rest = np.flatnonzero(~covered).tolist()
    if rest:
        texts = "; ".join(f"@{leaf[k]} {view.text[k][:40]!r}" for k in rest[:BLANK])
        yield f"missing: {len(rest)} of {len(leaf)} leaves are in no block: {texts}"
    yield from _content_errors(page)
    yield ""
    yield from _block_tree(page, members, view.text)
    yield ""
    yield from _content_lines(marker, page)


def _block_errors(page: LabelledPage, members: list[NDArray[np.bool_]]) -> Iterator[str]:
    names = [f"{segment.role} {segment.xpath[0]}" for segment in page.segments]
    for k, member in enumerate(members):
        if not member.any():
            yield f"error: the block {names[k]} has no visible leaf."
        for other in range(k):
            common = member & members[other]
            if not common.any():
                continue
            if (member == members[other]).all():
                yield f"error: two blocks with the same leaves: {names[other]}, {names[k]}."
            elif (common != member).any() and (common != members[other]).any():
                yield f"error: two blocks overlap, but none is inside the other: {names[other]}, {names[k]}."


def _content_errors(page: LabelledPage) -> Iterator[str]:
    if page.kind not in PAGE_KINDS:
        yield f"error: kind must be one of {', '.join(PAGE_KINDS)}, got {page.kind!r}."
    named = {mark.name for mark in page.content or ()}
    for name in ("main", "title", "author", "date"):
        if name not in named and name not in page.absent:
            yield f"missing: {name} is neither in content nor in absent."
        if name in page.absent and name != "author" and name != "date" and name in named:
            yield f"error: {name} is in content and in absent."
    for mark in page.content or ():
        if mark.name == "date" and mark.value is None:
            yield f"missing: the date {mark.xpath[0]} has no value in ISO format."
        if mark.name == "value" and not mark.label:
            yield f"missing: the value {mark.xpath[0]} has no label."
    if page.kind in ("list", "thread") and not named & {"item", "comment"}:
        yield f"missing: a {page.kind} has items or comments."


def _block_tree(page: LabelledPage, members: list[NDArray[np.bool_]], texts: Sequence[str]) -> Iterator[str]:
    order = sorted(range(len(members)), key=lambda k: (int(members[k].argmax()), -int(members[k].sum())))
    depths: list[tuple[int, int]] = []
    for k in order:
        inside = [depth for other, depth in depths if (members[k] <= members[other]).all()]
        depth = max(inside, default=-1) + 1
        depths.append((k, depth))
        places = np.flatnonzero(members[k])
        text = " ".join(texts[place] for place in places[:8])[:60]
        yield f"{'  ' * depth}{page.segments[k].role} ({len(places)}) {text!r}"


def _content_lines(marker: Marker, page: LabelledPage) -> Iterator[str]:
    for mark in page.content or ():
        text = mark.text(marker.page)
        label = ""
        if mark.label:
            raw = raw_text(marker.page.dom, ContentMark("value", mark.label).nodes(marker.page.dom))
            label = f" label {(raw[slice(*mark.label_span)] if mark.label_span else raw)[:50]!r}"
        value = f" = {mark.value}" if mark.value else ""
        size = f" {len(text.split())} words" if mark.name in LONG else ""
        shown = text if len(text) < 140 else f"{text[:80]} ... {text[-50:]}"
        yield f"{mark.name}{value}{size}{label}: {shown!r}"
    yield f"absent: {', '.join(page.absent) or '-'}"


LONG = ("main", "aside", "item", "comment", "body")
"""Marks whose number of words is printed."""

# Pictures.

COLORS = {
    "header": "#1f77b4", "footer": "#1f77b4", "menu": "#2ca02c", "linklist": "#2ca02c", "toc": "#2ca02c",
    "breadcrumb": "#2ca02c", "pagination": "#2ca02c", "content": "#d62728", "article": "#d62728",
    "product": "#d62728", "comment": "#9467bd", "comments": "#9467bd", "title": "#e377c2", "image": "#8c564b",
}  # fmt: skip
"""Colours of the roles of blocks; all others are orange."""


def picture(marker: Marker, segments: Sequence[LabelledSegment]) -> Any:
    """Return the screenshot of a page with the boxes of segments, as a Pillow image."""
    image = open_screenshot(marker.page).convert("RGB")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(15)
    page = marker.page
    leaf = leaves_of(page)
    box = page.view.box[leaf] if page.view else np.zeros((0, 4))
    members = [leaves_below(leaf, page.dom, segment.nodes(page.dom)) for segment in segments]
    depth = [sum(_is_inside(member, other) for other in members) for member in members]
    for k in sorted(range(len(segments)), key=lambda k: depth[k]):
        boxes = box[members[k]]
        if not len(boxes):
            continue
        inset = 4 * int(depth[k]) - 8
        left, top = (boxes[:, :2].min(axis=0) + inset).tolist()
        right, bottom = ((boxes[:, :2] + boxes[:, 2:]).max(axis=0) - inset).tolist()
        role = segments[k].role or ""
        color = COLORS.get(role, "#ff7f0e")
        right, bottom = max(right, left + 4), max(bottom, top + 4)
        pen.rectangle((left, top, right, bottom), outline=color, width=3)
        width = pen.textlength(role, font=font)
        x = max(left - width - 4, 0) if depth[k] % 2 else left
        pen.rectangle((x, top, x + width + 4, top + 17), fill=color)
        pen.text((x + 2, top), role, font=font, fill="white")
    return image


def _is_inside(member: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    return bool((member <= other).all() and (member != other).any())


def write_tiles(image: Any, stem: Path) -> list[Path]:
    """Write a picture as one or several files of the size `TILE`; return their paths."""
    width, height = TILE
    scaled = image.resize((width, max(1, round(image.height * width / image.width))))
    paths = []
    for number, top in enumerate(range(0, scaled.height, height)):
        if number == MAX_TILES:
            break
        path = stem.with_name(f"{stem.name}-{number + 1}.png")
        scaled.crop((0, top, width, min(top + height, scaled.height))).save(path)
        paths.append(path)
    return paths


# Commands.


def names_of(data: str) -> list[str]:
    """Return the names of the pages of a data set."""
    if data == "blocks":
        return list(read_records())
    path = data_folder() / data / "index.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [f"{row['site']}/{row['path']}" for row in rows]


def stem_of(folder: Path, name: str) -> Path:
    """Return the beginning of the paths of the files about a page."""
    site, _, path = name.partition("/")
    short = re.sub(r"[^\w.-]+", "~", path)[-80:]
    return folder / site / short


def look(folder: Path, data: str, sites: Sequence[str]) -> None:
    """Render pages, and write their pictures and outlines."""
    names = {name for name in names_of(data) if not sites or name.split("/", 1)[0] in sites}
    with Chromium() as browser:
        for source in block_sources(names, data):
            stem = stem_of(folder, source.id)
            stem.parent.mkdir(parents=True, exist_ok=True)
            store = stem.with_name(f"{stem.name}.parquet")
            if not store.exists():
                with open_store(store) as file:
                    file.write(browser.render(source, screenshot=True))
                stem.with_name(f"{stem.name}.html").write_bytes(source.body)
            marker = open_marker(folder, source.id)
            try:
                text = outline(marker.page)
            except PageError as error:
                print(f"{source.id}: {error}", flush=True)
                continue
            stem.with_name(f"{stem.name}.outline.txt").write_text(text, encoding="utf-8")
            tiles = write_tiles(open_screenshot(marker.page).convert("RGB"), stem)
            print(f"{source.id}: {len(tiles)} pictures {stem}-N.png, outline {stem}.outline.txt", flush=True)


def open_marker(folder: Path, name: str) -> Marker:
    """Return a page that ``look`` has rendered."""
    stem = stem_of(folder, name)
    (page,) = read_store(stem.with_name(f"{stem.name}.parquet"))
    if not isinstance(page, Page):
        raise ValueError(f"{name} could not be rendered.")
    body = stem.with_name(f"{stem.name}.html").read_bytes()
    text, _ = decode(body, find_charset(body))
    return Marker(page, text.encode("utf-8", "replace"))


def read_rules(path: Path) -> list[dict[str, Any]]:
    """Return the rules of a file: of one page, or a list of those of several pages."""
    rules = json.loads(path.read_text(encoding="utf-8"))
    return rules if isinstance(rules, list) else [rules]


def main(arguments: Sequence[str]) -> None:
    """Run a command; see the docstring of the module."""
    command, folder, *rest = arguments
    work = Path(folder)
    if command == "look":
        data = "pages-2"
        if rest and rest[0] == "--data":
            data, rest = rest[1], rest[2:]
        look(work, data, rest)
    elif command == "outline":
        name, number = rest
        print(outline_below(open_marker(work, name).page, int(number)))
    elif command == "check":
        for rules in (rules for path in rest for rules in read_rules(Path(path))):
            marker = open_marker(work, rules["page"])
            page, errors = labelled(marker, rules, "check")
            print(f"== {rules['page']}")
            for line in [*(f"error: {error}" for error in errors), *check(marker, page)]:
                print(line)
            stem = stem_of(work, rules["page"])
            tiles = write_tiles(picture(marker, page.segments), stem.with_name(f"{stem.name}.marked"))
            print(f"pictures: {stem}.marked-1.png to -{len(tiles)}.png")
    elif command == "write":
        target, annotator, *paths = rest
        pages = []
        for rules in (rules for path in paths for rules in read_rules(Path(path))):
            page, errors = labelled(open_marker(work, rules["page"]), rules, annotator)
            for error in errors:
                print(f"{rules['page']}: {error}", file=sys.stderr)
            pages.append(page)
        write_labels(Path(target), sorted(pages, key=lambda page: page.source.id))
    else:
        sys.exit(__doc__)


def outline_below(page: Page, number: int) -> str:
    """Return all visible nodes below a node, a line each."""
    dom = page.dom
    lines = []
    for node in range(number, int(dom.end[number])):
        depth = "  " * int(dom.depth[node] - dom.depth[number])
        text = repr(raw_text(dom, [node])[:90]) if dom.is_text[node] else _name(dom, node)
        if text != "''":
            lines.append(f"{depth}@{node} {text}")
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
