"""Features of a unit by itself: what it holds, how it looks, what it is called.

Columns over the m units of a page. Means of looks are over the leaves, weighted by `Traits.length`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.kernels.subtrees import ancestor_sum, subtree_sum
from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF
from webgrain.page.view import DISPLAY, POSITION
from webgrain.segment.features import Feature
from webgrain.segment.traits import BLOCKS, HEADINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.traits import Traits
    from webgrain.segment.units import Units

    Floats = NDArray[np.float64]
    Columns = dict[str, NDArray[Any]]

LOG = 14.0
"""Logarithm up to which anything counts."""

_COUNTED = ("image", "control", "embed", "backdrop", "heading", "caption", "long")
_SHARED = ("image", "control", "heading", "caption", "long", "list item", "paragraph", "in form")
_INLINE = tuple(DISPLAY.index(name) for name in ("none", "inline", "contents"))
_KINDS = {"image": IMAGE, "control": CONTROL, "embed": EMBED, "backdrop": BACKGROUND}
_TAGS = {
    "table": ("table",), "rows": ("tbody", "thead", "tfoot"), "row": ("tr",), "cell": ("td", "th"),
    "list": ("ul", "ol", "dl", "menu"), "item": ("li", "dt", "dd"), "heading": HEADINGS,
    "paragraph": ("p", "blockquote", "pre", "address"), "link": ("a",), "form": ("form", "fieldset"),
    "div": ("div",), "span": ("span", "font", "b", "strong", "em", "i", "small", "big", "u"),
    "section": ("section", "main", "article"), "edge": ("header", "footer", "nav", "aside"),
    "body": ("body",),
}  # fmt: skip

OWN = (
    Feature("linked text", "share of text", 0, 1, "content", "characters in links"),
    Feature("linked leaves", "share of leaves", 0, 1, "content", "leaves in links"),
    Feature("leaves", "log", 0, LOG, "structure", "leaves"),
    Feature("leaf share", "share of the page", 0, 1, "structure", "leaves"),
    *(Feature(f"{it}s", "log", 0, LOG, "content", f"leaves: {it}") for it in _COUNTED),
    *(Feature(f"{it} share", "share of leaves", 0, 1, "content", f"leaves: {it}") for it in _SHARED),
    Feature("children", "log", 0, LOG, "structure", "children"),
    *(Feature(f"tag {tag}", "0 or 1", 0, 1, "structure", "a node of the chain is one") for tag in _TAGS),
    Feature("centre", "page widths", -1, 2, "visual", "centre of the box"),
    Feature("left", "page widths", -1, 2, "visual", "left edge"),
    Feature("right", "page widths", -1, 2, "visual", "right edge"),
    Feature("top", "page heights", -1, 2, "visual", "upper edge"),
    Feature("bottom", "page heights", -1, 2, "visual", "lower edge"),
    Feature("from top", "log px", 0, LOG, "visual", "from the upper edge of the page"),
    Feature("from bottom", "log px", 0, LOG, "visual", "to the lower edge of the page"),
    Feature("width", "page widths", -1, 2, "visual", "width"),
    Feature("tall", "page heights", -1, 2, "visual", "height of the box"),
    Feature("log width", "log px", 0, LOG, "visual", "width"),
    Feature("log height", "log px", 0, LOG, "visual", "height of the box"),
    Feature("area", "share of the page", 0, 4, "visual", "area of the box"),
    Feature("log area", "log share", -LOG, 2, "visual", "logarithm of the area"),
    Feature("screens", "log", 0, LOG, "visual", "area in screens of 1366 x 768 px"),
    Feature("flat", "log of the ratio", -LOG, LOG, "visual", "width to height"),
    Feature("font size", "px", 0, 100, "visual", "mean"),
    Feature("font sizes", "px", 0, 100, "visual", "standard deviation"),
    Feature("relative size", "of the usual one", 0, 6, "visual", "mean font size"),
    Feature("bold", "share of text", 0, 1, "visual", "weight of 600 or more"),
    Feature("light", "luminance", 0, 1, "visual", "of the text, mean"),
    Feature("lights", "luminance", 0, 1, "visual", "of the text, standard deviation"),
    Feature("colorful", "1", 0, 1, "visual", "greatest less least channel of the text, mean"),
    Feature("back", "luminance", 0, 1, "visual", "of the background, mean"),
    Feature("backs", "luminance", 0, 1, "visual", "of the background, standard deviation"),
    Feature("colorful back", "1", 0, 1, "visual", "greatest less least channel of the background, mean"),
    Feature("own back", "luminance", 0, 1, "visual", "of the background of the lowest node"),
    Feature("paints", "0 or 1", 0, 1, "visual", "another element than the parent's paints the background"),
    Feature("repaints", "log", 0, LOG, "visual", "changes of the painting element below"),
    Feature("picture", "0 or 1", 0, 1, "visual", "a node of the chain has a background image"),
    Feature("block", "0 or 1", 0, 1, "visual", "a node of the chain stands on lines of its own"),
    Feature("placed", "0 or 1", 0, 1, "visual", "a node of the chain is absolute, fixed or sticky"),
)  # fmt: skip
"""Columns of `own_columns`."""


def own_columns(traits: Traits, units: Units) -> Columns:
    """Return the columns (m,) of `OWN`, by name, and some more that others are made of.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.traits import Traits
    >>> from webgrain.segment.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li><a>Two</a></ul>"))
    >>> tree = visible_tree(page)
    >>> own_columns(Traits(page, tree), units_of(tree))["linked leaves"].tolist()
    [0.5, 0.0, 1.0]
    """
    leaf = _leaf_columns(traits)
    sums = dict(zip(leaf, units.over_leaves(np.stack(list(leaf.values()), axis=1)).T, strict=True))
    count, text = sums["one"], np.maximum(sums["text"], 1.0)
    columns: Columns = {f"{it}s": np.log1p(sums[it]) for it in _COUNTED}
    columns |= {f"{it} share": sums[it] / count for it in _SHARED}
    columns |= {
        "characters": np.log1p(sums["text"]),
        "per sentence": np.log1p(sums["words"] / (sums["sentences"] + 1.0)),
        "per leaf": np.log1p(sums["words"] / count),
        "linked text": sums["linked text"] / text,
        "linked leaves": sums["linked"] / count,
        "leaves": np.log1p(count),
        "leaf share": count / count[0],
    }
    columns |= _of_tree(traits, units) | _of_box(traits, units) | _of_look(traits, units, sums)
    first = np.minimum(units.low, len(leaf["one"]) - 1)
    for name in ("heading", "caption", "image"):
        columns[f"starts with {name}"] = leaf[name][first]
    return columns | {"count": count, "text": sums["text"]}


def _leaf_columns(traits: Traits) -> Columns:
    """Return columns (l,) over the leaves, of which sums and means are taken."""
    tree, seen, places = traits.tree, traits.seen, traits.tree.leaves
    kind, size, bold = tree.kind[places], seen.font_size[places], seen.bold[places]
    text, words, sentences = (column[places] for column in traits.text)
    linked, is_text = traits.linked[places], kind == TEXT_LEAF
    usual = usual_size(size[is_text], text[is_text])
    large = (text < 90.0) & (size >= 1.2 * usual)
    heading = is_text & (traits.inside(HEADINGS)[places] | large)
    caption = heading | (is_text & ~linked & (text < 60.0) & (bold | (size >= 1.1 * usual)))
    columns = {
        "one": np.ones(len(places)), "text": text, "words": words, "linked": linked,
        "sentences": np.where(is_text, sentences - 1.0, 0.0), "linked text": text * linked,
        "heading": heading, "caption": caption, "long": text > 100.0,
        "list item": traits.inside(("li", "dt", "dd"))[places], "paragraph": traits.inside(("p",))[places],
        "in form": traits.inside(("form",))[places],
    } | {name: kind == number for name, number in _KINDS.items()}  # fmt: skip
    return {name: column.astype(np.float64) for name, column in (columns | _leaf_looks(traits)).items()}


def _leaf_looks(traits: Traits) -> Columns:
    """Return the looks (l,) of the leaves, some squared for deviations, times their weights, and these."""
    seen, places = traits.seen, traits.tree.leaves
    size, color, background = (column[places] for column in (seen.font_size, seen.color, seen.background))
    light, back = color @ (0.3, 0.59, 0.11), background @ (0.3, 0.59, 0.11)
    looks = {
        "font": size, "font²": size**2, "bold": seen.bold[places],
        "light": light, "light²": light**2, "back": back, "back²": back**2,
        "colorful": np.ptp(color, axis=1), "colorful back": np.ptp(background, axis=1),
    }  # fmt: skip
    weight = np.maximum(traits.length[places], 1.0)
    return {"weight": weight, **{name: weight * look for name, look in looks.items()}}


def usual_size(size: Floats, text: Floats) -> float:
    """Return the median font size in px over the characters of text leaves (t,), 16 where there are none.

    Of each leaf 200 characters count at most: one long text is not yet the usual.

    >>> usual_size(np.array([30.0, 12.0]), np.array([5.0, 100.0]))
    12.0
    """
    if not len(size):
        return 16.0
    order = np.argsort(size, kind="stable")
    total = np.cumsum(text[order].clip(1.0, 200.0))
    return float(size[order[np.searchsorted(total, total[-1] / 2)]])


def _of_tree(traits: Traits, units: Units) -> Columns:
    above = ancestor_sum(np.ones(len(units), np.int64), units.end)
    tagged = units.over_chain(np.stack([traits.tagged(tags) for tags in _TAGS.values()], axis=1)) > 0
    deepest = units.greatest_leaf(above[units.children == 0])
    columns: Columns = {
        "level": above,
        "height": np.log1p(deepest - above),
        "children": np.log1p(units.children),
        "has id": units.over_chain(np.array([bool(it) for it in traits.ids])) > 0,
    }
    columns |= {f"tag {tag}": column for tag, column in zip(_TAGS, tagged.T, strict=True)}
    return columns


def _of_box(traits: Traits, units: Units) -> Columns:
    seen = traits.seen
    left, top, right, bottom = seen.box[units.top].T
    width, height = right - left, bottom - top
    area = (width * height / (seen.width * seen.height)).clip(0.0, 4.0)
    return {
        "left px": left, "top px": top, "right px": right, "bottom px": bottom,
        "width px": width, "height px": height,
        "centre": _near((left + right) / (2 * seen.width)),
        "left": _near(left / seen.width), "right": _near(right / seen.width),
        "top": _near(top / seen.height), "bottom": _near(bottom / seen.height),
        "from top": np.log1p(top.clip(0.0)), "from bottom": np.log1p((seen.height - bottom).clip(0.0)),
        "width": _near(width / seen.width), "tall": _near(height / seen.height),
        "log width": np.log1p(width), "log height": np.log1p(height),
        "area": area, "log area": np.log(area + 1e-6),
        "screens": np.log1p(width * height / (1366.0 * 768.0)), "flat": np.log1p(width) - np.log1p(height),
    }  # fmt: skip


def _near(x: Floats) -> Floats:
    """Draw places beyond the page back to a page's extent from it."""
    return x.clip(-1.0, 2.0)


