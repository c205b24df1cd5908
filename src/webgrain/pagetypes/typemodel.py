"""The learnt types of a site: assign new pages, keep them in a file.

What the types of a site are to people: names, key paths, what these say, examples, fields.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from webgrain.arrays import Bool, Float64, Int32, Int64
from webgrain.errors import InputError
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.kernels.pathtable import span_keys
from webgrain.page.page import Page
from webgrain.page.paths import Path, Step, code_points, path_table, text_key
from webgrain.pagetypes.pathcounts import MAX_CONTENT, PathRules, SharedValues, SiteStatistics
from webgrain.pagetypes.rawsearch import Sign, first_sign
from webgrain.pagetypes.sitepaths import SitePaths, two_step_shingle
from webgrain.results import Field, PageType

FORMAT, VERSION = "webgrain page types", 1

MAX_STEPS = 2**20
"""Steps of pages whose keys are remembered."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Pages with one shingle, and perhaps one content of a tab.

    Attributes:
        shingle: keys of paths.
        pages: numbers of the pages it was learnt from, empty for a rule from a file; size: how many.
        tab, content: key of the path of the tab, and of what it says; 0: none.
        label: name of the type; core: keys of the paths that nearly all of its pages have.
        key_path: None for a shingle that begins with no key path.
    """

    shingle: tuple[int, ...]
    pages: tuple[int, ...] = ()
    tab: int = 0
    content: int = 0
    label: str = ""
    core: frozenset[int] = frozenset()
    key_path: Path | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Assignment:
    """The type of a page.

    Attributes:
        type: its label; None: unknown.
        key_path: of the type.
        confidence: share of the paths that the type's pages have in common that this page has; None: not
            known, as the page was not parsed.
    """

    type: str | None
    key_path: Path | None = None
    confidence: float | None = 0.0


@dataclass(slots=True, eq=False)
class TypeModel:
    """The types of a site.

    Attributes:
        paths: how paths are written.
        ranked: keys of the key paths, in the order in which they are looked for.
        shingle_size, random_state: of the shingles.
        min_confidence: below it a page is of no known type.
        rules: one for each type.
        signs: what is seen of each of the key paths in the bytes of a page.
    """

    paths: PathRules
    ranked: tuple[int, ...]
    shingle_size: int
    random_state: int
    min_confidence: float
    rules: tuple[Rule, ...]
    signs: tuple[Sign, ...] = ()
    _by_shingle: dict[tuple[int, ...], list[Rule]] = field(default_factory=dict, init=False, repr=False)
    _step_keys: dict[int, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for rule in self.rules:
            self._by_shingle.setdefault(rule.shingle, []).append(rule)

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page: once its paths are known, a look-up."""
        dom = page.dom
        table = path_table(dom)
        paths = self.paths.read(table.up, self._keys(page, table.step, table.first))
        shingle = two_step_shingle(paths.key, self.ranked, self.shingle_size, self.random_state)
        found = self._by_shingle.get(shingle, [])
        if any(rule.tab for rule in found):
            said = {}
            for tab in {rule.tab for rule in found if rule.tab}:
                at = np.flatnonzero(paths.key == np.uint64(tab))
                nodes = table.first[paths.first[at]]
                said[tab] = _content(page, int(nodes[0])) if len(nodes) else 0
            found = [rule for rule in found if not rule.tab or said[rule.tab] == rule.content]
            found.sort(key=lambda rule: not rule.tab)
        if not found:
            return Assignment(None)
        rule, own = found[0], set(paths.key.tolist())
        confidence = len(rule.core & own) / len(rule.core) if rule.core else 1.0
        if confidence < self.min_confidence:
            return Assignment(None, None, confidence)
        return Assignment(rule.label, rule.key_path, confidence)

    def assign_bytes(self, body: bytes) -> Assignment | None:
        """Return the type of a page without parsing it; None where its bytes do not tell, so `assign` has to.

        Only pages of the site itself should come here: whether a page fits its type is not looked at.
        """
        number = first_sign(body, self.signs) if self.shingle_size == 1 else None
        found = [] if number is None else self._by_shingle.get((self.ranked[number],), [])
        if len(found) != 1 or found[0].tab:
            return None
        return Assignment(found[0].label, found[0].key_path, None)

    def _keys(self, page: Page, step: np.ndarray[Any, Any], first: np.ndarray[Any, Any]) -> Any:
        """Return the keys (r,) of steps by the rules of the site."""
        known = self._step_keys
        if len(known) > MAX_STEPS:
            known.clear()
        keys = step.tolist()
        new = {raw: node for raw, node in zip(keys, first.tolist(), strict=True) if raw not in known}
        known.update(zip(new, self.paths.values.keys(page.dom, new.values()), strict=True))
        return np.array([known[raw] for raw in keys], np.uint64)

    def save(self, path: pathlib.Path, told: Mapping[str, Any] | None = None) -> None:
        """Write the model as JSON; told: what else the file says, under ``about``."""
        write_model(path, FORMAT, VERSION, {"about": dict(told or {})} | self.told())

    def told(self) -> dict[str, Any]:
        """Return the model as plain values, from which `made_from` makes it again."""
        return {
            "types": [_rule_record(rule) for rule in self.rules],
            "ranked": [_hex(key) for key in self.ranked],
            "signs": [_sign_record(sign) for sign in self.signs],
            "shingle_size": self.shingle_size,
            "random_state": self.random_state,
            "min_confidence": self.min_confidence,
            "ids": sorted(self.paths.values.ids),
            "classes": sorted(self.paths.values.classes),
            "wrappers": [_hex(key) for key in sorted(self.paths.wrappers)],
        }

    @classmethod
    def load(cls, path: pathlib.Path) -> TypeModel:
        """Read a model; `InputError` where the file is none."""
        told, _ = read_model(path, FORMAT, VERSION)
        try:
            return cls.made_from(told)
        except DAMAGED as error:
            raise InputError(
                f"{path} holds damaged page types: {type(error).__name__} at {error}."
            ) from error

    @classmethod
    def made_from(cls, told: Mapping[str, Any]) -> TypeModel:
        """Return the model that was told; one of `DAMAGED` is raised where the values are of none."""
        values = SharedValues(frozenset(map(str, told["ids"])), frozenset(map(str, told["classes"])))
        return cls(
            PathRules(values, frozenset(_number(key) for key in told["wrappers"])),
            tuple(_number(key) for key in told["ranked"]),
            max(1, int(told["shingle_size"])),
            abs(int(told["random_state"])),
            float(told["min_confidence"]),
            tuple(_rule(record) for record in told["types"]),
            tuple(_sign(record) for record in told["signs"]),
        )


