"""Models of page types of any method, also after a reviewer has split a type, and their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from webgrain.base.estimator import TYPES_MODELS, imported
from webgrain.base.modelfile import format_of
from webgrain.page.page import Page
from webgrain.pagetypes.descriptions import Assignment, TypesModel
from webgrain.pagetypes.pagetypes import TypeModel


def types_from_dict(record: Mapping[str, Any]) -> TypesModel:
    """Return the types of a record of any method; raises one of `webgrain.base.modelfile.DAMAGED`."""
    if "part" in record:
        return SplitModel.from_dict(record)
    model_class = _types_model("webgrain KeyClus types" if "tabs" in record else TypeModel.file[0])
    return model_class.from_dict(record)


def load_types(path: Path) -> TypesModel:
    """Read types that were learnt, and perhaps changed by verdicts; `InputError` for another file."""
    file_format = format_of(path)
    model_class = SplitModel if file_format == SplitModel.file[0] else _types_model(file_format)
    return model_class.load(path)


def _types_model(file_format: str | None) -> type[TypesModel]:
    """Return the class of the models of a format; that of `PageTypes` for an unknown one."""
    place = TYPES_MODELS.get(file_format or "", TYPES_MODELS[TypeModel.file[0]])
    model_class: type[TypesModel] = imported(place)
    return model_class


@dataclass(frozen=True, slots=True, eq=False)
class SplitModel(TypesModel):
    """The types of a site of which one was split.

    Attributes:
        base: the types before; label: the type that was split; part: its types.
    """

    file: ClassVar = "webgrain reviewed page types", 1
    base: TypesModel
    label: str
    part: TypesModel

    @property
    def rules(self) -> Sequence[Any]:
        """The rules of all types."""
        others = [rule for rule in self.base.rules if rule.label != self.label]
        return [*others, *self.part.rules]

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page."""
        assigned = self.base.assign(page)
        return self.part.assign(page) if assigned.type == self.label else assigned

    def relabelled(self, label_of: Mapping[str, str]) -> SplitModel:
        """Return the model with other labels; label_of: the new label of each old one."""
        others = {old: new for old, new in label_of.items() if old != self.label}
        return SplitModel(self.base.relabelled(others), self.label, self.part.relabelled(label_of))

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `from_dict`."""
        return {"label": self.label, "base": self.base.to_dict(), "part": self.part.to_dict()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> SplitModel:
        """Return the model of a record; raises one of `webgrain.base.modelfile.DAMAGED` if it is not one."""
        base = types_from_dict(record["base"])
        part = types_from_dict(record["part"])
        return cls(base, str(record["label"]), part)
