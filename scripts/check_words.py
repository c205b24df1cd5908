"""Report words that make the source code and the manual hard to read.

    python scripts/check_words.py            the lines, and exit code 1 if there are any
    python scripts/check_words.py --counts   only the number of lines of each package

Checked are the package, the manual and the README: names, comments, docstrings, messages and prose.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("src/webgrain/**/*.py", "src/webgrain/**/*.pyx", "docs/**/*.md", "README.md")

WORDS = {
    "told|tell|tells": 'six meanings: write "reported", "stored", "record", "identifies", or name the value',
    "say|says|said": 'things do not speak: write "reports", "states", "contains", "shows", or name the value',
    "hardly": 'write "rarely", "almost never" or a number',
    "so many": 'write "N", "the number of" or "that number"',
    "as it stands": 'write "unchanged"',
    "from which on": 'write "from", "at least" or "minimum"',
    "what stands in": 'write "the content of"',
    "(?-i:is none)": 'write "is not one" or "there is no"',
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

ALLOWED = {
    "docs/glossary.md": (),
}
"""Phrases by file in which a word may occur: quotations, and titles of papers."""

# Also a part of a name, such as _told_version or toldVersion.
PATTERNS = {
    re.compile(r"(?<![a-zA-Z])(?:" + words.replace(" ", r"\s+") + r")(?![a-z])", re.IGNORECASE): reason
    for words, reason in WORDS.items()
}


def main() -> None:
    """Print what was found."""
    found = [(path, *hit) for path in files() for hit in hits(path)]
    if "--counts" in sys.argv:
        counts = Counter(package(path) for path, *_ in found)
        print("\n".join(f"{number:5} {name}" for name, number in counts.most_common()))
        print(f"{len(found):5} lines with words to avoid; python scripts/check_words.py lists them.")
        return
    for path, line, word, reason in found:
        print(f"{path}:{line}: {word!r}: {reason}")
    if found:
        sys.exit(f"{len(found)} words to avoid; phrases that must stay go into ALLOWED of this script.")


def files() -> Iterator[str]:
    """Yield the checked files, relative to the project."""
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            if "_build" not in path.parts:
                yield path.relative_to(ROOT).as_posix()


def hits(name: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, word and advice for each occurrence in a file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for phrase in ALLOWED.get(name, ()):
        text = text.replace(phrase, re.sub(r"\S", "-", phrase))
    for pattern, reason in PATTERNS.items():
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), reason


def package(name: str) -> str:
    """Return the package of a file, or its folder."""
    return name.removeprefix("src/webgrain/").partition("/")[0]


if __name__ == "__main__":
    main()
