"""Check the source code and the manual for words that make them hard to read.

    python scripts/check_words.py    list the lines; the exit code is 1 if there are any

It checks the code, the manual and the README: names, comments, docstrings and prose, but not the other texts
in tests and experiments. A phrase that must stay, such as a quotation, belongs in `ALLOWED`.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("src/webgrain/**/*.py", "src/webgrain/**/*.pyx", "docs/**/*.md", "docs/*.py", "*.md")
SAMPLES = ("tests/**/*.py", "experiments/**/*.py", "benchmarks/**/*.py")
"""Code with sample texts, which are not checked."""

WORDS = {
    "told|tell|tells": 'six meanings: write "reported", "stored", "record", "identifies", or name the value',
    "say|says|said": 'things do not speak: write "reports", "states", "contains", "shows", or name the value',
    "hardly": 'write "rarely", "almost never" or a number',
    "so many": 'write "N", "the number of" or "that number"',
    "as it stands": 'write "unchanged"',
    "from which on": 'write "from", "at least" or "minimum"',
    "what stands in": 'write "the content of"',
    r"(?-i:(?<!there\x20)is none)": 'write "is not one" or "there is no"',
    "of its own": 'write "its own", "separate" or "own"',
    "had better": 'write "should"',
    "gone on with": 'write "resumed"',
    "for people": 'write "display name" or name the reader',
    "furniture": 'write "boilerplate"',
    "referee": 'write "scoring"',
    "crew": 'write "pool" or "workers"',
    "desk": 'write "app"',
}
"""Words, joined by ``|``, and what to write instead."""

ALLOWED: dict[str, tuple[str, ...]] = {
    "src/webgrain/duplicates/search.py": ("Said once.", "said, once"),
    "src/webgrain/io/archives.py": ("file.tell()",),
    "src/webgrain/base/modelfile.py": ("content.tell()",),
    "src/webgrain/rendering/chromium.py": ("of its own process group",),
    "CHANGELOG.md": ("furniture",),
    "src/webgrain/site/model.py": ("furniture",),
    "tests/site/test_model.py": ("furniture",),
}
"""Phrases by file in which a word may occur, such as quotations and titles."""

TEXTS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}

# Also a part of a name, such as _told_version or toldVersion.
PATTERNS = {
    re.compile(r"(?<![a-zA-Z])(?:" + words.replace(" ", r"\s+") + r")(?![a-z])", re.IGNORECASE): reason
    for words, reason in WORDS.items()
}


def main() -> None:
    """Print the lines with words to avoid, and end with exit code 1 if there are any."""
    found = [(path, *hit) for path in files() for hit in hits(path)]
    for path, line, word, reason in found:
        print(f"{path}:{line}: {word!r}: {reason}")
    if found:
        sys.exit(1)


def files() -> Iterator[str]:
    """Yield the checked files, relative to the project."""
    for pattern in (*FILES, *SAMPLES):
        for path in sorted(ROOT.glob(pattern)):
            if "_build" not in path.parts:
                yield path.relative_to(ROOT).as_posix()


def hits(name: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, word and advice for each occurrence in a file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if f"{name.partition('/')[0]}/**/*.py" in SAMPLES:
        text = without_texts(text)
    for phrase in ALLOWED.get(name, ()):
        text = text.replace(phrase, re.sub(r"\S", "-", phrase))
    for pattern, reason in PATTERNS.items():
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), reason


def without_texts(code: str) -> str:
    """Return code in which strings other than docstrings are replaced by spaces.

    >>> without_texts("f('a') # b")
    'f(   ) # b'
    """
    lines = [list(line) for line in code.splitlines(keepends=True)]
    before = tokenize.NEWLINE
    kept = (tokenize.COMMENT, tokenize.NL)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        (top, left), (bottom, right) = token.start, token.end
        inside = token.type in TEXTS and before not in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        for row in range(top, bottom + 1) if inside else ():
            line = lines[row - 1]
            start, end = left if row == top else 0, right if row == bottom else len(line) - 1
            line[start:end] = " " * (end - start)
        before = before if token.type in kept else token.type
    return "".join(map("".join, lines))


if __name__ == "__main__":
    main()
