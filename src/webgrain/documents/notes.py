"""Footnotes: the links of a text from a reference to its note, and from the note back to the reference.

A link and another one are such a pair if each leads to an element that contains the other one. So the links
of a table of contents and those within a page that lead back to nothing are no notes. No names are read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from webgrain.page.dom import Dom

NOTE_PREFIX = "note-"
"""Begins the ids in documents: a page cannot name an element like a variable of scripts that show it."""

_FRAGMENT = re.compile(r"#([^\s\"'<>&|\\]{1,200})")
_MOST_LINKS = 3  # of an element to which a note leads back; one with more is a list of contents (hand-set)


class NoteLink(NamedTuple):
    """A link from a reference to a note or back; ids are those of the page behind `NOTE_PREFIX`.

    Attributes:
        target: the id of the element to which it leads.
        id: the id by which the other link leads to it; empty for none.
    """

    target: str
    id: str

    @classmethod
    def of(cls, target: str, id_: str) -> NoteLink:
        """Return a link by the ids that the page has."""
        return cls(NOTE_PREFIX + target, NOTE_PREFIX + id_ if id_ else "")


def note_links(dom: Dom, links: Iterable[int]) -> dict[int, NoteLink]:
    """Return those of some links, which are nodes in any order, that lead to notes and back.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p>a<sup id=r><a href=#n>1</a></sup><p id=n>b <a href=#r>Back</a> <a href=#x>c</a>")
    >>> list(note_links(dom, dom.find_tag("a").tolist()).values())
    [NoteLink(target='note-n', id='note-r'), NoteLink(target='note-r', id='note-n')]
    """
    fragments = {}
    for node in sorted(set(links)):
        if match := _FRAGMENT.fullmatch((dom.get(node, "href") or "").strip()):
            fragments[node] = match[1]
    if len(fragments) < 2:
        return {}
    places = _places(dom, fragments)
    targets = {node: places[name] for node, name in fragments.items() if name in places}
    nodes = list(targets)
    ids: dict[int, str] = {}
    notes: set[int] = set()
    used: set[str] = set()
    for back, start in targets.items():
        reference = _reference(dom, targets, nodes, back, start)
        if reference < 0:
            continue
        notes.add(targets[reference])
        for node, name in ((reference, fragments[back]), (back, fragments[reference])):
            ids.setdefault(node, "")
            if not ids[node] and name not in used:
                ids[node] = name
                used.add(name)
    for node, target in targets.items():
        if target in notes:
            ids.setdefault(node, "")  # another reference to a note
    return {node: NoteLink.of(fragments[node], ids[node]) for node in nodes if node in ids}


def _places(dom: Dom, links: Iterable[int]) -> dict[str, int]:
    """Return the elements by their ids, and of links also by their names."""
    places: dict[str, int] = {}
    attributes, nodes = dom.find_attribute("id")
    for node, name in zip(nodes.tolist(), dom.values_of(attributes), strict=True):
        if name:
            places.setdefault(name, node)
    for node in links:
        if name := dom.get(node, "name"):
            places.setdefault(name, node)
    return places


def _reference(dom: Dom, targets: dict[int, int], nodes: list[int], back: int, start: int) -> int:
    """Return the link to a note, in the element to which a link in this note leads back; -1 for none."""
    if start <= back < dom.end[start]:
        return -1
    first = bisect_left(nodes, start)
    inside = nodes[first : first + _MOST_LINKS + 1]
    inside = [node for node in inside if node < dom.end[start]]
    if len(inside) > _MOST_LINKS:
        return -1
    for node in inside:
        note = targets[node]
        if node < back and note <= back < dom.end[note] and not note <= node < dom.end[note]:
            return node
    return -1
