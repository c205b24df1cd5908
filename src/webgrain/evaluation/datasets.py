"""Data sets of labelled pages: the pages to learn from and to evaluate on.

**The Kreuzer data set** (`experiments.datasets.kreuzer`) is read from a folder, in a checkout of webgrain.

Pages rendered by a browser are stored in the cache folder (``$XDG_CACHE_HOME/webgrain``, else
``~/.cache/webgrain``) under a name computed from the pages and from the code that renders them. A change of
either renders the pages again; a change of the other files of a page does not, so remove the folder then.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import webgrain
from webgrain.base.errors import InputError
from webgrain.io.contentmarks import ContentMark
from webgrain.io.labels import LabelledPage, LabelledSegment, Truth, read_labels, truth_of
from webgrain.io.store import open_store, read_store
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.site.pipeline import Layout, pages

DATA_VARIABLE = "WEBGRAIN_DATA"
"""Environment variable with the folder of the public data sets."""

MAX_FILE = 2**26
"""Bytes of a file in an archive; larger files are left out."""


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
    given = os.environ.get(DATA_VARIABLE) or (beside if beside.is_dir() else cache_folder() / "data")
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
    >>> from webgrain.io.labels import LabelledPage, LabelledSegment, write_labels
    >>> from webgrain.page.page import Source
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
            f"There is no labelled data at {path}: name it, or set {DATA_VARIABLE}, or run webgrain data "
            "fetch and webgrain data build."
        )
    if path.is_dir():
        labelled = list(from_checkout("kreuzer", "The Kreuzer data set").read_kreuzer(path))
    else:
        labelled = list(read_labels(path, root))
    rendered = render([example.source for example in labelled], layout or Layout())
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
