"""Pattern files: layouts as text, in the format of the program of 2007.

A line of a file is a comment (``#``), blank, ``!mangle_pat=`` with what is kept of attributes, or a pattern:
a tuple ``(score, name, title, [(diffscore, mainscore, feature), ...])``, ``title`` being the number of the
section of the title. Older files have a fifth item before the list, the section of the main text.

Source: Shinyama, "Webstemmer - How it works", 2007, "Anatomy of Pattern Files". Files are read as literals:
nothing in them is ever run. A tuple may go over several lines with comments between, as in the example there.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from webgrain.errors import InputError, ParameterError
from webgrain.layouts.webstemmer import Pattern, PatternSet, Section, check_mangle

MAX_BYTES = 64 * 2**20
MAX_PATTERN = 2**20
"""Letters of one pattern."""
_FORMAT = "0.6.1"
_MANGLE = "!mangle_pat="
_TOLD = re.compile(r"### (cluster_threshold|title_threshold|pages)=(\d{1,9}(?:\.\d{1,9})?)(?!\S)")
_PAGE = re.compile(r"^#(?:\t| {4,})\s*([^\s(].*?)\s*$")
_REMARK = re.compile(r"\s\([A-Z][A-Za-z ]*\)\s*$")
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def read_patterns(path: Path) -> PatternSet:
    """Return the patterns of a file; `InputError` where it cannot be read or is none."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"Cannot read patterns from {path}: {error.strerror or error}.") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} has more than {MAX_BYTES:,} bytes: that is no pattern file.")
    try:
        return parse_patterns(content.decode("utf-8", "replace"))
    except ParameterError as error:
        raise InputError(f"{path} is no pattern file: {error}") from error


def parse_patterns(text: str) -> PatternSet:
    r"""Return the patterns of a file's text; `ParameterError` where it is none.

    >>> text = "### pages=2\n(9.5, 'a.html', 0, [(0.7, 20.0, 'title'), (0.9, 300.0, 'div/p')])\n"
    >>> found = parse_patterns(text)
    >>> found.patterns[0].sections[1]
    Section(diff=0.9, main=300.0, feature='div/p')
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(line, number)
    if reader.lines:
        raise ParameterError("its last pattern does not end.")
    return PatternSet(
        tuple(reader.patterns),
        mangle=reader.mangle,
        cluster_threshold=reader.told.get("cluster_threshold", 0.97),
        title_threshold=reader.told.get("title_threshold", 0.6),
        pages=int(reader.told.get("pages", 0)),
    )


@dataclass(slots=True)
class _Reader:
    """What is known from the lines so far.

    Attributes:
        told: parameters that comments tell; mangle: what is kept of attributes.
        patterns: the patterns that have ended.
        pages: pages in the comments since; lines, depth: of a pattern that goes on, and its open brackets.
    """

    told: dict[str, float] = field(default_factory=dict)
    mangle: str | None = None
    patterns: list[Pattern] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    depth: int = 0

    def read(self, line: str, number: int) -> None:
        """Read one line; number: of the line."""
        if line.lstrip().startswith("#"):
            self.pages += _PAGE.findall(line)
            if match := _TOLD.match(line):
                self.told[match[1]] = float(match[2])
        elif line.startswith(_MANGLE) and not self.lines:
            self.mangle = check_mangle(str(_literal(line.removeprefix(_MANGLE), number)))
        elif line.strip():
            self._go_on(_bare(line), number)

    def _go_on(self, line: str, number: int) -> None:
        self.lines.append(line)
        self.depth += _depth(line)
        if self.depth <= 0:
            self.patterns.append(_pattern(" ".join(self.lines), number, tuple(self.pages)))
            self.pages, self.lines, self.depth = [], [], 0


def format_patterns(found: PatternSet, source: str = "") -> str:
    """Return patterns as the text of a file; source: what they were learnt from.

    >>> pattern = Pattern(9.5, "a", 0, (Section(0.7, 20.0, "p"),), ("a", "b"))
    >>> print(format_patterns(PatternSet((pattern,)), "site").replace(chr(9), " "))
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
        f"### cluster_threshold={found.cluster_threshold:f}",
        f"### title_threshold={found.title_threshold:f}",
        f"### pages={found.pages}",
        *([f"{_MANGLE}{found.mangle!a}"] if found.mangle else []),
        "",
    ]
    for pattern in found.patterns:
        sections = [(section.diff, section.main, section.feature) for section in pattern.sections]
        lines += [
            f"# {pattern.score!r} <{_plain(pattern.name)}>",
            *(f"#\t{_plain(page)}" for page in pattern.pages),
        ]
        lines += [ascii((pattern.score, pattern.name, pattern.title, sections)), ""]
    return "\n".join(lines)


def write_patterns(path: Path, found: PatternSet, source: str = "") -> None:
    """Write patterns to a file; `InputError` where that cannot be."""
    try:
        path.write_text(format_patterns(found, source), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error


def _plain(name: str) -> str:
    """Return a name that keeps to its line."""
    return ascii(name)[1:-1]


def _bare(line: str) -> str:
    """Return a line without what is told to its reader at its end, as in ``9,   (Index of the title)``."""
    return _REMARK.sub("", line)


def _depth(line: str) -> int:
    """Brackets that a line opens less those that it closes, but for those in strings."""
    outside = _STRING.sub("", line)
    return sum(outside.count(b) for b in "([") - sum(outside.count(b) for b in ")]")


def _literal(text: str, line: int) -> object:
    """Value of a literal of Python."""
    if len(text) > MAX_PATTERN:
        raise ParameterError(f"line {line}: a pattern has more than {MAX_PATTERN:,} letters.")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ParameterError(f"line {line}: expected a tuple of numbers and strings.") from error


def _pattern(text: str, line: int, pages: tuple[str, ...]) -> Pattern:
    told = _literal(text, line)
    wrong = ParameterError(f"line {line}: expected (score, name, title, [(diff, main, feature), ...]).")
    if not isinstance(told, tuple) or len(told) not in (4, 5) or not isinstance(told[-1], list):
        raise wrong
    score, name, title, sections = (*told[:3], told[-1])
    try:
        parts = tuple(
            Section(_finite(diff), _finite(main), _text(feature)) for diff, main, feature in sections
        )
        number = -1 if title is None else int(title)
        return Pattern(_finite(score), _text(name), number if -1 <= number < len(parts) else -1, parts, pages)
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong from error


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {value!r}")
    return value
