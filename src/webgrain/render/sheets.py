"""Style sheets as arrays: rules, selectors and media queries, for a page and its own simple rules.

Understood are selectors of tags, classes and ids with the combinators for descendants and children; all
others (attributes, pseudo-classes but ``:link`` and ``:root``, siblings) never match. ``@media`` counts when
it asks for a screen of the viewport's width; ``@supports`` and ``@layer`` always do; ``@import`` and other
at-rules never.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from webgrain.kernels.cascade import FONT
from webgrain.kernels.selectors import token_hash
from webgrain.page.dom import Int32
from webgrain.render.css import Declaration, declarations, split_important

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARS, MAX_SELECTORS, MAX_COMPOUNDS = 500_000, 10_000, 16
"""Of the sheets of one page: characters and selectors read; of a selector: compounds."""

Int64 = NDArray[np.int64]
Arrays = tuple[Int32, Int32, NDArray[np.int8], NDArray[np.float64]]
Compound = tuple[str, str, tuple[str, ...], bool]
"""Tag, id, classes, and whether the compound to the right must be a child."""

_NOISE = re.compile(r"<!--|-->|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)
_COMPOUND = re.compile(r"(\*|[^\s.#:*\[\]()>+~]*)((?:[.#][^\s.#:*\[\]()>+~]+)*)(?::link)?\Z")
_PART = re.compile(r"([.#])([^.#]+)")
_WIDTH_QUERY = re.compile(r"(min|max)-(?:device-)?width\s*:\s*([0-9]+(?:\.[0-9]+)?)(px|em|rem)\Z")


class Blocks:
    """Blocks of declarations, collected and then turned into arrays; families of fonts are numbered in here.

    >>> blocks = Blocks(("Times New Roman",))
    >>> blocks.add(declarations("color: red; font-family: Arial")), blocks.fonts["Arial"]
    (0, 1)
    """

    def __init__(self, fonts: tuple[str, ...] = ()) -> None:
        self.start = [0]
        self.rows: list[tuple[int, int, float | str]] = []
        self.fonts = {name: number for number, name in enumerate(fonts)}

    def copy(self) -> Blocks:
        """Return a copy that can grow by itself."""
        other = Blocks(tuple(self.fonts))
        other.start, other.rows = self.start.copy(), self.rows.copy()
        return other

    def add(self, block: tuple[Declaration, ...]) -> int:
        """Append a block; return its number."""
        for column, unit, value, _ in block:
            if column == FONT:
                value = self.fonts.setdefault(str(value), len(self.fonts))
            self.rows.append((column, unit, value))
        self.start.append(len(self.rows))
        return len(self.start) - 2

    def arrays(self) -> Arrays:
        """Return where blocks begin, and the columns, units and values of all declarations."""
        columns, units, values = zip(*self.rows, strict=True) if self.rows else ((), (), ())
        return (
            np.array(self.start, np.int32), np.array(columns, np.int32), np.array(units, np.int8),
            np.array(values, np.float64),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The rules of all sheets of a page, in the order of the cascade.

    Attributes:
        normal, important: per selector, the block of either kind, -1 where there is none.
        chain: first, tag, id, class_start, classes, child: see `webgrain.kernels.selectors.Matcher`.
        key, key_start, waiting: see `webgrain.kernels.selectors.Matcher.match`.
        blocks: the declarations.
    """

    normal: Int32
    important: Int32
    chain: tuple[Int32, Int64, Int64, Int32, Int64, NDArray[np.int8]]
    key: Int64
    key_start: Int32
    waiting: Int32
    blocks: Blocks


def parse_sheet(css: str, width: int, base: Blocks) -> Sheet:
    """Read the text of all style sheets of a page, joined, for a viewport of so many px.

    base: blocks that the new ones follow. Source: CSS 2.2, Media Queries 4 (widths only).

    >>> sheet = parse_sheet("p, ul > li { color: red } @media print { p { display: none } }", 800, Blocks())
    >>> sheet.normal.tolist(), sheet.chain[0].tolist()  # selectors and where their compounds begin
    ([0, 0], [0, 1, 3])
    """
    blocks = base.copy()
    found: list[tuple[tuple[int, int, int], list[Compound], int, int]] = []
    for prelude, body in rules(css[:MAX_CHARS], width):
        block = declarations(body)
        normal, important = split_important(block)
        if not block or len(found) >= MAX_SELECTORS:
            continue
        pair = (blocks.add(normal) if normal else -1, blocks.add(important) if important else -1)
        texts = prelude.split(",", MAX_SELECTORS)[: MAX_SELECTORS - len(found)]
        chains = filter(None, map(parse_selector, texts))
        found.extend((specificity(chain), chain, *pair) for chain in chains)
    found.sort(key=lambda selector: selector[0])
    keys = np.array([_key(chain[0]) for _, chain, _, _ in found], np.int64)
    waiting = np.argsort(keys, kind="stable").astype(np.int32)
    key, first = np.unique(keys[waiting], return_index=True)
    return Sheet(
        np.array([normal for _, _, normal, _ in found], np.int32),
        np.array([important for _, _, _, important in found], np.int32),
        _pack([chain for _, chain, _, _ in found]),
        key,
        np.append(first, len(keys)).astype(np.int32),
        waiting,
        blocks,
    )


