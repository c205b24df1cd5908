"""What a page looks like before its author says anything: the browser's own sheet and old attributes.

Source: the rendering section of the HTML standard, and the sizes of Chromium's controls.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from webgrain.render.colors import legacy_color
from webgrain.render.css import Declaration, declarations
from webgrain.render.sheets import Blocks, rules

if TYPE_CHECKING:
    from collections.abc import Callable

_SHEET = """
html, body, address, article, aside, blockquote, center, dd, details, dialog, dir, div, dl, dt, fieldset,
figcaption, figure, footer, form, frameset, h1, h2, h3, h4, h5, h6, header, hgroup, hr, legend, listing,
main, menu, nav, ol, p, plaintext, pre, search, section, summary, ul, xmp, marquee, optgroup, option {
display: block }
area, base, basefont, datalist, head, link, meta, noembed, noframes, noscript, param, rp, script, style,
template, title, source, track, frame, audio, dialog, optgroup, option { display: none }
body { margin: 8px }
p, dl, dir, menu, ol, ul, pre, listing, plaintext, xmp, blockquote, figure { margin: 1em 0 }
blockquote, figure { margin: 1em 40px } dir, menu, ol, ul { padding-left: 40px } dd { margin-left: 40px }
li { display: list-item } h1 { font-size: 2em; margin: .67em 0 } h2 { font-size: 1.5em; margin: .83em 0 }
h3 { font-size: 1.17em; margin: 1em 0 } h4 { margin: 1.33em 0 } h5 { font-size: .83em; margin: 1.67em 0 }
h6 { font-size: .67em; margin: 2.33em 0 } h1, h2, h3, h4, h5, h6, b, strong, th { font-weight: bold }
i, em, cite, var, dfn, address { font-style: italic } small, sub, sup { font-size: smaller }
big { font-size: larger }
pre, code, kbd, samp, tt, listing, plaintext, xmp { font-family: monospace; font-size: .8125em }
pre, listing, plaintext, xmp { white-space: pre } nobr { white-space: nowrap }
mark { background-color: yellow; color: black } center { text-align: center }
table { display: table; vertical-align: middle } thead { display: table-header-group }
tbody { display: table-row-group } tfoot { display: table-footer-group } tr { display: table-row }
td, th { display: table-cell; padding: 1px } th { text-align: center }
caption { display: table-caption; text-align: center } col { display: table-column }
colgroup { display: table-column-group } fieldset { margin: 0 2px; padding: .35em .75em .625em }
legend { padding: 0 2px } hr { margin: .5em 0; height: 2px; color: gray }
input, select, textarea, button { display: inline-block; font-family: Arial; font-size: 13.3333px;
font-weight: 400; font-style: normal; line-height: normal; text-indent: 0; text-align: left; color: black;
background-color: white; white-space: nowrap }
input { width: 169px; height: 21px; box-sizing: border-box }
textarea { width: 182px; height: 36px; box-sizing: border-box }
select { width: 110px; height: 19px; box-sizing: border-box; background-color: #efefef }
button { padding: 3px 8px; text-align: center; background-color: #efefef }
meter { display: inline-block; width: 5em; height: 1em }
progress { display: inline-block; width: 10em; height: 1em } img, svg, math { display: inline-block }
iframe, embed, object, video, canvas { display: inline-block; width: 300px; height: 150px }
rt { font-size: .5em }
"""

LINK_COLOR = "color: #0000ee"
FIRST_FONTS = ("Times New Roman", "monospace")
"""Fonts with fixed numbers: the font of a page that names none, and the one with letters of one width."""

_DIMENSIONED = frozenset(
    ("img", "table", "td", "th", "iframe", "embed", "object", "video", "canvas", "svg", "hr", "col", "applet")
)
_INPUT_TYPES = {
    "hidden": "display: none", "checkbox": "width: 13px; height: 13px; margin: 3px 4px",
    "radio": "width: 13px; height: 13px; margin: 3px 4px", "submit": "width: 60px; background: #efefef",
    "button": "width: 60px; background: #efefef", "reset": "width: 60px; background: #efefef",
    "file": "width: 253px", "range": "width: 129px; height: 16px", "color": "width: 50px; height: 27px",
    "image": "width: auto; height: auto",
}  # fmt: skip
_FONT_SIZES = ("x-small", "small", "medium", "large", "x-large", "xx-large", "48px")


@cache
def browser_sheet() -> tuple[Blocks, dict[str, int]]:
    """Return the browser's own declarations, a block for every tag that has some, and the block of each tag.

    >>> blocks, of_tag = browser_sheet()
    >>> of_tag["h1"] < len(blocks.start), "span" in of_tag
    (True, False)
    """
    by_tag: dict[str, tuple[Declaration, ...]] = {}
    for prelude, body in rules(_SHEET, 1366):
        for tag in map(str.strip, prelude.split(",")):
            by_tag[tag] = by_tag.get(tag, ()) + declarations(body)
    blocks = Blocks(FIRST_FONTS)
    return blocks, {tag: blocks.add(block) for tag, block in by_tag.items()}


@lru_cache(8192)
def attribute_style(tag: str, name: str, value: str) -> tuple[Declaration, ...]:
    """Return the declarations that an old attribute stands for; none for one that is no matter of style.

    >>> attribute_style("td", "width", "120") == declarations("width: 120px")
    True
    """
    hint = HINTS.get(name)
    return declarations(hint(tag, value.strip())) if hint else ()


def _size(tag: str, name: str, value: str) -> str:
    if tag not in _DIMENSIONED and not (tag == "input" and name == "height"):
        return ""
    number = value.rstrip("%px* ")
    return f"{name}: {number}{'%' if value.endswith('%') else 'px'}"


def _color(name: str, value: str) -> str:
    color = legacy_color(value)
    return "" if color is None else f"{name}: #{color.to_bytes(4, 'little').hex()}"


def _font_size(tag: str, value: str) -> str:
    if tag != "font" or not value.lstrip("+-").isdecimal():
        return ""
    step = int(value) + (3 if value[0] in "+-" else 0)
    return f"font-size: {_FONT_SIZES[min(max(step, 1), 7) - 1]}"


def _align(tag: str, value: str) -> str:
    side = value.lower()
    if tag in ("img", "table", "iframe", "object", "embed", "applet"):
        if side in ("left", "right"):
            return f"float: {side}"
        return (
            "margin-left: auto; margin-right: auto" if side in ("center", "middle") and tag == "table" else ""
        )
    return f"text-align: {'center' if side == 'middle' else side}"


def _color_of(*tags: str) -> Callable[[str, str], str]:
    return lambda tag, value: _color("color", value) if tag in tags else ""


HINTS: dict[str, Callable[[str, str], str]] = {
    "width": lambda tag, value: _size(tag, "width", value),
    "height": lambda tag, value: _size(tag, "height", value),
    "bgcolor": lambda tag, value: _color("background-color", value),
    "background": lambda tag, value: (
        "background-image: url(x)" if tag in ("body", "table", "td", "th") else ""
    ),
    "color": _color_of("font", "basefont"),
    "text": _color_of("body"),
    "face": lambda tag, value: f"font-family: {value}" if tag == "font" else "",
    "size": _font_size,
    "align": _align,
    "valign": lambda tag, value: f"vertical-align: {value}",
    "type": lambda tag, value: _INPUT_TYPES.get(value.lower(), "") if tag == "input" else "",
    "hidden": lambda tag, value: "display: none" if value.lower() != "until-found" else "",
    "open": lambda tag, value: "display: block" if tag == "dialog" else "",
    "nowrap": lambda tag, value: "white-space: nowrap" if tag in ("td", "th") else "",
    "colspan": lambda tag, value: f"-webgrain-span: {value}" if tag in ("td", "th") else "",
    "cellspacing": lambda tag, value: f"border-spacing: {value}px" if tag == "table" else "",
}
"""Attributes that say how something looks, each with its CSS."""
