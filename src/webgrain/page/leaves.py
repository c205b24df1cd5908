"""The visible leaves of a page, and its folded parts.

A leaf is a visible node that a reader sees as one thing: a text, an image, a form control, an embedded
object, or an element whose only visible content is a background image. Everything inside a control or an
embedded object belongs to that leaf. `webgrain.page.outline` has the trees above the leaves.

Folded parts are hidden content that the reader opens, such as tabs and accordions. A folded part is an
outermost hidden element with a text, and one of these facts names its opener, the visible element to which
it belongs; the first fact that holds counts:

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

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from webgrain.base.arrays import Bool, Int8, Int32
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels import treepass
from webgrain.page.kernels.treepass import innermost
from webgrain.page.page import DISPLAY, Page
from webgrain.page.strings import has_text, name_set
from webgrain.page.tagtables import TagSet, TagTable
from webgrain.page.values import Question

TEXT_LEAF, IMAGE, CONTROL, EMBED, BACKGROUND = 1, 2, 3, 4, 5
LEAF_KINDS = ("none", "text", "image", "control", "embed", "background")
"""Kinds of leaves, by number; 0 is not a leaf."""

_KIND_OF_TAG = {
    "#text": TEXT_LEAF,
    "img": IMAGE,
    **dict.fromkeys(name_set("input select textarea button meter progress"), CONTROL),
    **dict.fromkeys(name_set("iframe object embed svg video canvas audio applet math"), EMBED),
}
_KINDS_OF_TAGS = TagTable(lambda tag: _KIND_OF_TAG.get(tag, 0), np.int8)
_STREAMED = re.compile(r"S:[0-9a-f]+")
_IS_STREAMED = Question(lambda id_: _STREAMED.fullmatch(id_) is not None, bool)
_CLASSES = Question(lambda value: frozenset(value.split()))
_NO_CLASSES = frozenset[str]()
_IS_NEVER_SHOWN = TagSet(
    "head", "script", "style", "template", "noscript", "title", "noframes", "datalist", "param", "source"
)


@cached_on_page
def leaf_kinds(page: Page) -> Int8:
    """Kind of leaf of every node (n,); 0 at nodes that are not leaves; read-only.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>Hello <img src=x> <button>Go</button><script>1</script>")
    >>> [LEAF_KINDS[k] for k in leaf_kinds(page) if k]
    ['text', 'image', 'control']
    """
    dom = page.dom
    visible = visible_nodes(page)
    of_texts = has_text(dom).view(np.uint8)
    kinds = _KINDS_OF_TAGS.values(dom.tags)
    leaves: Int8 = treepass.leaf_kinds(dom.parent, dom.tag, kinds, visible.view(np.uint8), of_texts)
    if page.view is not None:
        inside = dom.inside((leaves > 0) & ~dom.is_text)
        alone = page.view.background_image & visible & ~inside & (dom.subtree_sum(leaves > 0) == 0)
        # Of nested background images without other content, only the innermost one is a leaf.
        leaves[alone & (dom.subtree_sum(alone) == 1)] = BACKGROUND
    leaves.setflags(write=False)
    return leaves


@cached_on_page
def visible_nodes(page: Page) -> Bool:
    """(n,) True at visible nodes: those of the view, else all that are not known to be hidden; read-only.

    Without `Page.hidden`, only elements that no browser shows and the attribute ``hidden`` count.

    >>> from webgrain.page.parsing import parse
    >>> visible_nodes(parse("<p>a<p hidden>b")).tolist()  # html, head, body, p, text, p, text
    [True, False, True, True, True, False, False]
    """
    if page.view is not None:
        return page.view.visible
    if page.hidden is not None:
        visible: Bool = ~page.hidden
    else:
        dom = page.dom
        never = _IS_NEVER_SHOWN.values(dom.tags).view(np.uint8)
        visible = treepass.shown_nodes(dom.parent, dom.tag, never, dom.find_attribute("hidden")[1])
    visible.setflags(write=False)
    return visible


def never_shown(dom: Dom) -> Bool:
    """(n,) True at elements that no browser shows, such as ``<script>``, but not at the nodes inside."""
    return _IS_NEVER_SHOWN.of_nodes(dom)


def show_streamed(dom: Dom) -> Dom:
    """Return a tree in which the hidden parts that React sent are visible; the nodes are the same.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div hidden id=S:0>Text</div><p hidden>No")  # html, head, body, div, text, p, text
    >>> [tree.find_attribute("hidden")[1].tolist() for tree in (dom, show_streamed(dom))]
    [[3, 5], [5]]
    """
    hidden, owners = dom.find_attribute("hidden")
    if not len(hidden):
        return dom
    streamed = np.isin(owners, dom.nodes_where("id", _IS_STREAMED))
    if not streamed.any():
        return dom
    # Under another name the attribute hides nothing.
    attr_name = dom.attr_name.copy()
    attr_name[hidden[streamed]] = len(dom.names)
    return replace(dom, names=(*dom.names, "data-hidden"), attr_name=attr_name)


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
        self.ids, self.roles, self.labels = map(self._values, ("id", "role", "aria-labelledby"))
        attributes, nodes = dom.find_attribute("class")
        classes = dom.ask(_CLASSES, attributes).tolist()
        self._classes: dict[int, frozenset[str]] = dict(zip(nodes.tolist(), classes, strict=True))
        self.of_id = {name: node for node, name in self.ids.items() if name and visible[node]}
        self.referring = self._referring()
        self.around: dict[int, _Siblings] = {}

    def _values(self, attribute: str) -> dict[int, str]:
        """Return the value of an attribute of each element that has it."""
        attributes, nodes = self.dom.find_attribute(attribute)
        return dict(zip(nodes.tolist(), map(str, self.dom.values_of(attributes)), strict=True))

    def _referring(self) -> dict[str, int]:
        """Return the first visible element that refers to each id."""
        referring: dict[str, int] = {}
        for name in sorted(REFERENCES & set(self.dom.names)):
            attributes, nodes = self.dom.find_attribute(name)
            for node, value in zip(nodes.tolist(), self.dom.values_of(attributes), strict=True):
                if self.visible[node] and value and (value[0] == "#" or name == "aria-controls"):
                    for target in value.split():
                        referring.setdefault(target.lstrip("#"), node)
        return referring

    def classes(self, node: int) -> frozenset[str]:
        """Return the classes of an element."""
        return self._classes.get(node, _NO_CLASSES)

    def opener(self, part: int) -> int:
        """Return the opener of a hidden part, -1 if it is not a folded part."""
        parent = int(self.dom.parent[part])
        if parent not in self.around:
            self.around[parent] = _Siblings(self, parent)
        siblings = self.around[parent]
        if self.dom.name(parent) == "details":
            return siblings.summary
        if self.dom.name(part) in NEVER or self.roles.get(part) in DIALOGS:
            return -1
        label = self.labels.get(part, "").split(" ", 1)[0]
        for node in (self.referring.get(self.ids.get(part) or " "), self.of_id.get(label)):
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
                self.open.update((dom.name(child), name) for name in page.classes(child))
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
            if name in CONTROLS or page.roles.get(before) in ("button", "tab") or self.pairs[tag, name] > 1:
                return before
        return self.parent if any((tag, name) in self.open for name in page.classes(part)) else -1
