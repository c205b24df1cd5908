"""The references of a page as cells of a part: where each leads, its text, and its place on the page.

`reference_cells` returns these cells. `webgrain.site.links` resolves the references of all pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

import numpy as np

from webgrain.base.arrays import Bool, Int8, Int16, Int32, Int64
from webgrain.io.local import FolderAssets, SiteFolder, ZipAssets
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import innermost
from webgrain.page.links import (
    LOCAL_HOST,
    absolute_urls,
    addresses,
    base_of,
    joined,
    redirect,
    texts_with_images,
)
from webgrain.page.page import Page, Source
from webgrain.page.paths import text_key
from webgrain.page.references import FORMS, USES, References, references
from webgrain.page.tagtables import AttributeBits, TagSet, TagTable
from webgrain.page.values import Question
from webgrain.site.model import Prediction
from webgrain.site.tables import ColumnTypes, TableRow

REFERENCE_COLUMNS: ColumnTypes = (
    ("addresses", "list"),
    ("refresh", "string"),
    ("ids", "numbers"),
    ("link_targets", "list"),
    ("link_urls", "list"),
    ("link_texts", "list"),
    ("link_rels", "list"),
    ("link_nodes", "numbers"),
    ("link_codes", "numbers"),
    ("link_parts", "numbers"),
)
"""Columns of a part with the references of a page: its canonical addresses, the target of its redirect, the
keys of its ids (`anchor_key`; null if they are not all known), and for each reference its canonical target,
its address, text, ``rel``, the number of its node, a `Code` as a number, and the key of the name of the part
of a page that it leads to (0 for none)."""

_LONGEST_URL = 2000  # characters of the address of a reference
_LONGEST_TEXT = 200  # characters of its text
_LONGEST_NAME = 200  # characters of a class or an id

MARKS = ("", "+", "-")
"""What is known of the file of a reference: nothing, it exists, it does not."""


class Code(NamedTuple):
    """What is known of a reference besides its address.

    Attributes:
        element, attribute, use: see `webgrain.page.references.Form`. position: one of `POSITIONS`.
        mark: one of `MARKS`. scripted: whether a script may handle a click on it.
    """

    element: str
    attribute: str
    use: str
    position: str
    mark: str
    scripted: bool


def read_code(number: int) -> Code:
    """Return what the number of a reference states.

    >>> form = [form[:2] for form in FORMS].index(("img", "src"))
    >>> number = _codes(*map(np.array, ([form], [FORMS[form].use], [2], [1], [False])))
    >>> read_code(int(number[0]))
    Code(element='img', attribute='src', use='image', position='navigation', mark='+', scripted=False)
    """
    number, scripted = divmod(number, 2)
    number, mark = divmod(number, len(MARKS))
    number, position = divmod(number, len(POSITIONS))
    form, use = divmod(number, len(USES))
    element, attribute, _ = FORMS[form]
    return Code(element, attribute, USES[use], POSITIONS[position], MARKS[mark], bool(scripted))


def _codes(form: Int16, use: Int8, position: Int8, mark: Int8, scripted: Int32) -> Int64:
    """Return the code of each reference (k,)."""
    code: Int64 = form.astype(np.int64) * len(USES) + use
    code = code * len(POSITIONS) + position
    code = code * len(MARKS) + mark
    return code * 2 + scripted


def reference_cells(prediction: Prediction, item: Source | Page, files: KnownFiles) -> TableRow:
    """Return the references of a page as cells of the columns `REFERENCE_COLUMNS`.

    item: what the page was read from; files: those of the pages of the shard.
    """
    page = prediction.page
    dom = page.dom
    links = references(page)
    if page.url:
        urls = absolute_urls(page, links.value)
    else:
        urls = dom.values.answers(_STRIPPED, links.value).tolist()
    cut_urls = [url[:_LONGEST_URL] for url in urls]
    targets, marks = files.marks(page, item, links)
    stated = _STATED.of_nodes(dom)
    scripted = stated[links.node] // _BY_SCRIPT | _opens_menu(dom, links)
    position = _positions(prediction, links.node, stated)
    return {
        "addresses": addresses(page),
        "refresh": redirect(page) or None,
        "ids": None if page.notes else _ids(dom),
        "link_targets": targets,
        "link_urls": cut_urls,
        "link_texts": _texts(dom, links.node),
        "link_rels": _relations(dom, links.node),
        "link_nodes": links.node,
        "link_codes": _codes(links.form, links.use, position, marks, scripted),
        "link_parts": np.array([part_key(url) if "#" in url else 0 for url in cut_urls], np.int64),
    }


_STRIPPED = Question(str.strip)
_IS_FRAGMENT = Question(lambda href: href.lstrip()[:1] == "#", np.bool_)


def _opens_menu(dom: Dom, links: References) -> Bool:
    """(k,) whether each reference is the label of a list that follows, as in menus: it leads nowhere.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<li><a href=#more>A</a> <ul><li><a href=#part>B</a></ul><li><a href=c>C</a><ul></ul>")
    >>> _opens_menu(page.dom, references(page)).tolist()
    [True, False, False]
    """
    opens = np.zeros(len(links.node), np.bool_)
    rows = dom.values.answers(_IS_FRAGMENT, links.value).nonzero()[0]
    if not len(rows):
        return opens
    node = links.node[rows]
    last = len(dom) - 1
    behind = np.minimum(dom.end[node], last)
    behind = np.where(dom.is_text[behind], np.minimum(behind + 1, last), behind)
    is_beside = dom.parent[behind] == dom.parent[node]
    is_menu = dom.tag[behind] == dom.tag_number("ul")
    opens[rows] = is_beside & is_menu & (dom.tag[dom.parent[node]] == dom.tag_number("li"))
    return opens


def anchor_key(name: str) -> int:
    """Return the key of an id, or of the fragment of an address, with or without escapes.

    >>> anchor_key("a%20b") == anchor_key("a b")
    True
    """
    key = text_key(unquote(name) if "%" in name else name)
    return key - 2**64 if key >= 2**63 else key


_ANCHOR_KEY = Question(anchor_key, np.int64)


_OF_SCRIPTS = frozenset("=&|")
_WIDGETS = frozenset(("hs-chat-open",))
"""Fragments that scripts of other sites handle: the chat of HubSpot."""


def part_key(url: str) -> int:
    """Return the key of the name to which the fragment of an address leads; 0 if it leads to no part.

    The fragment may have escapes. ``#top`` is the top of each page; what begins with ``!`` or ``/`` or
    contains ``=``, ``&`` or ``|`` is read by scripts, and what follows ``:~:`` is a text.

    >>> part_key("a#b") == anchor_key("b"), part_key("a"), part_key("a#top"), part_key("a#tab=2")
    (True, 0, 0, 0)
    """
    fragment = url.partition("#")[2].partition(":~:")[0]
    name = unquote(fragment) if "%" in fragment else fragment
    is_scripted = name[:1] in ("!", "/") or not _OF_SCRIPTS.isdisjoint(name) or name in _WIDGETS
    if not fragment or is_scripted or fragment.lower() == "top":
        return 0
    return anchor_key(fragment)


def _ids(dom: Dom) -> Int64:
    """Return the keys of the names to which fragments of addresses may lead."""
    attributes, _ = dom.find_attribute("id")
    names, owners = dom.find_attribute("name")
    names = names[dom.tag[owners] == dom.tag_number("a")]
    keys: Int64 = dom.ask(_ANCHOR_KEY, np.concatenate([attributes, names]))
    return keys


_HAS_TEXT = TagSet("a", "area", "img")


def _texts(dom: Dom, nodes: Int64) -> list[str]:
    """Return the text of each link, and the alternative text of each image; empty for others."""
    rows = _HAS_TEXT.of_nodes(dom)[nodes].nonzero()[0]
    texts = [""] * len(nodes)
    for row, text in zip(rows.tolist(), texts_with_images(dom, nodes[rows]), strict=True):
        texts[row] = text[:_LONGEST_TEXT]
    return texts


def _relations(dom: Dom, nodes: Int64) -> list[str]:
    """Return the values of ``rel`` of some elements in their usual form, empty for none."""
    attributes, owners = dom.find_attribute("rel")
    relation = np.full(len(dom), "", object)
    relation[owners] = dom.ask(_RELATION, attributes)
    relations: list[str] = relation[nodes].tolist()
    return relations


_RELATION = Question(lambda value: " ".join(value.lower().split())[:_LONGEST_TEXT])


# Files.


class KnownFiles:
    """The files of folders and zip archives, of which each is looked up once."""

    def __init__(self) -> None:
        self._folders: dict[SiteFolder, SiteFolder] = {}
        self._known: dict[SiteFolder, dict[str, int]] = {}
        self._moved: dict[SiteFolder, dict[str, str]] = {}

    def marks(self, page: Page, item: Source | Page, links: References) -> tuple[list[str], Int8]:
        """Return the targets (k,) of references, and the numbers (k,) of their marks in `MARKS`.

        If a ``base`` names another host, but the files are local, the targets are local, too. If there are
        several inputs, or if the folder is a part of the site, links from the root lead to files below the
        root of the site.
        """
        targets = links.target
        nothing = np.zeros(len(targets), np.int8)
        if not isinstance(item, Source) or item.url or not isinstance(item.assets, FolderAssets | ZipAssets):
            return targets, nothing
        folder = SiteFolder.of(page.id, item.path, item.assets)
        if folder is None:
            return targets, nothing
        folder = self._folders.setdefault(folder, folder)  # pages have equal ones
        root = LOCAL_HOST + quote(folder.start)
        if folder.start or folder.above:
            targets = self._moved_to(folder, targets)
        known = self._known.setdefault(folder, {})
        if len(known) > _MOST_FILES:
            known.clear()
        base = base_of(page)
        is_local = base.startswith(f"http://{LOCAL_HOST}")
        host = "" if is_local else f"{urlsplit(base).netloc.lower()}/"
        names = targets if is_local else [_local(target, host, root) for target in targets]
        other = page.dom.values.answers(_HAS_OTHER_NAME, links.value).nonzero()[0].tolist()
        if other:
            names = list(names)
        for row in other:
            names[row] += " " + joined(base, page.dom.values.texts[links.value[row]])
        for name in {name for name in names if name not in known}:
            known[name] = mark_of_file(name, folder)
        marks = np.array([known[name] for name in names], np.int8)
        if not is_local:
            moved = [row for row, mark in enumerate(marks.tolist()) if mark == _EXISTS]
            targets = list(targets)
            for row in moved:
                targets[row] = names[row].partition(" ")[0]
            marks = np.where(marks == _EXISTS, marks, nothing)
        return targets, marks

    def _moved_to(self, folder: SiteFolder, targets: list[str]) -> list[str]:
        """Return targets (k,) with those of links from the root moved to the addresses of the files."""
        moved = self._moved.setdefault(folder, {})
        if len(moved) > _MOST_FILES:
            moved.clear()
        for target in {target for target in targets if target not in moved}:
            moved[target] = moved_target(target, folder)
        return [moved[target] for target in targets]


_MOST_FILES = 2**16
_EXISTS, _IS_MISSING = MARKS.index("+"), MARKS.index("-")
_HAS_OTHER_NAME = Question(
    lambda href: re.search(r"[?]|(?:index|default)\.(?!html$)", href, re.I) is not None, np.bool_
)
"""Whether the canonical target of a reference may lack a part of the name of the file."""


def _local(target: str, host: str, root: str) -> str:
    """Return the canonical URL of the local file of a target on a host."""
    return (root + target[len(host) :]).rstrip("/") if (target + "/").startswith(host) else target


def moved_target(target: str, folder: SiteFolder) -> str:
    """Return the canonical target of a link from the root of a site whose address has no folder.

    A target is unchanged unless there is a file only at the root of the site.
    """
    root = LOCAL_HOST + quote(folder.start)
    if not target.startswith(LOCAL_HOST):
        return target
    path = target[len(LOCAL_HOST) :]
    if folder.start:
        is_inside = (target + "/").startswith(root)
        return root + path if not is_inside and folder.exists(unquote(path)) else target
    above = quote(folder.above)
    if not path.startswith(above) or folder.files.exists(folder.above + unquote(path)):
        return target
    return LOCAL_HOST + path[len(above) :] if folder.files.exists(unquote(path)) else target


def mark_of_file(name: str, folder: SiteFolder) -> int:
    """Return what is known of the file of a canonical target, which may be followed by the whole address."""
    root = LOCAL_HOST + quote(folder.start)
    target, _, url = name.partition(" ")
    if not (target + "/").startswith(LOCAL_HOST):
        return 0
    if (target + "/").startswith(root) and folder.exists(unquote(target[len(root) :])):
        return _EXISTS
    parts = urlsplit(url)
    place = f"{parts.netloc}{parts.path}"
    query = f"?{parts.query}" if parts.query else ""
    if url and place.startswith(root) and folder.exists(unquote(place[len(root) :]) + query):
        return _EXISTS
    return _IS_MISSING


# Positions.


def _positions(prediction: Prediction, nodes: Int64, stated: Int32) -> Int8:
    """Return the position of each reference as a number of `POSITIONS`; stated (n,): bits of `_STATED`."""
    dom = prediction.page.dom
    position = _landmarks(dom, stated)[nodes]
    is_menu = (position == _NAVIGATION) | (position == _FOOTER)
    in_content = _below(dom, prediction.article.nodes)[nodes]
    in_list = _below(dom, _list_nodes(prediction))[nodes]
    position[in_content & ~is_menu] = _CONTENT
    position[in_list & ~is_menu] = _LIST
    return position


def _list_nodes(prediction: Prediction) -> Sequence[int]:
    """Return the nodes of the list of a page; none if it is not certain that there is one."""
    for listing in prediction.lists[:1]:
        if listing.probability >= 0.5:
            return listing.nodes
    return ()


def _below(dom: Dom, nodes: Sequence[int]) -> Bool:
    """(n,) True at the nodes and at all nodes below them."""
    mask = np.zeros(len(dom), bool)
    if not len(nodes):
        return mask
    mask[list(nodes)] = True
    return mask | dom.inside(mask)


POSITIONS = ("", "other", "navigation", "footer", "header", "aside", "head", "list", "content")
"""Positions of references on a page: in its head, in the list or the main text of the page, or by the nearest
landmark around the element. The first name stands for an element that is no landmark."""

_OTHER, _NAVIGATION, _FOOTER, _HEADER, _ASIDE, _HEAD, _LIST, _CONTENT = range(1, len(POSITIONS))
_LANDMARKS = {
    "nav": _NAVIGATION,
    "footer": _FOOTER,
    "header": _HEADER,
    "aside": _ASIDE,
    "head": _HEAD,
    "body": _OTHER,  # classes of the whole page are no landmarks
}
_LANDMARK_OF_TAG = TagTable(lambda tag: _LANDMARKS.get(tag, 0), np.int8)
_ROLES = {"navigation": _NAVIGATION, "contentinfo": _FOOTER, "banner": _HEADER, "complementary": _ASIDE}
_HINT = re.compile(
    r"(?<![a-z])(?:(footer|colophon|copyright)|(?:nav|navbar|navigation|menu|breadcrumbs?|pagination)(?![a-z]))"
)
_IS_SECTION = TagSet("article", "main", "section")


def _landmarks(dom: Dom, stated: Int32) -> Int8:
    """Return the nearest landmark (n,) around each node as a number of `POSITIONS`.

    Landmarks are elements, roles, and for pages without them, names of classes and ids.
    """
    by_tag = _LANDMARK_OF_TAG.of_nodes(dom)
    landmark = np.where(by_tag, by_tag, _LANDMARK_OF_BITS[stated])
    landmark = np.append(landmark, np.int8(_OTHER))  # that of -1, no node
    headers = (by_tag == _HEADER).nonzero()[0]
    if len(headers):
        landmark[headers[dom.inside(_IS_SECTION.of_nodes(dom))[headers]]] = _OTHER
    nearest: Int8 = landmark[innermost(dom.parent, (landmark[:-1] > 0).view(np.uint8))]
    return nearest


def _hint(value: str) -> int:
    """Return the landmark that a class or an id names; 0 for none."""
    match = _HINT.search(value[:_LONGEST_NAME].lower())
    if match is None:
        return 0
    return _FOOTER if match[1] else _NAVIGATION


_BY_CLASS, _BY_ROLE, _BY_SCRIPT = 8, 64, 512
_SCRIPTED = ("onclick", "data-toggle", "data-bs-toggle", "aria-controls", "aria-expanded")
"""Attributes of elements whose clicks scripts handle."""
_STATED = AttributeBits(
    {
        "id": _hint,
        "class": lambda value: _BY_CLASS * _hint(value),
        "role": lambda value: _BY_ROLE * _ROLES.get(value, 0),
        **dict.fromkeys(_SCRIPTED, lambda value: _BY_SCRIPT),
    }
)
"""What attributes state about elements: landmarks by id, class and role, and scripts that handle clicks."""


def _landmark_of_bits(bits: int) -> int:
    """Return the landmark of an element by its bits: a role counts more than a class, and that than an id."""
    bits %= _BY_SCRIPT
    return bits // _BY_ROLE or bits % _BY_ROLE // _BY_CLASS or bits % _BY_CLASS


_LANDMARK_OF_BITS = np.array([_landmark_of_bits(bits) for bits in range(2 * _BY_SCRIPT)], np.int8)
