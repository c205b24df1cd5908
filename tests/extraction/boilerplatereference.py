"""The boilerplate elements of a page in NumPy and Python, as the reference of the kernel."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.extraction import thresholds
from webgrain.extraction.boilerplate import _ROLES, BOILERPLATE_NAMES, NAME_OF_TAG, _hint
from webgrain.page.dom import Dom
from webgrain.page.leaves import IMAGE, TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page
from webgrain.page.paths import places
from webgrain.page.strings import name_set
from webgrain.page.tagtables import TagSet

_IS_EXCLUDED = TagSet(
    *name_set("html body main article #text a b br em font h1 h2 h3 i img li option p small span strong"),
    *name_set("tbody td th tr"),
)


class BoilerplateElements:
    """The boilerplate elements of one page."""

    def __init__(self, page: Page, noise: Float64) -> None:
        self.dom = dom = page.dom
        kinds, length, link = leaf_kinds(page), np.diff(dom.text_start), dom.links()
        weight = np.select([kinds == TEXT_LEAF, kinds == IMAGE, kinds > 0], [length, 10, 5], 0).astype(
            np.float64
        )
        self.size, self.noisy = dom.subtree_sum(weight), dom.subtree_sum(weight * noise)
        self.linked = dom.subtree_sum(weight * (dom.inside(link) | link))
        content = np.where(dom.is_leaf, self.size - self.noisy, 0.0)
        self._content_before = np.append(0.0, np.cumsum(content))  # (n + 1,)
        self._own_names = own_names(dom)
        self._in_article = dom.inside(self._tagged("article"))
        headings = self._tagged("h1", "h2")
        repeated = np.where(self._tagged("h1"), thresholds.NOISY_ELEMENT, thresholds.NOISY_NAMED) * self.size
        self._has_own_heading = dom.subtree_sum(headings & (self.noisy < repeated)) > 0

    def _tagged(self, *names: str) -> Bool:
        return self.dom.tagged(*names)

    @cached_property
    def elements(self) -> list[tuple[int, str]]:
        """The boilerplate elements, in order, with their names."""
        dom, elements = self.dom, list[tuple[int, str]]()
        around: list[tuple[int, str]] = []  # ends and names of the elements around a node
        small = _IS_EXCLUDED.of_nodes(dom)
        possible = ~small & (self.size > 0) & (self.noisy >= thresholds.NOISY_NAMED * self.size)
        for node in np.flatnonzero(possible).tolist():
            while around and around[-1][0] <= node:
                around.pop()
            name = self._name(node)
            new = not around or (name != around[-1][1] and self._own_names[node])
            if name and new and len(elements) < thresholds.MOST_ELEMENTS:
                around.append((int(dom.end[node]), name))
                elements.append((node, name))
        return elements

    @cached_property
    def names(self) -> Int32:
        """(n,) the name of the innermost boilerplate element around each node, by its number; -1 for none."""
        names = np.full(len(self.dom), -1, np.int32)
        for node, name in self.elements:
            names[node : self.dom.end[node]] = BOILERPLATE_NAMES.index(name)
        return names

    def _name(self, node: int) -> str:
        """Return the name of an element; empty if it is not boilerplate.

        Header and footer are at the edges of the content; those of an article are information about it. An
        element without a name among the content may be a label of it. An element that contains the title of
        an article is not boilerplate.
        """
        name = self._own_names[node]
        name = "meta" if name in ("header", "footer") and self._in_article[node] else name
        if self._has_own_heading[node] and name not in ("navigation", "aside"):
            return ""
        if name in ("header", "footer"):
            return self._edge(node, thresholds.EDGE)
        if name or self.noisy[node] < thresholds.NOISY_ELEMENT * self.size[node]:
            return name
        linked = self.linked[node] >= thresholds.NAVIGATION_LINKED * self.size[node]
        menu = linked and self.size[node] >= thresholds.NAVIGATION_SIZE
        return "navigation" if menu else self._edge(node, thresholds.EDGE / 2)

    def _edge(self, node: int, share: float) -> str:
        """Return ``header`` or ``footer`` if little content comes before or after an element, else ""."""
        content = self._content_before
        before, after = content[node], content[-1] - content[self.dom.end[node]]
        least = share * content[-1]
        return "header" if before <= least else "footer" if after <= least else ""


def own_names(dom: Dom) -> list[str]:
    """Return the name (n,) that role, tag, id and classes give each element; empty for none."""
    types = places(dom)
    names = []
    for node, type_ in enumerate(types.type.tolist()):
        hint = _hint(f"{types.ids[type_] or ''} {types.classes[type_] or ''}"[:500])
        role = _ROLES.get((dom.get(node, "role") or "").lower(), "")
        name = role or NAME_OF_TAG.get(dom.name(node), "")
        names.append(hint if hint and name in ("", "navigation", "aside") else name)
    return names