def path_record(path: Path) -> dict[str, Any]:
    """Return a path as plain values, from which `read_path` makes it again."""
    steps = [[step.tag, step.id, *step.classes] for step in path.steps]
    return {"css": path.css, "xpath": path.xpath, "steps": steps, "loose": sorted(path.loose)}


def read_path(record: Mapping[str, Any]) -> Path:
    """Return the path of a record; `ValueError`, `KeyError` or `TypeError` where it is none."""
    steps = tuple(Step(str(tag), str(own), tuple(map(str, names))) for tag, own, *names in record["steps"])
    return Path(steps, frozenset(int(k) for k in record["loose"]))


def _content(page: Page, node: int) -> int:
    """Return the key of a node's text, 0 for none or a long one."""
    dom = page.dom
    text = dom.text[dom.text_start[node] : dom.text_start[node] + 4 * MAX_CONTENT + 1]
    text = text[: dom.text_start[dom.end[node]] - dom.text_start[node]]
    ends = np.array([0], np.int32), np.array([len(text)], np.int32)
    return int(span_keys(code_points(text), *ends, MAX_CONTENT)[0])


def _rule_record(rule: Rule) -> dict[str, Any]:
    return {
        "label": rule.label,
        "key_path": path_record(rule.key_path) if rule.key_path else None,
        "pages": len(rule.pages) or rule.size,
        "shingle": [_hex(key) for key in rule.shingle],
        "tab": [_hex(rule.tab), _hex(rule.content)] if rule.tab else None,
        "core": [_hex(key) for key in sorted(rule.core)],
    }


