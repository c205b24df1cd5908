"""DOM paths and element types of a page.

The path of an element is the sequence of steps from the root to it; a step has a tag, an id and classes.
`places` merges the elements of a page that have the same path, with every id and class. Which ids and
classes belong in a path is known only from the whole site (`webgrain.pagetypes.pathcounts`): a `Path` has
those that were kept, and is what users see. An element type is a tag together with an id and classes; a page
has few of them.

Elements of several pages are at the same place if their steps agree in one of three strengths:

    tags          their tags are equal: `TAG_KEYS`
    names         so are their ids or classes, in which digits do not count: `plain_name`, `keys_of_classes`
    shared names  so are the ids and classes that enough pages have, others do not count: `Step`, `step_key`

Which steps count, those of the whole path or the last ones, is up to the method (`docs/architecture.md`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from webgrain.base.arrays import Int32, UInt8, UInt64
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import places as kernel_places
from webgrain.page.kernels.treepass import value_key
from webgrain.page.strings import bounded_cache, code_points, css_name
from webgrain.page.tagtables import TagTable
from webgrain.page.values import Question, ValueTable

_DIGITS = re.compile("[0-9]+")


class Places(NamedTuple):
    """The places of the elements of a page with n nodes: their k types and their r distinct paths.

    A type is a tag, an id and classes as the page writes them; types are numbered by their first nodes. In
    the step of a path, classes have no order; each path comes after its prefixes.

    Attributes:
        type: (n,) int32, the type of each node.
        tag: (k,) int32, as in the Dom; id_value, class_value: (k,) int32, the numbers of both values in
            `values`, -1 for none.
        values: of the Dom.
        path: (n,) int32, the path of each node; a text node has the path of its parent.
        up: (r,) int32, the path that is one step shorter; -1 at the root.
        first, times: (r,) int32, the first element with the path, and the number of these elements.
        only: (r,) uint8, 1 if each of these elements has exactly one child element.
        step: (r,) uint64, key of the last step: of its tag, its id, and its classes in any order.
    """

    type: Int32
    tag: Int32
    id_value: Int32
    class_value: Int32
    values: ValueTable
    path: Int32
    up: Int32
    first: Int32
    times: Int32
    only: UInt8
    step: UInt64

    @property
    def ids(self) -> tuple[str | None, ...]:
        """The id of each type (k,), None without the attribute."""
        return self._texts(self.id_value)

    @property
    def classes(self) -> tuple[str | None, ...]:
        """The value of the class attribute of each type (k,), None without the attribute."""
        return self._texts(self.class_value)

    def _texts(self, numbers: Int32) -> tuple[str | None, ...]:
        texts = self.values.texts
        return tuple([texts[number] if number >= 0 else None for number in numbers.tolist()])


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: a tag, with the kept id and the kept classes in alphabetical order."""

    tag: str
    id: str = ""
    classes: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values of the fields: steps are many, and the usual way looks at each field."""
        return Step, (self.tag, self.id, self.classes)

    @property
    def css(self) -> str:
        """CSS selector of this step."""
        id_ = f"#{css_name(self.id)}" if self.id else ""
        return css_name(self.tag) + id_ + "".join(f".{css_name(name)}" for name in self.classes)

    @property
    def xpath(self) -> str:
        """XPath of this step."""
        tests = [f"[@id={_quoted(self.id)}]"] if self.id else []
        tests += [
            f"[contains(concat(' ', normalize-space(@class), ' '), {_quoted(f' {name} ')})]"
            for name in self.classes
        ]
        plain = self.tag.replace("-", "").replace("_", "").isalnum() and self.tag.isascii()
        return (self.tag if plain else f"*[name()={_quoted(self.tag)}]") + "".join(tests)


@dataclass(frozen=True, slots=True)
class Path:
    """A path that pages of a site share.

    Attributes:
        steps: from the root downwards, or from an element whose id is kept.
        loose: numbers of the steps before which wrapper elements were left out.

    >>> path = Path((Step("html"), Step("body", "", ("post",)), Step("h1")), frozenset([2]))
    >>> path.css, path.xpath.split("/")[-2:]
    ('html > body.post h1', ['', 'h1'])
    """

    steps: tuple[Step, ...]
    loose: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return self.css

    @property
    def css(self) -> str:
        """CSS selector; it also selects elements with further classes."""
        parts = ["" if k == 0 else " " if k in self.loose else " > " for k in range(len(self.steps))]
        return "".join(part + step.css for part, step in zip(parts, self.steps, strict=True))

    @property
    def xpath(self) -> str:
        """XPath; it selects the same elements as the CSS selector."""
        parts = ["//" if k in self.loose else "/" for k in range(len(self.steps))]
        parts[:1] = ["//" if self.steps and self.steps[0].id else "/"]
        return "".join(part + step.xpath for part, step in zip(parts, self.steps, strict=True))


PREFIX_SHARE = 0.9
"""Share of the steps of a path that another path to the same place shares with it as a prefix."""


def path_matches(path: Path, wrapper: Path) -> bool:
    """Return whether the longest common prefix of two paths is at least 90 % of the length of the second.

    Steps are equal if their tags are, and they do not differ in an id or in classes that both have.

    >>> html, body, h1, b = Step("html"), Step("body"), Step("h1"), Step("b")
    >>> title = Path((html, body, h1))
    >>> path_matches(Path((html, body, h1, b)), title), path_matches(Path((html, body)), title)
    (True, False)
    """
    common = 0
    for a, b in zip(path.steps, wrapper.steps, strict=False):
        different_ids = a.id and b.id and a.id != b.id
        different_classes = a.classes and b.classes and not set(a.classes) & set(b.classes)
        if a.tag != b.tag or different_ids or different_classes:
            break
        common += 1
    return common >= PREFIX_SHARE * len(wrapper)


def path_to_dict(path: Path) -> dict[str, Any]:
    """Return a path as plain values for `path_from_dict`."""
    steps = [[step.tag, step.id, *step.classes] for step in path.steps]
    return {"css": path.css, "xpath": path.xpath, "steps": steps, "loose": sorted(path.loose)}


def path_from_dict(record: Mapping[str, Any]) -> Path:
    """Return the path of a record; `ValueError`, `KeyError` or `TypeError` if it is not one."""
    steps = tuple(Step(str(tag), str(id_), tuple(map(str, names))) for tag, id_, *names in record["steps"])
    return Path(steps, frozenset(int(k) for k in record["loose"]))


def hex_keys(keys: Iterable[int]) -> list[str]:
    """Return keys as texts for a file."""
    return [f"{key:016x}" for key in keys]


def keys_from_hex(texts: Iterable[str]) -> tuple[int, ...]:
    """Return the keys of texts in a file; `ValueError` if they are none."""
    keys = tuple(int(text, 16) for text in texts)
    if any(not 0 <= key < 2**64 for key in keys):
        raise ValueError(f"expected keys of 64 bits, got {texts!r}")
    return keys


@cached_on_page
def places(dom: Dom) -> Places:
    """Return the types and the paths of the elements of a page.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<ul class='b a'><li>1<li>2</ul><ul class='a b'><li>3</ul>")
    >>> of_page = places(dom)
    >>> [(dom.name(i), n) for i, n in zip(of_page.first.tolist(), of_page.times.tolist())]
    [('html', 1), ('head', 1), ('body', 1), ('ul', 2), ('li', 3)]
    >>> of_page.type.tolist(), of_page.classes[3:]  # html, head, body, ul, li, text, li, text, ul, ...
    ([0, 1, 2, 3, 4, 5, 4, 5, 6, 4, 5], ('b a', None, None, 'a b'))
    """
    ids, with_id = dom.find_attribute("id")
    classes, with_class = dom.find_attribute("class")
    arrays = kernel_places(
        dom.parent,
        dom.tag,
        TAG_KEYS.values(dom.tags),
        (with_id, dom.value[ids], dom.ask(ID_KEY, ids)),
        (with_class, dom.value[classes], dom.ask(CLASS_KEY, classes)),
    )
    for array in arrays:
        array.setflags(write=False)
    (of_type, path), (tag, id_value, class_value), (up, first, times), only, step = arrays
    types = of_type, tag, id_value, class_value
    return Places(*types, dom.values, path, up, first, times, only, step)


def step_of(dom: Dom, node: int) -> Step:
    """Return the last step of the path of an element, with its id and all its classes.

    >>> from webgrain.page.parsing import parse_html
    >>> step_of(parse_html("<p id=' a ' class='z b z'>"), 3)
    Step(tag='p', id='a', classes=('b', 'z'))
    """
    attributes = dom.attributes(node)
    return _step(dom.name(node), attributes.get("id", ""), attributes.get("class", ""))


@bounded_cache(2**12)  # pages that take turns have the same new steps
def _step(tag: str, id_: str, classes: str) -> Step:
    """Return the step to elements with a tag and the values of both attributes."""
    return Step(tag, "".join(id_.split()), tuple(sorted(set(classes.split()))))


def steps_of(dom: Dom, table: Places, paths: Sequence[int]) -> list[Step]:
    """Return the last step of each of some paths, as `step_of`; table: of the page.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p class='b a'>")
    >>> steps_of(dom, places(dom), [3])
    [Step(tag='p', id='', classes=('a', 'b'))]
    """
    types = table.type[table.first[paths]]
    columns = (table.tag[types], table.id_value[types], table.class_value[types])
    texts = table.values.texts
    return [
        _step(dom.tags[tag], texts[id_] if id_ >= 0 else "", texts[classes] if classes >= 0 else "")
        for tag, id_, classes in zip(*[column.tolist() for column in columns], strict=True)
    ]


def step_key(step: Step, wrappers: Collection[str]) -> int:
    """Return the key of a step as a site writes it; 0 for a wrapper without id and class.

    A step with an id starts a path: ids are unique on a page, so the elements above do not matter. Its key is
    even, other keys are odd.
    """
    if step.tag in wrappers and not step.id and not step.classes:
        return 0
    return text_key(step.css) ^ int(bool(step.id))


@lru_cache(maxsize=4096)
def tag_key(tag: str) -> int:
    """Return the key of a tag, 0 for a text node; the cache is bounded: hostile pages may have many tags."""
    return 0 if tag == "#text" else text_key(tag)


def keys_of_classes(value: str, most: int) -> tuple[int, ...]:
    """Return the keys of the first classes of a ``class`` attribute, with 0 for digits.

    >>> keys_of_classes("a post-1 b", 2) == (text_key("a"), text_key("post-0"))
    True
    """
    return tuple([text_key(plain_name(name)) for name in value.split()[:most]])


def plain_name(name: str) -> str:
    """Return an id or a class with 0 for runs of digits: many names belong to one page only.

    >>> plain_name("post-4711")
    'post-0'
    """
    return _DIGITS.sub("0", name)


def text_key(text: str) -> int:
    """Return a 64-bit key of a text: never 0, and the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) | 1


TAG_KEYS = TagTable(tag_key, np.uint64)
"""`tag_key` of each tag."""
ID_KEY = Question(lambda value: value_key(code_points(value), False), np.uint64)
"""The key of an id."""
CLASS_KEY = Question(lambda value: value_key(code_points(value), True), np.uint64)
"""The key of the classes of an element, in any order."""


def _quoted(text: str) -> str:
    """Write a text as an XPath literal; XPath has no escapes."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    pieces = ', "\'", '.join(f"'{piece}'" for piece in text.split("'"))
    return f"concat({pieces})"
