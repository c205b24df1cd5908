"""Models of page types of any method, also after a reviewer has split a type, and their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Protocol

from webgrain.errors import InputError
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.page import Page
from webgrain.page.paths import Path
from webgrain.pagetypes import keyclus
from webgrain.pagetypes.descriptions import Assignment
from webgrain.pagetypes.keyclus import KeyClusModel
from webgrain.pagetypes.pagetypes import TypeModel

FORMAT, VERSION = "webgrain reviewed page types", 1


class TypeRule(Protocol):
    """A rule of a model of types."""

    @property
    def label(self) -> str:
        """The label of the type."""

    @property
    def key_path(self) -> Path | None:
        """The key path of the type."""

    @property
    def size(self) -> int:
        """The number of pages that the type was learnt from."""


class TypesModel(Protocol):
    """The types of a site, learnt by any method."""

    @property
    def rules(self) -> Sequence[TypeRule]:
        """The rules, one or several for each type."""

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page."""

    def relabelled(self, label_of: Mapping[str, str]) -> TypesModel:
        """Return the model with other labels."""

    def save(self, path: FilePath, about: Mapping[str, Any] | None = None) -> None:
        """Write the model to a file."""

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitModel:
    """The types of a site of which one was split.

    Attributes:
        base: the types before; label: the type that was split; part: its types.
    """

    base: TypesModel
    label: str
    part: TypesModel

    @property
    def rules(self) -> Sequence[TypeRule]:
        """The rules of all types."""
        return [*(rule for rule in self.base.rules if rule.label != self.label), *self.part.rules]

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page."""
        found = self.base.assign(page)
        return self.part.assign(page) if found.type == self.label else found

    def relabelled(self, label_of: Mapping[str, str]) -> SplitModel:
        """Return the model with other labels; label_of: the new label of each old one."""
        others = {old: new for old, new in label_of.items() if old != self.label}
        return SplitModel(self.base.relabelled(others), self.label, self.part.relabelled(label_of))

    def save(self, path: FilePath, about: Mapping[str, Any] | None = None) -> None:
        """Write the model as JSON; about: further information for the file."""
        write_model(path, FORMAT, VERSION, {"about": dict(about or {})} | self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `types_from_dict`."""
        models = {"base": self.base, "part": self.part}
        return {"label": self.label} | {name: model.to_dict() for name, model in models.items()}


def types_from_dict(record: Mapping[str, Any]) -> TypesModel:
    """Return the types of a record of any method; raises one of `webgrain.modelfile.DAMAGED` otherwise."""
    if "part" in record:
        parts = types_from_dict(record["base"]), types_from_dict(record["part"])
        return SplitModel(parts[0], str(record["label"]), parts[1])
    return KeyClusModel.from_dict(record) if "tabs" in record else TypeModel.from_dict(record)


def load_types(path: FilePath) -> TypesModel:
    """Read types that were learnt, and perhaps changed by verdicts; `InputError` for another file."""
    for name, version in ((FORMAT, VERSION), (keyclus.FORMAT, keyclus.VERSION)):
        try:
            record, _ = read_model(path, name, version)
        except InputError:  # another format
            continue
        try:
            return types_from_dict(record)
        except (*DAMAGED, RecursionError) as error:
            reason = f"{type(error).__name__} at {error}"
            raise InputError(f"{path} contains damaged page types: {reason}.") from error
    return TypeModel.load(path)
