"""Hints of the markup at the purpose of a node, as bits: from tags, ARIA roles, classes, ids and addresses.

``hints.csv`` has the words, tags and roles that give each hint, and the sizes that advertisements have
(``size``).

Cost: each new value of an attribute is searched once by a regular expression.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterable
from pathlib import Path

import numpy as np

from webgrain.base.arrays import Bool, Float64, UInt64
from webgrain.page.dom import Dom
from webgrain.page.tagtables import NameTable, TagTable
from webgrain.page.values import Question
from webgrain.segmentation.features.unitkernel import node_bits

with Path(__file__).with_name("hints.csv").open(encoding="utf-8", newline="") as _file:
    _HINTS = [(row["hint"], row["kind"], row["value"]) for row in csv.DictReader(_file)]

WORDS = {hint: value for hint, kind, value in _HINTS if kind == "word"}
"""Hint -> its words, as a regular expression over lower case."""

TAGS = {hint: tuple(value.split()) for hint, kind, value in _HINTS if kind == "tag"}
"""Hint -> its tags."""

ARIA = {value: hint for hint, kind, value in _HINTS if kind == "role"}
"""ARIA role -> its hint."""

BANNERS: Float64 = np.array([value.split() for _, kind, value in _HINTS if kind == "size"], np.float64)
"""Standard widths and heights of advertisements, in px."""

HINTS = (*WORDS, *TAGS)
"""The hints, by the numbers of their bits."""

_CONTENT_ATTRIBUTES = ("src", "alt", "name", "type", "placeholder", "value", "action", "title", "data")
"""Attributes whose words are evidence for some hints only: they describe the content, not its purpose."""

_CONTENT_HINTS = frozenset(("ad", "search", "logo", "video", "social", "account"))
LONGEST_VALUE = 200
"""Characters of a value or a text that are searched."""
_PATTERN = re.compile("|".join(f"({words})" for words in WORDS.values()))


def hint_bits(dom: Dom) -> UInt64:
    """Return the hints of the nodes (n,) as bits, by `HINTS`.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<ul class=topNav><li>One</ul>")  # html, head, body, ul
    >>> [HINTS[k] for k in np.flatnonzero(has_bits(hint_bits(page.dom)[3:4], ALL_HINTS))]
    ['menu', 'head', 'list element']
    """
    kinds = _KINDS_OF_NAMES.of_attributes(dom)
    of_attributes = np.zeros(len(kinds), np.uint64)
    for kind, question in enumerate(_QUESTIONS, 1):
        (attributes,) = np.nonzero(kinds == kind)
        if len(attributes):
            of_attributes[attributes] = dom.ask(question, attributes)
    bits: UInt64 = node_bits(dom.attr_start, of_attributes, _HINTS_OF_TAGS.of_nodes(dom))
    return bits


def has_bits(bits: UInt64, numbers: UInt64) -> Bool:
    """Return whether each of some numbers (k,) has each of some bits (b,), given by their places.

    >>> has_bits(np.array([5], np.uint64), np.array([0, 1, 2], np.uint64)).tolist()
    [[True, False, True]]
    """
    has: Bool = (bits[:, None] >> numbers & np.uint64(1)).astype(bool)
    return has


def _hints_of_tag(tag: str) -> int:
    """Return the hints of a tag as bits."""
    return sum(1 << number for number, hint in enumerate(HINTS) if tag in TAGS.get(hint, ()))


_HINTS_OF_TAGS = TagTable(_hints_of_tag, np.uint64)
ALL_HINTS = np.arange(len(HINTS), dtype=np.uint64)


def _hints_of_words(words: Iterable[str], possible: Container[str]) -> int:
    """Return the possible hints that words give, as bits."""
    bits = 0
    for word in words:
        for match in _PATTERN.finditer(word):
            if match.lastindex and HINTS[match.lastindex - 1] in possible:
                bits |= 1 << (match.lastindex - 1)
    return bits


def _shortened(value: str) -> str:
    return value[:LONGEST_VALUE].lower()


def _hint_of_role(role: str) -> int:
    """Return the hint that a role gives, as a bit; 0 for none."""
    hint = ARIA.get(_shortened(role))
    return 1 << HINTS.index(hint) if hint else 0


_OF_CLASSES = Question(lambda value: _hints_of_words(_shortened(value).split(), WORDS), np.uint64)
_OF_ID = Question(lambda value: _hints_of_words([_shortened(value)], WORDS), np.uint64)
_OF_CONTENT = Question(lambda value: _hints_of_words([_shortened(value)], _CONTENT_HINTS), np.uint64)
_OF_ROLE = Question(_hint_of_role, np.uint64)
_QUESTIONS = _OF_CLASSES, _OF_ID, _OF_ROLE, _OF_CONTENT
"""Questions about the hints, as bits, that the values of attributes give."""

_KIND_OF_NAME = {"class": 1, "id": 2, "role": 3, **dict.fromkeys(_CONTENT_ATTRIBUTES, 4)}
_KINDS_OF_NAMES = NameTable(lambda name: _KIND_OF_NAME.get(name, 0), np.int8)
"""The question, counted from 1, about each attribute; 0 for none."""
