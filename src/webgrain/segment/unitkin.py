"""Features of a unit by what stands around it: its parent, its siblings, its page.

Columns over the m units of a page. The root is its own parent here, and has no siblings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.kernels.subtrees import ancestor_sum
from webgrain.segment.features import Feature
from webgrain.segment.unitchildren import CHILDREN, log_px
from webgrain.segment.unitown import LOG, OWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.units import Units

    Floats = NDArray[np.float64]
    Columns = dict[str, NDArray[Any]]

_BESIDE = 9.0  # what the missing gap to a sibling counts as

_OF_PARENT = (
    "leaf share", "repetition", "repeated", "children", "large children", "largest", "linked text",
    "stacked", "side by side", "width", "tall", "area", "gap down", "gap across", "large repetition",
    "shape repetition", "headings", "captions", "entropy", "list item share", "paints",
    "tag table", "tag row", "tag cell", "tag list", "tag item", "tag div", "tag paragraph", "tag form",
    "tag body",
)  # fmt: skip
_KNOWN = {feature.name: feature for feature in (*OWN, *CHILDREN)}

KIN = (
    *(_KNOWN[name]._replace(name=f"parent {name}", meaning=f"{name} of the parent") for name in _OF_PARENT),
    Feature("parent level", "units", 0, 100, "structure", "units above the parent"),
    Feature("parent height", "log", 0, LOG, "structure", "levels of units below the parent"),
    Feature("parent per leaf", "log", 0, LOG, "content", "words per leaf of the parent"),
    Feature("share of parent", "share of leaves", 0, 1, "structure", "of the parent"),
    Feature("share of grandparent", "share of leaves", 0, 1, "structure", "of the parent's parent"),
    Feature("grandparent children", "log", 0, LOG, "structure", "children of the parent's parent"),
    Feature("grandparent repetition", "share", 0, 1, "structure", "``repetition`` of the parent's parent"),
    Feature("repeated above", "log", 0, LOG, "structure", "units above most of whose children are alike"),
    Feature("siblings", "log", 0, LOG, "structure", "children of the parent"),
    Feature("place", "log", 0, LOG, "structure", "among the siblings"),
    Feature("relative place", "share", 0, 1, "structure", "among the siblings, from 0 to 1"),
    Feature("alike", "log", 0, LOG, "structure", "siblings of the same signature, itself included"),
    Feature("alike share", "share of siblings", 0, 1, "structure", "of the same signature"),
    Feature("alike shape share", "share of siblings", 0, 1, "structure", "of the same shape"),
    Feature("sibling leaves", "log", 0, LOG, "structure", "mean of the others"),
    Feature("to siblings", "log of the ratio", -LOG, LOG, "structure", "leaves to the mean of the others"),
    Feature("to largest", "share", 0, 1, "structure", "leaves to those of the largest sibling"),
    Feature("large siblings", "log", 0, LOG, "structure", "other large children of the parent"),
    Feature("after caption", "0 or 1", 0, 1, "content", "the sibling before is a caption alone"),
    Feature("leaves before", "log", -1, LOG, "structure", "of the sibling before; -1 for none"),
    Feature("leaves after", "log", -1, LOG, "structure", "of the sibling after; -1 for none"),
    Feature("alike before", "0 or 1", 0, 1, "structure", "the sibling before has the same signature"),
    Feature("alike after", "0 or 1", 0, 1, "structure", "the sibling after has the same signature"),
    Feature("gap above", "log px, signed", -_BESIDE, LOG, "visual", "down from the one before; -9 for none"),
    Feature("gap below", "log px, signed", -_BESIDE, LOG, "visual", "down to the sibling after; -9 for none"),
    Feature("gap left", "log px, signed", -_BESIDE, LOG, "visual", "across from the one before; -9 for none"),
    Feature("gap right", "log px, signed", -_BESIDE, LOG, "visual", "across to the one after; -9 for none"),
    Feature("font step", "px", -100, 100, "visual", "mean font size less that of the sibling before"),
    Feature("link step", "share of text", 0, 1, "content", "of linked text, to the sibling before"),
    Feature("next link step", "share of text", 0, 1, "content", "of linked text, to the sibling after"),
    Feature("size step", "log of the ratio", 0, LOG, "structure", "of leaves, to the sibling before"),
    Feature("on page", "log", 0, LOG, "structure", "units of the page of this signature"),
    Feature("shape on page", "log", 0, LOG, "structure", "units of the page of this shape"),
    Feature("page leaves", "log", 0, LOG, "structure", "leaves of the page"),
    Feature("page units", "log", 0, LOG, "structure", "units of the page that are no leaf"),
    Feature("page large", "log", 0, LOG, "structure", "large units of the page"),
    Feature("page height", "log px", 0, LOG, "visual", "height of the page"),
    Feature("page levels", "log", 0, LOG, "structure", "levels of units"),
    Feature("page images", "share of leaves", 0, 1, "content", "images"),
    Feature("page links", "share of text", 0, 1, "content", "characters in links"),
    Feature("page words", "log", 0, LOG, "content", "words per leaf"),
    Feature("page captions", "log", 0, LOG, "content", "captions"),
    Feature("page cells", "log", 0, LOG, "structure", "units with a table cell"),
)  # fmt: skip
"""Columns of `kin_columns`."""


def kin_columns(units: Units, own: Columns, children: Columns, page_height: float) -> Columns:
    """Return the columns (m,) of `KIN`, by name.

    own, children: `own_columns` and `children_columns` of the same units; page_height: in px.
    """
    known = own | children
    parent = np.maximum(units.parent, 0)
    of_parent = (*_OF_PARENT, "level", "height", "per leaf")
    columns: Columns = {f"parent {name}": known[name][parent] for name in of_parent}
    grand = parent[parent]
    count, often = own["count"], (known["repetition"] > 0.6) & (known["repeated"] > np.log1p(2.5))
    columns |= {
        "share of parent": known["share"],
        "share of grandparent": count / count[grand],
        "grandparent children": known["children"][grand],
        "grandparent repetition": known["repetition"][grand],
        "repeated above": np.log1p(ancestor_sum(often, units.end)),
    }
    return columns | _siblings(units, known, parent) | _beside(known) | _page(units, known, page_height)


def _siblings(units: Units, known: Columns, parent: NDArray[np.int64]) -> Columns:
    siblings, count = np.maximum(units.children[parent], 1), known["count"]
    place = np.zeros(len(units), np.int64)
    place[units.child] = np.arange(len(units.child)) - units.first[units.parent[units.child]]
    others = np.log1p((count[parent] - count) / np.maximum(siblings - 1, 1))
    return {
        "siblings": np.log1p(siblings),
        "place": np.log1p(place),
        "relative place": place / np.maximum(siblings - 1, 1),
        "alike": np.log1p(known["alike"]),
        "alike share": known["alike"] / siblings,
        "alike shape share": known["alike shape"] / siblings,
        "sibling leaves": others,
        "to siblings": np.log1p(count) - others,
        "to largest": known["share"] / np.maximum(known["largest"][parent], 1e-9),
        "large siblings": np.log1p((known["n large"][parent] - known["large"]).clip(0)),
    }


def _beside(known: Columns) -> Columns:
    has_before, has_after = known["previous"] >= 0, known["following"] >= 0
    before, after = np.maximum(known["previous"], 0), np.maximum(known["following"], 0)
    leaves, linked, signature = known["leaves"], known["linked text"], known["signature"]
    down, across = known["down"], known["across"]
    return {
        "after caption": has_before
        & (known["count"][before] == 1)
        & (known["starts with caption"][before] > 0),
        "leaves before": np.where(has_before, leaves[before], -1.0),
        "leaves after": np.where(has_after, leaves[after], -1.0),
        "alike before": has_before & (signature[before] == signature),
        "alike after": has_after & (signature[after] == signature),
        "gap above": np.where(has_before, log_px(down), -_BESIDE),
        "gap below": np.where(has_after, log_px(down[after]), -_BESIDE),
        "gap left": np.where(has_before, log_px(across), -_BESIDE),
        "gap right": np.where(has_after, log_px(across[after]), -_BESIDE),
        "font step": np.where(has_before, known["font size"] - known["font size"][before], 0.0),
        "link step": np.where(has_before, np.abs(linked - linked[before]), 0.0),
        "next link step": np.where(has_after, np.abs(linked - linked[after]), 0.0),
        "size step": np.where(has_before, np.abs(leaves - leaves[before]), 0.0),
    }


def _page(units: Units, known: Columns, page_height: float) -> Columns:
    told = {
        "page leaves": known["leaves"][0],
        "page units": np.log1p(len(units.inner)),
        "page large": np.log1p(known["large"].sum()),
        "page height": np.log1p(page_height),
        "page levels": known["height"][0],
        "page images": known["image share"][0],
        "page links": known["linked text"][0],
        "page words": known["per leaf"][0],
        "page captions": known["captions"][0],
        "page cells": np.log1p(known["tag cell"].sum()),
    }
    columns: Columns = {name: np.full(len(units), value) for name, value in told.items()}
    for name, kind in (("on page", known["signature"]), ("shape on page", known["shape"])):
        _, place, count = np.unique(kind, return_inverse=True, return_counts=True)
        columns[name] = np.log1p(count[place])
    return columns
