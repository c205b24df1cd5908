"""Style sheets as arrays: rules, selectors and media queries, for a page and its own simple rules.

Understood are selectors of tags, classes and ids with the combinators for descendants and children; all
others (attributes, pseudo-classes but ``:link`` and ``:root``, siblings) never match. ``@media`` counts when
it asks for a screen of the viewport's width; ``@supports`` and ``@layer`` always do; ``@import`` and other
at-rules never.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from webgrain.kernels.cascade import FONT
from webgrain.kernels.stylesheet import find_rules, read_selectors
from webgrain.page.dom import Int32
from webgrain.render.css import Declaration, declarations

MAX_CHARS, MAX_SELECTORS, MAX_COMPOUNDS = 500_000, 10_000, 16
"""Of the sheets of one page: characters and selectors read; of a selector: compounds."""

Int64 = NDArray[np.int64]
Arrays = tuple[Int32, Int32, NDArray[np.int8], NDArray[np.float64]]

_NOISE = re.compile(r"<!--|-->|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)
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
    """The rules of all sheets of a page; their declarations are read when they are wanted.

    Attributes:
        text: of all sheets; body: (r, 2) int32, where in it the declarations of each rule stand.
        rule: (s,) int32, the rule of each selector, in the order of the cascade.
        chain: first, tag, id, class_start, classes, child: see `webgrain.kernels.selectors.Matcher`.
        key, key_start, waiting, rank: see `webgrain.kernels.selectors.Matcher.match`.
    """

    text: str
    body: Int32
    rule: Int32
    chain: tuple[Int32, Int64, Int64, Int32, Int64, NDArray[np.int8]]
    key: Int64
    key_start: Int32
    waiting: Int32
    rank: Int32

    def declarations(self, rule: int) -> tuple[Declaration, ...]:
        """Return what a rule declares."""
        start, end = self.body[rule].tolist()
        return declarations(self.text[start:end])


@lru_cache(64)
def parse_sheet(css: str, width: int) -> Sheet:
    """Read the text of all style sheets of a page, joined, for a viewport of so many px.

    The sheets of a site are often the same on many pages: what was read is kept. Source: CSS 2.2, Media
    Queries 4 (widths only).

    >>> sheet = parse_sheet("p, ul > li { color: red } @media print { p { display: none } }", 800)
    >>> sheet.rule.tolist(), sheet.chain[0].tolist()  # selectors and where their compounds begin
    ([0, 0], [0, 1, 3])
    """
    text, spans = _find(css, width)
    rule, specificity, keys, chain = read_selectors(text, spans, MAX_SELECTORS, MAX_COMPOUNDS)
    order = np.argsort(specificity, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    waiting = np.lexsort((rank, keys))
    key, first = np.unique(keys[waiting], return_index=True)
    return Sheet(
        text=text,
        body=spans[:, 2:],
        rule=rule[order],
        chain=chain,
        key=key,
        key_start=np.append(first, len(keys)).astype(np.int32),
        waiting=waiting.astype(np.int32),
        rank=rank,
    )


def rules(css: str, width: int) -> list[tuple[str, str]]:
    """Return selector and declarations of every rule that counts for a viewport, as text.

    >>> rules("@import 'x'; a{b:c} @media (max-width:9px) {d{e:f}} g{h:i", 800)
    [('a', 'b:c'), ('g', 'h:i')]
    """
    text, spans = _find(css, width)
    return [(text[begin:end], text[start:stop]) for begin, end, start, stop in spans.tolist()]


def _find(css: str, width: int) -> tuple[str, Int32]:
    """Return the text of a sheet without what disturbs, and where its rules stand."""
    text = _NOISE.sub(_quiet, css[:MAX_CHARS])
    return text, find_rules(text, partial(applies, width=width))


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