def _rule(record: Mapping[str, Any]) -> Rule:
    tab, said = map(_number, record["tab"] or ("0", "0"))
    path = read_path(record["key_path"]) if record["key_path"] else None
    shingle = tuple(_number(key) for key in record["shingle"])
    core = frozenset(_number(key) for key in record["core"])
    return Rule(shingle, (), tab, said, str(record["label"]), core, path, int(record["pages"]))


def _sign_record(sign: Sign) -> dict[str, Any]:
    mark = sign.mark
    return {"values": list(sign.values), "mark": [mark.tag, mark.id, *mark.classes] if mark else None}


def _sign(record: Mapping[str, Any]) -> Sign:
    values = tuple(map(str, record["values"]))
    if not record["mark"]:
        return Sign(values)
    tag, own, *names = map(str, record["mark"])
    if bool(own) == bool(names) or not all((*values, *names, tag)):
        raise ValueError(f"expected a tag with an id or a class, got {record['mark']!r}")
    return Sign(values, Step(tag, own, tuple(names)))


def _hex(key: int) -> str:
    return f"{key:016x}"


def _number(text: str) -> int:
    number = int(text, 16)
    if not 0 <= number < 2**64:
        raise ValueError(f"expected a key of 64 bits, got {text!r}")
    return number


EXAMPLES = 10
FIELDS = 8
FIELD_SHARE = 0.8
"""Share of a type's pages that a field is on, at least."""

CONTENTS = 5
"""What a path says is shown so often."""

CORE_SHARE = 0.95
CORE = 64
"""Paths by which a page is known to fit a type, at most."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Types with their rules in the same order, largest first, and the number of the type of each page."""

    types: tuple[PageType, ...]
    rules: tuple[Rule, ...]
    labels: Int32
    confidence: Float64


def explain(
    statistics: SiteStatistics,
    site: SitePaths,
    rules: Sequence[Rule],
    ranking: Int64,
    chosen: Sequence[int],
) -> Explained:
    """Explain the types that rules stand for; ranking: all paths, best first; chosen: the key paths."""
    rules = sorted(rules, key=lambda rule: (-len(rule.pages), rule.pages))
    labels = np.full(len(site.pages), -1, np.int32)
    for k, rule in enumerate(rules):
        labels[np.array(rule.pages, np.int64)] = k
    place = np.empty(len(site), np.int64)
    place[ranking] = np.arange(len(site))
    known = {int(site.key[path]): path for path in chosen}
    view = _View(statistics, site, place, labels)
    types, named = [], []
    taken: set[str] = set()
    for rule, (paths, shares) in zip(rules, _shares(site, labels, rules), strict=True):
        path = known.get(rule.shingle[0]) if rule.shingle else None
        described = None if path is None else site.describe(path)
        label = _label(described, rule, taken)
        named.append(replace(rule, label=label, core=_core(site, paths, shares), key_path=described))
        types.append(view.page_type(rule, label, path, described, paths, shares))
    return Explained(tuple(types), tuple(named), labels, _confidence(site, labels, named))


