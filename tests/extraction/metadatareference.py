"""Candidates of authors and days statement by statement, without kernels: what the kernels must compute.

Written before the kernels; each statement is an object, and each feature is written by its name.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np

from webgrain.base.metrics import tokens
from webgrain.documents.dates import date_readings, first_date
from webgrain.extraction import authors, publication, surroundings
from webgrain.extraction.authors import LONGEST_NAME, author_names, clean_name, name_key
from webgrain.extraction.publication import date_names, declared_date
from webgrain.extraction.surroundings import (
    ARCHIVE,
    ASIDE,
    CARD,
    COMMENT,
    FOOTER,
    LINE,
    MENU,
    OTHERS,
    READ_COMMENT,
    REVIEW,
)
from webgrain.page.leaves import visible_nodes
from webgrain.page.markup import named, node_kind
from webgrain.page.text import text_blocks
from webgrain.page.values import Question

_BITS = Question(surroundings._part_bits, np.uint8)
_NAMES = Question(
    lambda value: (
        (surroundings._DATE_NAME.search(value[:100]) is not None)
        + 2 * (surroundings._CHANGE_NAME.search(value[:100]) is not None)
    ),
    np.uint8,
)
PARTS = {"footer": FOOTER, "aside": ASIDE, "card": CARD}


class Statement(NamedTuple):
    """A value that a page states: the rank of its source, its features, and its node; -1 for none."""

    value: str
    order: int
    features: dict[str, float]
    node: int = -1


class Surroundings:
    """Where the parts of a page are, as numbers of text blocks.

    Attributes:
        title: the block of the title or, without one, of the first text; -1 if neither is known.
        begin, end: the first and the last block of the main text; -1 if there is none.
        unit: the first and the last node of the element that contains title and main text.
        near: the nodes ``near[0]:near[1]`` are near the title or the beginning of the text.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div><h1>A</h1><p>B</div><footer>C")
    >>> Surroundings(page, None).parts(page.dom.find_tag("footer")[0]) == FOOTER
    True
    """

    def __init__(self, page, article):
        self.page, self.dom = (page, page.dom)
        self.blocks = text_blocks(page)
        self.first = article.start if article else 0
        self.title = self.begin = self.end = -1
        self.unit = self.near = (0, 0)
        self.byline = article.byline if article else {}
        self.list_page = article.kinds.get("list", np.nan) if article else np.nan
        self._comments = [part.node for part in article.comments] if article else []
        if article is not None and self.first and len(self.blocks):
            self._place(article)

    def _place(self, article):
        blocks, dom = (self.blocks, self.dom)
        body = article.nodes
        self.title = int(np.searchsorted(blocks.first, self.first))
        at = begin = self.title
        if body:
            begin = self.begin = int(np.searchsorted(blocks.first, body[0]))
            self.end = max(int(np.searchsorted(blocks.first, int(dom.end[body[-1]]))) - 1, begin)
            self.unit = self._unit(body)
        low, high = (
            max(min(at, begin) - surroundings._NEAR, 0),
            min(max(at, begin) + surroundings._NEAR, len(blocks)) - 1,
        )
        if at > begin + surroundings._NEAR or begin > at + 4 * surroundings._NEAR:
            low, high = (max(at - surroundings._NEAR, 0), min(at + 2 * surroundings._NEAR, len(blocks) - 1))
        self.near = (int(blocks.first[low]), int(blocks.last[high]) + 1)

    def _unit(self, body):
        """Return the nodes of the smallest element that contains the title and the main text."""
        dom = self.dom
        low, high = (min(self.first, body[0]), max(self.first, body[-1]))
        node = low
        while node > 0 and dom.end[node] <= high:
            node = int(dom.parent[node])
        return (node, int(dom.end[node]))

    @cached_property
    def dated(self):
        """The text blocks that may have a date near their beginning."""
        return dated_blocks(self.blocks.texts)

    @cached_property
    def shown(self):
        """(n,) the visible nodes."""
        return visible_nodes(self.page)

    @cached_property
    def _inside(self):
        """(n,) the kinds of parts with each node, as bits; those around title or article do not count."""
        dom = self.dom
        kinds = surroundings._OF_TAG.of_nodes(dom).astype(np.uint8)
        for name in ("class", "id", "itemprop", "itemtype"):
            attributes, nodes = dom.find_attribute(name)
            kinds[nodes] |= dom.ask(_BITS, attributes)
        kinds[self._comments] |= READ_COMMENT
        kinds[dom.find_tag("body")] = 0
        begin, end = self.unit
        kinds[[node for node in (begin, *dom.ancestors(begin)) if dom.end[node] >= end]] = 0
        kinds[[self.first, *dom.ancestors(self.first)]] = 0
        used = int(np.bitwise_or.reduce(kinds)) if len(kinds) else 0
        inside = kinds.copy()
        for bit in (*PARTS.values(), COMMENT, REVIEW, MENU, ARCHIVE, READ_COMMENT):
            if used & bit:
                inside |= dom.inside(kinds & bit > 0).astype(np.uint8) * np.uint8(bit)
        return inside

    def is_other(self, node):
        """Whether a node is in a comment, a review, a menu or the bar of an archive."""
        return bool(int(self._inside[node]) & (OTHERS | READ_COMMENT))

    def is_other_day(self, node):
        """The same for a date, which may be in such a part beside the title, but in no comment."""
        if self.title >= 0 and abs(self.block_at(node) - self.title) <= publication._BESIDE:
            return bool(int(self._inside[node]) & (READ_COMMENT | ARCHIVE))
        return self.is_other(node)

    def parts(self, node):
        """Return the kinds of parts in which a node is, as bits; those around the article do not count."""
        return int(self._inside[node])

    def block_at(self, node):
        """Return the text block in which a node is or, if it is in none, the next one."""
        first = self.blocks.first
        k = int(np.searchsorted(first, node, side="right")) - 1
        if k >= 0 and node <= self.blocks.last[k]:
            return k
        return min(k + 1, max(len(self.blocks) - 1, 0))

    def place(self, node):
        """Return the blocks from the title, from the beginning and the end of the text; whether in the unit.

        Blocks before are negative; NaN if there is no title or no text.
        """
        k = self.block_at(node)
        title = _limited(k - self.title) if self.title >= 0 else np.nan
        if self.begin < 0:
            return (title, np.nan, np.nan, np.nan)
        is_inside = float(self.unit[0] <= node < self.unit[1])
        return (title, _limited(k - self.begin), _limited(k - self.end), is_inside)

    def place_features(self, node):
        """Return where a node is as features, see `place` and `parts`."""
        title, begin, end, in_unit = self.place(node)
        inside = self.parts(node)
        outside = {f"no {name}": float(not inside & bit) for name, bit in PARTS.items()}
        return {"at title": title, "at text": begin, "at end": end, "in unit": in_unit, **outside}

    def nearest_place(self, nodes):
        """Return the features of the node nearest to the title; those in other parts count as farther."""
        places = [self.place_features(node) for node in dict.fromkeys(nodes)]
        return places[0] if len(places) == 1 else min(places, key=_remoteness)

    def write(self, row, statements, number, few):
        """Write the features of the statements of a value, and the place of the one nearest to the title.

        number: of each feature in the row; few: the features whose least value counts, not the greatest one.
        """
        for statement in statements:
            for name, value in statement.features.items():
                k = number[name]
                old = row[k]
                if old != old or (value < old if name in few else value > old):
                    row[k] = value
        row[number["statements"]] = len(statements)
        placed = [statement.node for statement in statements if statement.node >= 0]
        if placed:
            for name, value in self.nearest_place(placed).items():
                row[number[name]] = value

    def is_near(self, node):
        """Whether a node is near the title or the beginning of the text."""
        return self.near[0] <= node < self.near[1]

    def distance(self, node):
        """Return how many nodes are between a node and the title; those before it count as farther."""
        return abs(node - self.first) + 30.0 * (node < self.first)


def _limited(blocks):
    """Return a number of blocks between -50 and 50."""
    return 50.0 if blocks > 50 else -50.0 if blocks < -50 else float(blocks)


def _remoteness(place):
    """Return in how many parts of other kinds a place is, and how far it is from the title."""
    outside = sum([place[f"no {name}"] for name in PARTS])
    return (-outside, abs(place["at title"]) + 5.0 * (place["at title"] < 0))


_FEW_OF_NAMES = frozenset(
    ("meta", "property", "relation", "profile", "named", "byline", "signed", "alone", "rest")
)


class Authors:
    """The names that a page states as its author."""

    def __init__(self, statements, around):
        self._stated, self._around, self._dom = (statements, around, around.dom)
        names = [*statements.meta.get("og:site_name", []), *map(named, statements.values("publisher"))]
        self._site_names = [tokens(name) for name in names]
        self._host = (statements.url.hostname or "").split(".")
        self._title = frozenset(tokens(statements.document_title))

    def candidates(self):
        """Return the names that the page states, in the order of their first statements."""
        found = {}
        for statement in self._statements():
            if statement.node >= 0 and self._around.is_other(statement.node):
                continue
            name = self._without_site(statement.value)
            if key := name_key(name):
                found.setdefault(key, []).append(statement._replace(value=name))
        keys = list(found)[: authors._MOST_CANDIDATES]
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

    def _write(self, row, statements, number):
        """Write the features of the statements of a name, and the place of the one nearest to the title."""
        self._around.write(row, statements, number, _FEW_OF_NAMES)
        row[number["sources"]] = len({statement.order for statement in statements})

    def _shape(self, name):
        """Return what a name looks like."""
        parts = [part for part in authors._AND.split(name) if part]
        words = [word for part in parts for word in part.split()]
        letters = [word for word in words if word[:1].isalpha()]
        plain = [word.strip(".,'’") for word in letters]
        cased = [word for word in plain if word.lower() not in authors._PARTICLES]
        capitals = sum([word[0].isupper() or not word.islower() for word in cased if word])
        own = tokens(name)
        return {
            "names": len(parts),
            "words": len(words) / max(len(parts), 1),
            "most words": max([len(part.split()) for part in parts], default=0),
            "characters": len(name),
            "capitals": capitals / max(len(cased), 1),
            "upper case": float(name.isupper()),
            "signs": float(len(authors._SIGNS.findall(name))),
            "common words": float(sum([word.lower() in authors._COMMON for word in plain])),
            "in title": sum([token in self._title for token in own]) / max(len(own), 1),
            "is site": float(self._is_site(name)),
            "blocks": min(float(self._lines.count(f"\n{name.lower()}\n")), 10.0),
            "longest word": max(map(len, words), default=0),
        }

    @cached_property
    def _lines(self):
        """The short text blocks of the page without case, each between two line ends."""
        short = [text for text in self._around.blocks.texts if len(text) <= LONGEST_NAME]
        return "\n" + "\n\n".join(short).lower() + "\n"

    def _without_site(self, name):
        """Return names without the name of the site behind them."""
        rest, comma, last = name.rpartition(",")
        return rest.strip() if comma and self._is_site(last) else name

    def _is_site(self, name):
        """Whether a name is the name of the site."""
        own = tokens(name)
        return not own or own in self._site_names or "".join(own) in self._host

    def _compare(self, x, keys, number):
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
        column["list page"][:] = self._around.list_page
        column["og article"][:] = "article" in kinds[0].lower() if kinds else np.nan
        column["page article"][:] = max((node_kind(node) for node in stated.nodes), default=np.nan)
        column["stated in json"][:] = float((~np.isnan(column["article"])).any())

    def _statements(self):
        yield from self._in_json()
        yield from self._in_meta()
        yield from self._in_properties()
        if post := clean_name(self._around.byline.get("author", "")):
            yield Statement(post, 3, {"first post": 1.0})
        yield from self._in_elements()
        yield from self._in_lines()

    def _in_json(self):
        stated = self._stated
        for node in stated.nodes[:30]:
            if node.is_other:
                continue
            for key in ("author", "creator"):
                values = stated.resolved(node.values.get(key))
                people = [
                    value
                    for value in values
                    if not (isinstance(value, dict) and authors._is_organisation(value))
                ]
                names = [clean_name(" ".join(named(value).split())) for value in people or values]
                name = authors._list_of(filter(None, names))
                if not people:
                    self._site_names.append(tokens(name))
                typed = [
                    isinstance(value, dict) and "person" in str(value.get("@type", "")).lower()
                    for value in people
                ]
                features = {
                    "article": node.relevance,
                    "article kind": node_kind(node),
                    "person": 1.0 if typed and all(typed) else 0.5 if people else 0.0,
                }
                yield Statement(name, 0, features)

    def _in_meta(self):
        by_rank = {}
        for rank, value in self._stated.metas("author"):
            name = clean_name(value)
            by_rank.setdefault(rank, []).extend([name] * (name.lower() not in authors._ACCOUNTS))
        for rank, names in by_rank.items():
            yield Statement(authors._list_of(filter(None, names)), 1, {"meta": float(rank)})

    def _in_properties(self):
        stated, dom = (self._stated, self._dom)
        inner = stated.properties.get("name", [])
        found = []
        for key in ("author", "creator"):
            for node in stated.properties.get(key, [])[:20]:
                names = [k for k in inner if node < k < dom.end[node]]
                if name := clean_name(" ".join(stated.value_of(names[0] if names else node).split())):
                    found.append((node, name))
        for node, name in found:
            yield Statement(name, 2, {"property": self._distance(node)}, node)
        yield from self._joined(found, 2, "property")

    def _joined(self, found, order, feature):
        """Yield the names of elements that follow each other, together."""
        run = []
        for node, name in [*found, (-1, "")]:
            if (
                run
                and node >= 0
                and (node - int(self._dom.end[run[-1][0]]) <= authors._BETWEEN)
                and (len(run) < 8)
            ):
                run.append((node, name))
                continue
            names = list(dict.fromkeys((name for _, name in run)))
            if len(names) > 1:
                yield Statement(", ".join(names), order, {feature: self._distance(run[0][0])}, run[0][0])
            run = [(node, name)]

    def _in_elements(self):
        """Yield the names in visible elements that a relation, a class or an address names as author."""
        dom, around = (self._dom, self._around)
        relations = {node for node in self._stated.relations.get("author", []) if dom.name(node) == "a"}
        profiles = {
            node
            for node in dom.nodes_where("href", authors._LEADS_TO_PROFILE).tolist()
            if around.is_near(node)
        }
        classes = set(dom.nodes_where("class", authors._NAMES_AUTHOR).tolist())
        found = []
        nodes = [node for node in sorted(relations | profiles | classes) if around.shown[node]]
        nodes.sort(key=lambda node: (not around.is_near(node), node))
        for node in nodes[: authors._MOST_ELEMENTS]:
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

    def _distance(self, node):
        """Return how many text blocks are between a node and the title; 60 if the title is not known."""
        return min(self._around.distance(node), 400.0) if self._around.title >= 0 else 400.0

    def _name_in(self, node):
        """Return the name in an element: its links, or the first text in it that is a name."""
        dom = self._dom
        size = int(dom.text_start[dom.end[node]] - dom.text_start[node])
        if not 1 < size <= 10 * surroundings.BYLINE or dom.end[node] - node > authors._MOST_INSIDE:
            return ""
        inside = range(node, int(dom.end[node]))
        links = (clean_name(" ".join(dom.text_of(k).split())) for k in inside[1:] if dom.name(k) == "a")
        texts = (" ".join(dom.text_of(k).split()) for k in inside if dom.name(k) == "#text")
        names = [name for name in links if name]
        return authors._list_of(names) or next(filter(None, map(clean_name, texts)), "")

    def _in_lines(self):
        """Yield the names in short lines that begin with a word such as "by", or have a name only."""
        around, texts = (self._around, self._around.blocks.texts)
        first = around.blocks.first.tolist()
        low, high = np.searchsorted(around.blocks.first, around.near).tolist()
        end = range(max(around.end - 1, high), around.end + 5) if around.end >= 0 else ()
        beside_title = range(around.title - 4, around.title + 7) if around.title >= 0 else range(0)
        alone = {*beside_title, *range(around.end, around.end + 4)} - {around.title}
        last = len(texts)
        for k in [k for k in (*range(low, high), *end) if k < last]:
            text, node = (texts[k], first[k])
            if len(text) <= surroundings.BYLINE:
                if k in alone:
                    yield from self._alone(k, text, node)
                yield from self._in_line(k, text, node)
        for k, text in enumerate(texts):
            is_far = len(text) <= surroundings.BYLINE and (not low <= k < high)
            if is_far and " by" in text and (match := authors._SIGNED_LINE.match(text)):
                name = clean_name(text[match.end() :])
                name = name if len(name.split()) <= 5 else name.partition(",")[0]
                node = first[k]
                yield Statement(name, 5, {"signed": self._distance(node)}, node)

    def _alone(self, k, text, node):
        """Yield the name in a line that has nothing else, near the title or at the end of the text."""
        if len(text) > 2 * authors._LONGEST_ALONE or text.endswith(":"):
            return
        name = clean_name(text)
        words = name.split()
        if not 1 <= len(words) <= 8 or len(name) > authors._LONGEST_ALONE or name.islower():
            return
        beside = min([abs(k - other) for other in self._dated], default=50)
        yield Statement(name, 6, {"alone": float(beside), "rest": float(len(text) - len(name))}, node)

    @cached_property
    def _dated(self):
        """The text blocks near the title and at the end of the text that may have a date."""
        around = self._around
        title, end = (max(around.title, 0), max(around.end, 0))
        near = {*range(max(title - 7, 0), title + 12), *range(max(end - 2, 0), end + 6)}
        return [k for k in around.dated if k in near]

    def _in_line(self, k, text, node):
        texts = self._around.blocks.texts
        following = texts[k + 1] if k + 1 < len(texts) else ""
        alone = len(text) <= authors._LONGEST_LABEL and (
            not authors._BY.sub("", f"{text} ", count=1).strip(" :")
        )
        if alone and following and (len(following) <= LONGEST_NAME / 2):
            text = f"{text} {following}"
        match = authors._BYLINE.match(text)
        if match is None and ("by" in text or "By" in text or "BY" in text):
            match = authors._BYLINE.search(text)
        if match:
            name = clean_name(text[match.end() :])
            is_lower = match[0].strip().lower() == "by" and name[:1].islower()
            is_lower |= name.islower() and len(name.split()) > authors._MOST_LOWER
            if name and max(len(part.split()) for part in authors._AND.split(name)) <= 5 and (not is_lower):
                strong = (
                    re.search("\\b(by|von|par|por|автор|autor|author|auteur|door)\\b", match[0], re.I)
                    is not None
                )
                yield Statement(name, 4, {"byline": self._distance(node), "by": float(strong)}, node)


_FEW_OF_DAYS = frozenset(
    ("meta", "property", "time element", "time named", "line text", "line start", "line behind")
)
_OFFSETS = {"from declared": "article", "from meta": "meta", "from changed": "changed"}


class Candidates(NamedTuple):
    """The days (c,) that a page states, each with its best value, and their features (c, f)."""

    values: tuple[str, ...]
    features: object

    def column(self, name):
        """Return the values (c,) of a feature."""
        return self.features[:, date_names().index(name)]

    def best(self, probability):
        """Return the number of the day of publication, -1 if none is probable; probability: (c,)."""
        if not len(probability) or probability.max() < publication.thresholds.PUBLISHED:
            return -1
        probability = np.where(self._may_not_replace(probability), 0.0, probability)
        others = np.where(self._is_change(), 0.0, probability)
        return int((others if others.max() >= publication.thresholds.PUBLISHED else probability).argmax())

    def _is_change(self):
        """Return the days (c,) that are only stated as days of a change."""
        stated = ~np.isnan(self.column("changed")) | ~np.isnan(self.column("meta changed"))
        named = (self.column("named change") == 1) & (self.column("named date") == 0)
        published = ~np.isnan(self.column("article")) | ~np.isnan(self.column("meta"))
        published |= self.column("label published") == 1
        change = stated | named | (self.column("label changed") == 1)
        return change & ~published

    def _may_not_replace(self, probability):
        """Return the days (c,) that may not replace the declared day of publication.

        Those are days that are more than a day later, changes, and earlier days that are not probable.
        """
        stated = (self.column("from declared"), self.column("from meta"))
        offset = np.where(np.isnan(stated[0]), stated[1], stated[0])
        is_declared = ~np.isnan(self.column("article")) | ~np.isnan(self.column("meta"))
        is_change = ~np.isnan(self.column("changed")) | ~np.isnan(self.column("meta changed"))
        is_improbable = (offset < -1) & (probability < publication.thresholds.REPLACES_DECLARED)
        unlikely = (offset > 1) | is_improbable | is_change & (np.abs(offset) > 0)
        return unlikely & ~is_declared

    def change(self, published):
        """Return the day of the last change, empty if it is not stated; published: the day of publication."""
        declared = np.where(np.isnan(self.column("changed")), -np.inf, self.column("changed"))
        others = [~np.isnan(self.column(name)) for name in ("meta changed", "property changed")]
        shown = (self.column("label changed") == 1) & (self.column("label other") == 0)
        shown |= (self.column("named change") == 1) & (self.column("named date") == 0)
        for chosen in (np.isfinite(declared), *others, shown):
            days = [self.values[k] for k in np.flatnonzero(chosen) if self.values[k][:10] >= published[:10]]
            if days:
                return max(days)
        return ""


class Dates:
    """The dates that a page states."""

    def __init__(self, statements, around):
        self._declared, self._around, self._dom = (statements, around, around.dom)
        language = statements.language or next(iter(statements.meta.get("og:locale", [])), "")
        self.language = language.lower().replace("_", "-")
        self.american = self.language == "en-us"
        self._orders = set()

    def candidates(self):
        """Return the days that the page states, in the order of their first statements."""
        found = {}
        for statement in self._statements():
            if statement.value and (not (statement.node >= 0 and self._around.is_other_day(statement.node))):
                found.setdefault(statement.value[:10], []).append(statement)
        days = list(found)[: publication._MOST_DAYS]
        x = np.full((len(days), len(date_names())), np.nan, np.float32)
        number = {name: k for k, name in enumerate(date_names())}
        for row, day in zip(x, days, strict=True):
            self._around.write(row, found[day], number, _FEW_OF_DAYS)
        self._compare(x, days, number)
        values = [min(found[day], key=lambda statement: statement.order).value for day in days]
        return Candidates(tuple(values), x)

    def _compare(self, x, days, number):
        """Write what depends on all days, and on the whole page."""
        if not days:
            return
        column = {name: x[:, k] for name, k in number.items()}
        ordinal = np.array([date.fromisoformat(day).toordinal() for day in days])
        inside = ~np.isnan(column["line text"])
        column["days"][:] = len(days)
        column["line days"][:] = inside.sum()
        column["rank"][:] = (ordinal[:, None] > ordinal[None, :]).sum(axis=1)
        column["rank from the latest"][:] = (ordinal[:, None] < ordinal[None, :]).sum(axis=1)
        for name, source in _OFFSETS.items():
            stated = column[source]
            if not np.isnan(stated).all():
                best = int(np.nanargmin(stated) if source in _FEW_OF_DAYS else np.nanargmax(stated))
                column[name][:] = np.clip(ordinal - ordinal[best], -400, 400)
        nearest = np.where(inside, np.abs(column["at title"]), np.inf)
        column["line rank"][:] = np.where(inside, (nearest[:, None] > nearest[None, :]).sum(axis=1), np.nan)
        column["english"][:] = self.language.startswith("en") if self.language else np.nan
        kinds = self._declared.meta.get("og:type", [])
        column["og article"][:] = "article" in kinds[0].lower() if kinds else np.nan
        column["american"][:] = self._american_page()
        column["times"][:] = len(self._dom.find_tag("time"))
        column["page article"][:] = max((node_kind(node) for node in self._declared.nodes), default=np.nan)
        column["list page"][:] = self._around.list_page

    def _american_page(self):
        """Return 1 if dates in numbers begin with the month, 0 if with the day, NaN if it is not known."""
        if len(self._orders) == 1:
            return float(self._orders.copy().pop())
        region = self.language.partition("-")[2]
        return float(region == "us") if region else np.nan

    def _statements(self):
        yield from self._in_json()
        yield from self._in_meta()
        yield from self._in_properties()
        yield from self._in_addresses()
        if post := first_date(self._around.byline.get("date", ""), self.american):
            yield Statement(post, 3, {"first post": 1.0})
        yield from self._in_times()
        yield from self._in_lines()
        yield from self._in_scripts()

    def _in_json(self):
        for node in self._declared.nodes[:30]:
            if node.is_other:
                continue
            for key in ("datePublished", *publication._CREATED, "dateModified"):
                for value in self._declared.resolved(node.values.get(key))[:2]:
                    stated = declared_date(value, self.american)
                    name = {"datePublished": "article", "dateModified": "changed"}.get(key, "created")
                    kind = {"article kind": node_kind(node)} if name == "article" else {}
                    yield Statement(stated, 0, {name: node.relevance, **kind})

    def _in_meta(self):
        for rank, value in self._declared.metas("published"):
            yield Statement(declared_date(value, self.american), 1, {"meta": float(rank)})
        for _, value in self._declared.metas("modified"):
            yield Statement(declared_date(value, self.american), 1, {"meta changed": 1.0})
        for name, values in self._declared.meta.items():
            if publication._META_PUBLISHED.search(name):
                yield Statement(declared_date(values[0], self.american), 1, {"meta": 30.0})
            elif publication._META_CHANGED.search(name):
                yield Statement(declared_date(values[0], self.american), 1, {"meta changed": 1.0})

    def _in_properties(self):
        for name, feature in (
            ("datepublished", "property"),
            ("datecreated", "property"),
            ("datemodified", "property changed"),
        ):
            for node in self._declared.properties.get(name, [])[:10]:
                stated = declared_date(self._declared.value_of(node), self.american)
                distance = abs(self._around.place(node)[0]) if feature == "property" else 1.0
                yield Statement(stated, 2, {feature: distance}, node)

    def _in_addresses(self):
        dom = self._dom
        linked = [dom.get(node, "href") or "" for node in self._declared.relations.get("canonical", [])]
        addresses = [("address", self._declared.url.path)]
        addresses += [
            ("canonical address", value) for value in (*linked, *self._declared.meta.get("og:url", []))
        ]
        for name, address in addresses:
            if match := publication._URL_DATE.search(address):
                yield Statement(first_date("-".join(match.groups())), 4, {name: 1.0})
            elif match := publication._SHORT_URL_DATE.search(address):
                yield Statement(first_date("20" + "-".join(match.groups())), 4, {f"{name}": 0.0})

    def _in_scripts(self):
        """Yield the dates that data in scripts names as publication, if there are few."""
        dom = self._dom
        texts = (dom.text_of(node) for node in dom.find_tag("script").tolist())
        data = (text for text in texts if "ublish" in text and '"@context"' not in text)
        stated = {match[1] for text in data for match in publication._IN_SCRIPT.finditer(text)}
        if len(stated) <= 3:
            for value in sorted(stated):
                yield Statement(declared_date(value), 4, {"script": 1.0})

    def _in_times(self):
        """Yield the dates of elements ``<time>``, and whether their names state a change."""
        dom, around = (self._dom, self._around)
        for node in dom.find_tag("time").tolist()[: publication._MOST_LINES]:
            if not around.shown[node] and (not around.is_near(node)):
                continue
            text = " ".join(dom.text_of(node)[:200].split())
            distance = abs(around.place(node)[0])
            features = {"time element": distance, **self._named(node)}
            if dom.get(node, "pubdate") is not None:
                features["time named"] = 0.0
            stated = first_date(dom.get(node, "datetime") or "", self.american)
            yield Statement(stated or first_date(text, self.american), 2, features, node)

    def _in_lines(self):
        """Yield the dates in short text blocks, and at the start of others."""
        found = list(self._readings_of_lines())
        day_first = [reading for *_, reading in found if reading.is_ambiguous and not reading.month_first]
        dropped = day_first if self.american and False not in self._orders else []
        for node, part, before, reading in found:
            if reading not in dropped:
                yield Statement(reading.value, 5, self._line(node, part, before, reading), node)

    def _readings_of_lines(self):
        """Yield the node and the text of each date in a text block, the text before it, and the date."""
        around = self._around
        texts = around.blocks.texts
        for k in self._lines_with_dates():
            text = texts[k]
            node = int(around.blocks.first[k])
            short = len(text) <= LINE
            near = around.is_near(node)
            if not short and (not near):
                continue
            part = text[:LINE] if short else text[: publication._START + 30]
            before = texts[k - 1] if k and len(texts[k - 1]) <= 30 and texts[k - 1][-1:].isalpha() else ""
            for reading in date_readings(part, short and near, self.american)[:4]:
                if reading.is_clear:
                    self._orders.add(reading.month_first)
                if short or reading.start <= publication._START:
                    yield node, part, before, reading

    def _lines_with_dates(self):
        """Return the text blocks near the title that may have a date, and the first of others."""
        around = self._around
        low, high = np.searchsorted(around.blocks.first, around.near).tolist()
        lines = around.dated
        near = [k for k in lines if low <= k < high]
        return near + [k for k in lines if not low <= k < high][: publication._MOST_LINES]

    def _line(self, node, text, before, reading):
        """Return the features of a date in a text block; before: the text before it, if it is short."""
        start, end = (reading.start, reading.end)
        label = text[max(start - 40, 0) : start] or before
        near_label = text[max(start - 25, 0) : start].strip() or before
        return {
            "line text": float(len(text) - (end - start)),
            "line start": float(start),
            "line behind": float(len(text) - end),
            "label published": float(publication._PUBLISHED.search(near_label) is not None),
            "label changed": float(publication._CHANGED.search(label) is not None),
            "label other": float(publication._OTHER.search(label) is not None),
            "two digits": float(reading.two_digits),
            "month first": float(reading.month_first) if reading.is_ambiguous else np.nan,
            **self._named(node),
        }

    def _named(self, node):
        """Return whether the elements around a node are named as those of a date or of a change."""
        parent, bits = (self._dom.parent, 0)
        for _ in range(publication._STEPS):
            bits |= self._names.get(node, 0)
            node = int(parent[node])
            if node < 0:
                break
        return {"named date": float(bits & 1), "named change": float(bits >> 1)}

    @cached_property
    def _names(self):
        """The nodes that are named as a date (1) or a change (2)."""
        names = {}
        for name in ("class", "id", "itemprop"):
            attributes, nodes = self._dom.find_attribute(name)
            bits = self._dom.ask(_NAMES, attributes)
            for node, bit in zip(nodes[bits > 0].tolist(), bits[bits > 0].tolist(), strict=True):
                names[node] = names.get(node, 0) | bit
        return names


_MAY_BE_DATED = re.compile(
    r"[0-9'’](?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=\d)[./-](?:\d\d?|[^\W\d_]{3,12})[./-]\d\d(?!\d)"
    r"|(?<=['’])\d\d(?!\d))"
)


def dated_blocks(texts):
    """Return the numbers of the texts that may contain a date near their beginning."""
    return [k for k, text in enumerate(texts) if _MAY_BE_DATED.search(text[:LINE])]
