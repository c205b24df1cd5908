"""Features of a unit by its children: how alike they are, how they repeat, how they are arranged.

Columns over the m units of a page. A large child has `LARGE` leaves or more; a caption is a heading, or what
looks like one. Signature: tag and first class; shape: the tags of a unit and its children in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.segment.features import Feature
from webgrain.segment.unitown import LOG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.traits import Traits
    from webgrain.segment.units import Units

    Floats = NDArray[np.float64]
    Columns = dict[str, NDArray[Any]]

LARGE = 3
"""Leaves of a large child, at least."""

NEAR = 4.0
"""px within which two edges are aligned."""

_REACH = 1e3  # px up to which gaps count
_RANGES = ("linked text", "per sentence", "image share", "font size", "back", "light")
_KINDS = ("has id", "block", "paints")

CHILDREN = (
    Feature("repeated", "log", 0, LOG, "structure", "children of the most common signature"),
    Feature("repetition", "share of children", 0, 1, "structure", "of the most common signature"),
    Feature("repeated shape", "log", 0, LOG, "structure", "children of the most common shape"),
    Feature("shape repetition", "share of children", 0, 1, "structure", "of the most common shape"),
    Feature("large children", "log", 0, LOG, "structure", "large children"),
    Feature("large repeated", "log", 0, LOG, "structure", "large children of the most common signature"),
    Feature("large repetition", "ratio", 0, 9, "structure", "all alike, to the large children"),
    Feature("mean large", "log", 0, LOG, "structure", "leaves per large child"),
    Feature("mean leaves", "log", 0, LOG, "structure", "leaves per child"),
    Feature("entropy", "nats", 0, LOG, "structure", "of the shares of the leaves"),
    Feature("largest", "share of leaves", 0, 1, "structure", "of the largest child"),
    Feature("leaf children", "share of children", 0, 1, "structure", "single leaves"),
    Feature("uneven leaves", "ratio", 0, 10, "structure", "deviation of the leaves per child to their mean"),
    Feature("uneven text", "ratio", 0, 10, "content", "deviation of the characters per child to their mean"),
    Feature("most text", "log", 0, LOG, "content", "characters of the child with most"),
    *(Feature(f"range {it}", "as it is", 0, 100, "visual", f"of {it} over children") for it in _RANGES),
    Feature("starts with heading", "0 or 1", 0, 1, "content", "the first leaf is a heading"),
    Feature("starts with caption", "0 or 1", 0, 1, "content", "the first leaf is a caption"),
    Feature("starts with image", "0 or 1", 0, 1, "content", "the first leaf is an image"),
    Feature("headed", "log", 0, LOG, "content", "children of several leaves that start with a heading"),
    Feature("captioned", "log", 0, LOG, "content", "children of several leaves that start with a caption"),
    Feature("captioned share", "share of children", 0, 1, "content", "those"),
    Feature("bare captions", "log", 0, LOG, "content", "children that are a caption alone"),
    *(Feature(f"children {it}", "share of children", 0, 1, "structure", it) for it in _KINDS),
    Feature("gap down", "log px, signed", -LOG, LOG, "visual", "greatest vertical gap of children in turn"),
    Feature("gap across", "log px, signed", -LOG, LOG, "visual", "greatest horizontal gap of them"),
    Feature("stacked", "share of steps", 0, 1, "visual", "next child below"),
    Feature("side by side", "share of steps", 0, 1, "visual", "next child to the right"),
    Feature("aligned", "share of steps", 0, 1, "visual", "left edges within 4 px"),
    Feature("as wide", "share of steps", 0, 1, "visual", "widths within 4 px"),
    Feature("uneven width", "ratio", 0, 10, "visual", "deviation of the widths to their mean"),
    Feature("uneven height", "ratio", 0, 10, "visual", "deviation of the heights to their mean"),
    Feature("largest area", "share of the page", 0, 4, "visual", "area of the largest child"),
    Feature("tallest", "log px", 0, LOG, "visual", "height of the tallest child"),
    Feature("most repeated below", "log", 0, LOG, "structure", "greatest ``repeated`` of a child"),
    Feature("most large below", "log", 0, LOG, "structure", "greatest ``large children`` of a child"),
    Feature("repetition below", "share", 0, 1, "structure", "mean ``repetition`` of the children by leaves"),
)  # fmt: skip
"""Columns of `children_columns`."""


def children_columns(traits: Traits, units: Units, own: Columns) -> Columns:
    """Return the columns (m,) of `CHILDREN`, by name, and some more that others are made of.

    own: `own_columns` of the same units.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.traits import Traits
    >>> from webgrain.segment.unitown import own_columns
    >>> from webgrain.segment.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li>Two</ul>"))
    >>> traits = Traits(page, visible_tree(page))
    >>> units = units_of(traits.tree)
    >>> children_columns(traits, units, own_columns(traits, units))["repetition"].tolist()
    [1.0, 0.0, 0.0]
    """
    columns = _repetition(traits, units, own) | _sizes(units, own) | _content(units, own)
    columns |= _arrangement(units, own)
    columns["most repeated below"] = units.greatest_child(columns["repeated"])
    columns["most large below"] = units.greatest_child(columns["large children"])
    columns["repetition below"] = units.over_children(columns["repetition"] * columns["share"])
    return columns


def same(units: Units, kind: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number (m,) of a unit's siblings, itself included, that are of its kind (m,).

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.units import units_of
    >>> units = units_of(visible_tree(parse(Source("a", b"<p>One<p>Two<p>Three"))))
    >>> same(units, np.array([5, 7, 8, 7])).tolist()
    [1, 2, 1, 2]
    """
    _, number = np.unique(kind, return_inverse=True)
    key = units.parent * (int(number.max()) + 1) + number
    key[0] = -1
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    counted: NDArray[np.int64] = count[place]
    return counted


