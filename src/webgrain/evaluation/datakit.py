"""The data sets behind the figures of the manual and the models of webgrain: sources and contents.

``catalogue.json`` contains the groups of data sets, each a folder of the data folder, and the sets. A set has
the URLs of its sources, each with a revision and, where it is fixed, the SHA-256 of the file, and the SHA-256
of the contents of the files that are built from them. The archives that GitHub makes of a commit may change
by a byte although their contents are the same, so that only the contents are compared for them.

Sources are downloaded by pooch (the extra ``data``). The programs that build the sets are in the folder
``experiments`` of the repository, outside the installed package.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from webgrain.base.errors import InputError, require
from webgrain.evaluation.datasets import archive_files, from_checkout

FORMAT = "webgrain data catalogue 1"
DOWNLOADS = "downloads"
"""Folder of the sources, in the data folder."""
_TIMEOUT = 60.0
"""Seconds without an answer after which a server is given up."""


@dataclass(frozen=True, slots=True)
class DataSource:
    """A file to download.

    Attributes:
        url: where it is; mirror: a second address, or None.
        revision: the commit or version; sha256: of the file, None if the server may pack it anew.
    """

    url: str
    revision: str
    sha256: str | None = None
    mirror: str | None = None
    note: str = ""

    @property
    def file(self) -> str:
        """The name of the downloaded file.

        >>> DataSource("https://github.com/owner/name/archive/1a2b.tar.gz", "1a2b").file
        'owner-name-archive-1a2b.tar.gz'
        """
        return "-".join(self.url.partition("://")[2].split("/")[1:])


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set; `name` is ``<group>/<name>``.

    Attributes:
        about, licence: what it is, and its licence.
        files: the files that are built, as paths in the data folder; compared: those whose contents must be
            equal, with the end of the names in an archive that count, or "".
        sources: the files to download; sha256: of the contents of the compared files.
    """

    name: str
    about: str
    licence: str
    files: tuple[str, ...]
    compared: tuple[tuple[str, str], ...]
    sources: tuple[DataSource, ...]
    sha256: str | None

    def is_built(self, folder: Path) -> bool:
        """Return whether all files are in the data folder."""
        return all((folder / file).is_file() for file in self.files)

    def is_fetched(self, folder: Path) -> bool:
        """Return whether all sources are in the data folder."""
        return all((folder / DOWNLOADS / source.file).is_file() for source in self.sources)

    def contents(self, folder: Path) -> str:
        """Return the SHA-256 of the contents of the compared files; `InputError` if one cannot be read."""
        digest = hashlib.sha256()
        for file, end in self.compared:
            for name, body in sorted(_parts(folder / file, end)):
                digest.update(f"{name}\0{hashlib.sha256(body).hexdigest()}\n".encode())
        return digest.hexdigest()


def _parts(path: Path, end: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the members of an archive whose names have an end, or of a file."""
    if path.name.endswith(".tar.xz"):
        yield from archive_files(path, lambda name: name.endswith(end))
        return
    try:
        body = path.read_bytes()
        yield path.name, lzma.decompress(body) if path.suffix == ".xz" else body
    except (OSError, lzma.LZMAError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def read_catalogue(path: Path | None = None) -> tuple[dict[str, str], list[DataSet]]:
    """Return the groups, with what rests on them, and the data sets; path: another catalogue of this format.

    `InputError` if it cannot be read.

    >>> groups, sets = read_catalogue()
    >>> sorted({one.name.partition("/")[0] for one in sets} - groups.keys())
    []
    """
    place = path or files("webgrain.evaluation") / "catalogue.json"
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r}, expected {FORMAT!r}")
        groups = content["groups"]
        sets = [_data_set(entry, groups[entry["name"].partition("/")[0]]) for entry in content["sets"]]
        return {name: group["figures"] for name, group in groups.items()}, sets
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{place} is not a catalogue of data sets: {error}.") from error


def _data_set(entry: Mapping[str, Any], group: Mapping[str, Any]) -> DataSet:
    folder, _, name = entry["name"].partition("/")
    paths = tuple(f"{folder}/{file.format(name=name)}" for file in (*group["files"], *entry.get("files", ())))
    compared = (file.format(name=name).partition(":") for file in group["compared"])
    return DataSet(
        entry["name"],
        entry["about"],
        entry["licence"],
        paths,
        tuple((f"{folder}/{file}", end) for file, _, end in compared),
        tuple(DataSource(**source) for source in entry["sources"]),
        entry.get("sha256"),
    )


def select(sets: Sequence[DataSet], names: Sequence[str]) -> list[DataSet]:
    """Return the sets with these names or of these groups, all for ``all`` or no name.

    `InputError` for an unknown name.

    >>> _, sets = read_catalogue()
    >>> [one.name for one in select(sets, ["news", "bench/voc"])]
    ['news/krisold', 'news/asa', 'news/octo54', 'bench/voc']
    """
    selected: dict[str, DataSet] = {}
    for name in names or ["all"]:
        chosen = {
            dataset.name: dataset
            for dataset in sets
            if name in ("all", dataset.name, dataset.name.partition("/")[0])
        }
        if not chosen:
            known = ", ".join(dict.fromkeys(dataset.name.partition("/")[0] for dataset in sets))
            raise InputError(
                f"There is no data set {name}: webgrain data list shows all, in the groups {known}."
            )
        selected |= chosen
    return list(selected.values())


def fetch_source(source: DataSource, folder: Path) -> Path:
    """Download a source into the data folder, unless it is there, and return its path.

    `InputError` if no server has the file or its SHA-256 differs; `MissingExtraError` without pooch.
    """
    place = folder / DOWNLOADS
    if source.sha256 is None and (place / source.file).is_file():
        return place / source.file
    pooch = require("pooch", "data", "downloading data sets")
    pooch.get_logger().setLevel("ERROR")
    place.mkdir(parents=True, exist_ok=True)
    errors = []
    for url in filter(None, (source.url, source.mirror)):
        try:
            download = pooch.HTTPDownloader(timeout=_TIMEOUT)
            given = {"known_hash": source.sha256, "fname": source.file, "path": place, "downloader": download}
            return Path(pooch.retrieve(url, **given))
        except (OSError, ValueError) as error:  # of requests and of a wrong SHA-256
            changed = isinstance(error, ValueError) and "hash" in str(error)
            errors.append(f"{url} {'is not the expected file (SHA-256)' if changed else 'is out of reach'}")
    raise InputError(
        f"{' and '.join(errors)}: connect to the network, or save the file as {place / source.file}."
    )


def build(dataset: DataSet, folder: Path) -> bool:
    """Build a data set from its sources in the data folder; return whether its contents are as recorded.

    `InputError` if a source is missing or damaged, or the programs that build data sets are not installed.
    """
    missing = [source for source in dataset.sources if not (folder / DOWNLOADS / source.file).is_file()]
    if missing:
        raise InputError(
            f"{dataset.name} needs {missing[0].url}: run webgrain data fetch {dataset.name}, or save "
            f"the file as {folder / DOWNLOADS / missing[0].file}."
        )
    builder = from_checkout("build", "webgrain data build")
    builder.build(dataset.name, [folder / DOWNLOADS / source.file for source in dataset.sources], folder)
    return dataset.sha256 is None or dataset.contents(folder) == dataset.sha256
