"""Lists of options, which the parser reads in linear time if several options may be chosen.

After each option, the parser looks in the ``<select>`` for the chosen option, so the time for a list of n
options is quadratic: some seconds for 20 000. It does not look if the element has the attribute ``multiple``,
which makes no difference for the tree. Pages with many options are therefore parsed with this attribute,
which is removed from the tree.

``<selectedcontent>`` has a copy of the chosen option, so pages with it are not changed. Attributes and texts
may contain what looks like a tag: if `without_multiple` does not find all attributes that were added, the
page is parsed as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from webgrain.page.dom import Dom

LEAST_OPTIONS = 200
"""Options of a page that is changed: fewer take less than a millisecond."""

_ADDED = b"webgrain-added"
"""The value of the attributes that are added."""

_SPACE = r"[\t\n\f\r ]"
_VALUE = rf"{_SPACE}*+={_SPACE}*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >]*+)"
_ATTRIBUTES = rf"(?:(?:{_SPACE}|/)++|[^\t\n\f\r />][^\t\n\f\r />=]*+(?:{_VALUE})?+)*+"
_TAGS = re.compile(
    rf"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title|noscript|iframe|xmp)\b.*?(?:</(?P=raw)|\Z)|"
    rf"<select(?=[\s/>])(?P<attributes>{_ATTRIBUTES})".encode(),
    re.IGNORECASE | re.DOTALL,
)
_MULTIPLE = re.compile(rb"(?<=[\s/\"'])multiple(?=[\s/=]|\Z)", re.IGNORECASE)


def with_multiple(html: bytes) -> tuple[bytes, int]:
    """Return HTML in which each ``<select>`` has the attribute ``multiple``, and to how many it was added.

    Pages with few options are not changed.

    >>> html, added = with_multiple(b"<select id=a>" + b"<option>b" * 200)
    >>> html[:41], added
    (b'<select multiple=webgrain-added id=a><opt', 1)
    """
    lower = html.lower()
    if lower.count(b"<option") < LEAST_OPTIONS or b"<selectedcontent" in lower or _ADDED in lower:
        return html, 0
    number = 0

    def changed(match: re.Match[bytes]) -> bytes:
        nonlocal number
        attributes = match["attributes"]
        if attributes is None or _MULTIPLE.search(attributes):
            return match[0]
        number += 1
        name = len("<select")
        return match[0][:name] + b" multiple=" + _ADDED + match[0][name:]

    return _TAGS.sub(changed, html), number


def without_multiple(dom: Dom, added: int) -> Dom | None:
    """Return a tree without the attributes that `with_multiple` has added; None if they are not all there.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = without_multiple(parse_html("<select multiple=webgrain-added id=a>"), 1)
    >>> dom.attributes(3)
    {'id': 'a'}
    """
    attributes, nodes = dom.find_attribute("multiple")
    values = np.array(dom.values_of(attributes), object)
    is_added = (values == _ADDED.decode()) & (dom.tag[nodes] == dom.tag_number("select"))
    if np.sum(is_added) != added:
        return None
    kept = np.ones(len(dom.value), bool)
    kept[attributes[is_added]] = False
    start = np.append(0, np.cumsum(kept))[dom.attr_start].astype(np.int32)
    return replace(dom, attr_start=start, attr_name=dom.attr_name[kept], value=dom.value[kept])