def _repetition(traits: Traits, units: Units, own: Columns) -> Columns:
    children = np.maximum(units.children, 1)
    signature = traits.signature[units.top]
    shape = _shape(traits.tag[units.top], units)
    alike, alike_shape = same(units, signature), same(units, shape)
    large = own["count"] >= LARGE
    n_large = units.over_children(large)
    columns: Columns = {"signature": signature, "shape": shape, "alike": alike, "alike shape": alike_shape}
    most = {
        "repeated": units.greatest_child(alike.astype(np.float64)),
        "repeated shape": units.greatest_child(alike_shape.astype(np.float64)),
        "large repeated": units.greatest_child(alike * large.astype(np.float64)),
        "large children": n_large,
    }
    columns |= {name: np.log1p(count) for name, count in most.items()}
    return columns | {
        "repetition": most["repeated"] / children,
        "shape repetition": most["repeated shape"] / children,
        "large repetition": most["large repeated"] / np.maximum(n_large, 1),
        "mean large": np.log1p(units.over_children(own["count"] * large) / np.maximum(n_large, 1)),
        "large": large,
        "n large": n_large,
    }


def _shape(tag: NDArray[np.int64], units: Units) -> NDArray[np.int64]:
    """Return a number (m,) for each tag with the tags of its children, all but certainly another for each."""
    mixed = ((tag + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(24)).astype(np.int64)
    below = np.zeros(len(units), np.int64)
    np.add.at(below, units.parent[units.child], mixed[units.child])
    return 3 * mixed + below


def _sizes(units: Units, own: Columns) -> Columns:
    count = own["count"]
    share = count / count[np.maximum(units.parent, 0)]
    return {
        "share": share,
        "mean leaves": np.log1p(count / np.maximum(units.children, 1)),
        "entropy": units.over_children(-share * np.log(share)),
        "largest": units.greatest_child(share),
        "leaf children": _share(units, count == 1),
        "uneven leaves": _uneven(units, count),
        "uneven text": _uneven(units, own["text"] + 1.0),
        "most text": units.greatest_child(own["characters"]),
    }


def _content(units: Units, own: Columns) -> Columns:
    several = own["count"] > 1
    columns: Columns = {}
    for name in _RANGES:
        columns[f"range {name}"] = units.greatest_child(own[name]) - units.least_child(own[name])
    columns |= {f"children {name}": _share(units, own[name]) for name in _KINDS}
    captioned = own["starts with caption"] * several
    return columns | {
        "headed": np.log1p(units.over_children(own["starts with heading"] * several)),
        "captioned": np.log1p(units.over_children(captioned)),
        "captioned share": _share(units, captioned),
        "bare captions": np.log1p(units.over_children(own["starts with caption"] * ~several)),
    }


def _arrangement(units: Units, own: Columns) -> Columns:
    previous, following = _beside(units)
    has = previous >= 0
    before = np.maximum(previous, 0)
    left, top, width = own["left px"], own["top px"], own["width px"]
    across, down = left - own["right px"][before], top - own["bottom px"][before]
    below, beside = has & (down >= -NEAR), has & (down < -NEAR) & (across >= -NEAR)
    steps = np.maximum(units.children - 1, 1)
    return {
        "previous": previous, "following": following, "across": across, "down": down,
        "gap down": log_px(units.greatest_child(np.where(has, down, -_REACH))),
        "gap across": log_px(units.greatest_child(np.where(has, across, -_REACH))),
        "stacked": units.over_children(below) / steps,
        "side by side": units.over_children(beside) / steps,
        "aligned": units.over_children(has & (np.abs(left - left[before]) < NEAR)) / steps,
        "as wide": units.over_children(has & (np.abs(width - width[before]) < NEAR)) / steps,
        "uneven width": _uneven(units, width), "uneven height": _uneven(units, own["height px"]),
        "largest area": units.greatest_child(own["area"]),
        "tallest": units.greatest_child(own["log height"]),
    }  # fmt: skip


def _beside(units: Units) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sibling before and after each unit (m,), -1 for none."""
    previous, following = np.full((2, len(units)), -1, np.int64)
    child = units.child
    sisters = units.parent[child[1:]] == units.parent[child[:-1]]
    previous[child[1:][sisters]] = child[:-1][sisters]
    following[child[:-1][sisters]] = child[1:][sisters]
    return previous, following


def log_px(gap: Floats) -> Floats:
    """Return the signed logarithm of gaps in px, 1000 at most."""
    logarithm: Floats = np.sign(gap) * np.log1p(np.abs(gap).clip(max=_REACH))
    return logarithm


def _share(units: Units, x: NDArray[Any]) -> Floats:
    shared: Floats = units.over_children(x) / np.maximum(units.children, 1)
    return shared


def _uneven(units: Units, x: Floats) -> Floats:
    """Return the standard deviation (m,) of ``x`` (m,) over the children, by the mean."""
    mean, square = _share(units, x), _share(units, x * x)
    uneven: Floats = np.sqrt((square - mean**2).clip(0.0)) / np.maximum(np.abs(mean), 1e-9)
    return uneven
