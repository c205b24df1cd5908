"""The program of 2007: what Webstemmer 0.7.1 does differently from its description, and its pattern files.

Source: the program of Yusuke Shinyama, ``analyze.py`` and ``extract.py`` 0.7.1, and "Anatomy of Pattern
Files" in "Webstemmer - How it works", 2007. The description is implemented in `webgrain.layouts.webstemmer`.

Differences of the program from the description:

- ``span`` and ``font`` separate blocks, and blocks with fewer than five word characters are dropped.
- Common parts of pages and of texts are the matching blocks of `difflib`, not a longest common subsequence.
- Clustering is one greedy pass: a page joins the nearest cluster, by directory, all of whose pages are
  similar.
- The MainScore counts characters outside links.
- Title candidates are weighted by their DiffScore; the fallback has a threshold and a similarity of its own.

Departure: the pages are clustered in the order of their names, those of the program in the order of a hash.

A line of a pattern file is a comment (``#``), blank, ``!mangle_pat=`` with the characters kept of attribute
values, or a layout: a tuple ``(score, name, title, [(diffscore, mainscore, feature), ...])``, where ``title``
is the number of the section with the title. Older files have a fifth item before the list, the number of the
main section. Files are read as literals: nothing in them is executed. A tuple may extend over several lines
with comments between them, as in the printed example.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from webgrain.arrays import Int32
from webgrain.errors import InputError, ParameterError
from webgrain.layouts.webstemmer import (
    BlockSequence,
    Pattern,
    Section,
    Webstemmer,
    check_mangle,
    places,
    without_repetitions,
)
from webgrain.page.text import WEBSTEMMER, BlockRules

MAX_BYTES = 64 * 2**20
"""Size of a pattern file up to which it is read."""
MAX_PATTERN = 2**20
"""Characters of one pattern."""
_FORMAT = "0.6.1"
_MANGLE = "!mangle_pat="
_PARAMETER = re.compile(r"### (cluster_threshold|title_threshold|pages)=(\d{1,9}(?:\.\d{1,9})?)(?!\S)")
_PAGE = re.compile(r"^#(?:\t| {4,})\s*([^\s(].*?)\s*$")
_REMARK = re.compile(r"\s\([A-Z][A-Za-z ]*\)\s*$")
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


@dataclass(kw_only=True, eq=False, repr=False)
class OriginalWebstemmer(Webstemmer):
    """Layouts as the program Webstemmer 0.7.1 of 2007 learns them; parameters as in `Webstemmer`."""

    _rules: ClassVar[BlockRules] = WEBSTEMMER

    def similarity(self, a: BlockSequence, b: BlockSequence) -> float:
        """Return the weight of the blocks of both pages with a common feature, divided by that of all."""
        shared = self.common(without_repetitions(a.features), without_repetitions(b.features), {})
        total = float(a.weight.sum() + b.weight.sum())
        return sum(float(page.weight[places(page, shared) >= 0].sum()) for page in (a, b)) / max(total, 1.0)

    def clusters(self, pages: Sequence[BlockSequence]) -> list[list[int]]:
        """Put each page into the cluster of the nearest directory all of whose pages are similar to it."""
        found: list[list[int]] = []
        for number, page in enumerate(pages):
            for cluster in sorted(found, key=lambda own: _distance(pages[own[0]].page, page.page)):
                if all(self.similarity(pages[i], page) >= self.cluster_threshold for i in cluster):
                    cluster.append(number)
                    break
            else:
                found.append([number])
        return found

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the features in the matching blocks of difflib, the longer sequence first."""
        a, b = (a, b) if len(a) >= len(b) else (b, a)
        matches = SequenceMatcher(None, a, b).get_matching_blocks()
        return [feature for match in matches for feature in a[match.a : match.a + match.size]]

    def matched(self, a: str, b: str) -> float:
        """Return the number of characters in the matching blocks of difflib."""
        return sum(match.size for match in SequenceMatcher(None, a, b).get_matching_blocks())

    def block_weight(self, page: BlockSequence) -> Int32:
        """Return the letters and digits of each block (b,) outside links."""
        return page.blocks.weight_noanchor

    def title_trust(self, diff: float) -> float:
        """Return the DiffScore."""
        return diff

    def title_similarity(self, title: str, main: str) -> float:
        """Return the sum of the squared lengths of the common parts, divided by the length of the title."""
        matches = SequenceMatcher(None, title, main).get_matching_blocks()
        return sum(match.size**2 for match in matches) / max(len(title), 1)

    @property
    def fallback_threshold(self) -> float:
        """Return the fixed threshold of the program."""
        return 1.0


def _distance(a: str, b: str) -> int:
    """Return how far two pages are apart in the tree of directories; those near the root count most."""
    pairs = zip_longest(a.split("/")[:-1], b.split("/")[:-1])
    return sum(1 << max(31 - depth, 0) for depth, (x, y) in enumerate(pairs) if x != y)


