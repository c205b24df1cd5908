"""Labelled pages with their truth and their layout, ready for learning and for scoring.

What a browser has rendered is kept in the cache folder (``$XDG_CACHE_HOME/webgrain``, else
``~/.cache/webgrain``) under a name made from the pages and from the code that renders, so a change of either
renders again; a change of the files beside a page does not, remove the folder for that.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import webgrain
from webgrain.datasets import kreuzer, labelled
from webgrain.datasets.snapshots import Snapshots
from webgrain.datasets.truth import truth_of
from webgrain.errors import InputError
from webgrain.io.store import open_store, read_store
from webgrain.page.page import Page
from webgrain.page.parse import parse
from webgrain.pipeline import Layout, pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.datasets.truth import LabelledSegment, Truth
    from webgrain.page.page import Source

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

    path: a file of labels (``.jsonl``, `webgrain.datasets.labelled`) or a folder in the layout of
    `webgrain.datasets.kreuzer`; None: ``segmentation`` in `data_folder`. layout: where boxes come from.
    `InputError` where there is no such data. A page that the browser fails on is taken without a layout.

    >>> import tempfile
    >>> from webgrain.datasets.synthetic import make_pages
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for page in (made := make_pages(2, random_state=0)):
    ...         _ = (Path(folder) / page.source.id).write_bytes(page.source.body)
    ...     labelled.write_labels(Path(folder) / "labels.jsonl", made)
    ...     examples = load_examples(Path(folder) / "labels.jsonl")
    >>> [example.page.id for example in examples]
    ['page-0.html', 'page-1.html']
    """
    path = data_folder() / "segmentation" if path is None else path
    if not path.exists():
        raise InputError(f"There is no labelled data at {path}: name it, or set {VARIABLE}.")
    snapshots = Snapshots.read(path) if path.is_dir() else None
    marked = list(kreuzer.read_kreuzer(path) if path.is_dir() else labelled.read_labels(path))
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
