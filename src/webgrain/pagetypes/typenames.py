"""Names of page types for people: where the pages of a type are on the site, and how their titles begin.

    /blog/*                     most pages of the type are in this folder
    /mod/* “Apache Module …”    and their titles begin alike
    /YYYY/MM/DD/*               digits of a date stand for themselves
    /docs/* with div.toc        other types are there, too: what the key path of this one ends with
    Articles in /en/, /de/, …   they are in no one place

A name is learnt from the pages, so it may change when they do. Labels are ids, which stay; names are shown.
Cost: some 50 patterns for each page, so it should be given a sample of them.

Paths that wrappers follow, and whether key paths lead to the same places (KeyClus, 4.3).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from urllib.parse import unquote, urlsplit

from webgrain.page.paths import Path, Step

COVERED = 0.8
"""Share of the pages of a type that a pattern of addresses, or a beginning of titles, has to hold for."""

TELLING = 0.5
"""F1 of a pattern and a type of a few pages; below it their addresses say more."""

FOLDERS, FEW, WORDS, LONGEST = 4, 3, 6, 80
"""Folders of an address that are told apart; addresses, words of titles and characters in a name."""

NOUNS = {"article": "Articles", "index": "Index pages"}

_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR, _TWO = re.compile(r"(?:19|20)\d\d"), re.compile(r"\d\d?")
_HOME = re.compile(r"(?:index|default)\.\w{2,5}$", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|jsp)$", re.IGNORECASE)
_CUTS = re.compile(r"(?<=[-_.:~])|(?<=[a-z])(?=[A-Z])")
_JOINERS = "\u200c\u200d"  # invisible, but words of several scripts are misspelt without them
_WORD = re.compile(r"[^\W\d_]{3}")

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """What the name of a type is made from.

    Attributes:
        addresses: URLs of its pages, or their paths in the site.
        titles, verdicts: of some of them.
        key_path: of the type; None for none.
    """

    addresses: Sequence[str]
    titles: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    key_path: Path | None = None

    @property
    def mark(self) -> str:
        """The last step of the key path that has an id or a class, by one of them; empty for none."""
        steps = self.key_path.steps if self.key_path else ()
        step = next((step for step in reversed(steps) if step.id or step.classes), None)
        if step is None:
            return steps[-1].css if steps else ""
        return replace(step, classes=() if step.id else step.classes[:1]).css


def name_types(kinds: Mapping[str, Kind]) -> dict[str, str]:
    """Return a name for each type, by its label; no two are the same, whatever the order of the pages.

    >>> posts = Kind([f"blog/{name}.html" for name in ("tea", "bread", "salt")], ["Tea", "Bread", "Salt"])
    >>> goods = Kind(["shop/1.html", "shop/2.html"], ["Buy a kettle", "Buy a cup"])
    >>> name_types({"p-1": posts, "div-2": goods})
    {'p-1': '/blog/*', 'div-2': '/shop/* “Buy a …”'}
    """
    steps = {label: [_steps(one) for one in kind.addresses] for label, kind in kinds.items()}
    of_type = {label: Counter(_counted(some)) for label, some in steps.items()}
    everywhere: Counter[str] = Counter()
    for counts in of_type.values():
        everywhere.update(counts)
    folders = Counter(_folder(one) for some in steps.values() for one in some)
    names = {}
    for label, kind in kinds.items():
        place = _place(of_type[label], everywhere, len(kind.addresses))
        words = _words(kind.titles, [one.titles for other, one in kinds.items() if other != label])
        place = place or _anywhere(steps[label], folders, kind.verdicts)
        names[label] = f"{place} {words}" if words else place
    return _told_apart(names, kinds)


def _steps(address: str) -> Steps:
    """Return the folders of an address and the name of its page, dates as ``YYYY``, ``MM``, ``DD``.

    >>> _steps("https://example.org/2024/05/17/tea/index.html"), _steps("a/2024-05-17-tea.html")
    (('YYYY', 'MM', 'DD', 'tea'), ('a', 'YYYY-MM-DD-tea'))
    """
    try:
        parts = urlsplit(address)
        path, query = unquote(parts.path), parts.query
    except ValueError:  # it only looks like an address
        path, query = address, ""
    steps = [step for step in path.split("/") if step]
    if steps and _HOME.match(steps[-1]) and not query:
        steps.pop()
    if steps:
        steps[-1] = f"{steps[-1]}?{query}" if query else _SUFFIX.sub("", steps[-1])
    year = next((k for k, step in enumerate(steps) if _YEAR.fullmatch(step)), len(steps))
    day = [unit for unit, step in zip(("MM", "DD"), steps[year + 1 :], strict=False) if _TWO.fullmatch(step)]
    steps[year : year + 1 + len(day)] = ["YYYY", *day] if year < len(steps) else []
    return tuple(_DATE.sub(r"YYYY\1MM\1DD", step[:200]) for step in steps)


def _counted(pages: Iterable[Steps]) -> Iterator[str]:
    for steps in pages:
        yield from set(_patterns(steps))


def _patterns(steps: Steps) -> Iterator[str]:
    """Yield the patterns that an address has, ``*`` for what may differ.

    >>> sorted(set(_patterns(("blog", "my_tea"))))
    ['*/blog/*', '*/my_*', '*/my_tea', '*_tea', '/*/my_tea', '/blog/*', '/blog/my_*', '/blog/my_tea']
    """
    if not steps:
        yield "/"
        return
    folders, leaf = steps[:-1], steps[-1]
    yield from _folder_patterns(folders)
    if folders:
        yield f"*/{leaf}"
    if len(folders) <= FOLDERS:
        yield from ("/".join(["", *masked, leaf]) for masked in _masks(folders))
    yield from _leaf_patterns("/".join(folders), leaf)


def _folder_patterns(folders: Steps) -> Iterator[str]:
    """Yield the patterns of all that is in the same folder, or in one of the folders above."""
    for depth in range(1, min(len(folders), FOLDERS) + 1):
        for masked in _masks(folders[: depth - 1]):
            yield "/".join(["", *masked, folders[depth - 1], "*"])
    yield f"*/{folders[-1]}/*" if folders else "/*"


def _leaf_patterns(inside: str, leaf: str) -> Iterator[str]:
    """Yield the patterns of names that begin or end alike, in the same folder or in any."""
    cuts = [found.start() for found in _CUTS.finditer(leaf) if 1 < found.start() < len(leaf)]
    cuts = [leaf.index("?") + 1] if "?" in leaf else cuts
    for cut in cuts[:3]:
        yield f"/{inside}/{leaf[:cut]}*".replace("//", "/")
        yield f"*/{leaf[:cut]}*"
    if cuts and not leaf[cuts[-1] - 1].isalnum():
        yield f"*{leaf[cuts[-1] - 1 :]}"


def _masks(folders: Steps) -> Iterator[tuple[str, ...]]:
    """Yield folders with any of them as ``*``.

    >>> list(_masks(("a", "b")))
    [('a', 'b'), ('a', '*'), ('*', 'b'), ('*', '*')]
    """
    return product(*((folder, "*") for folder in folders))


def _place(mine: Counter[str], everywhere: Counter[str], pages: int) -> str:
    """Return the pattern that tells best which pages are of the type; empty where none has most of them."""
    best, found = (0.0, 0, 0, 0, ""), ""
    for pattern, n in mine.items():
        if n >= COVERED * pages:
            tells = round(2 * n / (pages + everywhere[pattern]), 1)  # F1 of what it says of the pages
            literal = sum("*" not in step for step in pattern.split("/"))
            rank = (tells, literal, -pattern.count("*"), -len(pattern), pattern)
            if rank > best and (pages > FEW or tells >= TELLING):
                best, found = rank, pattern
    return found


def _anywhere(pages: Sequence[Steps], everywhere: Counter[str], verdicts: Sequence[str]) -> str:
    """Return the addresses of a few pages; of more what they are, and the folders that tell best of them."""
    if len(pages) <= FEW:
        return ", ".join(sorted("/" + "/".join(steps) for steps in pages)) or "Pages"
    [(verdict, n)] = Counter(verdicts).most_common(1) or [("", 0)]
    noun = NOUNS.get(verdict, "Pages") if n >= COVERED * len(verdicts) else "Pages"
    folders = Counter(_folder(steps) for steps in pages)
    best = sorted(folders, key=lambda folder: (-(folders[folder] ** 2) / everywhere[folder], folder))[:FEW]
    rest = ["…"] if sum(folders[folder] for folder in best) < COVERED * len(pages) else []
    return f"{noun} in {', '.join([*best, *rest])}"


def _folder(steps: Steps) -> str:
    return "".join(f"/{step}" for step in steps[:-1]) + "/"


def _words(titles: Sequence[str], others: Iterable[Sequence[str]]) -> str:
    """Return the words that the titles of a type begin with, but not those of others; empty for none."""
    split = [title.split() for title in titles if title.strip()]
    found = _start(split)
    text = " ".join(found)
    elsewhere = [title for some in others for title in some]
    shared = sum(title.startswith(text) for title in elsewhere)
    if not _WORD.search(text) or shared > (1 - COVERED) * len(elsewhere):
        return ""
    return f"“{text} …”" if any(len(words) > len(found) for words in split) else f"“{text}”"


def _start(titles: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the longest beginning that most of the titles have; nothing for fewer than two titles."""
    found: Sequence[str] = ()
    while len(titles) > 1 and len(found) < WORDS:
        longer = Counter(tuple(words[: len(found) + 1]) for words in titles if len(words) > len(found))
        [(begin, n)] = longer.most_common(1) or [((), 0)]
        if n < max(2, COVERED * len(titles)):
            break
        found = begin
    return found


