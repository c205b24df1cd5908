"""Verdicts of a reviewer on the page types of a site: types are merged and split.

`apply_verdicts` merges and splits types as a reviewer has decided. Source: Chakrabarti, Mehta, The paths more
taken, WWW 2010, section 4.1: editors view pages of each cluster; clusters that look alike are merged, those
that are not homogeneous are split with other thresholds, and the process is repeated. A split type is learnt
again from its own pages, by `TypesMethod.finer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.io.local import json_lines
from webgrain.io.read import Item
from webgrain.pagetypes.clustering import Clustering, PageType
from webgrain.pagetypes.descriptions import OTHER, TypesMethod
from webgrain.site.typelearning import LearntTypes, learn_types
from webgrain.site.typemodels import SplitModel

TYPE_VERDICTS = ("homogeneous", "merge", "split", "unsure")
"""What a reviewer can decide about a type."""


def apply_verdicts(
    learnt: LearntTypes,
    verdicts: Iterable[TypeVerdict],
    read: Callable[[], Iterable[Item]],
    method: TypesMethod,
) -> tuple[LearntTypes, list[str]]:
    """Merge and split the types of a site, one verdict after the other.

    read: returns the pages, from the beginning each time; method: that has learnt the types. Returns the
    types, and a sentence about each verdict that has no effect.
    """
    notes = []
    for verdict in verdicts:
        if verdict.decision not in ("merge", "split") or verdict.type == verdict.with_:
            continue
        labels = {type_.label for type_ in learnt.clustering.types} - {OTHER}
        named = {verdict.type, verdict.with_} if verdict.with_ else {verdict.type}
        missing = named - labels
        if missing:
            notes.append(f"The verdict on {verdict.type} has no effect: there is no type {min(missing)}.")
        elif verdict.decision == "merge":
            learnt = _merge(learnt, verdict.type, verdict.with_)
        else:
            split = _split(learnt, verdict.type, read, method)
            if split is None:
                notes.append(f"The type {verdict.type} cannot be split: its pages are too similar.")
            learnt = split or learnt
    return learnt, notes


def _merge(learnt: LearntTypes, label: str, into: str) -> LearntTypes:
    """Return the types with one type merged into another, whose label and key path stay."""
    clustering = learnt.clustering
    numbers = {type_.label: number for number, type_ in enumerate(clustering.types)}
    labels = np.where(clustering.labels == numbers[label], numbers[into], clustering.labels)
    types = list(clustering.types)
    types[numbers[into]] = _merged(types[numbers[into]], types[numbers[label]])
    merged = _largest_first(clustering, labels, types, clustering.confidence)
    return replace(learnt, clustering=merged, model=learnt.model.relabelled({label: into}))


def _merged(into: PageType, other: PageType) -> PageType:
    """Return a type with the pages of another."""
    contents = tuple(dict.fromkeys(into.contents + other.contents))
    paths = {field.path for field in other.fields}
    return replace(
        into,
        size=into.size + other.size,
        share=into.share + other.share,
        tab=into.tab if into.tab == other.tab else "",
        contents=contents[: len(into.contents) or None],
        fields=tuple(field for field in into.fields if field.path in paths),
    )


def _split(
    learnt: LearntTypes, label: str, read: Callable[[], Iterable[Item]], method: TypesMethod
) -> LearntTypes | None:
    """Return the types with one type replaced by several; None if its pages are of one type."""
    whole = learnt.clustering
    labels_of_types = [type_.label for type_ in whole.types]
    number = labels_of_types.index(label)
    row = {page: k for k, page in enumerate(whole.pages) if whole.labels[k] == number}
    learnt_part = learn_types(read, method.finer(), learnt.log, only=row.keys())
    part = learnt_part.clustering
    if len(part.types) < 2:
        return None
    taken = set(labels_of_types)
    label_of = {type_.label: _unused(type_.label, label, taken) for type_ in part.types}
    types = [
        replace(type_, label=label_of[type_.label], share=type_.size / len(whole.pages))
        for type_ in part.types
    ]
    rows = [row[page] for page in part.pages]
    labels = whole.labels.copy()
    labels[rows] = len(whole.types) + part.labels
    confidence = whole.confidence.copy()
    confidence[rows] = part.confidence
    clustering = _largest_first(whole, labels, [*whole.types, *types], confidence)
    model = SplitModel(learnt.model, label, learnt_part.model.relabelled(label_of))
    return replace(learnt, clustering=clustering, model=model)


def _unused(label: str, split: str, taken: set[str]) -> str:
    """Return a label that no type has, similar to ``label``; the rest of a split type is called after it."""
    name = f"{split}-rest" if label == OTHER else label
    while name in taken:
        name += "-part"
    taken.add(name)
    return name


def _largest_first(
    clustering: Clustering, labels: Int32, types: Sequence[PageType], confidence: Float64
) -> Clustering:
    """Return a clustering with other types, without empty ones: the largest first, `OTHER` last."""
    order = sorted(set(labels.tolist()))
    order.sort(key=lambda number: (types[number].label == OTHER, -types[number].size))
    new_number = np.full(len(types), -1, np.int32)
    new_number[order] = np.arange(len(order))
    in_order = tuple(types[number] for number in order)
    return replace(clustering, labels=new_number[labels], types=in_order, confidence=confidence)


@dataclass(frozen=True, slots=True)
class TypeVerdict:
    """A verdict on a type.

    Attributes:
        type: label of the type.
        decision: one of `TYPE_VERDICTS`.
        with_: label of the other type of a merge; empty for other decisions.
    """

    type: str
    decision: str
    with_: str = ""


def read_verdicts(path: Path) -> list[TypeVerdict]:
    """Read the verdicts that ``webgrain review types`` wrote; `InputError` for another file."""
    return list(json_lines(path, "verdicts", _verdict))


def _verdict(record: Any) -> TypeVerdict:
    verdict = TypeVerdict(str(record["type"]), record["verdict"], str(record.get("with") or ""))
    is_merge = verdict.decision == "merge"
    if verdict.decision not in TYPE_VERDICTS or is_merge != bool(verdict.with_):
        raise ValueError(f"{verdict.decision!r:.40} is not a verdict")
    return verdict