def _of_look(traits: Traits, units: Units, sums: Columns) -> Columns:
    seen, is_text, weight = traits.seen, traits.tree.kind == TEXT_LEAF, sums["weight"]
    names = ("font", "bold", "light", "colorful", "back", "colorful back")
    mean: Columns = {name: sums[name] / weight for name in names}
    spread = {
        name: np.sqrt((sums[f"{name}²"] / weight - mean[name] ** 2).clip(0.0))
        for name in ("font", "light", "back")
    }
    font = mean.pop("font")
    usual = usual_size(seen.font_size[is_text], traits.text[0][is_text])
    return mean | {
        "font size": font, "font sizes": spread["font"], "relative size": font / usual,
        "lights": spread["light"], "backs": spread["back"],
        **_of_paint(traits, units), **_of_styles(traits, units),
    }  # fmt: skip


def _of_paint(traits: Traits, units: Units) -> Columns:
    painter, end = traits.seen.painter, traits.tree.end
    changes = np.append(False, painter[1:] != painter[traits.tree.parent[1:]])
    above = np.maximum(units.parent, 0)
    return {
        "own back": traits.seen.background[units.bottom] @ (0.3, 0.59, 0.11),
        "paints": painter[units.bottom] != painter[units.bottom[above]],
        "repaints": np.log1p(subtree_sum(changes, end)[units.bottom] - changes[units.bottom]),
    }


def _of_styles(traits: Traits, units: Units) -> Columns:
    tree, view = traits.tree, traits.page.view
    if view is None:
        block, none = traits.tagged(BLOCKS), np.zeros(len(units), bool)
        return {"picture": none, "block": units.over_chain(block) > 0, "placed": none}
    block = ~np.isin(view.display[tree.node], _INLINE) & (tree.kind == 0)
    placed = view.position[tree.node] >= POSITION.index("absolute")
    marks = np.stack([view.background_image[tree.node], block, placed], axis=1)
    return dict(zip(("picture", "block", "placed"), (units.over_chain(marks) > 0).T, strict=True))
