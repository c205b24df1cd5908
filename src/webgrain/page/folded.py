"""Folded parts of a page: hidden content that the reader opens, such as tabs and accordions.

A folded part is an outermost hidden element with a text, and one of these facts names its opener, the visible
element to which it belongs; the first fact that holds counts:

    its parent is <details>                                        the <summary>, else the <details>
    a visible element refers to its id (`REFERENCES`)              that element
    it refers to a visible element with ``aria-labelledby``        that element
    a link, button or label (`CONTROLS`) stands before it          that element
    its parent has other parts of its tag, hidden in the same
    way behind visible elements of one tag                         the visible element before it
    a visible sibling has its tag and one of its classes           the parent

Dialogs are not folded parts, because they belong to no place on the page, and neither are the options of a
control. Elements that no browser shows, and elements with the attribute ``hidden`` inside a folded part, stay
hidden.

Source: our own; the attributes are those of HTML and of WAI-ARIA 1.2 (``aria-controls``, ``tabpanel``).
Cost: linear in the nodes and attributes.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from webgrain.arrays import Bool, Int32
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import never_shown, visible_nodes
from webgrain.page.page import DISPLAY, Page
from webgrain.page.strings import has_text, name_set

REFERENCES = name_set("href aria-controls data-target data-bs-target data-toggle-target")
"""Attributes that name what an element opens, by its id; all but ``aria-controls`` with a ``#``."""
CONTROLS = name_set("a button label summary")
DIALOGS, NEVER = name_set("dialog alertdialog"), name_set("#text dialog option optgroup")


@cached_on_page
def folded_parts(page: Page) -> Int32:
    """(n,) The opener of the folded part that each node is in, -1 at all other nodes; read-only.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<button aria-controls=more>More</button><p id=more hidden>Details</p><p hidden>No</p>")
    >>> folded_parts(page).tolist()  # html, head, body, button, text, p, text, p, text
    [-1, -1, -1, -1, -1, 3, 3, -1, -1]
    """
    dom, visible = page.dom, visible_nodes(page)
    never = never_shown(dom)
    never |= dom.inside(never)
    root = _outermost_hidden(page, visible, never)
    opener = np.full(len(dom), -1, np.int32)
    if root.any():
        finder = _Openers(dom, visible, root)
        for part in np.flatnonzero(root).tolist():
            opener[part] = finder.opener(part)
        part = innermost(dom.parent, root.view(np.uint8))
        opener = np.where(part >= 0, opener[part], -1).astype(np.int32)
        kept_hidden = np.zeros(len(dom), bool)
        kept_hidden[dom.find_attribute("hidden")[1]] = True
        kept_hidden &= ~root
        opener[never | kept_hidden | dom.inside(kept_hidden)] = -1
    opener.setflags(write=False)
    return opener


def _outermost_hidden(page: Page, visible: Bool, never: Bool) -> Bool:
    """Mark the hidden nodes with a text whose parent is visible, or empty because all inside it is hidden."""
    dom, around = page.dom, visible
    texts = dom.subtree_sum(has_text(dom) & ~never)
    if page.view is not None:
        empty = (page.view.display != DISPLAY.index("none")) & (page.view.box[:, 2:].min(axis=1) <= 0)
        around = visible | (empty & ~dom.is_text)
    hidden: Bool = ~around & ~never & (texts > 0) & (dom.parent >= 0)
    hidden &= around[dom.parent]
    return hidden


class _Openers:
    """Finds the opener of each folded part of a page."""

    def __init__(self, dom: Dom, visible: Bool, root: Bool) -> None:
        self.dom, self.visible, self.root = dom, visible, root
        self.ids = dom.column("id")
        self.classes = [frozenset((value or "").split()) for value in dom.column("class")]
        self.roles, self.labels = dom.column("role"), dom.column("aria-labelledby")
        self.of_id = {name: node for node, name in enumerate(self.ids) if name and visible[node]}
        self.referring = self._referring()
        self.around: dict[int, _Siblings] = {}

    def _referring(self) -> dict[str, int]:
        """Return the first visible element that refers to each id."""
        found: dict[str, int] = {}
        for name in REFERENCES & set(self.dom.names):
            attributes, nodes = self.dom.find_attribute(name)
            for node, value in zip(nodes.tolist(), self.dom.values_of(attributes), strict=True):
                if self.visible[node] and value and (value[0] == "#" or name == "aria-controls"):
                    for target in value.split():
                        found.setdefault(target.lstrip("#"), node)
        return found

    def opener(self, part: int) -> int:
        """Return the opener of a hidden part, -1 if it is not a folded part."""
        parent = int(self.dom.parent[part])
        if parent not in self.around:
            self.around[parent] = _Siblings(self, parent)
        siblings = self.around[parent]
        if self.dom.name(parent) == "details":
            return siblings.summary
        if self.dom.name(part) in NEVER or self.roles[part] in DIALOGS:
            return -1
        label = (self.labels[part] or "").split(" ", 1)[0]
        for node in (self.referring.get(self.ids[part] or " "), self.of_id.get(label)):
            if node is not None:
                return node
        return siblings.opener(part)


class _Siblings:
    """The children of one element that can open a folded part among them."""

    def __init__(self, page: _Openers, parent: int) -> None:
        self.page, self.parent = page, parent
        dom = page.dom
        self.before: dict[int, int] = {}
        """The visible element directly before each folded part."""
        self.open: set[tuple[str, str]] = set()
        """Tag and class of visible children."""
        self.summary, last = parent, -1
        for child in dom.children(parent):
            if dom.tag[child] == 0:
                continue
            if page.visible[child]:
                self.open.update((dom.name(child), name) for name in page.classes[child])
                self.summary = child if dom.name(child) == "summary" else self.summary
                last = child
            elif page.root[child]:
                self.before[child] = last
                last = -1
        self.pairs = Counter((dom.name(a), dom.name(b)) for a, b in self.before.items() if b >= 0)

    def opener(self, part: int) -> int:
        """Return the visible sibling, or the parent, that opens a part; -1 for neither."""
        page, tag, before = self.page, self.page.dom.name(part), self.before[part]
        if before >= 0:
            name = page.dom.name(before)
            if name in CONTROLS or page.roles[before] in ("button", "tab") or self.pairs[tag, name] > 1:
                return before
        return self.parent if any((tag, name) in self.open for name in page.classes[part]) else -1
