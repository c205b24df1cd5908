"""Archives of pages: the files of a tar archive, one at a time.

The format of labelled pages: JSON lines, one record a page, beside the pages.

    {"page": "news/a.html", "annotator": "kim", "segments": [{"css": ["#nav"], "role": "menu"}, ...]}

``page`` is a path from the folder of the file of labels. A segment has ``xpath`` or ``css``, a path or a list
of them, and perhaps a ``role``; other fields are passed over, so that what ``webgrain segment`` writes can be
read too, mended by hand, and kept as labels. Several records of one page are those of several annotators.

The Kreuzer data set: front pages of web sites with marks of people on the elements that are blocks.

Source: Kreuzer, Hage, Feelders, A quantitative comparison of semantic web page segmentation approaches, ICWE
2015; repositories rkrzr/dataset-popular and rkrzr/dataset-random. Public domain, attribution encouraged; the
pages themselves belong to their sites.

Layout: ``<set>/<site>/.../index.blocks.html``, with the files that the page loads in folders named after
their hosts, in a folder or in ``pages.tar.xz``; perhaps ``split.json``: lists of ``<set>/<site>`` by part.

A block is an element with ``data-block``; ``data-block-type`` is its role. The tool that made the marks left
more behind, and some of it tells where the blocks are: a frame around marked elements, the class
``highlight``, an empty ``class`` attribute (on half of the marked elements and a tenth of the others), its
dialog, its scripts. `clean` takes all of it out; only then is anything computed from a page.

Truth of the Kreuzer data set over the leaves that were fixed once, in a rendered snapshot of each page.

``snapshots.tar.xz`` holds for each page ``inputs/<set>/<site>.json``, the nodes that a browser showed, as
parallel arrays, and ``gt/<set>/<site>.json``, its leaves and their blocks. Scores on these leaves can be
compared, whatever a method itself takes for leaves.

The nodes of a snapshot are found in the Dom by embedding the one tree in the other: a snapshot leaves out
comments, white space and what is not displayed, so the children of a node are some of those in the Dom, in
the same order, with the same tag, id and class, or text.

Labelled pages with their truth and their layout, ready for learning and for scoring.

What a browser has rendered is kept in the cache folder (``$XDG_CACHE_HOME/webgrain``, else
``~/.cache/webgrain``) under a name made from the pages and from the code that renders, so a change of either
renders again; a change of the files beside a page does not, remove the folder for that.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

import webgrain
from webgrain.arrays import Int32
from webgrain.errors import InputError, ParameterError
from webgrain.evaluation.truth import LabelledSegment, Truth, truth_of
from webgrain.io.local import FolderAssets, is_inside, open_regular, replacing, stored_names
from webgrain.io.store import open_store, read_store
from webgrain.io.thresholds import MAX_ASSET
from webgrain.page.addresses import xpaths
from webgrain.page.dom import Dom
from webgrain.page.page import Assets, Page, Source
from webgrain.page.parsing import parse, parse_html
from webgrain.pipeline import Layout, pages

MAX_FILE = 2**24
"""Size of a file up to which it is read; longer ones are left out."""


def members(archive: Path, wanted: Callable[[str], bool] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of an archive, in its order; `InputError` where it is damaged.

    wanted: whether a file of that name is read; None: all are.

    >>> from pathlib import Path
    >>> list(members(Path("nowhere.tar.xz")))
    Traceback (most recent call last):
    webgrain.errors.InputError: nowhere.tar.xz cannot be read: No such file or directory.
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


MAX_RECORD = 16 * 2**20
"""Bytes of one record, at most."""

MAX_SEGMENTS = 10_000
"""Segments and paths of one page, at most."""


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with its segments as somebody marked them.

    Attributes:
        source: the page, without any trace of the marks.
        segments: in the order of their labels.
        annotator: who marked them, where known.
    """

    source: Source
    segments: tuple[LabelledSegment, ...]
    annotator: str | None = None


