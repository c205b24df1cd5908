"""The Kreuzer data set: home pages whose elements are marked as blocks by people.

Source: Kreuzer, Hage, Feelders, A quantitative comparison of semantic web page segmentation approaches, ICWE
2015; repositories rkrzr/dataset-popular and rkrzr/dataset-random (public domain, attribution encouraged; the
pages belong to their sites).

Layout: ``<set>/<site>/.../index.blocks.html`` with the files that the page loads in folders named after their
hosts, in a folder or in ``pages.tar.xz``; optionally ``split.json``, lists of ``<set>/<site>`` by part. A
block is an element with ``data-block``; ``data-block-type`` is its role. The marking tool left other traces
from which the blocks could be guessed: frames around marked elements, the class ``highlight``, empty
``class`` attributes (on half of the marked elements and a tenth of the others), its dialog and its scripts.
All of them are removed before anything is computed from a page.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import archive_files
from webgrain.io.labels import LabelledPage, LabelledSegment
from webgrain.io.local import FolderAssets, stored_names
from webgrain.page.addresses import xpaths
from webgrain.page.page import Assets, Source
from webgrain.page.parsing import parse_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        """Return the content of the file for a request path; None if it does not exist."""
        return next((self.files[name] for name in stored_names(path) if name in self.files), None)


def read_kreuzer(folder: Path) -> Iterator[LabelledPage]:
    """Read the pages of the data set, in the order of their names. Only one site is in memory at a time.

    folder: contains the sets, or ``pages.tar.xz``. The id of a page is ``<set>/<site>``. `InputError` if it
    contains no page of the data set, or the archive is damaged.
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
    """Return the ids of the pages of each part; an empty dict if there is no ``split.json``."""
    try:
        split = json.loads((folder / "split.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / 'split.json'} cannot be read: {error}.") from error
    return {str(part): [str(name) for name in names] for part, names in split.items()}


def labelled_page(marked: Source) -> LabelledPage:
    """Return a marked page as a page without marks and its blocks, in document order.

    The marking tool changed the charset of the pages: a page that is not UTF-8 is windows-1252, whatever it
    declares.

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
    """Return the end of the div that begins at ``start``; the end of the page if it is not closed."""
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


_Site = tuple[str, str, bytes, Assets]


def _in_folder(folder: Path) -> Iterator[_Site]:
    """Yield name, path of the page, its content and its files, of each site in a folder."""
    for path in sorted(folder.glob(f"*/*/**/{PAGE}")):
        name = "/".join(path.relative_to(folder).parts[:2])
        assets, inside = FolderAssets(folder / name), path.relative_to(folder / name).as_posix()
        body = assets.read(inside)
        if body is not None:
            yield name, inside, body, assets


def _in_archive(archive: Path) -> Iterator[_Site]:
    """Yield the same from an archive, in which the files of a site are adjacent."""
    for site, files in groupby(archive_files(archive), lambda file: "/".join(Path(file[0]).parts[:2])):
        contents = {PurePosixPath(name).relative_to(site).as_posix(): body for name, body in files}
        found = sorted(path for path in contents if PurePosixPath(path).name == PAGE)
        yield from ((site, path, contents[path], MemoryAssets(contents)) for path in found[:1])
