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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from webgrain.page.addresses import Selectors
from webgrain.page.kernels.treepass import merge_paths
from webgrain.page.leaves import visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import TAG_KEYS, Path, Step, element_types
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
    dom = page.dom
    tree = visible_tree(page)
    types = element_types(page.dom)
    keys = TAG_KEYS.of_nodes(dom)[tree.node]
    of, up, first, count, _ = merge_paths(tree.parent, keys)
    tags: list[Tags] = []
    traits: list[Trait] = []
    for above, node, times in zip(up.tolist()[:MAX_PATHS], first.tolist(), count.tolist(), strict=False):
        last = (dom.name(int(tree.node[node])),)
        tags.append(tags[above] + last if above >= 0 else last)
        traits += (Trait(tags[-1], "", k) for k in range(1, min(times, MAX_TIMES) + 1))
    elements = (keys != 0) & (of < MAX_PATHS)
    pairs = np.unique(of[elements].astype(np.int64) * len(types.ids) + types.of[tree.node[elements]])
    for path, type_ in zip(*(column.tolist() for column in np.divmod(pairs, len(types.ids))), strict=True):
        id_, classes = types.ids[type_], types.classes[type_]
        names = ([f"#{''.join(id_.split())}"] if id_ else []) + (classes or "").split()[:MAX_NAMES]
        traits += (Trait(tags[path], name) for name in names)
    return frozenset(traits)


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
        count = Counter(trait for page in pages for trait in drift_traits(page))
        chosen = {trait: n for trait, n in sorted(count.items()) if n >= min(2, len(pages))}
        return cls(len(pages), chosen, count_uses(pages, uses))

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
