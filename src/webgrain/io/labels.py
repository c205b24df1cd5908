"""Labels of pages: segments and content that people marked, their files, and the truth of a page.

**Files of labels** (JSON lines, one record per page, next to the pages)::

    {"page": "news/a.html", "annotator": "kim", "segments": [{"css": ["#nav"], "role": "menu"}, ...]}

``page`` is a path relative to the folder of the file. A segment has ``xpath`` or ``css``, a path or a list of
paths, and optionally a ``role``. A record may have the ``kind`` of the page, such as "product", its main
text as ``text``, and marks of its content as ``content`` and ``absent``, see `webgrain.io.contentmarks`.
Other fields are ignored, so that the output of ``webgrain segment`` can be corrected by hand and used as
labels. Several records of one page are those of several annotators.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.readonly import ReadOnly
from webgrain.io.contentmarks import (
    MAX_SEGMENTS,
    ContentMark,
    content_of,
    content_record,
    paths_of,
    text_field,
)
from webgrain.io.local import FolderAssets, is_inside, json_lines, replacing, site_files
from webgrain.page.addresses import find_css, find_xpath
from webgrain.page.dom import Dom
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page, Source

Kind = Literal["fine", "blocks", "top"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Partitions: innermost segments, segments that contain no other segment, outermost segments."""


@dataclass(frozen=True, slots=True)
class LabelledSegment:
    """A segment marked by a person: whole elements, each given by its path in the tree of the page.

    xpath, css: paths in the syntax of `webgrain.page.addresses`; the segment consists of the elements of all
    paths. role: its purpose, such as "menu"; None if unknown.

    >>> LabelledSegment(xpath=("/html[1]/body[1]/ul[1]",), role="menu").role
    'menu'
    """

    xpath: tuple[str, ...] = ()
    css: tuple[str, ...] = ()
    role: str | None = None

    def nodes(self, dom: Dom) -> list[int]:
        """Return the nodes of the paths in ``dom``; paths without a node are left out."""
        selected = [find_xpath(dom, path) for path in self.xpath] + [find_css(dom, path) for path in self.css]
        return sorted({node for node in selected if node is not None})


@dataclass(frozen=True, slots=True, eq=False)
class Truth(ReadOnly):
    """The ground truth of a page: the segment of each of its leaves. The arrays are read-only.

    Attributes:
        leaf: (l,) int32, nodes of the Dom in document order; -1 if the Dom does not have the leaf.
        fine: (l,) int32, the innermost segment of each leaf, -1 for none. The leaves of a segment that are in
            none of the segments inside it form one segment.
        blocks: (l,) int32, as fine, but -1 if the segment contains other segments.
        top: (l,) int32, the outermost segment.
        roles: role of each segment, by label; None if unknown.
        characters: (l,) float64, length of the text, 0 for other leaves.
        area: (l,) float64 in px²; None without a rendering.
    """

    leaf: Int32
    fine: Int32
    blocks: Int32
    top: Int32
    roles: tuple[str | None, ...]
    characters: Float64
    area: Float64 | None = None

    def __len__(self) -> int:
        return len(self.leaf)

    def partition(self, partition: Kind) -> Int32:
        """Return one of the three partitions (l,)."""
        if partition not in KINDS:
            raise ParameterError(f"kind must be one of {', '.join(KINDS)}, got {partition!r}.")
        labels: Int32 = getattr(self, partition)
        return labels

    def over(self, size: int, partition: Kind) -> Int32:
        """Return a partition as labels (size,) of the nodes of the Dom, -1 for nodes that are not leaves."""
        labels, known = np.full(size, -1, np.int32), self.leaf >= 0
        labels[self.leaf[known]] = self.partition(partition)[known]
        return labels