def rules(css: str, width: int) -> Iterator[tuple[str, str]]:
    """Yield selector and declarations of every rule that counts for a viewport, as text.

    >>> list(rules("@import 'x'; a{b:c} @media (max-width:9px) {d{e:f}} g{h:i", 800))
    [('a', 'b:c'), ('g', 'h:i')]
    """
    css = _NOISE.sub(_quiet, css)
    open_rules: list[str | bool] = []  # a selector; or whether the at-rule around counts
    counts, pending = True, ""
    for piece in (*re.split("([{}])", css), "}"):
        if piece == "{":
            prelude = pending.rpartition(";")[2].strip()
            if prelude.startswith("@"):
                counts = counts and applies(prelude, width)
                open_rules.append(counts)
            else:
                # A rule inside a rule is not read.
                nested = bool(open_rules) and isinstance(open_rules[-1], str)
                open_rules.append(prelude if counts and not nested else "")
            pending = ""
        elif piece == "}":
            rule = open_rules.pop() if open_rules else False
            if isinstance(rule, str) and rule:
                yield rule, pending
            counts = next((outer for outer in reversed(open_rules) if isinstance(outer, bool)), True)
            pending = ""
        else:
            pending = piece


def _quiet(match: re.Match[str]) -> str:
    """Make comments vanish, and strings where they could be taken for structure."""
    if match[0][0] not in "\"'":
        return " "
    return match[0] if not set(match[0]) & set("{};") else '""'


def applies(prelude: str, width: int) -> bool:
    """Whether the rules inside an at-rule count.

    >>> applies("@media print", 800), applies("@media screen and (min-width: 600px)", 800)
    (False, True)
    """
    name, _, queries = prelude.lower().replace("(", " (").partition(" ")
    if name != "@media":
        return name in ("@supports", "@layer") and not queries.strip().startswith("not")
    return any(_query(query, width) for query in queries.split(","))


def _query(query: str, width: int) -> bool:
    for part in query.split(" and "):
        part = part.strip()
        if match := _WIDTH_QUERY.match(part.strip("()").strip()):
            limit = float(match[2]) * (1 if match[3] == "px" else 16)
            if width < limit if match[1] == "min" else width > limit:
                return False
        elif part not in ("", "all", "screen", "only screen", "only all"):
            return False
    return True


def parse_selector(text: str) -> list[Compound]:
    """Read one selector as compounds from right to left; empty: not understood.

    >>> parse_selector("ul.nav > li a")
    [('a', '', (), False), ('li', '', (), False), ('ul', '', ('nav',), True)]
    """
    chain: list[Compound] = []
    child = False
    for part in reversed(text.replace(">", " > ").split()[: 2 * MAX_COMPOUNDS + 1]):
        if part == ">":
            if not chain:
                return []
            child = True
            continue
        match = _COMPOUND.match("html" if part == ":root" else part)
        if match is None or len(chain) == MAX_COMPOUNDS:
            return []
        named = _PART.findall(match[2])
        ids = [name for mark, name in named if mark == "#"]
        classes = tuple(name for mark, name in named if mark == ".")
        tag = "" if match[1] == "*" else match[1].lower()
        chain.append((tag, ids[0] if ids else "", classes, child))
        child = False
    return [] if child else chain


def specificity(chain: list[Compound]) -> tuple[int, int, int]:
    """Return the numbers of ids, classes and tags.

    >>> specificity(parse_selector("#a p.b.c"))
    (1, 2, 1)
    """
    ids = classes = tags = 0
    for tag, identity, names, _ in chain:
        ids += identity != ""
        classes += len(names)
        tags += tag != ""
    return ids, classes, tags


def _key(compound: Compound) -> int:
    tag, identity, classes, _ = compound
    return (
        token_hash("#" + identity if identity else "." + classes[0] if classes else tag)
        if any(compound[:3])
        else 0
    )


def _pack(chains: list[list[Compound]]) -> tuple[Int32, Int64, Int64, Int32, Int64, NDArray[np.int8]]:
    compounds = [compound for chain in chains for compound in chain]
    first = np.cumsum([0, *map(len, chains)])
    tag = [token_hash(tag) if tag else 0 for tag, _, _, _ in compounds]
    identity = [token_hash("#" + name) if name else 0 for _, name, _, _ in compounds]
    class_start = np.cumsum([0, *(len(classes) for _, _, classes, _ in compounds)])
    classes = [token_hash("." + name) for _, _, names, _ in compounds for name in names]
    child = [child for _, _, _, child in compounds]
    return (
        first.astype(np.int32), np.array(tag, np.int64), np.array(identity, np.int64),
        class_start.astype(np.int32), np.array(classes, np.int64), np.array(child, np.int8),
    )  # fmt: skip
