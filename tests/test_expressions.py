"""Regular expressions take linear time on any text: what a page contains cannot stop the program.

The expressions of the package are read from their syntax trees. Three shapes are refused, since they take
quadratic or exponential time on texts that do not match:

- repeats that can match the same characters one after the other, also of two rounds of a repeat around them;
- alternatives in a repeat that begin with the same character;
- a repeat at the beginning of an expression that is searched for, since each place in a text is a beginning,
  and so is each line if the repeat can match line breaks.

Possessive repeats (``++``), atomic groups and lookbehinds avoid them.
"""

from __future__ import annotations

import ast
import importlib
import re
import re._constants as code
import re._parser as parser
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from tests.test_architecture import MODULES

LONG = 5
"""A repeat of at most this many characters costs a constant time."""
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT)
ALPHABET = [chr(number) for number in range(1, 128)] + ["é", "中", "٣", "·", "–", "«", "\u2028"]
SHORT_TEXTS = {
    "webgrain.cli.doctor": "names of packages in the metadata of the installation",
    "webgrain.extraction.authors": "lines, names and classes that are cut to some hundred characters",
}
"""Modules whose expressions only see texts of a bounded length, and the reason."""

SEARCHES = ("search", "sub", "split", "findall", "finditer")
CALLS = ("compile", "match", "fullmatch", *SEARCHES)

Items = list[tuple[Any, Any]]


def characters(item: tuple[Any, Any]) -> frozenset[str]:
    """Return the characters of the alphabet that one item of an expression can match."""
    operation, value = item
    if operation in REPEATS or operation is code.POSSESSIVE_REPEAT:
        return all_characters(value[2])
    if operation is code.ATOMIC_GROUP:
        return all_characters(value)
    if operation is code.BRANCH:
        return frozenset().union(*(all_characters(branch) for branch in value[1]))
    if operation is code.LITERAL:
        return frozenset((chr(value),))
    if operation is code.NOT_LITERAL:
        return frozenset(ALPHABET) - {chr(value)}
    if operation is code.ANY:
        return frozenset(ALPHABET)
    if operation is code.IN:
        return members(value)
    return frozenset()  # anchors and lookarounds


