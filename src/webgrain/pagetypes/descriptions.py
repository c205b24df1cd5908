"""Descriptions of page types: labels, contents, fields and display names.

A label is made from the key path and stays as long as the key path does. A display name is learnt from
addresses and titles, so it may change with the pages:

    /blog/*                     most pages of the type are in this folder
    /mod/* “Apache Module …”    and their titles have the same beginning
    /YYYY/MM/DD/*               digits of a date
    /docs/* with div.toc        other types are in the folder, too: the last step of the key path
    Articles in /en/, /de/, …   no pattern covers most pages

Cost: about 50 patterns for each page that a name is made from, so callers pass a sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from webgrain.arrays import Float64, Int32, Int64
from webgrain.page.paths import Path, text_key
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.rawpaths import RawCounts, RawPaths
from webgrain.pagetypes.sitepaths import SitePaths
from webgrain.pagetypes.thresholds import (
    CORE_SHARE,
    FEW_PAGES,
    FIELD_SHARE,
    MAX_CORE,
    MAX_EXAMPLES,
    MAX_FIELDS,
    MAX_FOLDERS,
    MAX_NAME,
    MAX_SHOWN_CONTENTS,
    MAX_WORDS,
    PATTERN_F1,
    PATTERN_SHARE,
)
from webgrain.results import Field, PageType

# Label of the pages that fit no type.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Assignment:
    """The type of a page.

    Attributes:
        type: its label; None: unknown; ``other``: the page fits no type.
        key_path: of the type.
        confidence: share of the paths common in the type that the page has; None for ``other``, and for
            methods without confidence.
    """

    type: str | None
    key_path: Path | None = None
    confidence: float | None = 0.0


class Group(NamedTuple):
    """Pages of one type.

    Attributes:
        shingle: keys of paths; empty for the pages that fit no type.
        pages: their numbers.
        tab, content: key of the path of the tab, and of its content on these pages; 0: none.
    """

    shingle: tuple[int, ...]
    pages: tuple[int, ...]
    tab: int = 0
    content: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """The pages of a type: those with one shingle, and perhaps one content of a tab.

    Attributes:
        label: of the type; key_path: of the type, None for a shingle that begins with no key path.
        shingle: keys of paths; empty for the pages that fit no other type.
        tab, content: key of the path of the tab, and of its content; 0: none.
        core: keys of the paths that nearly all pages of the type have.
        size: number of pages that the type was learnt from.
    """

    label: str
    shingle: tuple[int, ...]
    key_path: Path | None = None
    tab: int = 0
    content: int = 0
    core: frozenset[int] = frozenset()
    size: int = 0


def describe_types(
    counts: PathCounts, site: SitePaths, groups: Iterable[Group], ranking: Int64, key_paths: Sequence[int]
) -> tuple[tuple[Rule, ...], tuple[PageType, ...], Int32, Float64]:
    """Return the rules and types of a site, and for each page (p,) the number of its type and the confidence.

    The largest type comes first, `OTHER` last. The confidence is the share of the core of its type that a
    page has; nan for `OTHER`. ranking: all paths, best first.
    """
    groups = tuple(sorted(groups, key=lambda group: (not group.shingle, -len(group.pages), group.pages)))
    labels = np.full(len(site.pages), -1, np.int32)
    for k, group in enumerate(groups):
        labels[np.array(group.pages, np.int64)] = k
    position = np.empty(len(site), np.int64)
    position[ranking] = np.arange(len(site))
    path_of = {int(site.key[path]): path for path in key_paths}
    once = np.bincount(site.path[site.count == 1], minlength=len(site)) >= FIELD_SHARE * site.size
    pair, pages = np.unique(labels[site.page] * np.int64(len(site)) + site.path, return_counts=True)
    bounds = np.searchsorted(pair, np.arange(len(groups) + 1) * len(site))
    types, rules, taken = list[PageType](), list[Rule](), set[str]()
    for k, group in enumerate(groups):
        size, share = len(group.pages), len(group.pages) / len(site.pages)
        examples = tuple(
            site.pages[page] for page in group.pages[:: max(1, size // MAX_EXAMPLES)][:MAX_EXAMPLES]
        )
        if not group.shingle:
            types.append(PageType(OTHER, None, size, share, examples=examples))
            rules.append(Rule(OTHER, (), None, group.tab, group.content, size=size))
            continue
        paths, shares = pair[bounds[k] : bounds[k + 1]] % len(site), pages[bounds[k] : bounds[k + 1]] / size
        core = paths[(shares >= CORE_SHARE) & site.in_body[paths]]
        keys = frozenset(np.sort(site.key[core])[:MAX_CORE].tolist())
        path = path_of.get(group.shingle[0])
        key_path = None if path is None else site.describe(path)
        label = _label(key_path, group, taken)
        rules.append(Rule(label, group.shingle, key_path, group.tab, group.content, keys, size))
        texts = _snippets_of_type(counts, site, labels, k)
        tab = np.flatnonzero(site.key == np.uint64(group.tab)).tolist()
        frequent = paths[(shares >= FIELD_SHARE) & site.in_body[paths] & once[paths]]
        candidates = sorted(frequent.tolist(), key=lambda path: int(position[path]))
        share_of = dict(zip(paths.tolist(), shares.tolist(), strict=True))
        types.append(
            PageType(
                label,
                key_path,
                size,
                share,
                tab=next(iter(_contents(tab[0], texts)), "") if tab else "",
                contents=() if path is None else _contents(path, texts),
                examples=examples,
                fields=tuple(_fields(site, candidates, share_of, texts)),
            )
        )
    return tuple(rules), tuple(types), labels, _confidence(site, labels, rules)


def describe_clusters(
    counts: RawCounts,
    site: RawPaths,
    clusters: Sequence[tuple[tuple[tuple[int, ...], tuple[int, ...]], Sequence[int]]],
    key_paths: Sequence[int],
    tabs: Sequence[int],
    candidates: Int64,
) -> tuple[PageType, ...]:
    """Return the types of clusters of `webgrain.pagetypes.keyclus.KeyClus`.

    clusters: of each, its shingle and the contents of its tabs, and the numbers of its pages; candidates:
    the best paths, which fields are chosen from.
    """
    path_of = {int(site.key[path]): path for path in key_paths}
    types, taken = list[PageType](), set[str]()
    for (shingle, contents), pages in clusters:
        path, size = path_of.get(shingle[0]) if shingle else None, len(pages)
        key_path = None if path is None else site.describe(path)
        some = (page for page in pages if page in counts.snippets)
        texts = [dict(zip(site.paths_of(page).tolist(), counts.snippets[page], strict=True)) for page in some]
        open_tabs = [tab for tab, content in zip(tabs, contents, strict=True) if content >= 0]
        own = np.concatenate([site.paths_of(page) for page in pages])
        share = dict(zip(*np.unique(own, return_counts=True), strict=True))
        share_of = {int(path): float(share.get(path, 0) / size) for path in candidates}
        frequent = [path for path, part in share_of.items() if part >= FIELD_SHARE]
        types.append(
            PageType(
                _label(key_path, Group(shingle, (), content=hash(contents) if open_tabs else 0), taken),
                key_path,
                size,
                size / len(site.pages),
                tab=" | ".join(next(iter(_contents(tab, texts)), "") for tab in open_tabs),
                contents=() if path is None else _contents(path, texts),
                examples=tuple(site.pages[p] for p in pages[:: max(1, size // MAX_EXAMPLES)][:MAX_EXAMPLES]),
                fields=tuple(_fields(site, frequent, share_of, texts)),
            )
        )
    return tuple(types)


def _label(key_path: Path | None, group: Group, taken: set[str]) -> str:
    """Return a new label: the last steps of the key path, and four hexadecimal digits."""
    text = f"{key_path.css if key_path else group.shingle}|{group.tab}|{group.content}"
    words = " ".join(step.css for step in key_path.steps[-2:]) if key_path else OTHER
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40] or "type"
    number = text_key(text)
    while (label := f"{name}-{number % 2**16:04x}") in taken:
        number += 1
    taken.add(label)
    return label


def _confidence(site: SitePaths, labels: Int32, rules: Sequence[Rule]) -> Float64:
    keys = [np.sort(np.fromiter(rule.core, np.uint64, len(rule.core))) for rule in rules]
    wanted = [np.searchsorted(site.key, own) + k * len(site) for k, own in enumerate(keys)]
    has = np.isin(labels[site.page] * np.int64(len(site)) + site.path, np.concatenate(wanted))
    size = np.array(list(map(len, keys)))[labels]
    empty = np.array([1.0 if rule.shingle else np.nan for rule in rules])[labels]
    share = np.bincount(site.page[has], minlength=len(labels)) / np.maximum(size, 1)
    return np.where(size > 0, share, empty)


def _snippets_of_type(counts: PathCounts, site: SitePaths, labels: Int32, type_: int) -> list[dict[int, str]]:
    """Return the snippets by path, of the first element with it, for some pages of a type."""
    snippets = counts.snippets.kept
    # Sorted, so that the order of the pages does not change the result.
    pages = sorted((page for page in snippets if labels[page] == type_), key=lambda page: site.pages[page])
    return [
        dict(zip(reversed(site.local[page].tolist()), reversed(snippets[page]), strict=True))
        for page in pages
    ]


def _contents(path: int, pages: Iterable[Mapping[int, str]]) -> tuple[str, ...]:
    """Return some distinct snippets of a path."""
    distinct = dict.fromkeys(text for texts in pages if (text := texts.get(path)))
    return tuple(distinct)[:MAX_SHOWN_CONTENTS]


def _fields(
    site: SitePaths | RawPaths,
    candidates: Iterable[int],
    share: Mapping[int, float],
    pages: Sequence[Mapping[int, str]],
) -> Iterator[Field]:
    """Yield the fields of a type: paths that its pages have once, and whose content differs."""
    seen: list[tuple[str, ...]] = []
    covered: set[int] = set()
    for path in candidates:
        if len(seen) == MAX_FIELDS:
            return
        contents = () if path in covered else _contents(path, pages)
        if len(contents) >= 2 and contents not in seen:
            yield Field(site.describe(path), share[path], contents)
            seen.append(contents)
            while path >= 0:
                covered.add(path)
                path = int(site.up[path])


# Display names.

# Nouns by the verdict on most pages of a type.
NOUNS = {"article": "Articles", "index": "Index pages"}

_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR, _TWO_DIGITS = re.compile(r"(?:19|20)\d\d"), re.compile(r"\d\d?")
_INDEX_FILE = re.compile(r"(?:index|default)\.\w{2,5}$", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|jsp)$", re.IGNORECASE)
_CUTS = re.compile(r"(?<=[-_.:~])|(?<=[a-z])(?=[A-Z])")
_JOINERS = "\u200c\u200d"  # invisible, but part of the spelling in several scripts
_WORD = re.compile(r"[^\W\d_]{3}")

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """The facts that the display name of a type is made from.

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
        """The last step of the key path with an id or a class, with one of them; empty without key path."""
        steps = self.key_path.steps if self.key_path else ()
        step = next((step for step in reversed(steps) if step.id or step.classes), None)
        if step is None:
            return steps[-1].css if steps else ""
        return replace(step, classes=() if step.id else step.classes[:1]).css


