"""Records: the lists of a page as tables.

A STAR of the template is a list, its items are rows, and the template nodes whose text or address varies
between items are columns. The selectors work in any other tool: the selector of the list finds its items,
and the selector of a field finds it within an item.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from webgrain.arrays import Float64, Int64
from webgrain.page.addresses import css_paths, xpaths
from webgrain.page.dom import TEXT
from webgrain.page.page import Page
from webgrain.templates.regextree import Match
from webgrain.templates.sections import FORMATTING
from webgrain.templates.template import SEQ, TypedTree, typed_tree
from webgrain.templates.thresholds import MENU_NOISE, MIN_ITEMS, PROSE_SHARE

# Elements that are parts of a text.
_PROSE = FORMATTING | {"p", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}

_ATTRIBUTES = {"a": "href", "img": "src"}


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a list: its name, its selector, and its attribute, None for the text.

    css: selector of its element within an item: empty for the item itself, ``~ dd`` for an element that
    follows the item and belongs to it.
    """

    name: str
    css: str
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list on a page.

    Attributes:
        css, xpath: of the element that contains it; items: CSS selector of the items within that element.
        fields: the columns; rows: a value for each field of each item, None if an item lacks it.
        nodes: the first node of each item in the Dom.
    """

    css: str
    xpath: str
    items: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[str | None, ...], ...]
    nodes: tuple[int, ...]

    def selectors(self) -> dict[str, Any]:
        """Return the selectors of the items and their fields, ready for JSON."""
        fields = [{"name": x.name, "css": x.css, "attribute": x.attribute} for x in self.fields]
        return {"list": self.css, "xpath": self.xpath, "items": self.items, "fields": fields}

    def to_dict(self) -> dict[str, Any]:
        """Return selectors and rows, ready for JSON."""
        return self.selectors() | {"records": self.records()}

    def records(self) -> list[dict[str, str | None]]:
        """Return the rows by name of the field."""
        return [dict(zip((field.name for field in self.fields), row, strict=True)) for row in self.rows]


def listings(page: Page | TypedTree, match: Match) -> list[Listing]:
    """Return the uppermost lists of a page whose items differ, in document order.

    match: the page matched with the template of its site.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.regextree import RegexTree
    >>> html = "<ul><li><a href=/1>One</a><b>5</b><li><a href=/2>Two</a><li><a href=/3>Six</a><b>7</b></ul>"
    >>> page = parse(html)
    >>> found = listings(page, RegexTree().fit([page]).predict(page))
    >>> found[0].items, [(field.name, field.css) for field in found[0].fields]
    ('li', [('a', 'a'), ('a_href', 'a'), ('b', 'b')])
    >>> found[0].rows
    (('One', '/1', '5'), ('Two', '/2', None), ('Six', '/3', '7'))
    """
    page = typed_tree(page)
    return _read(page, match, _uppermost(page, match))


def record_lists(page: TypedTree, match: Match, noise: Float64) -> list[Listing]:
    """Return the lists of a page that contain records: no menus, no paragraphs or words of a text.

    noise: (n,) noise confidence of the leaves of the page; a list of noise is a menu.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.regextree import RegexTree
    >>> page = typed_tree(parse("<ul><li>Home<li>News</ul><ol><li>One<li>Two</ol><p>A<p>B<p>C"))
    >>> match = RegexTree().fit([page]).predict(page)
    >>> noise = np.where(np.arange(page.tree.size) < 7, 1.0, 0.0)
    >>> [found.css for found in record_lists(page, match, noise)]
    ['html > body > ol']
    """
    node = page.tree.node
    prose = np.array([tag in _PROSE for tag, _ in page.types], bool)[page.type]
    size, noisy = (np.concatenate([[0.0], np.cumsum(x)]) for x in (page.tree.kind > 0, noise[node]))

    def is_kept(items: Int64) -> bool:
        ends = page.tree.end[items]
        noise, leaves = (float((x[ends] - x[items]).sum()) for x in (noisy, size))
        return bool(np.count_nonzero(prose[items]) < PROSE_SHARE * len(items)) and noise < MENU_NOISE * leaves

    lists = _uppermost(page, match)
    return _read(page, match, {key: items for key, items in lists.items() if is_kept(items)})


def _read(page: TypedTree, match: Match, lists: dict[tuple[int, int], Int64]) -> list[Listing]:
    """Return the lists with these items, without those whose items are equal."""
    if not lists:
        return []
    dom, node = page.page.dom, page.tree.node
    tops = [int(node[above]) for above, _ in lists]
    found = [
        _Reader(page.page, match, star).read(node[nodes].tolist(), css=css, xpath=xpath)
        for ((_, star), nodes), css, xpath in zip(
            lists.items(), css_paths(dom, tops), xpaths(dom, tops), strict=True
        )
    ]
    return [listing for listing in found if listing.fields]


def _uppermost(page: TypedTree, match: Match) -> dict[tuple[int, int], Int64]:
    """Return the items of each list outside of other lists, by the node above and the STAR."""
    tree, at = page.tree, match.labels[page.tree.node]
    known = 1 + np.flatnonzero(at[1:] >= 0)  # the root is no item
    star = match.template.list_of[at[known]]
    item, star = known[star >= 0], star[star >= 0]
    key = tree.parent[item].astype(np.int64) * len(match.template) + star
    order = np.argsort(key, kind="stable")
    keys, first = np.unique(key[order], return_index=True)
    item, inside, found = item[order], np.zeros(len(page), bool), {}
    for place, (start, stop) in zip(keys.tolist(), pairwise([*first.tolist(), len(item)]), strict=True):
        above, own = divmod(place, len(match.template))
        if stop - start >= MIN_ITEMS and not inside[above]:
            nodes = found[above, own] = item[start:stop]
            for node, end in zip(nodes.tolist(), tree.end[nodes].tolist(), strict=True):
                inside[node:end] = True
    return found


class _Reader:
    """Reads the items of a list."""

    def __init__(self, page: Page, match: Match, star: int) -> None:
        template = match.template
        self.template, self.page, self.labels = template, page, match.labels
        self.inside = range(star + 1, int(template.end[star]))
        parts = list(template.children(star + 1)) if template.op[star + 1] == SEQ else []
        self.leads = template.tags(parts[0] if parts else star)
        self.followers = [tag for part in parts[1:] for tag in template.tags(part)]
        self.items = {*self.leads, *self.followers}
        self.has_value = np.array([name == "#text" or name in _ATTRIBUTES for name in page.dom.tags])

    def read(self, nodes: list[int], *, css: str, xpath: str) -> Listing:
        """Return the list of these nodes; css, xpath: of the element that contains it."""
        items = self._items(nodes)
        found = self._values(items)
        columns = sorted({key for values in found for key in values}, key=lambda key: (key[0], key[1] or ""))
        varying = [key for key in columns if len({values.get(key) for values in found}) > 1]
        names = _names([self._name(*key) for key in varying])
        fields = tuple(
            Field(name, self._css(node), attribute)
            for name, (node, attribute) in zip(names, varying, strict=True)
        )
        selectors = dict.fromkeys(self.template.name(tag) for tag in self.leads)
        return Listing(
            css,
            xpath,
            ", ".join(selectors),
            fields,
            tuple(tuple(values.get(key) for key in varying) for values in found),
            tuple(item[0] for item in items),
        )

    def _items(self, nodes: list[int]) -> list[list[int]]:
        """Return the nodes of each item: one node, or the first of a record and those that follow it."""
        items: list[list[int]] = []
        for node in nodes:
            if self.labels[node] in self.leads or not items:
                items.append([])
            items[-1].append(node)
        return items

    def _values(self, items: list[list[int]]) -> list[dict[tuple[int, str | None], str]]:
        """Return the texts and addresses of each item by template node and attribute."""
        texts = [defaultdict[tuple[int, str | None], list[str]](list) for _ in items]
        rows = list(self._value_nodes(items))
        linked = [row[2] for row in rows if row[5] is not None]
        attributes = dict(zip(linked, self.page.dom.attributes_of(linked), strict=True))
        for number, label, node, start, stop, name in rows:
            if name is None:
                texts[number][label, None].append(" ".join(self.page.dom.text[start:stop].split()))
            elif value := attributes[node].get(name):
                texts[number][label, name].append(value)
        return [{key: " ".join(values) for key, values in found.items()} for found in texts]

    def _value_nodes(self, items: list[list[int]]) -> Iterator[tuple[int, int, int, int, int, str | None]]:
        """Yield the nodes with a text or an address: item, template node, node, span, attribute."""
        dom, tops = self.page.dom, np.array([top for item in items for top in item])
        size = dom.end[tops] - tops
        number = np.repeat(np.repeat(np.arange(len(items)), [len(item) for item in items]), size)
        node = np.arange(len(number)) + np.repeat(tops - np.cumsum(size) + size, size)
        label = self.labels[node]
        # Other nodes are unknown, or belong to another part of the template.
        used = (label >= self.inside.start) & (label < self.inside.stop) & self.has_value[dom.tag[node]]
        number, node, label = number[used], node[used], label[used]
        within = (dom.tag[node] == TEXT) & ~np.isin(label, list(self.items))
        holder = np.where(within, self.template.owner[label], label)
        columns = number, holder, node, dom.text_start[node], dom.text_start[node + 1]
        names = [_ATTRIBUTES.get(tag) for tag in dom.tags]
        own = [names[tag] for tag in dom.tag[node].tolist()]
        yield from zip(*(column.tolist() for column in columns), own, strict=True)

    def _css(self, node: int) -> str:
        steps = []
        while node not in self.items:
            steps.append(self.template.name(node))
            node = int(self.template.owner[node])
        steps += [f"~ {self.template.name(node)}"] if node in self.followers else []
        return " > ".join(reversed(steps))

    def _name(self, node: int, attribute: str | None) -> str:
        symbol = self.template.symbols[node][0]
        name = symbol.names[0].lstrip("#") if symbol.names else symbol.tag
        return f"{name}_{attribute}" if attribute else name


def _names(names: Sequence[str]) -> list[str]:
    """Return the names, repeated ones with a number."""
    count: Counter[str] = Counter()
    found = []
    for name in names:
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name}_{count[name]}")
    return found
