"""The folder of an audit: its lock and its settings, and the paths of the files of each site.

A `Workspace` is the whole folder, `SiteFiles` are the paths of one site. A lock prevents that two audits work
in one folder, and an audit with other settings needs another folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webgrain.base.errors import InputError
from webgrain.io.local import replacing, safe_name
from webgrain.site.tables import ARROW


class Workspace:
    """The folder of an audit, created if it does not exist; raises `InputError` if that fails.

    Attributes:
        folder: with the results; work: with the intermediate files.
        result: what the folder is for, as messages call it.
    """

    def __init__(self, folder: Path, result: str = "audit") -> None:
        self.folder = folder
        self.result = result
        self.work = folder / "work"
        try:
            self.work.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"The folder {folder} cannot be created: {error.strerror}.") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder; raises `InputError` if another command is working in it."""
        try:
            import fcntl
        except ImportError:  # not a Unix system: no lock
            yield
            return
        with (self.work / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                message = f"Another command is working on the {self.result} in {self.folder}."
                raise InputError(message) from error
            yield

    def check_settings(self, settings: Mapping[str, Any]) -> None:
        """Record the settings of the audit; raises `InputError` if the folder has a different audit."""
        path = self.work / "plan.json"
        settings = json.loads(json.dumps(settings))
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            with replacing(path) as part:
                part.write_text(json.dumps(settings, indent=1), encoding="utf-8")
            return
        except ValueError:
            before = None
        if before != settings:
            known = before if isinstance(before, dict) else {}
            other = f"{self.folder} contains a different {self.result}{_difference(known, settings)}"
            raise InputError(f"{other}: name another folder, or remove it to start again.")

    def site_files(self, shards: Mapping[str, Sequence[str]]) -> list[SiteFiles]:
        """Return the paths of the sites; the results of a single site are in the folder itself.

        shards: of each site, by its name; paths relative to the folder of intermediate files.
        """
        sites = []
        for site, names in sorted(shards.items()):
            paths = tuple(self.work / name for name in names)
            work = self.work / "sites" / folder_of(site)
            results = self.folder if len(shards) == 1 else self.folder / folder_of(site)
            sites.append(SiteFiles(site, paths, work, results))
        return sites

    def add_time(self, site: str, stage: str, seconds: float) -> None:
        """Record the duration of a stage."""
        with self._times.open("a", encoding="utf-8") as file:
            file.write(json.dumps([site, stage, seconds]) + "\n")

    def times(self, sites: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield the stages of some sites with their seconds; incomplete lines are ignored."""
        try:
            lines = self._times.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with suppress(ValueError):
                site, stage, seconds = json.loads(line)
                if site in sites:
                    yield stage, seconds

    @property
    def _times(self) -> Path:
        return self.work / "times.jsonl"


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """The paths of one site. The stages of an audit state which of these they read and write.

    Attributes:
        site: its name; empty for pages without an address.
        shards: its pages, in order.
        work: folder of intermediate files; results: folder of the results.
    """

    site: str
    shards: tuple[Path, ...]
    work: Path
    results: Path

    def earlier(self, since: Path) -> Path:
        """Return the folder of the site in an earlier audit, which may be of several sites."""
        inner = since / folder_of(self.site)
        return inner if inner.is_dir() else since

    # Intermediate files.

    @property
    def learning(self) -> Path:
        """The folder of what has been learnt so far, while the site is learnt."""
        return self.work / "learning"

    @property
    def known(self) -> Path:
        """The folder of the pages that were learnt from, and of what is known of them, until all are read."""
        return self.work / "known"

    @property
    def model(self) -> Path:
        """The model of the site; it is copied to the results."""
        return self.work / "site-model.json"

    @property
    def parts(self) -> tuple[Path, ...]:
        """A part for each shard: the rows of its pages, with their links and sketches."""
        names = [shard.name.partition(".")[0] for shard in self.shards]
        return tuple(self.work / "parts" / f"{name}{ARROW}" for name in names)

    @property
    def samples(self) -> Path:
        """The page store of the sample pages."""
        return self.work / "samples.parquet"

    @property
    def sample_failures(self) -> Path:
        """The sample pages that could not be rendered."""
        return self.work / "samples.failures.jsonl"

    @property
    def index(self) -> Path:
        """The sketches of its pages."""
        return self.work / "duplicates.db"

    @property
    def pairs(self) -> Path:
        """The pairs of similar pages with a page of the site."""
        return self.work / "pairs.jsonl"

    # Results.

    @property
    def site_model(self) -> Path:
        """The copy of the model."""
        return self.results / "site-model.json"

    @property
    def table(self) -> Path:
        """The table of the pages."""
        return self.results / "pages.parquet"

    @property
    def links(self) -> Path:
        """The table of the links."""
        return self.results / "links.parquet"

    @property
    def findings(self) -> Path:
        """The folder of the findings."""
        return self.results / "findings"

    @property
    def changes(self) -> Path:
        """The table of the pages that differ from an earlier audit."""
        return self.results / "changes.parquet"

    @property
    def changed_findings(self) -> Path:
        """The table of the rows of findings that are new or resolved since an earlier audit."""
        return self.results / "changed-findings.csv"

    @property
    def segments(self) -> Path:
        """The segments of the sample pages."""
        return self.results / "segments.jsonl"

    @property
    def failures(self) -> Path:
        """The pages and stages that failed."""
        return self.results / "failures.jsonl"

    @property
    def report(self) -> Path:
        """The report."""
        return self.results / "report.html"


def host_site(url: str | None) -> str:
    """Return the site of an address: its host without ``www.``; empty for none.

    >>> host_site("https://www.Example.org:8080/a")
    'example.org:8080'
    """
    try:
        host = urlsplit(url or "").netloc.rpartition("@")[2].lower()
    except ValueError:  # not a valid URL
        return ""
    return host.removeprefix("www.")


def folder_of(site: str) -> str:
    """Return the name of the folder of a site; an underscore for pages without an address.

    >>> folder_of("example.org:8080"), folder_of("")
    ('example.org_8080-9e2c0280', '_')
    """
    return safe_name(site) if site else "_"


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words how two groups of settings differ; an empty text if the first is unknown.

    >>> before, now = ({"sample": most, "layout": {"render": "none"}} for most in (600, 9))
    >>> _difference(before, now)
    ' (sample was 600, is 9)'
    """
    old = _flat(before)
    new = _flat(now)
    changes = [
        f"{name} was {json.dumps(old.get(name))}, is {json.dumps(new.get(name))}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]
    return f" ({'; '.join(changes)})" if old and changes else ""


def _flat(settings: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return settings without nested ones: their names are joined."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        whole = f"{above}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            flat |= _flat(value, f"{whole} ")
        else:
            flat[whole] = value
    return flat