def read_labels(path: Path) -> Iterator[LabelledPage]:
    """Read a file of labels and, one after the other, the pages that it names.

    `InputError` where the file or a page of it cannot be read, or a record is not as above: labels are made
    with care, and none is passed over in silence.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.html").write_text("<ul><li>Home</ul>")
    ...     menu = LabelledSegment(css=("html > body > ul",), role="menu")
    ...     write_labels(Path(folder) / "labels.jsonl", [LabelledPage(Source("a.html", b""), (menu,))])
    ...     [(page.source.body, page.segments[0].role) for page in read_labels(Path(folder) / "labels.jsonl")]
    [(b'<ul><li>Home</ul>', 'menu')]
    """
    with _open(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_RECORD + 1), b""), 1):
            if line.strip():
                try:
                    yield _page(path, line)
                except (json.JSONDecodeError, UnicodeDecodeError) as error:
                    raise InputError(f"{path}, line {number} is no JSON: {error}.") from error
                except (ValueError, RecursionError, ParameterError) as error:
                    raise InputError(f"{path}, line {number}: {error}") from error


def write_labels(path: Path, pages: Iterable[LabelledPage]) -> None:
    """Write a file of labels; the ids of the pages must be their paths from the folder of the file.

    The pages themselves are not written. `InputError` where the file cannot be made.
    """
    with replacing(path) as part, part.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for page in pages:
            print(json.dumps(label_record(page), ensure_ascii=False), file=file)


def label_record(page: LabelledPage) -> dict[str, Any]:
    """Return the record of one page, ready for JSON.

    >>> label_record(LabelledPage(Source("a.html", b""), (LabelledSegment(css=("#menu",)),)))
    {'page': 'a.html', 'segments': [{'css': ['#menu']}]}
    """
    segments = [
        {"xpath": list(segment.xpath), "css": list(segment.css), "role": segment.role}
        for segment in page.segments
    ]
    told = [{name: value for name, value in segment.items() if value} for segment in segments]
    who = {"annotator": page.annotator} if page.annotator else {}
    return {"page": page.source.id, **who, "segments": told}


def _open(path: Path) -> Any:
    try:
        return open_regular(path)
    except OSError as error:
        raise InputError(f"The labels {path} cannot be read: {error.strerror}.") from error


def _page(path: Path, line: bytes) -> LabelledPage:
    """Return the page of one record; `ValueError` says what is wrong with it."""
    if len(line) > MAX_RECORD:
        raise ValueError(f"a record has at most {MAX_RECORD:,} bytes.")
    record = json.loads(line)
    if not isinstance(record, dict) or not isinstance(record.get("page"), str):
        raise ValueError("expected a record with the path of a page as page.")
    name, segments = record["page"], record.get("segments")
    if not is_inside(name):
        raise ValueError(f"expected the path of a page below the folder of the labels, got {name!r}.")
    if not isinstance(segments, list) or len(segments) > MAX_SEGMENTS:
        raise ValueError(f"expected segments, a list of at most {MAX_SEGMENTS:,} records.")
    assets = FolderAssets(path.parent)
    body = assets.read(name)
    if body is None:
        raise ValueError(f"the page {name!r} is not there.")
    source = Source(name, body, url=_text(record, "url"), assets=assets, path=name)
    return LabelledPage(source, tuple(map(_segment, segments)), _text(record, "annotator"))


def _segment(record: Any) -> LabelledSegment:
    if not isinstance(record, dict):
        raise ValueError(f"expected a segment as a record, got {record!r}.")
    xpath, css = _paths(record, "xpath"), _paths(record, "css")
    if not xpath and not css:
        raise ValueError("expected a segment with xpath or css.")
    # What segmenters write has each root in both ways; one is enough to find it.
    return LabelledSegment(xpath, () if xpath else css, _text(record, "role"))


def _paths(record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name) or []
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in islice(paths, MAX_SEGMENTS)):
        raise ValueError(f"expected {name} as a path or a list of paths, got {value!r}.")
    return tuple(paths[:MAX_SEGMENTS])