def members(items: Items) -> frozenset[str]:
    """Return the characters of the alphabet in a character class."""
    categories = {
        code.CATEGORY_DIGIT: r"\d", code.CATEGORY_NOT_DIGIT: r"\D", code.CATEGORY_SPACE: r"\s",
        code.CATEGORY_NOT_SPACE: r"\S", code.CATEGORY_WORD: r"\w", code.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    matched = set[str]()
    for operation, value in items:
        if operation is code.LITERAL:
            matched.add(chr(value))
        elif operation is code.RANGE:
            matched.update(each for each in ALPHABET if value[0] <= ord(each) <= value[1])
        elif operation is code.CATEGORY:
            matched.update(each for each in ALPHABET if re.match(categories[value], each))
    negated = bool(items) and items[0][0] is code.NEGATE
    return frozenset(ALPHABET) - matched if negated else frozenset(matched)


def all_characters(items: Any) -> frozenset[str]:
    """Return the characters that several items can match."""
    return frozenset().union(*map(characters, flat(items)))


def flat(items: Any) -> Items:
    """Return the items of an expression with those of its groups."""
    inside: Items = []
    for operation, value in items:
        inside += flat(value[3]) if operation is code.SUBPATTERN else [(operation, value)]
    return inside


def may_be_empty(items: Items) -> bool:
    """Whether items can match no character."""
    for operation, value in flat(items):
        if operation in REPEATS or operation is code.POSSESSIVE_REPEAT:
            empty = value[0] == 0 or may_be_empty(value[2])
        elif operation is code.BRANCH:
            empty = any(may_be_empty(branch) for branch in value[1])
        elif operation is code.ATOMIC_GROUP:
            empty = may_be_empty(value)
        else:
            empty = operation in (code.AT, code.ASSERT, code.ASSERT_NOT)
        if not empty:
            return False
    return True


def first_characters(items: Items) -> frozenset[str]:
    """Return the characters with which items can begin."""
    first: frozenset[str] = frozenset()
    for item in flat(items):
        operation, value = item
        if operation in REPEATS or operation is code.POSSESSIVE_REPEAT:
            first |= first_characters(value[2])
        elif operation is code.BRANCH:
            first = first.union(*(first_characters(branch) for branch in value[1]))
        else:
            first |= characters(item)
        if not may_be_empty([item]):
            return first
    return first


def faults(items: Items, open_before: list[frozenset[str]] | None = None) -> Iterator[str]:
    """Yield the shapes among items that take more than linear time.

    open_before: the characters of the repeats that could also match what follows.
    """
    is_open = list(open_before or [])
    for item in flat(items):
        can_match = characters(item)
        is_long = item[0] in REPEATS and item[1][1] > LONG
        if is_long and any(before & can_match for before in is_open):
            yield "two repeats one after the other can match the same characters"
        yield from faults_inside(item, is_open)
        if not may_be_empty([item]):
            is_open = [before & can_match for before in is_open if before & can_match]
        if is_long:
            is_open.append(can_match)


def faults_inside(item: tuple[Any, Any], is_open: list[frozenset[str]]) -> Iterator[str]:
    """Yield the faults within one item."""
    operation, value = item
    if operation in REPEATS:
        inner = value[2]
        yield from faults([*inner, *inner] if value[1] > 1 else inner)
        if value[1] > LONG:
            yield from ambiguous(inner)
    elif operation is code.BRANCH:
        for branch in value[1]:
            yield from faults(branch, is_open)
    elif operation in (code.ASSERT, code.ASSERT_NOT):
        yield from faults(value[1])
    elif operation is code.POSSESSIVE_REPEAT:
        yield from faults(value[2])
    elif operation is code.ATOMIC_GROUP:
        yield from faults(value)


def ambiguous(items: Items) -> Iterator[str]:
    """Yield a fault if a repeated item has alternatives that begin with the same character."""
    inside = flat(items)
    if len(inside) == 1 and inside[0][0] is code.BRANCH:
        seen: frozenset[str] = frozenset()
        for branch in inside[0][1][1]:
            first = first_characters(branch)
            if first & seen and len(branch) == 1:
                yield "alternatives in a repeat begin with the same character"
            seen |= first


def begins_with_repeat(items: Items) -> bool:
    """Whether an expression begins with a long repeat after which it can fail."""
    inside = flat(items)
    for at, item in enumerate(inside):
        if is_anchor(item):
            return False
        if any(begins_slowly(start, inside[at + 1 :]) for start in starts(item)):
            return True
        if not may_be_empty([item]):
            return False
    return False


def begins_lines_with_repeat(items: Items) -> bool:
    """Whether an expression looks at each line for a repeat that goes on in the next lines."""
    inside = flat(items)
    if len(inside) < 2 or inside[0] != (code.AT, code.AT_BEGINNING):
        return False
    return "\n" in characters(inside[1]) and begins_with_repeat(inside[1:])


def starts(item: tuple[Any, Any]) -> list[Items]:
    """Return with what an item can begin: a long repeat, or the items in it; nothing for characters."""
    operation, value = item
    if operation in REPEATS or operation is code.POSSESSIVE_REPEAT:
        return [[item]] if value[1] > LONG else [value[2]]
    if operation is code.BRANCH:
        return list(value[1])
    return [value[1]] if operation is code.ASSERT else []


def begins_slowly(start: Items, rest: Items) -> bool:
    """Whether a start is a long repeat and what follows can fail."""
    first = flat(start)[:1]
    if first and first[0][0] in (*REPEATS, code.POSSESSIVE_REPEAT) and first[0][1][1] > LONG:
        after = [*flat(start)[1:], *rest]
        return not may_be_empty(after) or any(operation is code.AT for operation, _ in after)
    return begins_with_repeat([*start, *rest])


def is_anchor(item: tuple[Any, Any]) -> bool:
    """Whether an item, an anchor or a lookbehind, bounds the places where an expression can begin."""
    operation, value = item
    if operation is code.BRANCH:
        return all(branch and is_anchor(branch[0]) for branch in value[1])
    return operation is code.AT or (operation in (code.ASSERT, code.ASSERT_NOT) and value[0] == -1)


def lowered(items: Any) -> Any:
    """Return the tree of an expression that ignores case, with lower-case letters."""
    if isinstance(items, list | parser.SubPattern):
        return [lowered(item) for item in items]
    if not isinstance(items, tuple):
        return items
    operation, *values = items
    if operation is code.LITERAL or operation is code.NOT_LITERAL:  # both are equal to other numbers
        return operation, ord(chr(values[0]).lower()[0])
    if operation is code.RANGE:
        first, last = (ord(chr(end).lower()[0]) for end in values[0])
        return operation, (first, last) if first <= last else values[0]
    return tuple(map(lowered, items))


def found_faults(pattern: str | bytes, flags: int = 0, searched: bool = True) -> list[str]:
    """Return the faults of an expression; searched: it is looked for at each place of a text."""
    items = list(parser.parse(pattern, flags))
    if re.compile(pattern, flags).flags & re.IGNORECASE:
        items = lowered(items)
    given = list(faults(items))
    if searched and begins_with_repeat(items):
        given.append("it begins with a repeat, at each place of the text")
    if searched and flags & re.MULTILINE and begins_lines_with_repeat(items):
        given.append("it begins with a repeat, at each line of the text")
    return sorted(set(given))


@cache
def searched_names() -> frozenset[str]:
    """Names of expressions of the package that are used other than by ``match`` and ``fullmatch``."""
    names = set[str]()
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in SEARCHES:
                names.add(node.value.id if isinstance(node.value, ast.Name) else node.attr)
    return frozenset(names)


def expressions() -> list[tuple[str, re.Pattern[Any], bool]]:
    """Return name, expression and whether it is searched for, of all expressions of the package."""
    given = {}
    for module, path in MODULES.items():
        if module in SHORT_TEXTS or module.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module)).items():
            values = (
                value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
            )
            for each in values:
                if isinstance(each, re.Pattern):
                    in_collection = each is not value
                    given[each] = (f"{module}.{name}", each, in_collection or name in searched_names())
        for line, pattern, searched in written_in_calls(path.read_text(encoding="utf-8")):
            given.setdefault(pattern, (f"{module}, line {line}", pattern, searched))
    return list(given.values())


