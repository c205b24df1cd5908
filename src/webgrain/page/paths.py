"""Paths of a page: the steps from the root to each element, by tag, id and classes.

`path_table` merges the elements of a page that have the same path, with every id and class in it. Which of
these values belong in a path is known only from the whole site (`webgrain.pagetypes.pathcounts`): `Path` is
what remains, and what is shown to people.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from webgrain.arrays import Int32, UInt8, UInt32, UInt64
from webgrain.page.addresses import css_name
from webgrain.page.dom import Dom, freeze
from webgrain.page.kernels.pathtable import merge_paths, step_keys


@dataclass(frozen=True, slots=True, eq=False)
class PathTable:
    """The distinct paths of a page with n nodes; r paths, a path after the one that is a step shorter.

    Attributes:
        of: (n,) int32, the path of each node; a text has that of its parent.
        up: (r,) int32, the path that is one step shorter; -1 at the root.
        first, count: (r,) int32, the first element with the path, and how many there are.
        only: (r,) uint8, 1 where each of them has exactly one child element.
        step: (r,) uint64, key of the last step: of its tag, its id and its classes in any order.
    """

    of: Int32
    up: Int32
    first: Int32
    count: Int32
    only: UInt8
    step: UInt64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.up)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: a tag, with the id and the classes that were kept, in alphabetical order."""

    tag: str
    id: str = ""
    classes: tuple[str, ...] = ()

    @property
    def css(self) -> str:
        """CSS selector of the step alone."""
        own = f"#{css_name(self.id)}" if self.id else ""
        return css_name(self.tag) + own + "".join(f".{css_name(name)}" for name in self.classes)

    @property
    def xpath(self) -> str:
        """XPath of the step alone."""
        tests = [f"[@id={_quoted(self.id)}]"] if self.id else []
        tests += [
            f"[contains(concat(' ', normalize-space(@class), ' '), {_quoted(f' {name} ')})]"
            for name in self.classes
        ]
        plain = self.tag.replace("-", "").replace("_", "").isalnum() and self.tag.isascii()
        return (self.tag if plain else f"*[name()={_quoted(self.tag)}]") + "".join(tests)


@dataclass(frozen=True, slots=True)
class Path:
    """A path that pages of a site share.

    Attributes:
        steps: from the root downwards, or from an element whose id is kept.
        loose: numbers of the steps that may stand below others that were left out: wrappers that were folded.

    >>> path = Path((Step("html"), Step("body", "", ("post",)), Step("h1")), frozenset([2]))
    >>> path.css, path.xpath.split("/")[-2:]
    ('html > body.post h1', ['', 'h1'])
    """

    steps: tuple[Step, ...]
    loose: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self.css

    @property
    def css(self) -> str:
        """CSS selector; it may find a little more than the path: elements with further classes."""
        parts = ["" if k == 0 else " " if k in self.loose else " > " for k in range(len(self.steps))]
        return "".join(part + step.css for part, step in zip(parts, self.steps, strict=True))

    @property
    def xpath(self) -> str:
        """XPath, as wide as the CSS selector."""
        parts = ["//" if k in self.loose else "/" for k in range(len(self.steps))]
        parts[:1] = ["//" if self.steps and self.steps[0].id else "/"]
        return "".join(part + step.xpath for part, step in zip(parts, self.steps, strict=True))


def path_table(dom: Dom) -> PathTable:
    """Merge the elements of a page that have the same path.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<ul class='b a'><li>1<li>2</ul><ul class='a b'><li>3</ul>")
    >>> table = path_table(dom)
    >>> [(dom.name(i), count) for i, count in zip(table.first.tolist(), table.count.tolist())]
    [('html', 1), ('head', 1), ('body', 1), ('ul', 2), ('li', 3)]
    """
    tags = np.array([tag_key(tag) for tag in dom.tags], np.uint64)[dom.tag]
    id_name, class_name = (dom.names.index(name) if name in dom.names else -1 for name in ("id", "class"))
    keys = step_keys(
        tags, dom.attr_start, dom.attr_name, code_points(dom.values), dom.value_start, id_name, class_name
    )
    of, up, first, count, only = merge_paths(dom.parent, keys)
    return PathTable(of, up, first, count, only, keys[first])


def step_of(dom: Dom, node: int) -> Step:
    """Return the last step of the path of an element, with all that its markup says.

    >>> from webgrain.page.parsing import parse_html
    >>> step_of(parse_html("<p id=' a ' class='z b z'>"), 3)
    Step(tag='p', id='a', classes=('b', 'z'))
    """
    own = dom.attributes(node)
    name = "".join(own.get("id", "").split())
    return Step(dom.name(node), name, tuple(sorted(set(own.get("class", "").split()))))


def kept_step_key(
    step: Step, ids: Collection[str], classes: Collection[str], wrappers: Collection[str]
) -> int:
    """Return the key of a step with these ids and classes only; 0 for a wrapper without id and class.

    A step with an id begins a path: ids are unique on a page, so the elements above do not matter. Its key is
    even, those of others are odd.
    """
    names = tuple(name for name in step.classes if name in classes)
    kept = Step(step.tag, step.id if step.id in ids else "", names)
    if kept.tag in wrappers and not kept.id and not names:
        return 0
    return text_key(kept.css) ^ int(bool(kept.id))


def kept_step_keys(
    dom: Dom, nodes: Iterable[int], ids: Collection[str], classes: Collection[str], wrappers: Collection[str]
) -> list[int]:
    """Return the keys of the last steps of the paths of some elements, see `kept_step_key`."""
    return [kept_step_key(step_of(dom, node), ids, classes, wrappers) for node in nodes]


def code_points(text: str) -> UInt32:
    """Return the characters of a text as an array (c,) of their numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@lru_cache(maxsize=4096)
def tag_key(tag: str) -> int:
    """Return the key of a tag, 0 for a text node: hostile pages may have many tags, so few are remembered."""
    return 0 if tag == "#text" else text_key(tag)


def text_key(text: str) -> int:
    """Return a 64-bit key of a text that is never 0, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) | 1


def _quoted(text: str) -> str:
    """Write a text as an XPath literal, which knows no escapes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    pieces = ', "\'", '.join(f"'{piece}'" for piece in text.split("'"))
    return f"concat({pieces})"
