"""The learnt types of a site: assign new pages, keep them in a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.cluster.pathrules import PathRules
from webgrain.cluster.rawsearch import Sign, first_sign
from webgrain.cluster.shingles import two_step_shingle
from webgrain.cluster.statistics import MAX_CONTENT
from webgrain.cluster.vocabulary import SharedValues
from webgrain.errors import InputError
from webgrain.kernels.pathtable import span_keys
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.paths import Path, Step, code_points, path_table, step_of

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping

    from webgrain.page.page import Page

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
        for path, raw in enumerate(keys):
            if raw not in known:
                known[raw] = self.paths.values.key(step_of(page.dom, int(first[path])))
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
