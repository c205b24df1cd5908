"""The format of labelled pages: JSON lines, one record a page, beside the pages.

    {"page": "news/a.html", "annotator": "kim", "segments": [{"css": ["#nav"], "role": "menu"}, ...]}

``page`` is a path from the folder of the file of labels. A segment has ``xpath`` or ``css``, a path or a list
of them, and perhaps a ``role``; other fields are passed over, so that what ``webgrain segment`` writes can be
read too, mended by hand, and kept as labels. Several records of one page are those of several annotators.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from webgrain.datasets.truth import LabelledSegment
from webgrain.errors import InputError, ParameterError
from webgrain.io.assets import FolderAssets, is_inside
from webgrain.io.local import open_regular, replacing
from webgrain.page.page import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

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