def read_patterns(path: Path) -> OriginalWebstemmer:
    """Return the layouts in a pattern file; `InputError` if it cannot be read or is not a pattern file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"Cannot read patterns from {path}: {error.strerror or error}.") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} is not a pattern file: it has more than {MAX_BYTES:,} bytes.")
    try:
        return parse_patterns(content.decode("utf-8", "replace"))
    except ParameterError as error:
        raise InputError(f"{path} is not a pattern file: {error}") from error


def parse_patterns(text: str) -> OriginalWebstemmer:
    r"""Return the layouts in the text of a pattern file; `ParameterError` if it is not one.

    >>> text = "### pages=2\n(9.5, 'a.html', 0, [(0.7, 20.0, 'title'), (0.9, 300.0, 'div/p')])\n"
    >>> parse_patterns(text).patterns_[0].sections[1]
    Section(diff=0.9, main=300.0, feature='div/p')
    """
    params: dict[str, Any] = {}
    patterns: list[Pattern] = []
    pages: list[str] = []
    unfinished, depth = list[str](), 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            pages += _PAGE.findall(line)
            if match := _PARAMETER.match(line):
                params[match[1]] = float(match[2])
        elif line.startswith(_MANGLE) and not unfinished:
            params["mangle"] = check_mangle(str(_literal(line.removeprefix(_MANGLE), number)))
        elif line.strip():
            unfinished.append(_REMARK.sub("", line))
            code = _STRING.sub("", unfinished[-1])
            depth += sum(map(code.count, "([")) - sum(map(code.count, ")]"))
            if depth <= 0:
                patterns.append(_pattern(" ".join(unfinished), number, tuple(pages)))
                pages, unfinished, depth = [], [], 0
    if unfinished:
        raise ParameterError("its last pattern does not end.")
    n_pages = int(params.pop("pages", 0))
    found = OriginalWebstemmer(**params)
    found.patterns_, found.n_pages_ = tuple(patterns), n_pages
    return found


def _literal(text: str, line: int) -> object:
    """Return the value of a Python literal."""
    if len(text) > MAX_PATTERN:
        raise ParameterError(f"line {line}: a pattern has more than {MAX_PATTERN:,} characters.")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ParameterError(f"line {line}: expected a tuple of numbers and strings.") from error


def _pattern(text: str, line: int, pages: tuple[str, ...]) -> Pattern:
    wrong = ParameterError(f"line {line}: expected (score, name, title, [(diff, main, feature), ...]).")
    value = _literal(text, line)
    if not isinstance(value, tuple) or len(value) not in (4, 5) or not isinstance(value[-1], list):
        raise wrong
    score, name, title = value[:3]
    try:
        sections = tuple(Section(_finite(d), _finite(m), _string(feature)) for d, m, feature in value[-1])
        number = -1 if title is None else int(title)
        title = number if -1 <= number < len(sections) else -1
        return Pattern(_finite(score), _string(name), title, sections, pages)
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong from error


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {value!r}")
    return value


def format_patterns(method: Webstemmer, source: str = "") -> str:
    """Return layouts as the text of a pattern file; source: what they were learnt from.

    >>> method = OriginalWebstemmer()
    >>> method.patterns_ = (Pattern(9.5, "a", 0, (Section(0.7, 20.0, "p"),), ("a", "b")),)
    >>> print(format_patterns(method, "site").replace(chr(9), " "))
    ### version=0.6.1
    ### fname='site'
    ### cluster_threshold=0.970000
    ### title_threshold=0.600000
    ### pages=0
    <BLANKLINE>
    # 9.5 <a>
    # a
    # b
    (9.5, 'a', 0, [(0.7, 20.0, 'p')])
    <BLANKLINE>
    """
    lines = [
        f"### version={_FORMAT}",
        f"### fname={source!a}",
        f"### cluster_threshold={method.cluster_threshold:f}",
        f"### title_threshold={method.title_threshold:f}",
        f"### pages={method.n_pages_}",
        *([f"{_MANGLE}{method.mangle!a}"] if method.mangle else []),
        "",
    ]
    for pattern in method.patterns_ or ():
        sections = [tuple(section) for section in pattern.sections]
        lines.append(f"# {pattern.score!r} <{ascii(pattern.name)[1:-1]}>")  # ascii: a name stays on its line
        lines += [f"#\t{ascii(page)[1:-1]}" for page in pattern.pages]
        lines += [ascii((pattern.score, pattern.name, pattern.title, sections)), ""]
    return "\n".join(lines)


def write_patterns(path: Path, method: Webstemmer, source: str = "") -> None:
    """Write layouts to a pattern file; `InputError` if that fails."""
    try:
        path.write_text(format_patterns(method, source), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error