def written_in_calls(source: str) -> Iterator[tuple[int, re.Pattern[Any], bool]]:
    """Yield the expressions in calls of `re`: the line, the expression, and whether it is searched for."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        name, pattern = node.func.attr, node.args[0]
        if ast.unparse(node.func.value) != "re" or name not in CALLS:
            continue
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str | bytes):
            flags = " ".join(map(ast.unparse, [*node.args[1:], *node.keywords]))
            named = set(re.findall(r"re\.([A-Z]+)", flags))
            flag = sum({re.RegexFlag[each] for each in named}, re.NOFLAG)
            yield node.lineno, re.compile(pattern.value, flag), name in SEARCHES


MADE_AT_RUN_TIME = {
    "webgrain.base.metrics": "a class of characters, or several of another class",
    "webgrain.base.expressions": "given by the user for names of pages and URLs",
    "webgrain.cli.options": "a name of a parameter; sees messages of this program",
    "webgrain.documents.parttable": "a single character",
    "webgrain.extraction.titles": "sees all characters once",
    "webgrain.fields.field": "an escaped text between characters that are no part of a word",
    "webgrain.fields.values": "an escaped text between spaces",
    "webgrain.lists.records": "sees all characters once",
    "webgrain.page.addresses": "possessive identifiers from the start of a step",
    "webgrain.page.strings": "sees all characters once",
    "webgrain.papers.webstemmer": "a class of characters, see `check_mangle`",
    "webgrain.segmentation.features.segments": "sees all characters once",
}
"""Modules with functions that use expressions which are no constants, and why these take linear time."""

RECORD = """
import re, sys
from importlib import import_module

