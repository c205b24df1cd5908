"""Addresses of nodes: XPath and CSS path of a node and back, and matching of many CSS selectors at once.

An XPath is canonical: it starts at the root, and each step has its number among the siblings of its name, as
in ``/html[1]/body[1]/div[2]/text()[1]``. Plain names do not match elements of SVG and MathML, because they
are in another namespace; their steps are written ``*[name()='svg'][1]``. A CSS path starts at the nearest id
that is unique on the page. ``document.evaluate`` and ``document.querySelector`` of a browser
return the same node.

`Selectors` matches a list of simple CSS selectors with all nodes of a page in one pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import inf
from typing import Any

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.page.dom import TEXT, Dom, cached_on_page
from webgrain.page.kernels import cssselectors
from webgrain.page.kernels.treepass import sibling_numbers
from webgrain.page.page import Page
from webgrain.page.paths import places
from webgrain.page.strings import css_name, name_set, unescape
from webgrain.page.tagtables import NameTable, TagTable
from webgrain.page.thresholds import ADDRESS_SHARE, MAX_ADDRESSES, SELECTOR_COMPARISONS
from webgrain.page.values import Question

# Names with capital letters inside SVG (HTML Standard, 13.2.6.1); the Dom has them in lower case.
_SVG_NAMES = {
    name.lower(): name
    for name in name_set(
        "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend "
        "feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting "
        "feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR "
        "feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting "
        "feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath"
    )
}
# Inside these elements the contents are HTML again (HTML Standard, 13.2.6).
_HTML_INSIDE = {"svg": ("foreignobject", "desc", "title"), "math": ("mi", "mo", "mn", "ms", "mtext")}
_HTML_ENCODINGS = ("text/html", "application/xhtml+xml")


def namespace(dom: Dom, node: int, around: str) -> str:
    """Namespace of a node ("html", "svg" or "math"), given that of its parent; "html" at the root.

    >>> from webgrain.page.parsing import parse_html
    >>> namespace(parse_html("<svg><title>"), 4, around="svg")
    'svg'
    """
    name = dom.name(node)
    if around != "html" and not _is_html_again(dom, int(dom.parent[node]), around, name):
        return around
    return name if name in ("svg", "math") else "html"


def _is_html_again(dom: Dom, node: int, space: str, child: str) -> bool:
    """Whether a child with this name is not in the namespace of its parent ``node``."""
    name = dom.name(node)
    if space == "math" and name == "annotation-xml":
        return child == "svg" or (dom.get(node, "encoding") or "").lower() in _HTML_ENCODINGS
    if space == "math" and child in ("mglyph", "malignmark"):
        return False
    return name in _HTML_INSIDE[space]


def namespace_of(dom: Dom, node: int) -> str:
    """Namespace of a node.

    >>> from webgrain.page.parsing import parse_html
    >>> namespace_of(parse_html("<svg><title><b>"), 5)
    'html'
    """
    space = "html"
    for above in [*reversed(dom.ancestors(node)), node]:
        space = namespace(dom, above, space)
    return space


def name_in(name: str, space: str) -> str:
    """Name of an element as in a browser; the Dom has all names in lower case.

    >>> name_in("lineargradient", "svg"), name_in("lineargradient", "html")
    ('linearGradient', 'lineargradient')
    """
    return _SVG_NAMES.get(name, name) if space == "svg" else name


_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_.-]*")
_XPATH_STEP = re.compile(
    r"/(?:(?P<text>text\(\))|\*\[name\(\)='(?P<named>[^']+)'\]|(?P<any>\*)|(?P<name>[A-Za-z_][\w.-]*))"
    r"(?:\[(?P<k>[1-9]\d{0,8})\])?"
)
_IDENTIFIER = r"(?:[\w\x80-\U0010ffff-]|\\[0-9a-fA-F]{1,6}+ ?+|\\[^0-9a-fA-F\n])++"
_CSS_STEP = (
    rf"(?!:|\Z)(?P<tag>{_IDENTIFIER})?(?:\#(?P<id>{_IDENTIFIER}))?(?::nth-of-type\((?P<k>[1-9]\d{{0,8}})\))?"
)
"""An expression that is compiled at its first use, which takes several milliseconds."""


def xpath(dom: Dom, node: int) -> str:
    """XPath of a node; `xpaths` is faster for many nodes.

    >>> from webgrain.page.parsing import parse_html
    >>> xpath(parse_html("<p>a<p>b<svg><path/></svg>c"), 8)
    "/html[1]/body[1]/p[2]/*[name()='svg'][1]/*[name()='path'][1]"
    """
    return xpaths(dom, [node])[0]


def xpaths(dom: Dom, nodes: Iterable[int]) -> list[str]:
    """XPaths of nodes, in their order; raises ParameterError for a node that is not in the Dom.

    >>> from webgrain.page.parsing import parse_html
    >>> xpaths(parse_html("<p>a<b>b</b>c"), [3, 7])
    ['/html[1]/body[1]/p[1]', '/html[1]/body[1]/p[1]/text()[2]']
    """
    nodes = _checked(dom, nodes)
    path = _xpaths(dom, nodes)
    return [path[node] for node in nodes]


def _xpaths(dom: Dom, nodes: list[int], limit: float = inf) -> dict[int, str]:
    steps: list[str] = _STEP_OF_TAGS.values(dom.tags).tolist()
    if all(steps) and not _has_others(dom):
        return _plain_xpaths(dom, nodes, steps, limit)
    tag, place = dom.tag.data, sibling_places(dom)[0].data

    def extended(above: str, node: int, space: str) -> str:
        if space == "html" and (step := steps[tag[node]]):
            return f"{above}{step}{place[node] + 1}]"
        name = dom.tags[tag[node]]
        child = 1 + int(_element_places(dom)[node]) if "'" in name else 0
        return f"{above}/{_xpath_step(name, space, place[node] + 1, child)}"

    return _paths(dom, nodes, extended, limit)


def _plain_xpaths(dom: Dom, nodes: list[int], steps: list[str], limit: float) -> dict[int, str]:
    """XPaths of nodes of plain HTML, as `_paths` returns them; steps: the step to each tag."""
    wanted = set(nodes)
    ordered = _with_ancestors(dom, nodes)
    parents, tags, places = (
        array[ordered].tolist() for array in (dom.parent, dom.tag, sibling_places(dom)[0] + 1)
    )
    paths = {}
    size = 0
    open_nodes, open_paths = [-1], [""]
    for node, parent, tag, place in zip(ordered, parents, tags, places, strict=True):
        while open_nodes[-1] != parent:
            open_nodes.pop()
            open_paths.pop()
        path = f"{open_paths[-1]}{steps[tag]}{place}]"
        open_nodes.append(node)
        open_paths.append(path)
        if node in wanted:
            size += len(path)
            if size > limit:
                break
            paths[node] = path
    return paths


def find_xpath(dom: Dom, path: str) -> int | None:
    """First node that an XPath selects, or None.

    Supports child steps with or without a number: ``/html/body/div[2]``, ``text()[1]``, ``*[3]``,
    ``*[name()='svg'][1]``; raises ParameterError for any other path.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p>a<b>b</b>c")
    >>> find_xpath(dom, "/html[1]/body[1]/p[1]/text()[2]"), find_xpath(dom, "/html[1]/p[1]")
    (7, None)
    """
    steps = list(_XPATH_STEP.finditer(path))
    if not path or "".join(step[0] for step in steps) != path:
        raise ParameterError(f"Expected an XPath like /html[1]/body[1]/div[2]/text()[1], got {path!r}.")
    nodes = np.array([-1])
    for step in steps:
        mask = np.isin(dom.parent, nodes) & _passes(dom, step)
        if step["name"] and dom.tagged("svg", "math").any():  # a plain name is one of HTML
            for node in np.flatnonzero(mask).tolist():
                mask[node] = namespace_of(dom, node) == "html"
        if step["k"]:
            mask &= sibling_numbers(dom.parent, mask.astype(np.int32))[0] + 1 == int(step["k"])
        nodes = np.flatnonzero(mask)
    return int(nodes[0]) if len(nodes) else None


def css(dom: Dom, node: int) -> str:
    """CSS path of an element, or of the parent of a text node; `css_paths` is faster for many nodes.

    >>> from webgrain.page.parsing import parse_html
    >>> css(parse_html("<div id=main><p>a<p>b"), 7)
    '#main > p:nth-of-type(2)'
    """
    return css_paths(dom, [node])[0]


def css_paths(dom: Dom, nodes: Iterable[int]) -> list[str]:
    r"""CSS paths of nodes, in their order; raises ParameterError for a node that is not in the Dom.

    >>> from webgrain.page.parsing import parse_html
    >>> css_paths(parse_html("<ul><li>a<li id='1'>b"), [3, 6])
    ['html > body > ul', '#\\31 ']
    """
    nodes = _checked(dom, nodes)
    elements = _elements(dom, nodes)
    path = _css_paths(dom, elements)
    return [path[node] for node in elements]


def _elements(dom: Dom, nodes: Iterable[int]) -> list[int]:
    """Return the nodes, or the parents of text nodes."""
    parent, tag = dom.parent.data, dom.tag.data
    return [parent[node] if tag[node] == TEXT else node for node in nodes]


def _css_paths(dom: Dom, elements: list[int], limit: float = inf) -> dict[int, str]:
    tag = dom.tag.data
    place, count = (array.data for array in sibling_places(dom))
    ids = unique_ids(dom)
    names: list[str] = _CSS_OF_TAGS.values(dom.tags).tolist()

    def extended(above: str, node: int, space: str) -> str:
        if node in ids:
            return f"#{css_name(ids[node])}"
        step = names[tag[node]] if space == "html" else css_name(name_in(dom.tags[tag[node]], space))
        step += "" if count[node] == 1 else f":nth-of-type({place[node] + 1})"
        return f"{above} > {step}" if above else step

    return _paths(dom, elements, extended, limit)


def addresses_of(dom: Dom, nodes: Iterable[int]) -> dict[int, tuple[str, str]]:
    """XPath and CSS path of nodes, in document order until either have too many characters.

    On a deep page, an address is longer than the node: without a limit, the addresses of a page of 1 MB could
    fill the memory, and a record be a hundred times as large as its page. The limit is `ADDRESS_SHARE` times
    the size of the page, and `MAX_ADDRESSES` at most.

    >>> from webgrain.page.parsing import parse_html
    >>> addresses_of(parse_html("<p>a"), [3])
    {3: ('/html[1]/body[1]/p[1]', 'html > body > p')}
    """
    ordered = sorted(set(nodes))
    elements = _elements(dom, ordered)
    most = _most_characters(dom)
    xpath = _xpaths(dom, ordered, most)
    css = _css_paths(dom, elements, most)
    addresses = {}
    for node, element in zip(ordered, elements, strict=True):
        if node in xpath and element in css:
            addresses[node] = (xpath[node], css[element])
    return addresses


def xpaths_of(dom: Dom, nodes: Iterable[int]) -> dict[int, str]:
    """XPath of the nodes that `addresses_of` returns, without the time for their CSS paths.

    >>> from webgrain.page.parsing import parse_html
    >>> xpaths_of(parse_html("<p>a"), [3])
    {3: '/html[1]/body[1]/p[1]'}
    """
    ordered = sorted(set(nodes))
    elements = _elements(dom, ordered)
    distinct = np.unique(np.array(elements, np.int64))
    most = _most_characters(dom)
    xpath = _xpaths(dom, ordered, most)
    is_short = np.cumsum(_css_lengths(dom)[distinct]) <= most
    if is_short.all():
        return xpath
    css = set(distinct[is_short].tolist())
    pairs = zip(ordered, elements, strict=True)
    return {node: xpath[node] for node, element in pairs if node in xpath and element in css}


def _most_characters(dom: Dom) -> int:
    """Return the number of characters of all XPaths or all CSS paths of a record, at most."""
    return min(ADDRESS_SHARE * (1000 + len(dom.text) + 4 * len(dom)), MAX_ADDRESSES)


@cached_on_page
def _css_lengths(dom: Dom) -> Int64:
    """Return the length (n,) of the CSS path of each element."""
    names = np.array([*map(len, _CSS_OF_TAGS.values(dom.tags).tolist())], np.int64)
    place, count = sibling_places(dom)
    numbers = len(":nth-of-type(1)") + np.searchsorted(10 ** np.arange(1, 10), place + 1, side="right")
    length = _sums_from_root(dom, len(" > ") + names[dom.tag] + np.where(count > 1, numbers, 0)) - len(" > ")
    changes = np.zeros(len(dom), np.int64)
    open_: list[tuple[int, int]] = []  # ends of elements with ids around, and the changes within them
    for node, value in unique_ids(dom).items():
        while open_ and open_[-1][0] <= node:
            open_.pop()
        change = len("#") + len(css_name(value)) - int(length[node])
        changes[node] = change - (open_[-1][1] if open_ else 0)
        open_.append((int(dom.end[node]), change))
    lengths: Int64 = length + _sums_from_root(dom, changes)
    return lengths


def _sums_from_root(dom: Dom, values: Int64) -> Int64:
    """Return the sum (n,) of the values of each node and its ancestors."""
    ended = np.zeros(len(dom) + 1, np.int64)
    np.add.at(ended, dom.end, values)
    sums: Int64 = np.cumsum(values - ended[:-1])
    return sums


def noted_xpaths(page: Page, nodes: Iterable[int]) -> tuple[dict[int, str], list[str]]:
    """Return the XPath of nodes, and the notes of a record with these addresses; see `noted_addresses`.

    >>> from webgrain.page.parsing import parse
    >>> noted_xpaths(parse("<p>One"), [3])
    ({3: '/html[1]/body[1]/p[1]'}, [])
    """
    wanted = set(nodes)
    where = xpaths_of(page.dom, wanted)
    return where, [*page.notes, *_left_out(len(wanted) - len(where))]


def _left_out(number: int) -> list[str]:
    """Return the note of addresses that are left out."""
    return [f"The addresses of {number:,} nodes are left out: they are too long."] if number else []


def noted_addresses(page: Page, nodes: Iterable[int]) -> tuple[dict[int, tuple[str, str]], list[str]]:
    """Return the XPath and the CSS path of nodes, and the notes of a record with these addresses.

    >>> from webgrain.page.parsing import parse
    >>> noted_addresses(parse("<p>One"), [3])
    ({3: ('/html[1]/body[1]/p[1]', 'html > body > p')}, [])
    """
    wanted = set(nodes)
    where = addresses_of(page.dom, wanted)
    return where, [*page.notes, *_left_out(len(wanted) - len(where))]


def find_css(dom: Dom, path: str) -> int | None:
    """First element that a CSS path selects, or None.

    Supports tags, ids and ``:nth-of-type(k)`` joined by `` > ``; raises ParameterError for any other
    selector.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div id=main><p>a<p>b")
    >>> find_css(dom, "#main > p:nth-of-type(2)"), find_css(dom, "#main > ul")
    (6, None)
    """
    steps = [re.fullmatch(_CSS_STEP, step) for step in path.split(" > ")]
    if None in steps:
        raise ParameterError(f"Expected a CSS path like #main > p:nth-of-type(2), got {path!r}.")
    number = sibling_places(dom)[0] + 1
    nodes = np.arange(-1, len(dom))
    for step in filter(None, steps):
        mask = np.isin(dom.parent, nodes) & ~dom.is_text
        if step["tag"]:
            mask &= _tagged(dom, unescape(step["tag"]))
        if step["id"]:
            wanted = unescape(step["id"])
            mask &= np.array([value == wanted for value in dom.column("id")])
        if step["k"]:
            mask &= number == int(step["k"])
        nodes = np.flatnonzero(mask)
    return int(nodes[0]) if len(nodes) else None


def _checked(dom: Dom, nodes: Iterable[int]) -> list[int]:
    nodes = [int(node) for node in nodes]
    for node in nodes:
        if not 0 <= node < len(dom):
            raise ParameterError(f"Expected a node from 0 to {len(dom) - 1}, got {node}.")
    return nodes


def _paths(
    dom: Dom, nodes: list[int], extended: Callable[[str, int, str], str], limit: float
) -> dict[int, str]:
    """Paths of nodes, in document order up to ``limit`` characters.

    extended: the path of a node from that of its parent, the node and its namespace. Of other nodes, only the
    paths of the ancestors of the current node are kept.
    """
    wanted = set(nodes)
    parent = dom.parent.data
    has_others = _has_others(dom)
    paths = {}
    size = 0
    open_ = [(-1, "", "html")]
    for node in _with_ancestors(dom, nodes):
        while open_[-1][0] != parent[node]:
            open_.pop()
        _, above, around = open_[-1]
        space = namespace(dom, node, around) if has_others else "html"
        path = extended(above, node, space)
        open_.append((node, path, space))
        if node in wanted:
            size += len(path)
            if size > limit:
                break
            paths[node] = path
    return paths


def _has_others(dom: Dom) -> bool:
    """Whether there are elements of other namespaces than that of HTML."""
    return bool(dom.tagged("svg", "math").any())


def _with_ancestors(dom: Dom, nodes: Iterable[int]) -> list[int]:
    """Nodes and all their ancestors in document order."""
    parent = dom.parent.data
    reached: set[int] = set()
    for node in nodes:
        while node >= 0 and node not in reached:
            reached.add(node)
            node = parent[node]
    return sorted(reached)


def _plain_step(name: str) -> str:
    """Return the step of an XPath to nodes with a tag, up to their number; empty for an odd name."""
    if name == "#text":
        return "/text()["
    return f"/{name}[" if _PLAIN_NAME.fullmatch(name) else ""


_STEP_OF_TAGS = TagTable(_plain_step, np.object_)
_CSS_OF_TAGS = TagTable(css_name, np.object_)


def _xpath_step(name: str, space: str, number: int, child: int) -> str:
    """Step to a node. number: place among the siblings of its name; child: the same among all elements."""
    if name == "#text":
        return f"text()[{number}]"
    if space == "html" and _PLAIN_NAME.fullmatch(name):
        return f"{name}[{number}]"
    name = name_in(name, space)
    return f"*[{child}]" if "'" in name else f"*[name()='{name}'][{number}]"


def _tagged(dom: Dom, name: str) -> Bool:
    """(n,) True at the elements with a name; ASCII case is ignored."""
    return dom.tagged(name.encode("utf-8", "replace").lower().decode())


def _passes(dom: Dom, step: re.Match[str]) -> Bool:
    """(n,) True at the nodes that match the name of an XPath step, in any namespace."""
    if step["text"]:
        return dom.is_text
    return ~dom.is_text if step["any"] else _tagged(dom, step["name"] or step["named"])


@cached_on_page
def sibling_places(dom: Dom) -> tuple[Int32, Int32]:
    """Return the place (n,) of each node among the siblings of its tag, from 0, and their number; read-only.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p>a<p>b")  # html, head, body, p, text, p, text
    >>> [array.tolist() for array in sibling_places(dom)]
    [[0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 2, 1, 2, 1]]
    """
    place, count = sibling_numbers(dom.parent, dom.tag)
    place.setflags(write=False)
    count.setflags(write=False)
    return place, count


@cached_on_page
def _element_places(dom: Dom) -> Int32:
    """Return the place (n,) of each element among its sibling elements, from 0."""
    place: Int32 = sibling_numbers(dom.parent, dom.is_text.astype(np.int32))[0]
    return place


@cached_on_page
def unique_ids(dom: Dom) -> dict[int, str]:
    """Return the id of every node whose id is unique on the page, ignoring case (for quirks mode).

    >>> from webgrain.page.parsing import parse_html
    >>> unique_ids(parse_html("<p id=a><p id=b><p id=B>"))
    {3: 'a'}
    """
    attributes, owners = dom.find_attribute("id")
    ids = [value or "" for value in dom.values_of(attributes)]
    keys = list(map(str.lower, ids))
    owned = zip(owners.tolist(), ids, keys, strict=True)
    if len(set(keys)) == len(keys):
        return {node: id_ for node, id_, _ in owned if id_}
    count = Counter(keys)
    return {node: id_ for node, id_, key in owned if id_ and count[key] == 1}


class Selectors:
    """A list of CSS selectors, compiled once and matched with many pages.

    An entry may be several selectors, separated by commas. Pseudo-elements, ``:has`` and states such as
    ``:hover`` match nothing. most: the number of selectors that are read, with those inside selectors.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div class=a><nav><p>x</nav></div><p>y")
    >>> found = Selectors(["div > p", ".a p", "p:hover"]).find(dom)
    >>> [array.tolist() for array in found]  # html, head, body, div, nav, p, text, p, text
    [[5], [1]]
    """

    def __init__(self, css: Sequence[str], most: float = inf) -> None:
        selectors = []
        for entry, text in enumerate(css):
            most -= 1 + text.count(",")
            if most < 0:
                break
            for weight, key, compounds in cssselectors.read_selectors(text):
                selectors.append((weight, key, compounds, entry))
        selectors.sort(key=lambda selector: selector[0])  # the cascade
        self._entry = np.array([entry for *_, entry in selectors], np.int32)
        self._compiled = cssselectors.compile_selectors([compounds for _, _, compounds, _ in selectors])
        *_, tests, _, _, _ = self._compiled
        kinds = set(tests.tolist())
        self._counted = [row for row in (0, 2) if not kinds.isdisjoint(_COUNTING[row])]
        keys = np.array([key for _, key, _, _ in selectors], np.int64)
        order = np.argsort(keys, kind="stable")
        self._key, first = np.unique(keys[order], return_index=True)
        self._start = np.append(first, len(keys)).astype(np.int32)
        self._waiting = order.astype(np.int32)

    def find(self, dom: Dom, comparisons: int = SELECTOR_COMPARISONS) -> tuple[Int32, Int32]:
        """Return the pairs that match: nodes (k,), ascending, and the number (k,) of an entry each.

        The pairs of a node are in the order of the cascade: by specificity, then by number. comparisons: of a
        node with a compound, and 200 more per node; after that nothing matches.
        """
        tag = _TAG_HASHES.of_nodes(dom)
        attributes, with_id = dom.find_attribute("id")
        identity = np.zeros(len(dom), np.int64)
        identity[with_id] = dom.ask(_ID_HASH, attributes)
        names = np.append(_NAME_HASHES.values(dom.names), 0)
        matcher = cssselectors.Matcher(  # type: ignore[no-untyped-call]
            dom.parent,
            (tag, identity, places(dom).type, *_class_hashes(dom)),
            (dom.attr_start, dom.attr_name, names, dom.value, dom.values.texts),
            _sibling_numbers(dom, self._counted),
            self._compiled,
            comparisons + 200 * len(dom),
        )
        node, selector = matcher.match(self._key, self._start, self._waiting)
        return node, self._entry[selector]


def unsupported_selector(css: str) -> str | None:
    """Return the first selector of a list that `Selectors` does not support; None if there is no such one.

    >>> unsupported_selector("ul.nav > li, a:not(.b)"), unsupported_selector("p, a:hover")
    (None, 'a:hover')
    """
    for selector in cssselectors.split_selectors(css):
        read = cssselectors.read_selectors(selector)
        if len(read) != 1 or _GUESSED.search(_QUOTED.sub("", selector)) or not _can_match(read[0][2]):
            return str(selector.strip())
    return None


_QUOTED = re.compile(r"\\.|\"[^\"]*\"|'[^']*'", re.DOTALL)
_GUESSED = re.compile(r":(?:lang|dir|enabled|optional|valid|read-write)\b", re.IGNORECASE)
"""Pseudo-classes that style sheets may have, but that are read as if they were true."""


def _can_match(compounds: list[tuple[Any, ...]]) -> bool:
    """Whether all tests of a selector are read, and of the selectors in it."""
    for *_, tests, _ in compounds:
        for test, inner, _ in tests:
            if test == cssselectors.NEVER:
                return False
            if test in (cssselectors.ANY, cssselectors.NONE) and not (inner and all(map(_can_match, inner))):
                return False
    return True


_TAG_HASHES = TagTable(lambda tag: 0 if tag == "#text" else cssselectors.token_hash(tag), np.int64)
_NAME_HASHES = NameTable(lambda name: cssselectors.token_hash("[" + name), np.int64)
_TOKEN = re.compile(r"[^ \n\t\r\f]+")


def _id_hash(value: str) -> int:
    """Return the hash of the first word of an id, 0 for none."""
    match = _TOKEN.search(value)
    return cssselectors.token_hash("#" + match[0]) if match else 0


_ID_HASH = Question(_id_hash, np.int64)
_CLASS_HASHES = Question(
    lambda value: tuple([cssselectors.token_hash("." + name) for name in _TOKEN.findall(value)])
)


_COUNTING = {row: (cssselectors.NTH + row, cssselectors.NTH_LAST + row) for row in (0, 2)}
"""The tests that need the numbers of nodes, by the row of `_sibling_numbers`."""


@cached_on_page
def _class_hashes(dom: Dom) -> tuple[Int32, Int64]:
    """Return where the hashes of the classes of each type of elements begin (t + 1,), and these."""
    class_value = places(dom).class_value
    has_class = class_value >= 0
    count = np.zeros(len(has_class) + 1, np.int32)
    hashes = dom.values.answers(_CLASS_HASHES, class_value[has_class]).tolist()
    count[1:][has_class] = list(map(len, hashes))
    return np.cumsum(count, dtype=np.int32), np.array(list(chain.from_iterable(hashes)), np.int64)


def _sibling_numbers(dom: Dom, counted: Sequence[int]) -> Int32:
    """(4, n) Numbers of the nodes among the elements of their parent, from 1, for the tests that need them.

    The rows count from the first and from the last element, then the same among elements of one tag. counted:
    0 and 2 if the first or the last two rows are needed; others are 0.
    """
    rows = np.zeros((4, len(dom)), np.int32)
    if 0 in counted:
        place, count = sibling_numbers(dom.parent, dom.is_text.astype(np.int32))
        rows[:2] = place + 1, count - place
    if 2 in counted:
        place, count = sibling_places(dom)
        rows[2:] = place + 1, count - place
    return rows