def _text(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"expected {name} as a text, got {value!r}.")
    return value


PAGE = "index.blocks.html"
ARCHIVE = "pages.tar.xz"

_TAG = re.compile(rb"<[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
_MARK = re.compile(rb"\sdata-block(?:-type)?=(?:\"[^\"]*\"|'[^']*')")
_CLASS = re.compile(rb"(\sclass=)(\"[^\"]*\"|'[^']*')")
_EMPTY = re.compile(rb"\s(?:class|style)=(?:\"\s*\"|'\s*')")
_TOOL = re.compile(
    rb"<style[^>]*>(?:(?!</style)[\s\S])*\[data-block\](?:(?!</style)[\s\S])*</style>|<script[^>]*//awesomeness/[^>]*>\s*</script>"
    rb"|<link[^>]*//awesomeness/[^>]*>|<meta[^>]*http-equiv=.?refresh[^>]*>",
    re.I,
)
_DIALOG = re.compile(
    rb"<div[^>]*class=\"ui-dialog [^>]*>(?=(?:(?!<div[^>]*ui-dialog ).)*id=\"popupDialog\")", re.S
)
_DIV = re.compile(rb"<(/?)div\b", re.I)


@dataclass(frozen=True, slots=True)
class MemoryAssets:
    """Files by path from the root of a site.

    >>> MemoryAssets({"css/main.css?v=3.css": b"p {}"}).read("css/main.css?v=3")
    b'p {}'
    """

    files: Mapping[str, bytes]

    def read(self, path: str) -> bytes | None:
        """Bytes of the file for a request path, None where there is none."""
        return next((self.files[name] for name in stored_names(path) if name in self.files), None)


def read_kreuzer(folder: Path) -> Iterator[LabelledPage]:
    """Read the pages of the data set, in the order of their names; only one site is kept in memory.

    folder: holds the sets, or ``pages.tar.xz``. The id of a page is ``<set>/<site>``. `InputError` where
    there is no page of the data set, or the archive is damaged.
    """
    archive = folder / ARCHIVE
    sites = _in_archive(archive) if archive.exists() else _in_folder(folder)
    found = False
    for name, path, body, assets in sites:
        found = True
        yield labelled_page(Source(name, body, assets=assets, path=path))
    if not found:
        raise InputError(f"Neither {ARCHIVE} nor any {PAGE} is in {folder}.")


def read_split(folder: Path) -> dict[str, list[str]]:
    """Return the ids of the pages of each part; none where the data set has no ``split.json``."""
    try:
        split = json.loads((folder / "split.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'split.json'} cannot be read: {error}.") from error
    return {str(part): [str(name) for name in names] for part, names in split.items()}


def labelled_page(marked: Source) -> LabelledPage:
    """Return a marked page as a clean page and its blocks, in document order.

    The pages were written out again as if in ASCII: what is no UTF-8 is windows-1252, whatever they say.

    >>> page = labelled_page(Source("a", b'<ul data-block="1" data-block-type="Menu" class=""><li>Home</ul>'))
    >>> page.source.body, page.segments
    (b'<ul><li>Home</ul>', (LabelledSegment(xpath=('/html[1]/body[1]/ul[1]',), css=(), role='menu'),))
    """
    body = _without_tool(marked.body)
    dom = parse_html(body, charset=(charset := _charset(body)))
    blocks, types = dom.column("data-block"), dom.column("data-block-type")
    nodes = [node for node, block in enumerate(blocks) if block is not None]
    segments = tuple(
        LabelledSegment(xpath=(path,), role=(types[node] or "").lower() or None)
        for node, path in zip(nodes, xpaths(dom, nodes), strict=True)
    )
    body = _TAG.sub(lambda tag: _MARK.sub(b"", tag[0]), body)
    return LabelledPage(Source(marked.id, body, None, charset, marked.assets, marked.path), segments)


def clean(body: bytes) -> bytes:
    """Return a page without marks, without what the marking tool left behind, and without a refresh.

    >>> clean(b'<p data-block="1" class="highlight">a<p class="b highlight">b<p class="">c')
    b'<p>a<p class="b">b<p>c'
    """
    return _TAG.sub(lambda tag: _MARK.sub(b"", tag[0]), _without_tool(body))


def _without_tool(body: bytes) -> bytes:
    body = _TOOL.sub(b"", body)
    while dialog := _DIALOG.search(body):
        body = body[: dialog.start()] + body[_end_of_div(body, dialog.start()) :]
    return _TAG.sub(lambda tag: _EMPTY.sub(b"", _CLASS.sub(_own_classes, tag[0])), body)


def _own_classes(attribute: re.Match[bytes]) -> bytes:
    names = attribute[2][1:-1].split()
    own = [name for name in names if name not in (b"highlight", b"ui-resizable")]
    return attribute[0] if own == names else attribute[1] + b'"' + b" ".join(own) + b'"'


def _end_of_div(body: bytes, start: int) -> int:
    """Return where the div that begins at ``start`` ends; that of the whole page if it is not closed."""
    depth = 0
    for tag in _DIV.finditer(body, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return body.find(b">", tag.end()) + 1 or len(body)
    return len(body)


def _charset(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


_Site = tuple[str, str, bytes, "Assets"]


def _in_folder(folder: Path) -> Iterator[_Site]:
    """Yield name, path of the page, its bytes and files, of each site below a folder."""
    for path in sorted(folder.glob(f"*/*/**/{PAGE}")):
        name = "/".join(path.relative_to(folder).parts[:2])
        assets, inside = FolderAssets(folder / name), path.relative_to(folder / name).as_posix()
        body = assets.read(inside)
        if body is not None:
            yield name, inside, body, assets


def _in_archive(archive: Path) -> Iterator[_Site]:
    """Yield the same from an archive, in which the files of a site stand together."""
    try:
        with tarfile.open(archive) as tar:
            files = (member for member in tar if member.isfile() and member.size <= MAX_ASSET)
            for name, members in groupby(files, lambda member: "/".join(Path(member.name).parts[:2])):
                held = {
                    PurePosixPath(member.name).relative_to(name).as_posix(): file.read()
                    for member in members
                    if (file := tar.extractfile(member)) is not None
                }
                pages = sorted(path for path in held if PurePosixPath(path).name == PAGE)
                yield from ((name, path, held[path], MemoryAssets(held)) for path in pages[:1])
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise InputError(f"{archive} cannot be read: {error}.") from error


SNAPSHOTS_ARCHIVE = "snapshots.tar.xz"
TRACES = ("highlight", "ui-resizable")
"""Classes that the marking tool left; they are in no snapshot."""

_SNAPSHOTS_CLASS, _TEXT = 150, 250  # characters that are compared: snapshots cut off after 200 and 300
_SIZE = 2**26

Key = tuple[str, str, str]


class Snapshots:
    """The snapshots of all pages; small enough to be kept in memory.

    >>> from pathlib import Path
    >>> Snapshots.read(Path("/missing")) is None
    True
    """

    def __init__(self, pages: Mapping[str, Mapping[str, Any]]) -> None:
        self.pages = pages

    @classmethod
    def read(cls, folder: Path) -> Snapshots | None:
        """Read ``snapshots.tar.xz`` in ``folder``; None if there is none, `InputError` if it is damaged."""
        archive = folder / SNAPSHOTS_ARCHIVE
        if not archive.exists():
            return None
        try:
            with tarfile.open(archive) as tar:
                found = dict(_members(tar))
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            raise InputError(f"{archive} cannot be read: {error}.") from error
        names = [name.removeprefix("gt/") for name in found if name.startswith("gt/")]
        return cls({name: found[f"inputs/{name}"] | found[f"gt/{name}"] for name in names})

    def truth(self, name: str, dom: Dom) -> Truth:
        """Return the truth of a page, its leaves found in ``dom``; `InputError` if there is no snapshot."""
        if name not in self.pages:
            raise InputError(f"There is no snapshot of {name}.")
        snapshot = self.pages[name]
        place, leaf = align(snapshot, dom), np.array(snapshot["leaf"], np.intp)
        is_text = np.array(snapshot["kind"])[leaf] == 1
        return Truth(
            leaf=place[leaf],
            fine=np.array(snapshot["gt_fine"], np.int32),
            blocks=np.array(snapshot["gt_leafblk"], np.int32),
            top=np.array(snapshot["gt_top"], np.int32),
            roles=tuple((segment["type"] or "").lower() or None for segment in snapshot["segs"]),
            characters=np.where(is_text, np.array(snapshot["tlen"], np.float64)[leaf], 0.0),
            area=np.array(snapshot["clip"], np.float64)[leaf],
        )


def align(snapshot: Mapping[str, Any], dom: Dom) -> Int32:
    """Return the node of ``dom`` for each node of a snapshot (s,), -1 where the trees do not fit.

    snapshot: lists ``parent``, ``tag``, ``id``, ``cls``, ``text`` over its nodes.

    >>> from webgrain.page.parsing import parse_html
    >>> shown = {"parent": [-1, 0, 1, 2], "tag": ["html", "body", "p", "#text"], "id": [""] * 4,
    ...          "cls": ["", "", "b", ""], "text": ["", "", "", "two"]}
    >>> align(shown, parse_html("<p>one</p><p class=b>two")).tolist()
    [0, 2, 5, 6]
    """
    keys = [
        _key(*told) for told in zip(*(snapshot[name] for name in ("tag", "id", "cls", "text")), strict=True)
    ]
    place = np.full(len(keys), -1, np.int32)
    embedding = _Embedding(snapshot["parent"], keys, dom)
    waiting = [(0, 0)] if embedding.fits(0, 0) else []
    while waiting:
        node, at = waiting.pop()
        place[node] = at
        waiting += embedding.children_at[node, at] or []
    return place


class _Embedding:
    """Which subtrees of a snapshot fit where in a Dom; each question is answered once."""

    def __init__(self, parent: list[int], keys: list[Key], dom: Dom) -> None:
        self.dom, self.keys, self.dom_keys = dom, keys, _dom_keys(dom)
        self.children: list[list[int]] = [[] for _ in keys]
        for node, above in enumerate(parent):
            if above >= 0:
                self.children[above].append(node)
        self.children_at: dict[tuple[int, int], list[tuple[int, int]] | None] = {}

    def fits(self, node: int, at: int) -> bool:
        """Tell whether the subtree of a node of the snapshot is found at a node of the Dom.

        Each child takes the first place that it fits, which leaves most to those that follow.
        """
        if self.keys[node] != self.dom_keys[at]:
            return False
        if (node, at) not in self.children_at:
            places, found = self.dom.children(at), []
            for child in self.children[node]:
                place = next((place for place in places if self.fits(child, place)), None)
                if place is None:
                    break
                found.append((child, place))
            complete = len(found) == len(self.children[node])
            self.children_at[node, at] = found if complete else None
        return self.children_at[node, at] is not None


def _dom_keys(dom: Dom) -> list[Key]:
    ids, classes = dom.column("id"), dom.column("class")
    texts = (dom.text_of(node) if is_text else "" for node, is_text in enumerate(dom.is_text.tolist()))
    return [
        _key(dom.name(node), ids[node] or "", classes[node] or "", text) for node, text in enumerate(texts)
    ]


def _key(tag: str, id_: str, classes: str, text: str) -> Key:
    """Return what must be the same; the id of a form is not: a field named "id" hides it from a script."""
    if tag == "#text":
        return tag, "", " ".join(text.split())[:_TEXT].rstrip()
    own = " ".join(name for name in classes.split() if name not in TRACES)
    return tag, "" if tag == "form" else id_, own[:_SNAPSHOTS_CLASS].rstrip()


def _members(tar: tarfile.TarFile) -> Iterator[tuple[str, Any]]:
    for member in tar:
        file = tar.extractfile(member) if member.isfile() and member.size <= _SIZE else None
        if file is not None:
            yield member.name.removesuffix(".json"), json.load(file)


VARIABLE = "WEBGRAIN_DATA"
"""Environment variable that names the folder of the public data sets."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One page with what is true of it; ``page.id`` is its name in the data set.

    page: laid out as was asked for; truth: over the nodes of ``page.dom``; segments: as they were marked.
    """

    page: Page
    truth: Truth
    segments: tuple[LabelledSegment, ...]


def data_folder() -> Path:
    """Return the folder of the public data sets: ``WEBGRAIN_DATA``, else ``../shared/data``.

    >>> data_folder().is_absolute()
    True
    """
    return Path(os.environ.get(VARIABLE) or "../shared/data").absolute()


def load_examples(path: Path | None = None, layout: Layout | None = None) -> list[Example]:
    """Return all examples of a data set, in its order.

    path: a file of labels (``.jsonl``, `webgrain.evaluation.datasets`) or a folder in the layout of
    `webgrain.evaluation.datasets`; None: ``segmentation`` in `data_folder`. layout: where boxes come from.
    `InputError` where there is no such data. A page that the browser fails on is taken without a layout.

    >>> import tempfile
    >>> from experiments.datasets.synthetic_pages import make_pages
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for page in (made := make_pages(2, random_state=0)):
    ...         _ = (Path(folder) / page.source.id).write_bytes(page.source.body)
    ...     write_labels(Path(folder) / "labels.jsonl", made)
    ...     examples = load_examples(Path(folder) / "labels.jsonl")
    >>> [example.page.id for example in examples]
    ['page-0.html', 'page-1.html']
    """
    path = data_folder() / "segmentation" if path is None else path
    if not path.exists():
        raise InputError(f"There is no labelled data at {path}: name it, or set {VARIABLE}.")
    snapshots = Snapshots.read(path) if path.is_dir() else None
    marked = list(read_kreuzer(path) if path.is_dir() else read_labels(path))
    laid_out = lay_out([page.source for page in marked], layout or Layout())
    return [
        Example(
            page,
            snapshots.truth(page.id, page.dom) if snapshots else truth_of(page, told.segments),
            told.segments,
        )
        for page, told in zip(laid_out, marked, strict=True)
    ]


def lay_out(sources: Sequence[Source], layout: Layout) -> list[Page]:
    """Return the sources as pages, laid out; pages that a browser rendered before come from the cache."""
    if not layout.uses_browser:
        return [page for page, _ in _rendered(sources, layout)]
    store = cache_folder() / f"rendered-{_fingerprint(sources, layout)}.parquet"
    if store.exists():
        found = [page for page in read_store(store) if isinstance(page, Page)]
        if [page.id for page in found] == [source.id for source in sources]:
            return found
    results = list(_rendered(sources, layout))
    if all(succeeded for _, succeeded in results):
        store.parent.mkdir(parents=True, exist_ok=True)
        with open_store(store) as file:
            for page, _ in results:
                file.write(page)
    return [page for page, _ in results]


def cache_folder() -> Path:
    """Return the folder of what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "webgrain"


def _rendered(sources: Sequence[Source], layout: Layout) -> Iterator[tuple[Page, bool]]:
    """Yield each page and whether its layout is the one that was asked for."""
    for source, result in zip(sources, pages(sources, layout), strict=True):
        if isinstance(result, Page):
            yield result, True
        else:
            page = parse(source)
            yield replace(page, notes=(*page.notes, f"No layout: {result.error}")), False


def _fingerprint(sources: Sequence[Source], layout: Layout) -> str:
    package = Path(webgrain.__file__).parent
    code = sorted(path for part in ("render", "page") for path in (package / part).glob("*.py"))
    told = [repr(layout).encode(), *(path.read_bytes() for path in code)]
    told += [part for source in sources for part in (source.id.encode("utf-8", "replace"), source.body)]
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in told)).hexdigest()[:16]