def name_types(types: Mapping[str, TypeFacts]) -> dict[str, str]:
    """Return a unique display name for each type, by its label; the order of the pages does not matter.

    >>> posts = TypeFacts([f"blog/{n}.html" for n in ("tea", "bread", "salt")], ["Tea", "Bread", "Salt"])
    >>> goods = TypeFacts(["shop/1.html", "shop/2.html"], ["Buy a kettle", "Buy a cup"])
    >>> name_types({"p-1": posts, "div-2": goods})
    {'p-1': '/blog/*', 'div-2': '/shop/* “Buy a …”'}
    """
    steps = {label: [_steps(address) for address in facts.addresses] for label, facts in types.items()}
    patterns = {
        label: Counter(pattern for page in pages for pattern in set(_patterns(page)))
        for label, pages in steps.items()
    }
    all_patterns = Counter[str]()
    for counter in patterns.values():
        all_patterns.update(counter)
    folders = Counter(_folder(page) for pages in steps.values() for page in pages)
    names = {}
    for label, facts in types.items():
        place = _best_pattern(patterns[label], all_patterns, len(facts.addresses))
        place = place or _folders(steps[label], folders, facts.verdicts)
        words = _title_words(facts.titles, [other.titles for key, other in types.items() if key != label])
        names[label] = f"{place} {words}" if words else place
    if OTHER in names:
        names[OTHER] = "Other pages"
    return _unique(names, types)