def truth_of(page: Page, segments: Sequence[LabelledSegment]) -> Truth:
    """Return the ground truth of a page from its marked segments.

    A segment with a root of another one, and with fewer nodes, is inside it.

    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> paths = ("html > body > div", "html > body > div > p:nth-of-type(2)")
    >>> truth = truth_of(page, [LabelledSegment(css=(path,)) for path in paths])
    >>> truth.fine.tolist(), truth.blocks.tolist(), truth.top.tolist()
    ([0, 1, -1], [-1, 1, -1], [0, 0, -1])
    """
    dom, kinds = page.dom, leaf_kinds(page)
    leaf = np.flatnonzero(kinds).astype(np.int32)
    roots = [segment.nodes(dom) for segment in segments]
    size = [sum(int(dom.end[node]) - node for node in nodes) for nodes in roots]
    marks = sorted((node, -size[k], k) for k, nodes in enumerate(roots) for node in nodes)
    fine, top = np.full((2, len(dom)), -1, np.int32)
    for node, _, k in marks:  # in document order, at one root the largest first: inner segments come later
        fine[node : dom.end[node]] = k
    for node, _, k in reversed(marks):
        top[node : dom.end[node]] = k
    fine, top = fine[leaf], top[leaf]
    split = np.zeros(len(segments) + 1, bool)  # whether a segment contains others; the last element is for -1
    for node, _, k in marks:
        below = leaf.searchsorted([node, dom.end[node]])
        split[k] |= bool((fine[below[0] : below[1]] != k).any())
    length = [len(" ".join(dom.text_of(node).split())) for node in leaf.tolist()]
    return Truth(
        leaf=leaf,
        fine=fine,
        blocks=np.where(split[fine], -1, fine).astype(np.int32),
        top=top,
        roles=tuple(segment.role for segment in segments),
        characters=np.where(kinds[leaf] == TEXT_LEAF, length, 0).astype(np.float64),
        area=None if page.view is None else page.view.box[leaf, 2:].prod(axis=1).astype(np.float64),
    )


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with the segments that a person marked.

    Attributes:
        source: the page, without any trace of the marks.
        segments: in the order of their labels.
        annotator: name of the person, if known.
        kind: of the page, such as "product"; text: its main text; if known.
        content: marks of content, None if the page was not labelled with them.
        absent: names of `CONTENT` that the page does not have, such as "author".
    """

    source: Source
    segments: tuple[LabelledSegment, ...]
    annotator: str | None = None
    kind: str | None = None
    text: str | None = None
    content: tuple[ContentMark, ...] | None = None
    absent: tuple[str, ...] = ()


def read_labels(path: Path, root: Path | None = None) -> Iterator[LabelledPage]:
    """Read a file of labels and the pages that it names, one after the other.

    root: folder of the site, which has the folder of the file in it; None: this folder. `InputError` if the
    file or one of its pages cannot be read, or a record is invalid; no record is skipped.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.html").write_text("<ul><li>Home</ul>")
    ...     menu = LabelledSegment(css=("html > body > ul",), role="menu")
    ...     write_labels(Path(folder) / "labels.jsonl", [LabelledPage(Source("a.html", b""), (menu,))])
    ...     [(page.source.body, page.segments[0].role) for page in read_labels(Path(folder) / "labels.jsonl")]
    [(b'<ul><li>Home</ul>', 'menu')]
    """
    assets, prefix = site_files(path.parent, root)
    yield from json_lines(path, "labels", partial(_labelled_page, assets, prefix))


def _labelled_page(assets: FolderAssets, prefix: str, record: Any) -> LabelledPage:
    """Return the page of one record; `ValueError` if the record is invalid."""
    if not isinstance(record, dict) or not isinstance(record.get("page"), str):
        raise ValueError("expected a record with the path of a page as page.")
    name, segments = record["page"], record.get("segments")
    if not is_inside(name):
        raise ValueError(f"expected the path of a page below the folder of the labels, got {name!r:.200}.")
    if not isinstance(segments, list) or len(segments) > MAX_SEGMENTS:
        raise ValueError(f"expected segments, a list of at most {MAX_SEGMENTS:,} records.")
    body = assets.read(prefix + name)
    if body is None:
        raise ValueError(f"the page {name!r} is not there.")
    source = Source(name, body, url=text_field(record, "url"), assets=assets, path=prefix + name)
    content, absent = content_of(record)
    return LabelledPage(
        source=source,
        segments=tuple(map(_labelled_segment, segments)),
        annotator=text_field(record, "annotator"),
        kind=text_field(record, "kind"),
        text=text_field(record, "text"),
        content=content,
        absent=absent,
    )


def _labelled_segment(record: Any) -> LabelledSegment:
    if not isinstance(record, dict):
        raise ValueError(f"expected a segment as a record, got {record!r:.80}.")
    xpath, css = paths_of(record, "xpath"), paths_of(record, "css")
    if not xpath and not css:
        raise ValueError("expected a segment with xpath or css.")
    # The output of webgrain segment has both addresses of each root; one of them is enough.
    return LabelledSegment(xpath, () if xpath else css, text_field(record, "role"))


def write_labels(path: Path, pages: Iterable[LabelledPage]) -> None:
    """Write a file of labels, not the pages; the ids of the pages are paths relative to the file.

    `InputError` if the file cannot be written.
    """
    write_json_lines(path, map(label_record, pages))


def write_json_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write a file of records that replaces an older one when it is complete."""
    with replacing(path) as part, part.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for record in records:
            print(json.dumps(record, ensure_ascii=False), file=file)


def label_record(page: LabelledPage) -> dict[str, Any]:
    """Return the record of one page, ready for JSON.

    >>> label_record(LabelledPage(Source("a.html", b""), (LabelledSegment(css=("#menu",)),)))
    {'page': 'a.html', 'segments': [{'css': ['#menu']}]}
    """
    segments = []
    for segment in page.segments:
        values = {"xpath": list(segment.xpath), "css": list(segment.css), "role": segment.role}
        segments.append({name: value for name, value in values.items() if value})
    known = {"annotator": page.annotator, "kind": page.kind, "text": page.text}
    record: dict[str, Any] = {"page": page.source.id}
    record |= {name: value for name, value in known.items() if value}
    record["segments"] = segments
    if page.content is not None:
        record["content"] = [content_record(mark) for mark in page.content]
    if page.content is not None or page.absent:
        record["absent"] = list(page.absent)
    return record
