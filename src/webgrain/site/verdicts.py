"""Verdicts on page types: types that a reviewer has merged or split.

Source: Chakrabarti, Mehta, The paths more taken, WWW 2010, section 4.1: editors view pages of each cluster;
clusters that look alike are merged, clusters that are not homogeneous are split with other thresholds, and
the process is repeated. A split type is learnt again from its own pages; KeyClus then ignores paths that
nearly all of them have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from webgrain.io.local import json_lines
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pipeline import Item
from webgrain.results import Clustering, PageType
from webgrain.site.learning import LearntTypes, learn_types
from webgrain.site.model import SplitModel
from webgrain.site.thresholds import SPLIT_PRESENCE

KINDS = ("homogeneous", "merge", "split", "unsure")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a type; with_: the label of the other type of a merge."""

    type: str
    kind: str
    with_: str = ""


def read_verdicts(path: Path) -> list[Verdict]:
    """Read the verdicts that ``webgrain review types`` wrote; `InputError` for another file."""
    return list(json_lines(path, "verdicts", _verdict))


def _verdict(record: Any) -> Verdict:
    found = Verdict(str(record["type"]), record["verdict"], str(record.get("with") or ""))
    if found.kind not in KINDS or (found.kind == "merge") != bool(found.with_):
        raise ValueError(f"{found.kind!r:.40} is not a verdict")
    return found


def apply_verdicts(
    learnt: LearntTypes,
    verdicts: Iterable[Verdict],
    read: Callable[[], Iterable[Item]],
    method: PageTypes | KeyClus,
) -> tuple[LearntTypes, list[str]]:
    """Merge and split the types of a site, one verdict after the other.

    read: returns the pages, from the beginning each time; method: that has learnt the types. Returns the
    types, and a sentence about each verdict that has no effect.
    """
    notes = []
    for verdict in verdicts:
        labels = {kind.label for kind in learnt.clustering.types} - {OTHER}
        missing = {verdict.type, *filter(None, [verdict.with_])} - labels
        if verdict.kind not in ("merge", "split") or verdict.type == verdict.with_:
            continue
        if missing:
            notes.append(f"The verdict on {verdict.type} has no effect: there is no type {min(missing)}.")
        elif verdict.kind == "merge":
            learnt = _merge(learnt, verdict.type, verdict.with_)
        else:
            found = _split(learnt, verdict.type, read, method)
            if found is None:
                notes.append(f"The type {verdict.type} cannot be split: its pages are too similar.")
            learnt = found or learnt
    return learnt, notes


def _merge(learnt: LearntTypes, label: str, into: str) -> LearntTypes:
    """Return the types with one type merged into another, whose label and key path stay."""
    found = learnt.clustering
    numbers = {kind.label: k for k, kind in enumerate(found.types)}
    labels = np.where(found.labels == numbers[label], numbers[into], found.labels)
    one, other = found.types[numbers[into]], found.types[numbers[label]]
    merged = replace(
        one,
        size=one.size + other.size,
        share=one.share + other.share,
        tab=one.tab if one.tab == other.tab else "",
        contents=tuple(dict.fromkeys(one.contents + other.contents))[: len(one.contents) or None],
        fields=tuple(field for field in one.fields if field.path in {each.path for each in other.fields}),
    )
    types = [merged if kind is one else kind for kind in found.types]
    clustering = _sorted(found, labels, types, found.confidence)
    return replace(learnt, clustering=clustering, model=learnt.model.relabelled({label: into}))


def _split(
    learnt: LearntTypes, label: str, read: Callable[[], Iterable[Item]], method: PageTypes | KeyClus
) -> LearntTypes | None:
    """Return the types with one type replaced by several; None if its pages are of one type."""
    found = learnt.clustering
    number = next(k for k, kind in enumerate(found.types) if kind.label == label)
    row = {page: k for k, page in enumerate(found.pages) if found.labels[k] == number}
    finer = replace(method, max_presence=SPLIT_PRESENCE) if isinstance(method, KeyClus) else replace(method)
    part = learn_types(read, finer, learnt.log, only=row.keys())
    if len(part.clustering.types) < 2:
        return None
    taken = {kind.label for kind in found.types}
    names = {kind.label: _unused(kind.label, label, taken) for kind in part.clustering.types}
    labels, confidence = found.labels.copy(), found.confidence.copy()
    own = part.clustering
    for page, type_, share in zip(own.pages, own.labels.tolist(), own.confidence.tolist(), strict=True):
        labels[row[page]], confidence[row[page]] = len(found.types) + type_, share
    types = [replace(kind, label=names[kind.label], share=kind.size / len(found.pages)) for kind in own.types]
    clustering = _sorted(found, labels, [*found.types, *types], confidence)
    model = SplitModel(learnt.model, label, part.model.relabelled(names))
    return replace(learnt, clustering=clustering, model=model)


def _unused(label: str, split: str, taken: set[str]) -> str:
    """Return a label that no type has, similar to ``label``; the rest of a split type is called after it."""
    name = f"{split}-rest" if label == OTHER else label
    while name in taken:
        name += "-part"
    taken.add(name)
    return name


def _sorted(found: Clustering, labels: Any, types: Sequence[PageType], confidence: Any) -> Clustering:
    """Return a clustering with other types, without empty ones: the largest first, `OTHER` last."""
    used = set(labels.tolist())
    order = [k for k in range(len(types)) if k in used]
    order.sort(key=lambda k: (types[k].label == OTHER, -types[k].size))
    number = np.full(len(types), -1, np.int32)
    number[order] = np.arange(len(order))
    return replace(found, labels=number[labels], types=tuple(types[k] for k in order), confidence=confidence)
