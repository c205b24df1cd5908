"""Parts as plain values, ready for JSON: the tree of a record.

The parts of a table become records without a tree of `Part` between, which takes half of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from webgrain.documents.parts import BLOCK_KINDS, Part, nested_in
from webgrain.documents.parttable import PartTable

Record = dict[str, Any]


class PartRecords:
    """Makes the records of parts, whose XPaths are filled in when all parts are known.

    Before, a record has the element in the place of its XPath.

    >>> records = PartRecords()
    >>> paragraph = records.of_part(Part("paragraph", 3, ("Text",)))
    >>> records.nodes
    [3]
    >>> records.locate({3: "/html[1]/body[1]/p[1]"})
    >>> paragraph
    {'kind': 'paragraph', 'xpath': '/html[1]/body[1]/p[1]', 'text': 'Text'}
    """

    def __init__(self) -> None:
        self._made: list[Record] = []

    @property
    def nodes(self) -> list[int]:
        """The element of each part that has a record without an XPath."""
        return [record["xpath"] for record in self._made]

    def locate(self, where: Mapping[int, str]) -> None:
        """Fill in the XPaths. where: that of each element; others are null."""
        for record in self._made:
            record["xpath"] = where.get(record["xpath"])
        self._made.clear()

    def of_part(self, part: Part) -> Record:
        """Return the record of a part, with all parts in it."""
        return self._record(part.kind, part.node, part.children, part.attributes, part.score)

    def of_table(self, table: PartTable) -> tuple[Record, ...]:
        """Return the records of the parts of a table that are in no other one."""
        return table.made(self._record)

    def of_document(self, blocks: Iterable[Record], comments: Iterable[Record]) -> Record:
        """Return the record of a document: blocks, in sections that headings begin, and comments."""
        return self._record("document", 0, (*self._sections(tuple(blocks)), *comments), {}, 1.0)

    def _record(
        self,
        kind: str,
        node: int,
        children: tuple[Record | Part | str, ...],
        attributes: Mapping[str, Any],
        score: float,
    ) -> Record:
        """Return the record of a part with these fields; children: texts, parts and records of parts."""
        record: Record = {"kind": kind, "xpath": node, **attributes}
        self._made.append(record)
        if score != 1.0 and kind in BLOCK_KINDS:
            record["score"] = score
        if not children:
            return record
        if len(children) == 1 and isinstance(children[0], str):  # most lines, which are most parts
            record["text"] = children[0]
        elif isinstance(children[0], dict):  # a block of blocks
            record["children"] = list(children)
        elif any(isinstance(child, Part) for child in children):
            record["children"] = [
                self.of_part(child) if isinstance(child, Part) else child for child in children
            ]
        else:
            record["text"] = "".join(map(str, children))
        return record

    def _sections(self, blocks: tuple[Record, ...]) -> tuple[Record, ...]:
        """Return blocks in the sections that their headings begin, as `webgrain.documents.parts.sections`."""
        if all(block["kind"] != "heading" for block in blocks):
            return blocks
        leveled = list[tuple[Record, int | None]]()
        for block in blocks:
            if block["kind"] == "heading":
                level, score = int(block.get("level", 2)), block.get("score", 1.0)
                section = self._record("section", block["xpath"], (block,), {"level": level}, score)
                leveled.append((section, level))
            else:
                leveled.append((block, None))
        return nested_in(leveled, _with_inside)


def _with_inside(record: Record, inside: list[Record]) -> Record:
    """Return the record of a section with more children."""
    record["children"] += inside
    return record