def _told_apart(names: Mapping[str, str], kinds: Mapping[str, Kind]) -> dict[str, str]:
    """Return the names, those that are not unique with what tells their types apart."""
    short = {label: _shortened(name) for label, name in names.items()}
    times = Counter(short.values())
    marks = {label: _shortened(kinds[label].mark) for label, name in short.items() if times[name] > 1}
    marked = {
        label: f"{name} with {marks[label]}" if marks.get(label) else name for label, name in short.items()
    }
    taken: set[str] = set()
    for label, name in marked.items():
        number, unique = 2, name
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique)
        marked[label] = unique
    return marked


def _shortened(name: str) -> str:
    name = " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in name).split())
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


PREFIX = 0.9
"""A path matches one of a wrapper if so much of that one is the beginning of both."""


def matches(path: Path, wrapper: Path) -> bool:
    """Tell whether the longest common prefix of two paths is at least 90 % of the length of the second.

    Steps are the same if their tags are, and no id or class that both have differs.

    >>> from webgrain.page.paths import Path, Step
    >>> html, body, h1, b = Step("html"), Step("body"), Step("h1"), Step("b")
    >>> title = Path((html, body, h1))
    >>> matches(Path((html, body, h1, b)), title), matches(Path((html, body)), title)
    (True, False)
    """
    common = 0
    for one, other in zip(path.steps, wrapper.steps, strict=False):
        if not _same(one, other):
            break
        common += 1
    return common >= PREFIX * len(wrapper)


