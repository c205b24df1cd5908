"""The folder of an audit: what is where, and that one audit at a time works in it."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webgrain.audit.intake import folder_of
from webgrain.errors import InputError
from webgrain.io.local import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from webgrain.audit.intake import Intake

_PLAN, _LOCK, _TIMES = "plan.json", "lock", "times.jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """Where what is known of one site lies.

    Attributes:
        site: its name, empty for pages without an address.
        shards: its pages, in order.
        work: folder of what is made on the way; results: folder of what is for the user.
    """

    site: str
    shards: tuple[Path, ...]
    work: Path
    results: Path

    @property
    def model(self) -> Path:
        """The model of the site, as it is made; a copy goes to the results."""
        return self.work / "site-model.json"

    @property
    def parts(self) -> tuple[Path, ...]:
        """A part for each shard."""
        return tuple(self.work / "parts" / f"{shard.name.partition('.')[0]}.parquet" for shard in self.shards)

    @property
    def index(self) -> Path:
        """The signatures of its pages."""
        return self.work / "duplicates.db"

    @property
    def pairs(self) -> Path:
        """The pairs of duplicates of which a page is of the site."""
        return self.work / "pairs.jsonl"

    @property
    def samples(self) -> Path:
        """The store of the pages that are shown."""
        return self.work / "samples.parquet"


class Workspace:
    """The folder of an audit.

    folder: made where there is none. `InputError` where that cannot be.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, folder / "work"
        try:
            self.work.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"The folder {folder} cannot be made: {error.strerror}.") from error

    @property
    def pairs(self) -> Path:
        """The table of duplicates."""
        return self.folder / "duplicates.csv"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other audits out of the folder; `InputError` where one is at work there."""
        try:
            import fcntl
        except ImportError:  # no Unix: nothing keeps them out
            yield
            return
        with (self.work / _LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(f"Another audit is at work in {self.folder}.") from error
            yield

    def check_plan(self, plan: Mapping[str, Any]) -> None:
        """Note what the audit is of; `InputError` where the folder holds another one, not to mix them up."""
        path, told = self.work / _PLAN, json.loads(json.dumps(plan))
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            with replacing(path) as part:
                part.write_text(json.dumps(told, indent=1), encoding="utf-8")
            return
        except ValueError:
            before = None
        if before != told:
            known = before if isinstance(before, dict) else {}
            other = f"{self.folder} holds another audit{_difference(known, told)}"
            raise InputError(f"{other}: name another folder, or remove it to start again.")

    def places(self, intake: Intake) -> list[Place]:
        """Return where the sites are; a single one has its results in the folder itself."""
        alone = len(intake.shards) == 1
        return [
            Place(
                site,
                tuple(self.work / shard for shard in shards),
                self.work / "sites" / folder_of(site),
                self.folder if alone else self.folder / folder_of(site),
            )
            for site, shards in sorted(intake.shards.items())
        ]

    def add_time(self, site: str, stage: str, seconds: float) -> None:
        """Note how long a stage took."""
        with (self.work / _TIMES).open("a", encoding="utf-8") as file:
            file.write(json.dumps([site, stage, seconds]) + "\n")

    def times(self, sites: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield the stages of some sites with their seconds; a line that a kill has cut off is left out."""
        try:
            lines = (self.work / _TIMES).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with suppress(ValueError):
                site, stage, seconds = json.loads(line)
                if site in sites:
                    yield stage, seconds


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words how two plans differ; nothing where the first is unknown.

    >>> before, now = ({"sample": most, "layout": {"render": "none"}} for most in (600, 9))
    >>> _difference(before, now)
    ' (sample was 600, is 9)'
    """
    old, new = _flat(before), _flat(now)
    told = [
        f"{name} was {json.dumps(old.get(name))}, is {json.dumps(new.get(name))}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]
    return f" ({'; '.join(told)})" if old and told else ""


def _flat(plan: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return a plan without plans in it: their names are joined."""
    found: dict[str, Any] = {}
    for name, value in plan.items():
        known = f"{above}{name.replace('_', ' ')}"
        found |= _flat(value, f"{known} ") if isinstance(value, dict) else {known: value}
    return found