def _steps(address: str) -> Steps:
    """Return the folders of an address and the name of its page, dates as ``YYYY``, ``MM``, ``DD``.

    >>> _steps("https://example.org/2024/05/17/tea/index.html"), _steps("a/2024-05-17-tea.html")
    (('YYYY', 'MM', 'DD', 'tea'), ('a', 'YYYY-MM-DD-tea'))
    """
    try:
        parts = urlsplit(address)
        path, query = unquote(parts.path), parts.query
    except ValueError:  # not an address
        path, query = address, ""
    steps = [step for step in path.split("/") if step]
    if steps and _INDEX_FILE.match(steps[-1]) and not query:
        steps.pop()
    if steps:
        steps[-1] = f"{steps[-1]}?{query}" if query else _SUFFIX.sub("", steps[-1])
    year = next((k for k, step in enumerate(steps) if _YEAR.fullmatch(step)), len(steps))
    following = zip(("MM", "DD"), steps[year + 1 :], strict=False)
    day = [unit for unit, step in following if _TWO_DIGITS.fullmatch(step)]
    steps[year : year + 1 + len(day)] = ["YYYY", *day] if year < len(steps) else []
    return tuple(_DATE.sub(r"YYYY\1MM\1DD", step[:200]) for step in steps)


def _patterns(steps: Steps) -> Iterator[str]:
    """Yield the patterns of an address, with ``*`` for any characters.

    >>> sorted(set(_patterns(("blog", "my_tea"))))
    ['*/blog/*', '*/my_*', '*/my_tea', '*_tea', '/*/my_tea', '/blog/*', '/blog/my_*', '/blog/my_tea']
    """
    if not steps:
        yield "/"
        return
    folders, leaf = steps[:-1], steps[-1]
    for depth in range(1, min(len(folders), MAX_FOLDERS) + 1):
        for masked in _masks(folders[: depth - 1]):
            yield "/".join(["", *masked, folders[depth - 1], "*"])
    yield f"*/{folders[-1]}/*" if folders else "/*"
    if folders:
        yield f"*/{leaf}"
    if len(folders) <= MAX_FOLDERS:
        yield from ("/".join(["", *masked, leaf]) for masked in _masks(folders))
    # Page names with the same beginning or end, in the same folder or in any.
    cuts = [found.start() for found in _CUTS.finditer(leaf) if 1 < found.start() < len(leaf)]
    cuts = [leaf.index("?") + 1] if "?" in leaf else cuts
    for cut in cuts[:3]:
        yield f"/{'/'.join(folders)}/{leaf[:cut]}*".replace("//", "/")
        yield f"*/{leaf[:cut]}*"
    if cuts and not leaf[cuts[-1] - 1].isalnum():
        yield f"*{leaf[cuts[-1] - 1 :]}"