@dataclass(frozen=True, slots=True)
class _View:
    """The pages of which contents are shown."""

    statistics: SiteStatistics
    site: SitePaths
    place: Int64
    labels: Int32

    def page_type(
        self, rule: Rule, label: str, path: int | None, described: Path | None, paths: Int64, shares: Float64
    ) -> PageType:
        said = self.said(int(self.labels[rule.pages[0]]))
        tab = np.flatnonzero(self.site.key == np.uint64(rule.tab)).tolist()  # 0: of no path
        return PageType(
            label=label,
            key_path=described,
            size=len(rule.pages),
            share=len(rule.pages) / len(self.site.pages),
            tab=next(iter(_contents(tab[0], said, 1)), "") if tab else "",
            contents=() if path is None else _contents(path, said),
            examples=tuple(self.site.pages[page] for page in _spread(rule.pages)),
            fields=self.fields(said, paths, shares),
        )

    def said(self, kind: int) -> list[dict[int, str]]:
        """Return what each path says where it is first on a page, for pages of a type."""
        shown, names = self.statistics.shown.kept, self.site.pages
        # The order of the pages plays no part.
        pages = sorted((page for page in shown if self.labels[page] == kind), key=lambda page: names[page])
        return [
            dict(zip(reversed(self.site.local[page].tolist()), reversed(shown[page]), strict=True))
            for page in pages
        ]

    def fields(self, pages: Sequence[Mapping[int, str]], paths: Int64, shares: Float64) -> tuple[Field, ...]:
        """Return paths that nearly all pages of a type have once, and that say something else on each."""
        often = paths[(shares >= FIELD_SHARE) & self.site.in_body[paths] & self._single()[paths]]
        share = dict(zip(paths.tolist(), shares.tolist(), strict=True))
        fields: list[Field] = []
        above: set[int] = set()
        for path in sorted(often.tolist(), key=lambda path: int(self.place[path])):
            if len(fields) == FIELDS:
                break
            if path in above:
                continue
            said = _contents(path, pages)
            if len(said) >= 2 and not any(said == field.contents for field in fields):
                fields.append(Field(self.site.describe(path), share[path], said))
                above |= {path, *_ancestors(self.site, path)}
        return tuple(fields)

    def _single(self) -> Bool:
        """(u,) whether a page that has the path has it once, as a rule."""
        once = np.bincount(self.site.path[self.site.count == 1], minlength=len(self.site))
        return once >= FIELD_SHARE * self.site.size


def _shares(site: SitePaths, labels: Int32, rules: Sequence[Rule]) -> Iterator[tuple[Int64, Float64]]:
    """Yield for each type the paths on its pages, and the shares of its pages that have them."""
    pair, pages = np.unique(labels[site.page] * np.int64(len(site)) + site.path, return_counts=True)
    bounds = np.searchsorted(pair, np.arange(len(rules) + 1) * len(site))
    for k, rule in enumerate(rules):
        span = slice(bounds[k], bounds[k + 1])
        yield pair[span] % len(site), pages[span] / len(rule.pages)


def _core(site: SitePaths, paths: Int64, shares: Float64) -> frozenset[int]:
    """Return the keys of paths that nearly all pages of a type have: those with the least keys."""
    common = paths[(shares >= CORE_SHARE) & site.in_body[paths]]
    return frozenset(np.sort(site.key[common])[:CORE].tolist())


def _confidence(site: SitePaths, labels: Int32, rules: Sequence[Rule]) -> Float64:
    """Return of each page the share of its type's core that it has."""
    core = [np.fromiter(rule.core, np.uint64, len(rule.core)) for rule in rules]
    wanted = [np.searchsorted(site.key, np.sort(keys)) + k * len(site) for k, keys in enumerate(core)]
    has = np.isin(labels[site.page] * np.int64(len(site)) + site.path, np.concatenate(wanted))
    size = np.array([len(keys) for keys in core])[labels]
    share: Float64 = np.bincount(site.page[has], minlength=len(labels)) / np.maximum(size, 1)
    return np.where(size > 0, share, 1.0)


def _label(path: Path | None, rule: Rule, taken: set[str]) -> str:
    """Return a name made of the last steps of the key path, and four digits that tell it from others."""
    said = f"{path.css if path else rule.shingle}|{rule.tab}|{rule.content}"
    words = " ".join(step.css for step in path.steps[-2:]) if path else "other"
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40] or "type"
    number = text_key(said)
    while (label := f"{name}-{number % 2**16:04x}") in taken:
        number += 1
    taken.add(label)
    return label


def _spread(pages: Sequence[int]) -> list[int]:
    """Return some pages, evenly spread."""
    step = max(1, len(pages) // EXAMPLES)
    return list(pages[::step][:EXAMPLES])


def _contents(path: int, pages: Iterable[Mapping[int, str]], most: int = CONTENTS) -> tuple[str, ...]:
    """Return what a path says on pages, each text once."""
    found: dict[str, None] = {}
    for said in pages:
        if len(found) < most and said.get(path):
            found[said[path]] = None
    return tuple(found)


def _ancestors(site: SitePaths, path: int) -> Iterator[int]:
    while (path := int(site.up[path])) >= 0:
        yield path
