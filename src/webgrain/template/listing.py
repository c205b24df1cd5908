"""The lists of a page as tables: a STAR of the template is a list, its items rows, what varies a column.

The selectors can be used with any other tool: an item is found by that of the list, a field by that within
the item.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page.address import css_paths, xpaths
from webgrain.page.dom import TEXT
from webgrain.template.expression import SEQ
from webgrain.template.forest import marked
from webgrain.template.matching import Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.page.dom import Int32
    from webgrain.page.page import Page
    from webgrain.template.expression import Template
    from webgrain.template.forest import Marked

FEWEST = 2
"""Items that a list has at least."""

_ATTRIBUTES = {"a": "href", "img": "src"}


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a list: its name, where it is found, and the attribute, None for the text.

    css: selector of its element from an item on: empty for the item itself, ``~ dd`` for an element that
    follows the item and belongs to it.
    """

    name: str
    css: str
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """One list on a page.

    Attributes:
        css, xpath: of the element that holds it; items: CSS selector of the items within that element.
        fields: the columns; rows: a value for each field of each item, None where an item lacks it.
        nodes: the first node of each item in the Dom.
    """

    css: str
    xpath: str
    items: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[str | None, ...], ...]
    nodes: tuple[int, ...]

    def selectors(self) -> dict[str, Any]:
        """Return what finds the items and their fields on other pages, ready for JSON."""
        fields = [{"name": one.name, "css": one.css, "attribute": one.attribute} for one in self.fields]
        return {"list": self.css, "xpath": self.xpath, "items": self.items, "fields": fields}

    def records(self) -> list[dict[str, str | None]]:
        """Return the rows by name of the field."""
        return [dict(zip((field.name for field in self.fields), row, strict=True)) for row in self.rows]


def listings(template: Template, page: Page) -> list[Listing]:
    """Return the lists of a page that some item varies in, in document order; the uppermost ones.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
    >>> html = b"<ul><li><a href=/1>One</a><b>5</b><li><a href=/2>Two</a><li><a href=/3>Six</a><b>7</b></ul>"
    >>> page = parse(Source("a", html))
    >>> found = listings(RegexTree().fit([page]).template_, page)
    >>> found[0].items, [(field.name, field.css) for field in found[0].fields]
    ('li', [('a', 'a'), ('a_href', 'a'), ('b', 'b')])
    >>> found[0].rows
    (('One', '/1', '5'), ('Two', '/2', None), ('Six', '/3', '7'))
    """
    one = marked(page)
    at = Matcher(template).place(one)
    labels = one.tree.to_dom(at)
    found = [
        _Reader(template, page, labels, star).read(int(one.tree.node[above]), one.tree.node[nodes].tolist())
        for (above, star), nodes in _uppermost(template, one, at).items()
    ]
    return [listing for listing in found if listing.fields]


def _uppermost(template: Template, page: Marked, at: Int32) -> dict[tuple[int, int], list[int]]:
    """Return the items of each list that is in no other list, by the node above and the STAR."""
    items: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node in range(1, len(page)):
        star = int(template.list_of[at[node]]) if at[node] >= 0 else -1
        if star >= 0:
            items[int(page.tree.parent[node]), star].append(node)
    inside = np.zeros(len(page) + 1, np.int64)
    found = {}
    for (above, star), nodes in sorted(items.items()):
        if len(nodes) >= FEWEST and not inside[: above + 1].sum():
            found[above, star] = nodes
            for node in nodes:
                inside[node] += 1
                inside[page.tree.end[node]] -= 1
    return found


class _Reader:
    """Reads the items of one list."""

    def __init__(self, template: Template, page: Page, labels: Int32, star: int) -> None:
        self.template, self.page, self.labels = template, page, labels
        self.inside = range(star + 1, int(template.end[star]))
        parts = list(template.children(star + 1)) if template.op[star + 1] == SEQ else []
        self.leads = template.tags(parts[0] if parts else star)
        self.followers = [tag for part in parts[1:] for tag in template.tags(part)]
        self.items = {*self.leads, *self.followers}

    def read(self, above: int, nodes: list[int]) -> Listing:
        """Return the list of these nodes, the children of ``above``."""
        items = self._items(nodes)
        found = [self._values(item) for item in items]
        columns = sorted({key for values in found for key in values}, key=lambda key: (key[0], key[1] or ""))
        varying = [key for key in columns if len({values.get(key) for values in found}) > 1]
        names = _names([self._name(*key) for key in varying])
        fields = tuple(
            Field(name, self._css(node), attribute)
            for name, (node, attribute) in zip(names, varying, strict=True)
        )
        selectors = dict.fromkeys(self.template.name(tag) for tag in self.leads)
        return Listing(
            css_paths(self.page.dom, [above])[0],
            xpaths(self.page.dom, [above])[0],
            ", ".join(selectors),
            fields,
            tuple(tuple(values.get(key) for key in varying) for values in found),
            tuple(item[0] for item in items),
        )

    def _items(self, nodes: list[int]) -> list[list[int]]:
        """Return the nodes of each item: one, or one and what follows it in a record."""
        items: list[list[int]] = []
        for node in nodes:
            if self.labels[node] in self.leads or not items:
                items.append([])
            items[-1].append(node)
        return items

    def _values(self, item: list[int]) -> dict[tuple[int, str | None], str]:
        """Return the texts and addresses of an item by template node and attribute."""
        dom, texts = self.page.dom, defaultdict[tuple[int, str | None], list[str]](list)
        for top in item:
            for node in range(top, int(dom.end[top])):
                label = int(self.labels[node])
                if label not in self.inside:
                    continue  # unknown, or a node of another part of the template that is out of place
                attribute = _ATTRIBUTES.get(dom.name(node))
                if dom.tag[node] == TEXT:
                    holder = label if label in self.items else int(self.template.owner[label])
                    texts[holder, None].append(" ".join(dom.text_of(node).split()))
                elif attribute and (value := dom.get(node, attribute)):
                    texts[label, attribute].append(value)
        return {key: " ".join(values) for key, values in texts.items()}

    def _css(self, node: int) -> str:
        steps = []
        while node not in self.items:
            steps.append(self.template.name(node))
            node = int(self.template.owner[node])
        steps += [f"~ {self.template.name(node)}"] if node in self.followers else []
        return " > ".join(reversed(steps))

    def _name(self, node: int, attribute: str | None) -> str:
        symbol = self.template.symbols[node][0]
        name = symbol.marks[0].lstrip("#") if symbol.marks else symbol.tag
        return f"{name}_{attribute}" if attribute else name


def _names(names: Sequence[str]) -> list[str]:
    """Return the names, those that were there before with a number."""
    count: Counter[str] = Counter()
    found = []
    for name in names:
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name}_{count[name]}")
    return found
