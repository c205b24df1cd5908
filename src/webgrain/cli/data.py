"""``webgrain data``: list, download and build the public data sets behind the figures and models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from typer import Exit

from webgrain.cli.options import option, with_options
from webgrain.cli.output import report
from webgrain.errors import InputError
from webgrain.evaluation.datakit import DataSet, build, fetch, read_catalogue, select
from webgrain.evaluation.datasets import data_folder


@dataclass(frozen=True, slots=True)
class Kit:
    """The data sets, and their folder.

    Options:
        names: Groups, such as bench, sets, such as bench/voc, or all. Default: all.
        folder: Folder of the data sets; downloads are in its folder downloads. Default: WEBGRAIN_DATA, else
            ../shared/data if it exists, else the folder data of the cache.
        catalogue: Another catalogue in the format of webgrain/evaluation/catalogue.json.
    """

    names: list[str] | None = option(None, "NAME")
    folder: Path | None = option(None, "--folder DIR")
    catalogue: Path | None = option(None, "--catalogue FILE")

    @property
    def place(self) -> Path:
        """The data folder."""
        return self.folder or data_folder()

    def sets(self) -> list[DataSet]:
        """Return the chosen data sets."""
        return select(read_catalogue(self.catalogue)[1], self.names or ())


@with_options
def list_sets(*, kit: Kit, check: bool = option(False, "--check")) -> None:
    """List the data sets: state, name, licence, source with revision.

    The state is built, fetched (the sources are there, but not the files), missing, or with --check also
    differs (the contents are not those behind the figures). The last lines state what rests on each group.

    Example: webgrain data list bench

    Options:
        check: Compare the contents with the recorded SHA-256. Default: only look for the files.
    """
    sets, states = kit.sets(), list[str]()
    for one in sets:
        states.append(_state(one, kit.place, check))
        sources = ", ".join(f"{x.url}{x.note and f' ({x.note})'}" for x in one.sources)
        print(f"{states[-1]:8} {one.name:30} {one.about}; {one.licence}; {sources}")
    shown = {one.name.partition("/")[0] for one in sets}
    for group, figures in read_catalogue(kit.catalogue)[0].items():
        if group in shown:
            print(f"{group}: {figures}")
    report(f"{kit.place}: {', '.join(f'{states.count(state)} {state}' for state in sorted(set(states)))}")
    if "differs" in states:
        raise Exit(1)


def _state(one: DataSet, folder: Path, check: bool) -> str:
    if not one.is_built(folder):
        return "fetched" if one.is_fetched(folder) else "missing"
    return "differs" if check and one.sha256 not in (None, one.contents(folder)) else "built"


@with_options
def fetch_sets(*, kit: Kit) -> None:
    """Download the sources of data sets that are not built yet.

    It needs the extra data. Files with a fixed SHA-256 are checked; the contents of other files are compared
    when they are built.

    Example: webgrain data fetch bench/voc

    Options:
    """

    def fetched(one: DataSet) -> bool:
        for source in one.sources:
            report(f"{one.name}: {fetch(source, kit.place)}")
        return True

    _each(_not_built(kit), fetched)


@with_options
def build_sets(*, kit: Kit) -> None:
    """Build data sets from their downloaded sources. Needs a checkout of webgrain.

    Sets that are built are left unchanged. The contents are compared with those behind the figures; the exit
    code is 1 if they differ.

    Example: webgrain data build bench/voc

    Options:
    """

    def built(one: DataSet) -> bool:
        same = build(one, kit.place)
        report(
            f"{one.name}: built{'' if same else ', but its contents differ from those behind the figures'}"
        )
        return same

    _each(_not_built(kit), built)


def _each(sets: Sequence[DataSet], action: Callable[[DataSet], bool]) -> None:
    """Apply an action to each set; the exit code is 1 if one fails after another had a result."""
    succeeded: list[bool] = []
    for one in sets:
        try:
            succeeded.append(action(one))
        except InputError as error:
            if not any(succeeded):  # probably nothing is within reach
                raise
            report(str(error))
            succeeded.append(False)
    if not all(succeeded):
        raise Exit(1)


def _not_built(kit: Kit) -> Sequence[DataSet]:
    sets = kit.sets()
    left = [one for one in sets if not one.is_built(kit.place)]
    if len(left) < len(sets):
        report(f"{kit.place}: {len(sets) - len(left)} of {len(sets)} data sets are built already")
    return left
