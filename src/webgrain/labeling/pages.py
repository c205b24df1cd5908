"""The pages that people label: their parts as the tool shows them, and the files of labels.

A part of a page is a set of leaves that a pointer can select: those below a node. Nodes with the same leaves,
such as a list item and the link in it, are one part, identified by the topmost of them. So every part except
a leaf contains at least two parts.

``labels-kim.jsonl`` has the pages that kim has labelled, in the format of `webgrain.evaluation.datasets`; the
page that was changed last comes last. Each change writes a complete new file that replaces the old one, and
keeps the fields that the tool does not show. The window of the tool identifies parts of a page by numbers
(marks), the files by paths (segments and marks of content).
"""

from __future__ import annotations

import re
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeGuard, TypeVar

import numpy as np

from webgrain.base.arrays import Float32, Int32
from webgrain.base.errors import InputError, PageError, ParameterError, WebgrainError
from webgrain.base.readonly import ReadOnly
from webgrain.io.contentmarks import MAX_SEGMENTS, ContentMark
from webgrain.io.labels import LabelledPage, LabelledSegment, label_record, read_labels, write_json_lines
from webgrain.io.local import json_lines
from webgrain.page.addresses import find_css, find_xpath, xpaths
from webgrain.page.dom import Dom
from webgrain.page.leaves import LEAF_KINDS
from webgrain.page.outline import Outline, leaf_outline
from webgrain.page.page import Page, Source
from webgrain.page.text import texts_of