made, compile = set(), re.compile

def recorded(pattern, flags=0):
    expression = compile(pattern, flags)
    module = sys._getframe(1).f_globals["__name__"]
    if module.startswith("webgrain."):
        made.add((module, expression.pattern, int(expression.flags)))
    return expression

re.compile = recorded
for name in sys.argv[1:]:
    import_module(name)
print(repr(made))
"""
"""Imports modules and prints the expressions that they compile meanwhile."""


def test_all_expressions_are_listed() -> None:
    """No expression escapes: those that modules compile, and those that functions make."""
    modules = [module for module in MODULES if not module.endswith("__main__")]
    done = subprocess.run(
        [sys.executable, "-c", RECORD, *modules], capture_output=True, check=True, encoding="utf-8"
    )
    made = ast.literal_eval(done.stdout)
    listed = {(expression.pattern, int(expression.flags)) for _, expression, _ in expressions()}
    assert len(made) > 100
    assert [each for each in made if each[0] not in SHORT_TEXTS and each[1:] not in listed] == []
    assert set(made_in_functions()) == MADE_AT_RUN_TIME.keys()


def made_in_functions() -> Iterator[str]:
    """Yield the modules with a function that uses an expression which is no constant."""
    for module, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
        for node in (inner for function in functions for inner in ast.walk(function)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            of_re = ast.unparse(node.func.value) == "re" and node.func.attr in CALLS
            if of_re and not isinstance(node.args[0], ast.Constant):
                yield module


def test_re_is_used_by_its_name() -> None:
    """No module imports the functions of `re` by other names, which the lists would not see."""
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.module in ("re", "regex", "re2")), module
            names = [each for each in node.names if each.name == "re"] if isinstance(node, ast.Import) else []
            assert all(each.asname is None for each in names), module


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        (r"(?i)[a-z]+[A-Z]+1", "two repeats"),
        (r"[A-Za-z]{2,3}([_-]\w{2,8})*", "two repeats"),
        (r"\s*[\d.]*\s*[;,]?\s*x", "two repeats"),
        (r"(?:a+)+b", "two repeats"),
        (r"x(?:[\w-]|[^\x00-\x7f])+y", "alternatives"),
        (r"\s+[-|]\s", "begins with a repeat"),
        (r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}", "begins with a repeat"),
    ],
)
def test_slow_shapes_are_found(pattern: str, fault: str) -> None:
    assert any(fault in each for each in found_faults(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<!\s)\s++[-|]\s",
        r"[a-z]+\d",
        r"(?:[\w-]+\.)+",
        r"/\*.*?(?:\*/|\Z)",
        r"(?:^|(?<=\s))#+$",
        r"a\s*+b?+\s*+c",
    ],
)
def test_other_shapes_are_not(pattern: str) -> None:
    assert found_faults(pattern, searched=False) == []


def test_repeats_over_lines_are_found() -> None:
    assert found_faults(r"^\s*a", re.MULTILINE) == ["it begins with a repeat, at each line of the text"]
    assert found_faults(r"^[^\S\n]*a", re.MULTILINE) == found_faults(r"^\s*a") == []


def test_expressions_in_calls_are_found() -> None:
    ((line, pattern, searched),) = written_in_calls("import re\nre.findall('^a+', text, re.I | re.MULTILINE)")
    assert (line, pattern.pattern, bool(pattern.flags & re.M), searched) == (2, "^a+", True, True)


def test_expressions_take_linear_time() -> None:
    given = expressions()
    assert len(given) > 100
    slow = {
        name: problems
        for name, expression, searched in given
        if (problems := found_faults(expression.pattern, expression.flags, searched))
    }
    assert slow == {}