def wrapper_precision(paths: Iterable[Path], wrappers: Sequence[Path]) -> float:
    """Return the share of paths that match one of a wrapper; nan for no path.

    >>> from webgrain.page.paths import Path, Step
    >>> title = Path((Step("html"), Step("body"), Step("h1")))
    >>> wrapper_precision([title, Path((Step("html"), Step("body"), Step("p")))], [title])
    0.5
    """
    found = [any(matches(path, wrapper) for wrapper in wrappers) for path in paths]
    return sum(found) / len(found) if found else float("nan")


def _same(one: Step, other: Step) -> bool:
    if one.tag != other.tag or (one.id and other.id and one.id != other.id):
        return False
    return not (one.classes and other.classes) or bool(set(one.classes) & set(other.classes))


def same_places(new: Sequence[Path | None], old: Sequence[Path | None]) -> list[int | None]:
    """Return for each new key path the old one that leads to the same place, each at most once.

    Equal paths come first, then those that match in both directions.

    >>> from webgrain.page.paths import Path, Step
    >>> a, b = Path((Step("html"), Step("h1"))), Path((Step("html"), Step("h2")))
    >>> same_places([b, a, None], [a, b])
    [1, 0, None]
    """
    found: list[int | None] = [None] * len(new)
    free = {k for k, path in enumerate(old) if path is not None}
    for equal in (True, False):
        for k, path in enumerate(new):
            if path is None or found[k] is not None:
                continue
            fits = (
                j for j in sorted(free) if (other := old[j]) is not None
                and (path == other if equal else matches(path, other) and matches(other, path))
            )  # fmt: skip
            found[k] = next(fits, None)
            free.discard(-1 if found[k] is None else int(found[k] or 0))
    return found
