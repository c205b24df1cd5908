"""Check the source code and the manual for words that make them hard to read.

    python scripts/check_words.py            list the lines; the exit code is 1 if a folder has too many
    python scripts/check_words.py --counts   print only the number of lines of each folder

Checked are the package, the manual and the README: names, comments, docstrings and prose. A phrase that
must stay, such as a quotation, belongs in `ALLOWED`. `REMAINING` holds how many lines may remain; the
numbers must only decrease.
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

ALLOWED: dict[str, tuple[str, ...]] = {}
"""Phrases by file in which a word may occur, such as quotations and titles."""

REMAINING = {
    "articleparts.py": 1,
    "crawler": 3,
    "docs": 17,
    "duplicates": 3,
    "engines": 2,
    "errors.py": 2,
    "evaluation": 1,
    "extraction": 7,
    "io": 2,
    "labeling": 6,
    "layouts": 2,
    "modelfile.py": 21,
    "page": 2,
    "pagetypes": 4,
    "pipeline.py": 2,
    "rendering": 4,
    "report": 1,
    "results.py": 2,
    "site": 16,
    "templates": 3,
}
"""Number of lines with such words by folder."""

# Also a part of a name, such as _told_version or toldVersion.
PATTERNS = {
    re.compile(r"(?<![a-zA-Z])(?:" + words.replace(" ", r"\s+") + r")(?![a-z])", re.IGNORECASE): reason
    for words, reason in WORDS.items()
}


def main() -> None:
    """Print the lines with words to avoid, and end with exit code 1 if a folder has too many."""
    found = [(path, *hit) for path in files() for hit in hits(path)]
    counts = Counter(folder(path) for path, *_ in found)
    if "--counts" in sys.argv:
        print("\n".join(f"{number:5} {name}" for name, number in counts.most_common()))
        return
    exceeded = {name for name, number in counts.items() if number > REMAINING.get(name, 0)}
    for path, line, word, reason in found:
        if folder(path) in exceeded:
            print(f"{path}:{line}: {word!r}: {reason}")
    if exceeded:
        sys.exit(f"Too many words to avoid in {', '.join(sorted(exceeded))}.")


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


def folder(name: str) -> str:
    """Return the package of a file, or its folder."""
    return name.removeprefix("src/webgrain/").partition("/")[0]


if __name__ == "__main__":
    main()