def _masks(folders: Steps) -> Iterator[tuple[str, ...]]:
    """Yield folders with any of them as ``*``.

    >>> list(_masks(("a", "b")))
    [('a', 'b'), ('a', '*'), ('*', 'b'), ('*', '*')]
    """
    return product(*((folder, "*") for folder in folders))


def _best_pattern(patterns: Counter[str], all_patterns: Counter[str], pages: int) -> str:
    """Return the pattern that agrees best with the type, by F1; empty if none covers most pages."""
    best, found = (0.0, 0, 0, 0, ""), ""
    for pattern, n in patterns.items():
        if n >= PATTERN_SHARE * pages:
            f1 = round(2 * n / (pages + all_patterns[pattern]), 1)
            literal = sum("*" not in step for step in pattern.split("/"))
            rank = (f1, literal, -pattern.count("*"), -len(pattern), pattern)
            if rank > best and (pages > FEW_PAGES or f1 >= PATTERN_F1):
                best, found = rank, pattern
    return found


def _folders(pages: Sequence[Steps], all_folders: Counter[str], verdicts: Sequence[str]) -> str:
    """Return the addresses of a few pages; of more pages a noun and the folders that identify them best."""
    if len(pages) <= FEW_PAGES:
        return ", ".join(sorted("/" + "/".join(steps) for steps in pages)) or "Pages"
    [(verdict, n)] = Counter(verdicts).most_common(1) or [("", 0)]
    noun = NOUNS.get(verdict, "Pages") if n >= PATTERN_SHARE * len(verdicts) else "Pages"
    folders = Counter(_folder(steps) for steps in pages)
    ranked = sorted(folders, key=lambda folder: (-(folders[folder] ** 2) / all_folders[folder], folder))
    best = ranked[:FEW_PAGES]
    rest = ["…"] if sum(folders[folder] for folder in best) < PATTERN_SHARE * len(pages) else []
    return f"{noun} in {', '.join([*best, *rest])}"


def _folder(steps: Steps) -> str:
    return "".join(f"/{step}" for step in steps[:-1]) + "/"


def _title_words(titles: Sequence[str], others: Iterable[Sequence[str]]) -> str:
    """Return the common beginning of the titles of a type, if those of others lack it; empty for none."""
    split = [title.split() for title in titles if title.strip()]
    common: Sequence[str] = ()
    while len(split) > 1 and len(common) < MAX_WORDS:
        longer = Counter(tuple(words[: len(common) + 1]) for words in split if len(words) > len(common))
        [(begin, n)] = longer.most_common(1) or [((), 0)]
        if n < max(2, PATTERN_SHARE * len(split)):
            break
        common = begin
    text = " ".join(common)
    other_titles = [title for some in others for title in some]
    shared = sum(title.startswith(text) for title in other_titles)
    if not _WORD.search(text) or shared > (1 - PATTERN_SHARE) * len(other_titles):
        return ""
    return f"“{text} …”" if any(len(words) > len(common) for words in split) else f"“{text}”"


def _unique(names: Mapping[str, str], types: Mapping[str, TypeFacts]) -> dict[str, str]:
    """Return the names; those of several types with a step of the key path, or else a number."""
    short = {label: _shorten(name) for label, name in names.items()}
    times = Counter(short.values())
    taken: set[str] = set()
    for label, name in short.items():
        mark = _shorten(types[label].mark) if times[name] > 1 else ""
        name = f"{name} with {mark}" if mark else name
        number, unique = 2, name
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique)
        short[label] = unique
    return short


def _shorten(name: str) -> str:
    name = " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in name).split())
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
