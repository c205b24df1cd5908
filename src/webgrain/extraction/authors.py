"""The authors of a page: candidates, and the features by which a model ranks them.

A candidate is a name, or several, with all that states it: JSON-LD, ``meta`` elements, microdata, the first
post of a thread, elements that a relation, a class or an address names as author, and lines such as "by Kim
Berg". The features are in ``metadata.csv``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from html import unescape
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Float32, Float64
from webgrain.base.metrics import tokens
from webgrain.documents.dates import before_date
from webgrain.extraction import thresholds
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.publication import node_kind
from webgrain.extraction.statements import Statements, named
from webgrain.extraction.surroundings import Statement, Surroundings
from webgrain.page.strings import name_set
from webgrain.page.values import Question

LONGEST_NAME = 100  # characters (hand-set)
_LONGEST_STATED = 300  # characters of a text that are read as a name (hand-set)
_LONGEST_BYLINE, _MOST_INSIDE = 120, 40  # characters and nodes (hand-set)
_LONGEST_CLASSES = 200  # characters of the classes of an element (hand-set)
_LONGEST_LABEL = 20  # characters of "written by" in a line before the name (hand-set)
_LONGEST_ALONE = 45  # characters of a name in a separate line (hand-set)
_MOST_ELEMENTS = 60  # named as author that are read (hand-set)
_MOST_NAMES = 50  # names of a page, at most (hand-set)
_MOST_CANDIDATES = 200  # names that are compared, at most (hand-set)
_NAMED = re.compile(
    r"(?<![a-z])(authors?|byline|by-line|byl|writer|creator|username|poster|autor|auteur|autore|author-?names?)(?![a-z])"
)
_NOT_NAMED = re.compile(
    r"(?<![a-z])(bio|about|avatar|image|img|description|social|box|date|time|title|count|related|comments?)(?![a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PROFILE = re.compile(
    r"/(authors?|contributors?|autor(es)?|auteurs?|profiles?|people|team|staff|users?|members?)/[^/]"
)
_BY_WORD = (
    r"(?:by|von|par|por|di|da|de|door|av|af|od|przez|от|автор|autor|auteur|autore|tekst|author|reporter|yazar|"
    r"escrito por|scritto da|text|artikel von|作者|投稿者|著者|文|글쓴이|작성자|기자|نویسنده|كتب|بقلم)"
)
_VERB = (
    r"(?:(?:written|posted|published|words|story|text|submitted|article|reviewed|contributed|created|added)"
    r"\b\s*)"
)
_ALL_OF = (
    r"(?:(?:view|see|show|read|zeige|voir|ver)\s+)?(?:all|more|alle|tous les|todas las)\s+"
    r"(?:posts|articles|stories|entries|beiträge|artikel|entradas)\s+(?:by|from|von|de|par)"
)
_BY = re.compile(rf"^\W*(?:{_ALL_OF}\b|(?:{_VERB}?{_BY_WORD}\b\s*:?|{_VERB}))\s*:?\s*", re.I)
_LONG = rf"^\W*(?:this \w+ was )?{_VERB}[^.!?]{{0,30}}\bby\b"  # "posted 3 hours ago by"
_STARTS = rf"^\W*{_VERB}?{_BY_WORD}\b|[\d|•·–—-]\W*by\b|(?-i:^By(?=[A-Z]))|{_LONG}"
_BYLINE, _SIGNED = (re.compile(rf"(?:{x})\s*:?\s*(?=[^\W\d_])", re.I) for x in (_STARTS, _LONG))
_AFTER_NAME = re.compile(
    r"\s+[|•·–—-]\s+|\s*\(.*|,?\s+(?:on|in|at|am|le|el|em)\s+(?=\W*\w*\W*\d).*|\s*[|•·\n]|,?\s+\d+ \w+$"
    r"|,?\s+(?:posted|published|filed|updated)\s+(?:in|on|at|under)\b.*",
    re.I,
)
_HANDLE = re.compile(
    r"(?<=\w)\W*\s@\w+|[,;]?\s*\+?\s*follow(?:ing)?$", re.I
)  # of a social network, behind a name
_DAY = re.compile(r"(^\w{0,9}|[\s,]+(on|am|le|el|em)\s[\s\w]{0,10})[\s,.]*$")  # a day before a date
_NO_NAME = re.compile(r"^(https?:|www\.)|^\S+@\S+$|^@|^\d+ [a-z ]+$")  # addresses, and "5 min read"
_NUMBER = re.compile(r"\d{4}|^\d+$|\d\.\d")  # a year, a number, or a version
_SIGNS = re.compile(r"[^\w .,'’&-]|_")
_AND = re.compile(r"\s*(?:[,;&/|]|\s(?:and|und|et|y|e|en|og|och|i|a)\s)\s*")
_PARTICLES = name_set(
    "de da di do du der den van von zu la le el al bin ben of the and und et y e jr sr mc dos das"
)
_COMMON = name_set(
    "the a an our us we this that your you all more about by in on for with from to is are was not no new "
    "read view follow posts post articles article news home contact share comments comment admin "
    "administrator editor editors team staff redaktion rédaction redacción redazione editorial guest "
    "press office service agency agencies company group inc gmbh ltd magazine media blog online author "
    "authors unknown anonymous member user website web bureau photo photos foto image source "
    "published updated views date time minutes login register search menu subscribe und der die das ein "
    "eine mit für auf über les des une sur pour los las una para con del il lo una per dal"
)
"""Words that are no names."""


def _names_author(classes: str) -> bool:
    """Whether a class states that an element contains an author."""
    words = _CAMEL.sub("-", classes[:_LONGEST_CLASSES]).lower()
    return bool(_NAMED.search(words)) and not _NOT_NAMED.search(words)


_NAMES_AUTHOR = Question(_names_author, bool)
_LEADS_TO_PROFILE = Question(lambda href: _PROFILE.search(href) is not None, bool)


class Candidates(NamedTuple):
    """The names (c,) that a page states, and their features (c, f)."""

    values: tuple[str, ...]
    features: Float32

    def best(self, probability: Float64) -> int:
        """Return the number of the most probable name, -1 if none is probable; probability: (c,)."""
        best = int(probability.argmax()) if len(probability) else -1
        return best if best >= 0 and probability[best] >= thresholds.AUTHOR else -1


@cache
def author_names() -> tuple[str, ...]:
    """Return the names of the features of a candidate.

    >>> author_names()[:2]
    ('article', 'article kind')
    """
    return tuple(names_by_group("metadata.csv")["author"])


_FEW = frozenset(("meta", "property", "relation", "profile", "named", "byline", "signed", "alone", "rest"))
"""Features of which the least value of the statements counts; of others it is the greatest one."""


def clean_name(text: str) -> str:
    """Return a name or several from a text, empty for texts that are no names.

    >>> [clean_name(text) for text in ("By Kim Auk | 3 May 2020", "All posts by Kim Auk", "5 min read")]
    ['Kim Auk', 'Kim Auk', '']
    """
    text = unescape(text[:_LONGEST_STATED]).replace("\xad", "")
    name = _BY.sub("", text, count=1)
    name = _AFTER_NAME.split(name.strip(), maxsplit=1)[0]
    if (dated := before_date(name)) != name:
        name = "" if dated.rstrip().endswith(":") else _DAY.sub("", dated)  # "Date: 3 May 2020"
    name = _HANDLE.sub("", name).strip(" ,|•·-–—:;/+→●›»")
    if not 1 < len(name) <= LONGEST_NAME or _NO_NAME.search(name) or _NUMBER.search(name):
        return ""
    return name if any(letter.isalpha() for letter in name) else ""


class Authors:
    """The names that a page states as its author.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<meta name=author content='Kim Auk'>")
    >>> Authors(Statements(page), Surroundings(page, None)).candidates().values
    ('Kim Auk',)
    """

    def __init__(self, statements: Statements, around: Surroundings) -> None:
        self._stated, self._around, self._dom = statements, around, around.dom
        names = [*statements.meta.get("og:site_name", []), *map(named, statements.values("publisher"))]
        self._site_names = [tokens(name) for name in names]
        self._host = (statements.url.hostname or "").split(".")
        self._title = frozenset(tokens(statements.document_title))

    def candidates(self) -> Candidates:
        """Return the names that the page states, in the order of their first statements."""
        found: dict[tuple[str, ...], list[Statement]] = {}
        for statement in self._statements():
            if statement.node >= 0 and self._around.is_other(statement.node):
                continue
            name = self._without_site(statement.value)
            if key := name_key(name):
                found.setdefault(key, []).append(statement._replace(value=name))
        keys = list(found)[:_MOST_CANDIDATES]
        x = np.full((len(keys), len(author_names())), np.nan, np.float32)
        number = {name: k for k, name in enumerate(author_names())}
        values = []
        for row, key in zip(x, keys, strict=True):
            statements = found[key]
            values.append(min(statements, key=lambda stated: stated.order).value)
            self._write(row, statements, number)
            for name, value in self._shape(values[-1]).items():
                row[number[name]] = value
        self._compare(x, keys, number)
        return Candidates(tuple(values), x)

    def _write(self, row: Float32, statements: list[Statement], number: Mapping[str, int]) -> None:
        """Write the features of the statements of a name, and the place of the one nearest to the title."""
        self._around.write(row, statements, number, _FEW)
        row[number["sources"]] = len({statement.order for statement in statements})

    def _shape(self, name: str) -> dict[str, float]:
        """Return what a name looks like."""
        parts = [part for part in _AND.split(name) if part]
        words = [word for part in parts for word in part.split()]
        letters = [word for word in words if word[:1].isalpha()]
        plain = [word.strip(".,'’") for word in letters]
        cased = [word for word in plain if word.lower() not in _PARTICLES]
        capitals = sum([word[0].isupper() or not word.islower() for word in cased if word])
        own = tokens(name)
        return {
            "names": len(parts),
            "words": len(words) / max(len(parts), 1),
            "most words": max([len(part.split()) for part in parts], default=0),
            "characters": len(name),
            "capitals": capitals / max(len(cased), 1),
            "upper case": float(name.isupper()),
            "signs": float(len(_SIGNS.findall(name))),
            "common words": float(sum([word.lower() in _COMMON for word in plain])),
            "in title": sum([token in self._title for token in own]) / max(len(own), 1),
            "is site": float(self._is_site(name)),
            "blocks": min(float(self._lines.count(f"\n{name.lower()}\n")), 10.0),
            "longest word": max(map(len, words), default=0),
        }

    @cached_property
    def _lines(self) -> str:
        """The short text blocks of the page without case, each between two line ends."""
        short = [text for text in self._around.blocks.texts if len(text) <= LONGEST_NAME]
        return "\n" + "\n\n".join(short).lower() + "\n"

    def _without_site(self, name: str) -> str:
        """Return names without the name of the site behind them."""
        rest, comma, last = name.rpartition(",")
        return rest.strip() if comma and self._is_site(last) else name

    def _is_site(self, name: str) -> bool:
        """Whether a name is the name of the site."""
        own = tokens(name)
        return own in self._site_names or "".join(own) in self._host

    def _compare(self, x: Float32, keys: list[tuple[str, ...]], number: Mapping[str, int]) -> None:
        """Write what depends on all candidates, and on the whole page."""
        column = {name: x[:, k] for name, k in number.items()}
        sets = [frozenset(key) for key in keys]
        for row, own in enumerate(sets):
            column["within another"][row] = sum([own < other for other in sets])
            column["contains another"][row] = sum([own > other for other in sets])
        column["candidates"][:] = len(keys)
        visible = ~np.isnan(column["at title"])
        distance = np.where(visible, np.abs(column["at title"]), np.inf)
        column["visible rank"][:] = np.where(
            visible, (distance[:, None] > distance[None, :]).sum(axis=1), np.nan
        )
        column["visible candidates"][:] = visible.sum()
        stated = self._stated
        kinds = stated.meta.get("og:type", [])
        column["og article"][:] = ("article" in kinds[0].lower()) if kinds else np.nan
        column["page article"][:] = max((node_kind(node) for node in stated.nodes), default=np.nan)
        column["stated in json"][:] = float((~np.isnan(column["article"])).any())

    # Sources.

    def _statements(self) -> Iterator[Statement]:
        yield from self._in_json()
        yield from self._in_meta()
        yield from self._in_properties()
        if post := clean_name(self._around.byline.get("author", "")):
            yield Statement(post, 3, {"first post": 1.0})
        yield from self._in_elements()
        yield from self._in_lines()

    def _in_json(self) -> Iterator[Statement]:
        stated = self._stated
        for node in stated.nodes[:30]:
            if node.is_other:
                continue
            for key in ("author", "creator"):
                values = stated.resolved(node.values.get(key))
                people = [
                    value for value in values if not (isinstance(value, dict) and _is_organisation(value))
                ]
                names = [clean_name(" ".join(named(value).split())) for value in people or values]
                name = _list_of(filter(None, names))
                if not people:
                    self._site_names.append(tokens(name))
                typed = [
                    isinstance(value, dict) and "person" in str(value.get("@type", "")).lower()
                    for value in people
                ]
                features = {
                    "article": node.relevance, "article kind": node_kind(node),
                    "person": 1.0 if typed and all(typed) else 0.5 if people else 0.0,
                }  # fmt: skip
                yield Statement(name, 0, features)

    def _in_meta(self) -> Iterator[Statement]:
        by_rank: dict[int, list[str]] = {}
        for rank, value in self._stated.metas("author"):
            by_rank.setdefault(rank, []).append(clean_name(value))
        for rank, names in by_rank.items():
            yield Statement(_list_of(filter(None, names)), 1, {"meta": float(rank)})

    def _in_properties(self) -> Iterator[Statement]:
        stated, dom = self._stated, self._dom
        inner = stated.properties.get("name", [])
        found: list[tuple[int, str]] = []
        for key in ("author", "creator"):
            for node in stated.properties.get(key, [])[:20]:
                names = [k for k in inner if node < k < dom.end[node]]
                if name := clean_name(" ".join(stated.value_of(names[0] if names else node).split())):
                    found.append((node, name))
        for node, name in found:
            yield Statement(name, 2, {"property": self._distance(node)}, node)
        yield from self._joined(found, 2, "property")

    def _joined(self, found: list[tuple[int, str]], order: int, feature: str) -> Iterator[Statement]:
        """Yield the names of elements that follow each other, together."""
        run: list[tuple[int, str]] = []
        for node, name in [*found, (-1, "")]:
            if run and node >= 0 and node - int(self._dom.end[run[-1][0]]) <= _BETWEEN and len(run) < 8:
                run.append((node, name))
                continue
            names = list(dict.fromkeys(name for _, name in run))
            if len(names) > 1:
                yield Statement(", ".join(names), order, {feature: self._distance(run[0][0])}, run[0][0])
            run = [(node, name)]

    def _in_elements(self) -> Iterator[Statement]:
        """Yield the names in visible elements that a relation, a class or an address names as author."""
        dom, around = self._dom, self._around
        relations = {node for node in self._stated.relations.get("author", []) if dom.name(node) == "a"}
        profiles = {
            node for node in dom.nodes_where("href", _LEADS_TO_PROFILE).tolist() if around.is_near(node)
        }
        classes = set(dom.nodes_where("class", _NAMES_AUTHOR).tolist())
        found = []
        nodes = [node for node in sorted(relations | profiles | classes) if around.shown[node]]
        nodes.sort(key=lambda node: (not around.is_near(node), node))
        for node in nodes[:_MOST_ELEMENTS]:
            name = self._name_in(node)
            if not name:
                continue
            features = {}
            for feature, chosen in (("relation", relations), ("profile", profiles), ("named", classes)):
                if node in chosen:
                    features[feature] = self._distance(node)
            yield Statement(name, 3, features, node)
            found.append((node, name))
        yield from self._joined(sorted(found), 4, "named")

    def _distance(self, node: int) -> float:
        """Return how many text blocks are between a node and the title; 60 if the title is not known."""
        return min(self._around.distance(node), 400.0) if self._around.title >= 0 else 400.0

    def _name_in(self, node: int) -> str:
        """Return the name in an element: its links, or the first text in it that is a name."""
        dom = self._dom
        size = int(dom.text_start[dom.end[node]] - dom.text_start[node])
        if not 1 < size <= 10 * _LONGEST_BYLINE or dom.end[node] - node > _MOST_INSIDE:
            return ""
        inside = range(node, int(dom.end[node]))
        links = (clean_name(" ".join(dom.text_of(k).split())) for k in inside[1:] if dom.name(k) == "a")
        texts = (" ".join(dom.text_of(k).split()) for k in inside if dom.name(k) == "#text")
        names = [name for name in links if name]
        return _list_of(names) or next(filter(None, map(clean_name, texts)), "")

    def _in_lines(self) -> Iterator[Statement]:
        """Yield the names in short lines that begin with a word such as "by", or have a name only."""
        around, texts = self._around, self._around.blocks.texts
        first = around.blocks.first.tolist()
        low, high = np.searchsorted(around.blocks.first, around.near).tolist()
        end = range(max(around.end - 1, high), around.end + 5) if around.end >= 0 else ()
        beside_title = range(around.title - 4, around.title + 7) if around.title >= 0 else range(0)
        alone = {*beside_title, *range(around.end, around.end + 4)} - {around.title}
        last = len(texts)
        for k in [k for k in (*range(low, high), *end) if k < last]:
            text, node = texts[k], first[k]
            if len(text) <= _LONGEST_BYLINE:
                if k in alone:
                    yield from self._alone(k, text, node)
                yield from self._in_line(k, text, node)
        for k, text in enumerate(texts):
            is_far = len(text) <= _LONGEST_BYLINE and not low <= k < high
            if is_far and " by" in text and (match := _SIGNED.match(text)):
                name = clean_name(text[match.end() :])
                name = name if len(name.split()) <= 5 else name.partition(",")[0]
                node = first[k]
                yield Statement(name, 5, {"signed": self._distance(node)}, node)

    def _alone(self, k: int, text: str, node: int) -> Iterator[Statement]:
        """Yield the name in a line that has nothing else, near the title or at the end of the text."""
        if len(text) > 2 * _LONGEST_ALONE or text.endswith(":"):  # a label
            return
        name = clean_name(text)
        words = name.split()
        if not 1 <= len(words) <= 8 or len(name) > _LONGEST_ALONE or name.islower():
            return
        beside = min([abs(k - other) for other in self._dated], default=50)
        yield Statement(name, 6, {"alone": float(beside), "rest": float(len(text) - len(name))}, node)

    @cached_property
    def _dated(self) -> list[int]:
        """The text blocks near the title and at the end of the text that may have a date."""
        around = self._around
        title, end = max(around.title, 0), max(around.end, 0)
        near = {*range(max(title - 7, 0), title + 12), *range(max(end - 2, 0), end + 6)}
        return [k for k in around.dated if k in near]

    def _in_line(self, k: int, text: str, node: int) -> Iterator[Statement]:
        texts = self._around.blocks.texts
        following = texts[k + 1] if k + 1 < len(texts) else ""
        alone = len(text) <= _LONGEST_LABEL and not _BY.sub("", f"{text} ", count=1).strip(" :")
        if alone and following and len(following) <= LONGEST_NAME / 2:
            text = f"{text} {following}"
        match = _BYLINE.match(text)
        if match is None and (
            "by" in text or "By" in text or "BY" in text
        ):  # further on, a name follows this word only
            match = _BYLINE.search(text)
        if match:
            name = clean_name(text[match.end() :])
            is_lower = match[0].strip().lower() == "by" and name[:1].islower()
            if name and max(len(part.split()) for part in _AND.split(name)) <= 5 and not is_lower:
                strong = (
                    re.search(r"\b(by|von|par|por|автор|autor|author|auteur|door)\b", match[0], re.I)
                    is not None
                )
                yield Statement(name, 4, {"byline": self._distance(node), "by": float(strong)}, node)


_BETWEEN = 6  # nodes between two elements with authors, at most (hand-set)


def _list_of(names: Iterable[str]) -> str:
    """Return different names, separated by commas."""
    return ", ".join(list(dict.fromkeys(names))[:_MOST_NAMES])


def name_key(name: str) -> tuple[str, ...]:
    """Return the words of names in order, without those that join them; equal for the same names.

    >>> name_key("Kim Auk and Jo Lund") == name_key("Lund, Jo; Auk, Kim")
    True
    """
    return tuple(sorted(token for token in tokens(name) if token not in ("and", "und", "et", "by")))


def _is_organisation(node: Mapping[str, object]) -> bool:
    return "organi" in str(node.get("@type", "")).lower()