_TEXT = 100
"""Characters of a leaf that are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class PageView(ReadOnly):
    """The parts of a rendered page; ``m`` parts in document order, ``l`` leaves, arrays read-only.

    Attributes:
        page: the page, with a view.
        node: (m,) int32, the topmost node of the Dom with the leaves of the part.
        parent: (m,) int32, the part around it, -1 at the first.
        first, last: (m,) int32, the leaves of the part are ``first:last``.
        box: (m, 4) float32, x, y, width, height in CSS px around its leaves.
        reach: (m, 4) float32, around its leaves and its node: where a pointer may select it.
        text: beginning of each leaf (l); its kind if it has no text.
        part: (n,) int32, the part of each node of the DOM, -1 for invisible nodes.
    """

    page: Page
    node: Int32
    parent: Int32
    first: Int32
    last: Int32
    box: Float32
    reach: Float32
    text: tuple[str, ...]
    part: Int32

    def __len__(self) -> int:
        return len(self.node)

    def record(self) -> dict[str, Any]:
        """Return the view ready for JSON: columns by part, the size of page and picture in px."""
        page, view = self.page, self.page.view
        assert view is not None
        return {
            "page": page.id,
            "notes": list(page.notes),
            "size": [round(view.width), round(view.height)],
            "picture": picture_size(page.screenshot or b""),
            "parent": self.parent.tolist(),
            "first": self.first.tolist(),
            "last": self.last.tolist(),
            "box": _tenths(self.box),
            "reach": _tenths(self.reach),
            "name": [_name(page.dom, node) for node in self.node.tolist()],
            "text": list(self.text),
        }


def page_view(page: Page) -> PageView:
    """Return the parts of a page; raises `PageError` if nothing is visible on it.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from tests.views import with_lines
    >>> page = parse(Source("a", b"<ul><li><a>One</a><li>Two</ul>"))
    >>> view = page_view(with_lines(page))
    >>> [page.dom.name(node) for node in view.node], view.parent.tolist(), view.text
    (['html', 'li', 'li'], [-1, 0, 0], ('One', 'Two'))
    """
    outline = leaf_outline(page)
    if page.view is None or not len(outline):
        raise PageError("nothing is visible on the page.")
    box = _around(page.view.box[outline.leaf_node], outline.low, outline.high)
    part, _ = outline.units_of(page.dom)
    return PageView(
        page=page,
        node=outline.node,
        parent=outline.parent,
        first=outline.low,
        last=outline.high,
        box=box,
        reach=_both(box, page.view.box[outline.node]),
        text=_texts(page, outline),
        part=part,
    )


def picture_size(png: bytes) -> tuple[int, int]:
    r"""Return width and height of a PNG in px; 0, 0 for anything else.

    >>> picture_size(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03")
    (2, 3)
    """
    if len(png) < 24 or png[:8] != b"\x89PNG\r\n\x1a\n":
        return 0, 0
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _around(box: Float32, first: Int32, last: Int32) -> Float32:
    """Boxes (m, 4) around the boxes (l, 4) of the leaves ``first:last`` of each part."""
    spans = np.stack([first, last], 1).ravel()
    spare = np.vstack([box, box[-1:]])  # reduceat wants every bound to be an index
    low = np.minimum.reduceat(spare[:, :2], spans)[::2]
    high = np.maximum.reduceat(spare[:, :2] + spare[:, 2:], spans)[::2]
    return np.hstack([low, high - low])


def _both(first: Float32, second: Float32) -> Float32:
    """Return the boxes (m, 4) around pairs of boxes; a box without a size is ignored."""
    second = np.where((second[:, 2:] > 0).all(1, keepdims=True), second, first)
    low = np.minimum(first[:, :2], second[:, :2])
    high = np.maximum(first[:, :2] + first[:, 2:], second[:, :2] + second[:, 2:])
    return np.hstack([low, high - low])


def _tenths(box: Float32) -> list[list[float]]:
    tenths: list[list[float]] = box.astype(np.float64).round(1).tolist()
    return tenths


def _texts(page: Page, outline: Outline) -> tuple[str, ...]:
    leaf = outline.leaf_node.tolist()
    texts = texts_of(page, [[node] for node in leaf], alt=True)
    kinds = outline.leaf_kind.tolist()
    return tuple(text[:_TEXT] or f"[{LEAF_KINDS[code]}]" for text, code in zip(texts, kinds, strict=True))


def _name(dom: Dom, node: int) -> str:
    """Return the CSS name of a node with its id, or else its first class."""
    name = dom.name(node)
    attributes = dom.attributes(node)
    if attributes.get("id"):
        return f"{name}#{attributes['id'][:40]}"
    classes = attributes.get("class", "").split()
    return f"{name}.{classes[0][:40]}" if classes else name


Segments = tuple[LabelledSegment, ...]
Saved = TypeVar("Saved")
_NAME = re.compile(r"\w[\w.@-]{0,63}")


class ConflictError(WebgrainError):
    """The labels of a page were changed elsewhere since they were read."""


class WorkFile(ABC, Generic[Saved]):
    """The work of one annotator in a file that is written at every change; thread-safe.

    folder: of the pages; the name of the file is that of the annotator after ``prefix``. Raises `InputError`
    if the file cannot be read, `ParameterError` for an invalid name.
    """

    prefix: str

    def __init__(self, folder: Path, annotator: str) -> None:
        if not _NAME.fullmatch(annotator):
            raise ParameterError(
                "The annotator must be a name of at most 64 letters, digits and . _ @ -, "
                f"and begin with a letter or digit, got {annotator!r}."
            )
        self.annotator = annotator
        self._path = folder / f"{self.prefix}{annotator}.jsonl"
        self._lock = threading.Lock()
        self._seen = self._state()
        self._pages: dict[str, Saved] = {}
        self._revision: dict[str, int] = {}
        for page, saved in self._read() if self._seen else ():
            if page in self._pages:
                raise InputError(f"{self._path} has two records of the page {page}: remove one.")
            self._pages[page] = saved

    @property
    def last(self) -> str | None:
        """The page that was changed last, None if there is none."""
        return next(reversed(self._pages), None)

    def get(self, page: str) -> Saved | None:
        """Return the saved value of a page; None if there is none."""
        return self._pages.get(page)

    def revision(self, page: str) -> int:
        """Return how often a page was saved since the store was opened."""
        return self._revision.get(page, 0)

    def save(self, page: str, value: Saved | None, revision: int) -> int:
        """Save a value for a page and return its new revision; an empty one removes the page.

        Raises `ConflictError`, and writes nothing, if ``revision`` is not the current revision of the page or
        if another program has changed the file.
        """
        with self._lock:
            if revision != self.revision(page):
                raise ConflictError("The page was changed in another window: load it again.")
            if self._state() != self._seen:
                raise ConflictError(f"{self._path.name} was changed by another program: start again.")
            pages = {name: saved for name, saved in self._pages.items() if name != page}
            if value:
                pages[page] = value
            write_json_lines(self._path, (self._record(name, saved) for name, saved in pages.items()))
            self._pages, self._seen = pages, self._state()
            self._revision[page] = revision + 1
            return revision + 1

    @abstractmethod
    def _read(self) -> Iterator[tuple[str, Saved]]:
        """Yield the pages of the file."""

    @abstractmethod
    def _record(self, page: str, value: Saved) -> dict[str, Any]:
        """Return the record of a page."""

    def _state(self) -> tuple[int, int] | None:
        """Return time and inode of the file, which identify its version; None if there is no file."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_ino


@dataclass(frozen=True, slots=True)
class PageLabels:
    """The labels of one annotator on one page; False if there are none.

    Attributes:
        segments, kind, content, absent: as in `webgrain.io.labels.LabelledPage`.
        other: fields of the record that the tool does not show, such as text and url.
        more: fields of the records of segments and marks of content that the tool does not know.
    """

    segments: Segments = ()
    kind: str | None = None
    content: tuple[ContentMark, ...] | None = None
    absent: tuple[str, ...] = ()
    other: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[LabelledSegment | ContentMark, Mapping[str, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        shown = self.segments or self.kind or self.absent or self.content is not None
        return bool(shown or self.other)


_SHOWN = {"page", "annotator", "segments", "kind", "content", "absent"}


class LabelStore(WorkFile[PageLabels]):
    """The labels of the pages that one annotator has labelled.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.io.labels import LabelledSegment
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = (Path(name) / "a.html").write_text("<p>One")
    ...     labels = PageLabels((LabelledSegment(xpath=("/html[1]",), role="content"),))
    ...     LabelStore(Path(name), "kim").save("a.html", labels, revision=0)
    ...     LabelStore(Path(name), "kim").get("a.html") == labels
    1
    True
    """

    prefix = "labels-"

    def _read(self) -> Iterator[tuple[str, PageLabels]]:
        records = json_lines(self._path, "labels", dict)
        for page, record in zip(read_labels(self._path), records, strict=True):
            yield page.source.id, _labels(page, record)

    def _record(self, page: str, value: PageLabels) -> dict[str, Any]:
        labelled = LabelledPage(
            source=Source(page, b""),
            segments=value.segments,
            annotator=self.annotator,
            kind=value.kind,
            content=value.content,
            absent=value.absent,
        )
        record = label_record(labelled)
        for mark, written in _with_records(labelled, record):
            written |= value.more.get(mark, {})
        return record | dict(value.other)


def _labels(page: LabelledPage, record: dict[str, Any]) -> PageLabels:
    """Return the labels of a record of a file, with all its fields."""
    more = {}
    written = _with_records(page, label_record(page))
    for (mark, known), (_, given) in zip(written, _with_records(page, record), strict=True):
        unknown = {name: value for name, value in given.items() if name not in known}
        if unknown:
            more[mark] = unknown
    other = {name: value for name, value in record.items() if name not in _SHOWN}
    return PageLabels(page.segments, page.kind, page.content, page.absent, other, more)


def _with_records(
    page: LabelledPage, record: dict[str, Any]
) -> Iterator[tuple[LabelledSegment | ContentMark, dict[str, Any]]]:
    """Yield the segments and marks of content of a page, each with its record."""
    yield from zip(page.segments, record["segments"], strict=True)
    yield from zip(page.content or (), record.get("content") or (), strict=True)


def everyone(folder: Path) -> dict[str, dict[str, Segments]]:
    """Return the segments of every page by annotator, of all annotators of a folder who marked segments.

    Raises `InputError` if a file of labels cannot be read.
    """
    segments: dict[str, dict[str, Segments]] = {}
    for path in sorted(folder.glob("labels-*.jsonl")):
        for page in read_labels(path):
            name = page.annotator or path.stem.removeprefix("labels-")
            if page.segments:
                segments.setdefault(page.source.id, {})[name] = page.segments
    return segments


MAX_ROLE, MAX_PATH = 100, 20_000
"""Most characters of a role and of a path."""

MarkPlace = dict[str, Any]
"""Elements of a page, as numbers and paths.

``parts``: numbers in the view; ``lost``: paths of elements that are not visible; ``paths``: pairs of a number
(-1 if lost) and a path, in the order of the file, if the file has other paths than those of the parts.
"""

Mark = dict[str, Any]
"""A place with a ``role``: a name or None."""


def marks_of(view: PageView, segments: Iterable[LabelledSegment]) -> list[Mark]:
    """Return segments as marks; paths of invisible parts are kept unchanged.

    >>> from webgrain.labeling.pages import page_view
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from tests.views import with_lines
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> view = page_view(with_lines(page))
    >>> marks_of(view, [LabelledSegment(xpath=("/html[1]/body[1]/p[2]", "/html[1]/body[1]/ul[1]"))])
    [{'parts': [2], 'lost': ['/html[1]/body[1]/ul[1]'], 'paths': [], 'role': None}]
    """
    usual = part_paths(view)
    return [
        place_of(view, usual, segment.xpath, segment.css) | {"role": segment.role} for segment in segments
    ]


def segments_of(view: PageView, marks: object) -> Segments:
    """Return marks as segments; raises `ParameterError` if they are invalid.

    >>> from webgrain.labeling.pages import page_view
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from tests.views import with_lines
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> view = page_view(with_lines(page))
    >>> segments_of(view, [{"parts": [2], "role": "content", "lost": []}])
    (LabelledSegment(xpath=('/html[1]/body[1]/p[2]',), css=(), role='content'),)
    """
    usual = part_paths(view)
    marked = []
    for mark in checked_marks(marks, "segment"):
        paths = paths_at(usual, mark)
        role = mark.get("role")
        if role is not None and not (isinstance(role, str) and 0 < len(role) <= MAX_ROLE):
            raise ParameterError(f"Expected role as a text of at most {MAX_ROLE} characters.")
        xpath = tuple(path for path in paths if path.startswith("/"))
        css = tuple(path for path in paths if not path.startswith("/"))
        marked.append(LabelledSegment(xpath, css, role))
    return tuple(marked)


def part_paths(view: PageView) -> list[str]:
    """Return the XPath of each part (m) of a view."""
    return xpaths(view.page.dom, view.node.tolist())


def place_of(view: PageView, usual: list[str], xpath: Sequence[str], css: Sequence[str] = ()) -> MarkPlace:
    """Return the place of elements; usual: see `part_paths`."""
    nodes = [find_node(view.page.dom, path) for path in xpath]
    nodes += [find_node(view.page.dom, path, css=True) for path in css]
    paths = [*xpath, *css]
    part = [-1 if node is None else int(view.part[node]) for node in nodes]
    place: MarkPlace = {
        "parts": sorted({k for k in part if k >= 0}),
        "lost": [path for path, k in zip(paths, part, strict=True) if k < 0],
        "paths": [],
    }
    if paths_at(usual, place) != paths:
        place["paths"] = [[k, path] for k, path in zip(part, paths, strict=True)]
    return place


def paths_at(usual: list[str], place: object) -> list[str]:
    """Return the paths of a place that a window sent; raises `ParameterError` if it is invalid."""
    if not isinstance(place, dict):
        raise ParameterError(f"Expected a place as a record, got {type(place).__name__}.")
    parts, lost, given = place.get("parts"), place.get("lost", []), place.get("paths", [])
    if not _is_list(parts) or not all(type(k) is int and 0 <= k < len(usual) for k in parts):
        raise ParameterError(f"Expected parts as a list of numbers from 0 to {len(usual) - 1}.")
    if not _is_list(lost) or not all(map(_is_path, lost)):
        raise ParameterError("Expected lost as a list of paths.")
    if not _is_list(given) or not all(map(_is_pair, given)):
        raise ParameterError("Expected paths as a list of pairs of a number and a path.")
    if not parts and not lost:
        raise ParameterError("Expected at least one part.")
    kept_parts, kept_lost = set(parts), set(lost)
    kept = [path for k, path in given if k in kept_parts or (k < 0 and path in kept_lost)]
    known, written = {k for k, _ in given}, set(kept)
    added = [usual[k] for k in parts if k not in known]
    return [*kept, *added, *(path for path in lost if path not in written)]


def checked_marks(marks: object, what: str) -> list[dict[str, Any]]:
    """Return the records of a list that a window sent; raises `ParameterError` for anything else."""
    if not _is_list(marks):
        raise ParameterError(f"Expected {what}s as a list of at most {MAX_SEGMENTS:,} records.")
    for mark in marks:
        if not isinstance(mark, dict):
            raise ParameterError(f"Expected a {what} as a record, got {type(mark).__name__}.")
    return marks


def find_node(dom: Dom, path: str, css: bool = False) -> int | None:
    """Return the node of a path; None if there is no such node, or the path is not valid."""
    try:
        return find_css(dom, path) if css else find_xpath(dom, path)
    except ParameterError:
        return None


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and type(value[0]) is int and _is_path(value[1])


def _is_path(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_PATH


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and len(value) <= MAX_SEGMENTS
