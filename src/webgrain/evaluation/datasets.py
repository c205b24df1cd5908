"""Labelled pages: the ground truth of a page, the formats of labelled data sets, and the pages to learn from.

**Files of labels** (JSON lines, one record per page, next to the pages)::

    {"page": "news/a.html", "annotator": "kim", "segments": [{"css": ["#nav"], "role": "menu"}, ...]}

``page`` is a path relative to the folder of the file. A segment has ``xpath`` or ``css``, a path or a list of
paths, and optionally a ``role``. A record may have the ``kind`` of the page, such as "product", its main
text as ``text``, and marks of its content as ``content`` and ``absent``, see `ContentMark`. Other fields are
ignored, so that the output of ``webgrain segment`` can be
corrected by hand and used as labels. Several records of one page are those of several annotators.

**The Kreuzer data set** (`experiments.datasets.kreuzer`) is read from a folder, in a checkout of webgrain.

Pages rendered by a browser are stored in the cache folder (``$XDG_CACHE_HOME/webgrain``, else
``~/.cache/webgrain``) under a name computed from the pages and from the code that renders them. A change of
either renders the pages again; a change of the other files of a page does not, so remove the folder then.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

import webgrain
from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import InputError, ParameterError
from webgrain.evaluation.contentmarks import (
    MAX_SEGMENTS,
    ContentMark,
    content_of,
    content_record,
    paths_of,
    text_field,
)
from webgrain.io.local import FolderAssets, is_inside, json_lines, replacing, site_files
from webgrain.io.store import open_store, read_store
from webgrain.page.addresses import find_css, find_xpath
from webgrain.page.dom import Dom, ReadOnly
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.site.pipeline import Layout, pages

VARIABLE = "WEBGRAIN_DATA"
"""Environment variable with the folder of the public data sets."""

MAX_FILE = 2**26
"""Bytes of a file in an archive; larger files are left out."""

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
        found = [find_xpath(dom, path) for path in self.xpath] + [find_css(dom, path) for path in self.css]
        return sorted({node for node in found if node is not None})


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

    def partition(self, kind: Kind) -> Int32:
        """Return one of the three partitions (l,)."""
        if kind not in KINDS:
            raise ParameterError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        labels: Int32 = getattr(self, kind)
        return labels

    def over(self, size: int, kind: Kind) -> Int32:
        """Return a partition as labels (size,) of the nodes of the Dom, -1 for nodes that are not leaves."""
        labels, known = np.full(size, -1, np.int32), self.leaf >= 0
        labels[self.leaf[known]] = self.partition(kind)[known]
        return labels


def truth_of(page: Page, segments: Sequence[LabelledSegment]) -> Truth:
    """Return the ground truth of a page from its marked segments.

    A segment with a root of another one, and with fewer nodes, is inside it.

    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> paths = ("html > body > div", "html > body > div > p:nth-of-type(2)")
    >>> truth = truth_of(page, [LabelledSegment(css=(path,)) for path in paths])
    >>> truth.fine.tolist(), truth.blocks.tolist(), truth.top.tolist()
    ([0, 1, -1], [-1, 1, -1], [0, 0, -1])
    """
    dom, kind = page.dom, leaf_kinds(page)
    leaf = np.flatnonzero(kind).astype(np.int32)
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
        characters=np.where(kind[leaf] == TEXT_LEAF, length, 0).astype(np.float64),
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
        raise ValueError(f"expected the path of a page below the folder of the labels, got {name!r}.")
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
        raise ValueError(f"expected a segment as a record, got {record!r}.")
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


def archive_files(archive: Path, wanted: Callable[[str], bool] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the files of a tar archive, in its order; `InputError` if it is damaged.

    wanted: whether a file of that name is read; None: all files.

    >>> list(archive_files(Path("nowhere.tar.xz")))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: nowhere.tar.xz cannot be read: No such file or directory.
    """
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if member.isfile() and member.size <= MAX_FILE and (wanted is None or wanted(name)):
                    file = tar.extractfile(member)
                    if file is not None:
                        yield name, file.read()
    except OSError as error:
        raise InputError(f"{archive} cannot be read: {error.strerror or error}.") from error
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError) as error:
        raise InputError(f"{archive} cannot be read: {error}.") from error


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A labelled page to learn from or to evaluate on; ``page.id`` is its name in the data set.

    page: rendered as requested; truth: over the nodes of ``page.dom``; segments: the marked segments;
    annotator, kind, text, content, absent: as in `LabelledPage`.
    """

    page: Page
    truth: Truth
    segments: tuple[LabelledSegment, ...]
    annotator: str | None = None
    kind: str | None = None
    text: str | None = None
    content: tuple[ContentMark, ...] | None = None
    absent: tuple[str, ...] = ()


def data_folder() -> Path:
    """Return the folder of the public data sets.

    ``WEBGRAIN_DATA``, else ``../shared/data`` if it exists, else the folder ``data`` of the cache, into which
    ``webgrain data`` downloads and builds them.

    >>> data_folder().is_absolute()
    True
    """
    beside = Path("../shared/data")
    given = os.environ.get(VARIABLE) or (beside if beside.is_dir() else cache_folder() / "data")
    return Path(given).absolute()


def from_checkout(module: str, purpose: str) -> Any:
    """Return a module of ``experiments.datasets``, which is in the checkout that contains this package.

    purpose: what needs it, for the message. `InputError` if the package was not installed from a checkout.
    """
    checkout = Path(webgrain.__file__).parents[2]
    if not (checkout / "experiments" / "datasets" / f"{module}.py").is_file():
        raise InputError(
            f"{purpose} needs a checkout of webgrain, because its programs and recipes are not in the "
            "package: install it from a checkout with pip install -e ."
        )
    if str(checkout) not in sys.path:
        sys.path.append(str(checkout))
    return import_module(f"experiments.datasets.{module}")


def load_examples(
    path: Path | None = None, layout: Layout | None = None, root: Path | None = None
) -> list[Example]:
    """Return all examples of a data set, in its order.

    path: a file of labels (``.jsonl``) or a folder with the Kreuzer data set; None: ``segmentation`` in
    `data_folder`. layout: how pages are rendered. root: as in `read_labels`. `InputError` if the data does
    not exist, or its reader is missing. A page on which the browser fails is returned without a rendering.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = LabelledPage(Source("a.html", b"<p>Hi"), (LabelledSegment(css=("html > body > p",)),))
    ...     _ = (Path(folder) / "a.html").write_bytes(page.source.body)
    ...     write_labels(Path(folder) / "labels.jsonl", [page])
    ...     [example] = load_examples(Path(folder) / "labels.jsonl")
    >>> example.page.id, example.truth.fine.tolist()
    ('a.html', [0])
    """
    path = data_folder() / "segmentation" if path is None else path
    if not path.exists():
        raise InputError(
            f"There is no labelled data at {path}: name it, or set {VARIABLE}, or run webgrain data fetch "
            "and webgrain data build."
        )
    if path.is_dir():
        labelled = list(from_checkout("kreuzer", "The Kreuzer data set").read_kreuzer(path))
    else:
        labelled = list(read_labels(path, root))
    rendered = render([one.source for one in labelled], layout or Layout())
    return [example_of(page, label) for page, label in zip(rendered, labelled, strict=True)]


def example_of(page: Page, label: LabelledPage) -> Example:
    """Return a rendered page with its labels as an example."""
    truth = truth_of(page, label.segments)
    known = (label.annotator, label.kind, label.text, label.content, label.absent)
    return Example(page, truth, label.segments, *known)


def render(sources: Sequence[Source], layout: Layout) -> list[Page]:
    """Return rendered pages; pages that a browser rendered before are read from the cache."""
    if not layout.uses_browser:
        return [page for page, _ in _rendered(sources, layout)]
    store = cache_folder() / f"rendered-{_fingerprint(sources, layout)}.parquet"
    if store.exists():
        stored = [page for page in read_store(store) if isinstance(page, Page)]
        if [page.id for page in stored] == [source.id for source in sources]:
            return stored
    results = list(_rendered(sources, layout))
    if all(succeeded for _, succeeded in results):
        store.parent.mkdir(parents=True, exist_ok=True)
        with open_store(store) as file:
            for page, _ in results:
                file.write(page)
    return [page for page, _ in results]


def cache_folder() -> Path:
    """Return the folder of data that can be computed again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "webgrain"


def _rendered(sources: Sequence[Source], layout: Layout) -> Iterator[tuple[Page, bool]]:
    """Yield each page and whether it was rendered as requested."""
    for source, result in zip(sources, pages(sources, layout), strict=True):
        if isinstance(result, Page):
            yield result, True
        else:
            page = parse(source)
            yield replace(page, notes=(*page.notes, f"No layout: {result.error}")), False


def _fingerprint(sources: Sequence[Source], layout: Layout) -> str:
    package = Path(webgrain.__file__).parent
    code = sorted(path for part in ("rendering", "page") for path in (package / part).rglob("*.py"))
    values = [repr(layout).encode(), *(path.read_bytes() for path in code)]
    values += [part for source in sources for part in (source.id.encode("utf-8", "replace"), source.body)]
    return hashlib.sha256(b"\0".join(hashlib.sha256(value).digest() for value in values)).hexdigest()[:16]
