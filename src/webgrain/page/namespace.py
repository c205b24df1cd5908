"""Namespaces: which elements of a page belong to SVG or MathML, told by where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webgrain.page.dom import Dom

# Names that HTML gives capitals inside SVG (HTML Standard, 13.2.6.1); the Dom has them in lower case.
_SVG_NAMES = {
    name.lower(): name
    for name in re.findall(
        r"\w+",
        "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend "
        "feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap "
        "feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge "
        "feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence "
        "foreignObject glyphRef linearGradient radialGradient textPath",
    )
}
# Inside these elements the contents are HTML again (HTML Standard, 13.2.6).
_HTML_INSIDE = {
    "svg": frozenset(("foreignobject", "desc", "title")),
    "math": frozenset(("mi", "mo", "mn", "ms", "mtext")),
}
_HTML_ENCODINGS = ("text/html", "application/xhtml+xml")


def namespace(dom: Dom, node: int, around: str) -> str:
    """Namespace of a node, "html", "svg" or "math", given that of its parent; "html" at the root.

    >>> from webgrain.page.parse import parse_html
    >>> namespace(parse_html("<svg><title>"), 4, around="svg")
    'svg'
    """
    name = dom.name(node)
    if around != "html" and not _is_html_again(dom, int(dom.parent[node]), around, name):
        return around
    return name if name in ("svg", "math") else "html"


def _is_html_again(dom: Dom, node: int, space: str, child: str) -> bool:
    """Whether a child of this name is no longer in the namespace of the node."""
    name = dom.name(node)
    if space == "math" and name == "annotation-xml":
        return child == "svg" or (dom.get(node, "encoding") or "").lower() in _HTML_ENCODINGS
    if space == "math" and child in ("mglyph", "malignmark"):
        return False
    return name in _HTML_INSIDE[space]


def namespace_of(dom: Dom, node: int) -> str:
    """Namespace of a node, found from the root down.

    >>> from webgrain.page.parse import parse_html
    >>> namespace_of(parse_html("<svg><title><b>"), 5)
    'html'
    """
    space = "html"
    for above in [*reversed(dom.ancestors(node)), node]:
        space = namespace(dom, above, space)
    return space


def name_in(name: str, space: str) -> str:
    """Name of an element as a browser has it; the Dom has all names in lower case.

    >>> name_in("lineargradient", "svg"), name_in("lineargradient", "html")
    ('linearGradient', 'lineargradient')
    """
    return _SVG_NAMES.get(name, name) if space == "svg" else name
