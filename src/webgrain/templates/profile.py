"""Profile: how many pages of a type have each path, each id and class at a path, and each list.

A path is the sequence of tags from the root to a visible element. The pages of a type differ in the number of
elements at a path (a list of three or five items), so a profile counts the pages that have the path at least
once, at least twice, and so on. Ids and classes are counted by the path of their element. `drift` compares
these counts with those of later pages.

Names and other traits of one page only are not kept.

A template file contains the profile of the pages that it was learnt from. Each row is a path, below the
nearest one before it that is less deep: depth, tag, pages with at least one, two, ... of these elements, and
pages with each name:

    {"pages": 15, "paths": [[0, "html", [15], {}], [1, "body", [15], {"home": 3}], ...],
     "uses": [["list", "html > body > ul > li", 14], ...]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from webgrain.page.addresses import Selectors
from webgrain.page.kernels.treepass import merge_paths
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import TAG_KEYS, Path, Step, places
from webgrain.page.strings import bounded_cache
from webgrain.templates.thresholds import MAX_NAMES, MAX_PATHS, MAX_TIMES

Tags = tuple[str, ...]


class Use(NamedTuple):
    """A CSS selector that is in use; name: what for, such as ``list`` or ``title``."""

    name: str
    css: str


class Trait(NamedTuple):
    """A property that a page has or lacks: elements at a path.

    tags: the path; name: an id (``#main``) or a class of the element, empty for any element; times: number of
    such elements, at least.
    """

    tags: Tags
    name: str = ""
    times: int = 1


def drift_traits(page: Page) -> frozenset[Trait]:
    """Return the traits of a page.

    >>> from webgrain.page.parsing import parse
    >>> found = drift_traits(parse("<p>One<p class=a>Two"))
    >>> sorted((*trait.tags[2:], trait.name, trait.times) for trait in found if len(trait.tags) > 2)
    [('p', '', 1), ('p', '', 2), ('p', 'a', 1)]
    """
    paths = _PagePaths.of(page)
    tags: list[Tags] = []
    traits: list[Trait] = []
    for above, tag, times in zip(paths.up, paths.tag, paths.times, strict=True):
        tags.append((*tags[above], tag) if above >= 0 else (tag,))
        traits += (Trait(tags[-1], "", k) for k in range(1, times + 1))
    traits += (Trait(tags[path], name) for path, names in paths.names for name in names)
    return frozenset(traits)


class _PagePaths(NamedTuple):
    """The paths of a page, a path after the one that is shorter by a step.

    Attributes:
        up: the path that is shorter by a step, -1 for none; tag: the last tag.
        times: the number of elements, `MAX_TIMES` at most.
        names: a path and the names of an element at it, for each type of element at each path.
    """

    up: list[int]
    tag: list[str]
    times: list[int]
    names: list[tuple[int, tuple[str, ...]]]

    @classmethod
    def of(cls, page: Page) -> _PagePaths:
        """Return the paths of a page."""
        dom = page.dom
        tree = visible_tree(page)
        types = places(dom)
        keys = TAG_KEYS.of_nodes(dom)[tree.node]
        path, up, first, count, _ = merge_paths(tree.parent, keys)
        up, first, count = up[:MAX_PATHS], first[:MAX_PATHS], count[:MAX_PATHS]
        tags = [dom.tags[number] for number in dom.tag[tree.node[first]].tolist()]
        times = np.minimum(count, MAX_TIMES).tolist()
        elements = (keys != 0) & (path < MAX_PATHS)
        type_of = types.type[tree.node[elements]]
        has_names = (types.id_value >= 0) | (types.class_value >= 0)
        is_named = has_names[type_of]
        pairs = np.unique(path[elements][is_named].astype(np.int64) * len(types.tag) + type_of[is_named])
        columns = (column.tolist() for column in np.divmod(pairs, len(types.tag)))
        ids, classes = types.ids, types.classes
        named = [(at, _names_of(ids[k], classes[k])) for at, k in zip(*columns, strict=True)]
        return cls(up.tolist(), tags, times, named)


@bounded_cache(4096)  # the pages of a site have the same ids and classes
def _names_of(id_: str | None, classes: str | None) -> tuple[str, ...]:
    """Return the names of an element: its id and its first classes."""
    return (*([f"#{''.join(id_.split())}"] if id_ else []), *(classes or "").split()[:MAX_NAMES])


class _SitePaths:
    """The paths of some pages, numbered, and the pages with each of their traits."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._number: dict[tuple[int, str], int] = {}
        self._tags: list[Tags] = []
        self._times: list[list[int]] = []
        self._names: Counter[tuple[int, str]] = Counter()
        for page in pages:
            self._add(_PagePaths.of(page))

    def _add(self, page: _PagePaths) -> None:
        numbers: list[int] = []
        for above, tag, times in zip(page.up, page.tag, page.times, strict=True):
            step = numbers[above] if above >= 0 else -1, tag
            number = self._number.get(step)
            if number is None:
                number = self._number[step] = len(self._tags)
                self._tags.append((*self._tags[step[0]], tag) if above >= 0 else (tag,))
                self._times.append([0] * (MAX_TIMES + 1))
            numbers.append(number)
            self._times[number][times] += 1
        self._names.update({(numbers[path], name) for path, names in page.names for name in names})

    def traits(self, least: int) -> Iterator[tuple[Trait, int]]:
        """Yield the traits of at least N pages, and the number of the pages."""
        for tags, pages in zip(self._tags, self._times, strict=True):
            more = 0
            for times in range(MAX_TIMES, 0, -1):
                more += pages[times]
                if more >= least:
                    yield Trait(tags, "", times), more
        for (path, name), n in self._names.items():
            if n >= least:
                yield Trait(self._tags[path], name), n


@dataclass(frozen=True, eq=False)
class Profile:
    """How many of some pages of a type have each trait.

    Attributes:
        n_pages: number of pages.
        count: number of the pages with each trait, of the traits of two pages and more (or of the only page).
        uses: number of the pages on which a selector selects something.

    >>> from webgrain.page.parsing import parse
    >>> pages = [parse(html) for html in ("<p>a", "<p>b<p>c", "<ul><li>d</ul>")]
    >>> profile = Profile.learn(pages, [Use("list", "ul > li")])
    >>> profile.count[Trait(("html", "body", "p"))], profile.uses
    (2, {Use(name='list', css='ul > li'): 1})
    """

    n_pages: int = 0
    count: Mapping[Trait, int] = field(default_factory=dict)
    uses: Mapping[Use, int] = field(default_factory=dict)

    @classmethod
    def learn(cls, pages: Sequence[Page], uses: Sequence[Use] = ()) -> Profile:
        """Return the profile of pages; uses: the selectors to count."""
        chosen = sorted(_SitePaths(pages).traits(min(2, len(pages))))
        return cls(len(pages), dict(chosen), count_uses(pages, uses))

    def with_uses(self, pages: Sequence[Page], uses: Sequence[Use]) -> Profile:
        """Return the profile with further selectors, counted on the pages that it was learnt from."""
        counted = {use: min(n, self.n_pages) for use, n in count_uses(pages, uses).items() if n}
        return replace(self, uses={**counted, **self.uses})

    @cached_property
    def kinds(self) -> frozenset[tuple[Tags, str]]:
        """The traits of most of the pages, see `kinds`."""
        return kinds(trait for trait, n in self.count.items() if n > 0.5 * self.n_pages)

    def share(self, trait: Trait) -> float:
        """Return the share of the pages that have a trait, 0..1."""
        return self.count.get(trait, 0) / max(self.n_pages, 1)

    def address(self, trait: Trait) -> tuple[str, str]:
        """Return the CSS selector and the XPath of a trait.

        A step has the id or a class of its element if every page has it once there.
        """
        steps = []
        for depth in range(1, len(trait.tags)):
            prefix = trait.tags[:depth]
            once = Trait(prefix, "", 2) not in self.count
            steps.append(_step(prefix[-1], min(self._names.get(prefix, ()), default="") if once else ""))
        path = Path((*steps, _step(trait.tags[-1], trait.name)))
        return path.css, path.xpath

    @cached_property
    def _names(self) -> dict[Tags, list[str]]:
        """The names that every page has, by path."""
        names: dict[Tags, list[str]] = {}
        for trait, n in self.count.items():
            if trait.name and n == self.n_pages:
                names.setdefault(trait.tags, []).append(trait.name)
        return names

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as plain values for `from_dict`."""
        rows = []
        for tags, traits in groupby(sorted(self.count), key=lambda trait: trait.tags):
            of_path = list(traits)
            times = [self.count[trait] for trait in of_path if not trait.name]
            rows.append([len(tags) - 1, tags[-1], times, {x.name: self.count[x] for x in of_path if x.name}])
        uses = [[name, css, n] for (name, css), n in self.uses.items()]
        return {"pages": self.n_pages, "paths": rows, "uses": uses}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Profile:
        """Return the profile of a record; other values raise one of `webgrain.base.modelfile.DAMAGED`."""
        count: dict[Trait, int] = {}
        tags: Tags = ()
        pages = int(record["pages"])
        uses = {Use(str(name), str(css)): int(n) for name, css, n in record["uses"]}
        for depth, tag, times, names in record["paths"]:
            tags = (*tags[: int(depth)], str(tag))
            count |= {Trait(tags, "", k): int(n) for k, n in enumerate(times, 1)}
            count |= {Trait(tags, str(name)): int(n) for name, n in names.items()}
        if not all(0 <= n <= pages for n in (*count.values(), *uses.values())):
            raise ValueError("a trait of more pages than there are")
        return cls(pages, count, uses)


def kinds(traits: Iterable[Trait]) -> frozenset[tuple[Tags, str]]:
    """Return the last two tags and the name of each trait: they remain when an element above is added."""
    return frozenset((trait.tags[-2:], trait.name) for trait in traits)


def count_uses(pages: Iterable[Page], uses: Sequence[Use]) -> dict[Use, int]:
    """Return the number of pages on which each selector selects something."""
    matcher = Selectors([use.css for use in uses])
    count = np.zeros(len(uses), np.int64)
    for page in pages:
        count[np.unique(matcher.find(page.dom)[1])] += 1
    return dict(zip(uses, count.tolist(), strict=True))


def _step(tag: str, name: str) -> Step:
    """Return the step of an element with an id (``#main``) or a class."""
    return Step(tag, name[1:]) if name[:1] == "#" else Step(tag, "", (name,) if name else ())
