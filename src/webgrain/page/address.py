"""Addresses of nodes: XPath and CSS path of a node, and back.

An XPath is canonical: from the root, each step with its number among the siblings of its name, as in
``/html[1]/body[1]/div[2]/text()[1]``. Elements of SVG and MathML are in a namespace that a plain name does
not reach, so they stand as ``*[name()='svg'][1]``. A CSS path starts at the nearest id that is unique on the
page. Both mean the same node in a browser's ``document.evaluate`` and ``document.querySelector``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from webgrain.errors import ParameterError
from webgrain.kernels.treepass import sibling_numbers
from webgrain.page.dom import TEXT
from webgrain.page.namespace import name_in, namespace, namespace_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom

    Mask = NDArray[np.bool_]

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_.-]*")
_XPATH_STEP = re.compile(
    r"/(?:(?P<text>text\(\))|\*\[name\(\)='(?P<named>[^']+)'\]|(?P<any>\*)|(?P<name>[A-Za-z_][\w.-]*))"
    r"(?:\[(?P<k>[1-9]\d{0,8})\])?"
)
_IDENTIFIER = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6} ?|\\[^0-9a-fA-F\n])+"
_CSS_STEP = re.compile(
    rf"(?!:|\Z)(?P<tag>{_IDENTIFIER})?(?:\#(?P<id>{_IDENTIFIER}))?(?::nth-of-type\((?P<k>[1-9]\d{{0,8}})\))?"
)
_SPECIAL = re.compile(r"(?P<code>[\x00-\x1f\x7f]|^[0-9]|(?<=^-)[0-9])|^-\Z|[\x20-,./:-@\[-^`{-~]")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6}) ?|(.))", re.S)


def xpath(dom: Dom, node: int) -> str:
    """XPath of a node; `xpaths` is faster for many.

    >>> from webgrain.page.parse import parse_html
    >>> xpath(parse_html("<p>a<p>b<svg><path/></svg>c"), 8)
    "/html[1]/body[1]/p[2]/*[name()='svg'][1]/*[name()='path'][1]"
    """
    return xpaths(dom, [node])[0]


def xpaths(dom: Dom, nodes: Iterable[int]) -> list[str]:
    """XPaths of nodes, in their order; ParameterError for one that is not in the Dom.

    >>> from webgrain.page.parse import parse_html
    >>> xpaths(parse_html("<p>a<b>b</b>c"), [3, 7])
    ['/html[1]/body[1]/p[1]', '/html[1]/body[1]/p[1]/text()[2]']
    """
    nodes = _checked(dom, nodes)
    number = sibling_numbers(dom.parent, dom.tag)[0] + 1
    child = sibling_numbers(dom.parent, dom.is_text.astype(np.int32))[0] + 1
    path, space = {-1: ""}, {-1: "html"}
    for node in _with_ancestors(dom, nodes):
        parent = int(dom.parent[node])
        space[node] = namespace(dom, node, space[parent])
        step = _xpath_step(dom.name(node), space[node], int(number[node]), int(child[node]))
        path[node] = f"{path[parent]}/{step}"
    return [path[node] for node in nodes]


def find_xpath(dom: Dom, path: str) -> int | None:
    """First node that an XPath means, None if there is none.

    Reads child steps with or without a number: ``/html/body/div[2]``, ``text()[1]``, ``*[3]``,
    ``*[name()='svg'][1]``; ParameterError for any other path.

    >>> from webgrain.page.parse import parse_html
    >>> dom = parse_html("<p>a<b>b</b>c")
    >>> find_xpath(dom, "/html[1]/body[1]/p[1]/text()[2]"), find_xpath(dom, "/html[1]/p[1]")
    (7, None)
    """
    steps = list(_XPATH_STEP.finditer(path))
    if not path or "".join(step[0] for step in steps) != path:
        raise ParameterError(f"An XPath like /html[1]/body[1]/div[2]/text()[1] was expected, got {path!r}.")
    found = np.array([-1])
    for step in steps:
        mask = np.isin(dom.parent, found) & _passes(dom, step)
        if step["name"] and ("svg" in dom.tags or "math" in dom.tags):  # a plain name is one of HTML
            for node in np.flatnonzero(mask).tolist():
                mask[node] = namespace_of(dom, node) == "html"
        if step["k"]:
            mask &= sibling_numbers(dom.parent, mask.astype(np.int32))[0] + 1 == int(step["k"])
        found = np.flatnonzero(mask)
    return int(found[0]) if len(found) else None


def css(dom: Dom, node: int) -> str:
    """CSS path of an element; that of its parent for a text node. `css_paths` is faster for many.

    >>> from webgrain.page.parse import parse_html
    >>> css(parse_html("<div id=main><p>a<p>b"), 7)
    '#main > p:nth-of-type(2)'
    """
    return css_paths(dom, [node])[0]


def css_paths(dom: Dom, nodes: Iterable[int]) -> list[str]:
    r"""CSS paths of nodes, in their order; ParameterError for one that is not in the Dom.

    >>> from webgrain.page.parse import parse_html
    >>> css_paths(parse_html("<ul><li>a<li id='1'>b"), [3, 6])
    ['html > body > ul', '#\\31 ']
    """
    nodes = _checked(dom, nodes)
    elements = [int(dom.parent[node]) if dom.tag[node] == TEXT else node for node in nodes]
    place, count = sibling_numbers(dom.parent, dom.tag)
    path, space = {-1: ""}, {-1: "html"}
    ids = _unique_ids(dom)
    for node in _with_ancestors(dom, elements):
        parent, name = int(dom.parent[node]), dom.name(node)
        space[node] = namespace(dom, node, space[parent])
        step = css_name(name_in(name, space[node]))
        step += "" if count[node] == 1 else f":nth-of-type({place[node] + 1})"
        own = f"#{css_name(ids[node])}" if node in ids else ""
        path[node] = own or (f"{path[parent]} > {step}" if parent >= 0 else step)
    return [path[node] for node in elements]


def find_css(dom: Dom, path: str) -> int | None:
    """First element that a CSS path means, None if there is none.

    Reads tags, ids and ``:nth-of-type(k)`` joined by `` > ``; ParameterError for any other selector.

    >>> from webgrain.page.parse import parse_html
    >>> dom = parse_html("<div id=main><p>a<p>b")
    >>> find_css(dom, "#main > p:nth-of-type(2)"), find_css(dom, "#main > ul")
    (6, None)
    """
    steps = [_CSS_STEP.fullmatch(step) for step in path.split(" > ")]
    if None in steps:
        raise ParameterError(f"A CSS path like #main > p:nth-of-type(2) was expected, got {path!r}.")
    number = sibling_numbers(dom.parent, dom.tag)[0] + 1
    found = np.arange(-1, len(dom))
    for step in filter(None, steps):
        mask = np.isin(dom.parent, found) & ~dom.is_text
        if step["tag"]:
            mask &= _tagged(dom, _unescape(step["tag"]))
        if step["id"]:
            wanted = _unescape(step["id"])
            mask &= np.array([value == wanted for value in dom.column("id")])
        if step["k"]:
            mask &= number == int(step["k"])
        found = np.flatnonzero(mask)
    return int(found[0]) if len(found) else None


def _checked(dom: Dom, nodes: Iterable[int]) -> list[int]:
    nodes = [int(node) for node in nodes]
    for node in nodes:
        if not 0 <= node < len(dom):
            raise ParameterError(f"A node from 0 to {len(dom) - 1} was expected, got {node}.")
    return nodes


def _with_ancestors(dom: Dom, nodes: Iterable[int]) -> list[int]:
    """Nodes and all their ancestors in document order, so parents first."""
    found: set[int] = set()
    for node in nodes:
        while node >= 0 and node not in found:
            found.add(node)
            node = int(dom.parent[node])
    return sorted(found)


def _xpath_step(name: str, space: str, number: int, child: int) -> str:
    """Step to a node: ``number`` counts siblings of its name, ``child`` all elements."""
    if name == "#text":
        return f"text()[{number}]"
    if space == "html" and _PLAIN_NAME.fullmatch(name):
        return f"{name}[{number}]"
    name = name_in(name, space)
    return f"*[{child}]" if "'" in name else f"*[name()='{name}'][{number}]"


def _tagged(dom: Dom, name: str) -> Mask:
    """(n,) True at the elements of a name, whatever its case in ASCII."""
    lower = name.encode("utf-8", "replace").lower().decode()
    wanted = dom.tags.index(lower) if lower in dom.tags else -1
    return np.equal(dom.tag, wanted)


def _passes(dom: Dom, step: re.Match[str]) -> Mask:
    """(n,) True at the nodes that the name of an XPath step means, whatever their namespace."""
    if step["text"]:
        return dom.is_text
    return ~dom.is_text if step["any"] else _tagged(dom, step["name"] or step["named"])


def _unique_ids(dom: Dom) -> dict[int, str]:
    """Return the id of every node whose id no other one has; in quirks mode case makes no difference."""
    if "id" not in dom.names:
        return {}
    place = np.flatnonzero(dom.attr_name == dom.names.index("id"))
    owner = np.searchsorted(dom.attr_start, place, side="right") - 1
    spans = zip(dom.value_start[place].tolist(), dom.value_start[place + 1].tolist(), strict=True)
    ids = [dom.values[start:stop] for start, stop in spans]
    count = Counter(map(str.lower, ids))
    return {
        node: own for node, own in zip(owner.tolist(), ids, strict=True) if own and count[own.lower()] == 1
    }


def css_name(name: str) -> str:
    """Write any string as a CSS identifier (CSSOM, 2.1)."""
    return _SPECIAL.sub(lambda m: f"\\{ord(m[0]):x} " if m["code"] else f"\\{m[0]}", name)


def _unescape(identifier: str) -> str:
    """Read a CSS identifier: the inverse of `css_name`."""
    return _ESCAPED.sub(lambda m: chr(min(int(m[1], 16), 0x10FFFF)) if m[1] else m[2], identifier)
