"""Page types of a site, and the type of each page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from webgrain.base.arrays import Float64, Int32
from webgrain.base.readonly import ReadOnly
from webgrain.page.paths import Path


@dataclass(frozen=True, slots=True)
class TypeField:
    """A path that the pages of a type have once.

    Attributes:
        path: the DOM path.
        share: the share of the type's pages that have it.
        contents: the beginning of its text on some pages.
    """

    path: Path
    share: float
    contents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition that the pages of a type satisfy.

    Attributes:
        has: the paths that they have; lacks: paths that they lack.
        agreement: the number of pages that are of the type and satisfy the condition, divided by the number
            of those of which one is true, 0..1.

    >>> from webgrain.page.paths import Path, Step
    >>> body, form = Step("body", "", ("post",)), Step("form")
    >>> condition = Condition((Path((body,)),), (Path((body, form)),), 1.0)
    >>> condition.words
    'has body.post and lacks body.post > form'
    >>> condition.css
    'html:has(body.post):not(:has(body.post > form))'
    """

    has: tuple[Path, ...]
    lacks: tuple[Path, ...]
    agreement: float

    def __str__(self) -> str:
        return self.words

    @property
    def words(self) -> str:
        """The condition in words."""
        parts = [("has", self.has), ("lacks", self.lacks)]
        return " and ".join(f"{verb} {path.css}" for verb, paths in parts for path in paths)

    @property
    def xpath(self) -> str:
        """An XPath expression that is true on the pages."""
        tests = [path.xpath for path in self.has] + [f"not({path.xpath})" for path in self.lacks]
        return f"boolean({tests[0]})" + "".join(f" and {test}" for test in tests[1:]) if tests else "true()"

    @property
    def css(self) -> str:
        """A CSS selector that selects the root element of the pages, and nothing on others."""
        return "html" + "".join(
            [*map(_root_test, self.has), *(f":not({_root_test(path)})" for path in self.lacks)]
        )


def _root_test(path: Path) -> str:
    """Return the part of a selector that the root of the pages with a path satisfies."""
    root = path.steps[0]
    below = Path(path.steps[1:], frozenset(k - 1 for k in path.loose if k > 1))
    if root.tag != "html":
        return f":has({path.css})"
    combinator = "" if 1 in path.loose else "> "
    test = root.css[len("html") :] + (f":has({combinator}{below.css})" if below.steps else "")
    return test or ":root"


@dataclass(frozen=True, slots=True)
class PageType:
    """A page type of a site.

    Attributes:
        label: a name that is stable between runs.
        key_path: the path that marks the pages of the type best; None for pages of no type.
        size: the number of pages; share: their share of all pages.
        tab: the text of the key path on all of its pages, where types differ by it; otherwise empty.
        contents: the text of the key path on some pages.
        examples: the ids of some pages.
        fields: other paths that the pages have once, best first.
        condition: which pages have the type; None if it is not known.
    """

    label: str
    key_path: Path | None
    size: int
    share: float
    tab: str = ""
    contents: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    fields: tuple[TypeField, ...] = ()
    condition: Condition | None = None

    def __repr__(self) -> str:
        path = f" {self.key_path.css!r:.100}" if self.key_path else ""
        return f"<PageType {self.label!r:.60}: {self.size} pages{path}>"


@dataclass(frozen=True, slots=True, eq=False)
class Clustering(ReadOnly):
    """The page types of a site.

    Attributes:
        pages: (p,) the ids of the pages.
        labels: (p,) int32, the number of the type of each page.
        confidence: (p,) the probability that the type of a page is right, 0..1; nan if unknown.
        types: the types, largest first.
        method: the name of the method; params: its parameters.
    """

    pages: tuple[str, ...]
    labels: Int32
    confidence: Float64
    types: tuple[PageType, ...]
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of types."""
        return len(self.types)

    def __repr__(self) -> str:
        return f"<Clustering: {len(self.pages)} pages in {len(self)} types by {self.method}>"

    def relabelled(self, label_of: Mapping[str, str]) -> Clustering:
        """Return the same types with other labels; label_of: the new label of each old one."""
        types = tuple(replace(type_, label=label_of.get(type_.label, type_.label)) for type_ in self.types)
        return replace(self, types=types)
