"""Draw some pages of a site at random, in one pass, whole or by the types of its pages."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class Named(Protocol):
    """What is drawn."""

    @property
    def id(self) -> str:
        """Id of the page."""


T = TypeVar("T", bound=Named)


def draw(
    items: Iterable[T], n: int, seed: int = 0, types: Mapping[str, str] | None = None
) -> dict[str, list[T]]:
    """Return ``n`` of the items, or ``n`` of each type, in the order of their ids; all where there are fewer.

    types: by id; an item without one is left out. Without types all are of type "". Memory holds what was
    drawn so far only (reservoir sampling: Vitter, Random sampling with a reservoir, 1985).

    >>> from webgrain.page.page import Source
    >>> drawn = draw((Source(f"{k}", b"") for k in range(100)), 3)
    >>> [source.id for source in drawn[""]]
    ['1', '24', '45']
    """
    drawn: dict[str, list[T]] = {}
    seen: dict[str, int] = {}
    rng = random.Random(seed)
    for item in items:
        kind = "" if types is None else types.get(item.id)
        if kind is None:
            continue
        reservoir = drawn.setdefault(kind, [])
        seen[kind] = seen.get(kind, 0) + 1
        place = rng.randrange(seen[kind])
        if len(reservoir) < n:
            reservoir.append(item)
        elif place < n:
            reservoir[place] = item
    return {kind: sorted(drawn[kind], key=lambda item: item.id) for kind in sorted(drawn)}


def read_types(path: Path) -> dict[str, str]:
    """Return the type of each page from a file: JSON lines, CSV or TSV with the fields page and type.

    ``path`` stands for ``page`` too. `InputError` where the file cannot be read or lacks these fields.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(_rows(file, path.suffix.lower()))
    except OSError as error:
        raise InputError(f"Cannot read types of pages from {path}: {error.strerror}.") from error
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path} holds no types of pages: {error}.") from error
    found = {}
    for number, row in enumerate(rows, 1):
        page = row.get("page", row.get("path")) if isinstance(row, dict) else None
        kind = row.get("type") if isinstance(row, dict) else None
        if not isinstance(page, str) or not isinstance(kind, str):
            raise InputError(f"{path}, row {number}: expected the fields page and type.")
        found[page] = kind
    return found


def _rows(file: Any, suffix: str) -> Iterator[Any]:
    if suffix in (".csv", ".tsv"):
        yield from csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ",")
    else:
        yield from (json.loads(line) for line in file if line.strip())
