"""Names of fields, by what pages declare, labels, classes and content, in this order.

A name of a meaning (`NAMES`) is given to the proposal with the highest score:

========  ==============================================================================================
10 share  the pages whose stated value (`webgrain.fields.values`) equals the text of the element; the
          title is the one that `webgrain.extract` reads, and a heading counts a little more
6         a property of microdata
5         a label: ``SKU: 12``
2         a class or an id of the element, or of those around it
2         a price that is struck, for ``price_old``
1         the type of the values: a price, a date, an image
========  ==============================================================================================

Of equal scores, the proposal with the shorter texts has the name, then the one that is nearer to the title.
Others have the name of their label, of a class, or of their tag; equal names are numbered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.metrics import tokens
from webgrain.base.properties import cached_property
from webgrain.documents.dates import before_date
from webgrain.fields.places import KnownPage, Proposal, first_nodes, label_name
from webgrain.fields.thresholds import FAR_BEFORE, LONGEST, MIN_AGREEMENT, MIN_INNER_SHARE, SHORT, TYPICAL
from webgrain.fields.values import between, day_of, has_tokens, number_of
from webgrain.page.markup import meta_contents
from webgrain.page.page import Page

NAMES = (
    "title", "date", "author", "price_old", "price", "image", "description", "sku", "rating", "brand",
    "breadcrumb", "tags",
)  # fmt: skip
"""The names of a meaning, in the order in which they are given."""

_PROPERTIES = {
    "name": "title", "headline": "title", "price": "price", "lowprice": "price", "datepublished": "date",
    "datecreated": "date", "author": "author", "creator": "author", "image": "image", "sku": "sku",
    "description": "description", "articlebody": "", "ratingvalue": "rating", "brand": "brand",
}  # fmt: skip
_LABELS = {
    "title": "title", "date": "date", "published": "date", "posted": "date", "author": "author",
    "by": "author", "posted_by": "author", "reported_by": "author", "written_by": "author",
    "price": "price", "sku": "sku", "rating": "rating", "brand": "brand",
    "description": "description",
}  # fmt: skip
_WORD = r"(?:^|[^a-z])(?:{})s?(?:[^a-z]|$)"
_CLASSES = {
    name: re.compile(_WORD.format(words), re.IGNORECASE)
    for name, words in {
        "date": "date|published|pubdate|posted|time|datetime|timestamp",
        "author": "author|byline|writer|username|poster",
        "price_old": "old|was|before|former|regular|previous|compare|strike|list-?price",
        "price": "price|amount|cost|precio|preis|prix",
        "description": "description|excerpt|summary|lede|standfirst|subtitle|archive-?summary",
        "sku": "sku|article-?number|product-?code|mpn",
        "rating": "rating|score|stars",
        "brand": "brand|vendor|manufacturer",
        "tags": "tag|keyword|topic",
        "image": "featured|product|zoom|product-?image|main-?image|hero|cover|post-?thumbnail",
    }.items()
}
_ANY_CLASS = re.compile("|".join([pattern.pattern for pattern in _CLASSES.values()]), re.IGNORECASE)
_SIZE = re.compile(r"[-_](?:\d*x\d*|\d+w|thumb|small|compact|medium|large|grande|master)(?=[._-]|$)|\?.*")
_OF_HEADINGS = {"h1": 2.0, "h2": 1.0, "h3": 1.0}
"""What headings count more as titles, by tag; an ``h1`` of most pages is a title if no other text is."""
HEAD = 1e9
"""Distance from the title of an element that is far before it."""
_WORDS_OF_PRICE = 3  # at most (hand-set)
_FEW_TEXTS = 5  # different texts of a field, at least, that begin with one word (hand-set)
_STRUCK = frozenset(("del", "s", "strike"))
_CHANGED = re.compile(r"last-?mod|modified|updated?|changed|edited", re.IGNORECASE)
_UTILITY = re.compile(
    r"^(?:(?:col|row|grid|container|wrapper|inner|outer|text|font|bg|m|p|mt|mb|ml|mr|mx|my|pt|pb|px|py|flex|w|h|d|is|"
    r"has|css|sm|md|lg|xl|js|block|inline|clear|clearfix|float|left|right|center|first|last|odd|even|active|"
    r"item|content|field|views|even|box|style|no|wp|elementor|align)(?:[-_].*)?|[A-Za-z]?\d+|.{1,2}|.{32,})$",
    re.IGNORECASE,
)
_MANY_DIGITS = re.compile(r"(?<!\d)\d{3}")
_TYPES_OF_NAMES = dict.fromkeys(NAMES, "") | {
    "price": "price", "price_old": "price", "date": "date", "image": "image", "tags": "list",
}  # fmt: skip
_BY_TYPE = frozenset(("price", "date", "image"))
"""Names that a proposal may have by the type of its values."""
_LIST_NAMES = frozenset(("tags", "breadcrumb"))
_SINGLE_NAMES = frozenset(NAMES) - _LIST_NAMES


def with_names(proposals: Sequence[Proposal], known: Sequence[KnownPage]) -> list[Proposal]:
    """Give names to proposals that have none; return them, and the author that is in the line of a date."""
    added: list[Proposal] = []
    waiting = [each for each in proposals if each.name != "breadcrumb"]
    taken = {each.name for each in proposals if each.name == "breadcrumb"}
    scores = _Scores(known)
    scores.note(waiting)
    for name in NAMES:
        if name in taken:
            continue
        scored = [(scores.of(each, name), each) for each in waiting if name in scores.marks[each].possible]
        scored = [(score, each) for score, each in scored if score > 0]
        if not scored:
            continue
        _, best = min(scored, key=lambda pair: (-pair[0], pair[1].size, pair[1].distance))
        best.name, best.is_meant = name, True
        if name == "author":
            best.trimmed(*scores.words_around(best))
        waiting.remove(best)
        if name == "date" and best.slot.attribute is None:
            rest = best.copy()  # a line may have the author, too
            scores.note([rest])
            waiting.append(rest)
            added.append(rest)
    added = [each for each in added if each.is_meant]
    for each in waiting:
        each.name = each.name or _other_name(each, scores.marks[each].property)
        if each.type == "text" and each.label is None and each.slot.attribute is None:
            each.trimmed(_words_before(each))
    return [*proposals, *added]


def _words_before(proposal: Proposal) -> str:
    """Return the word with which all texts begin, such as ``Previous``; empty for several, or few texts."""
    if len({text[:1] for text in proposal.firsts}) > 1:
        return ""  # most proposals
    texts = {tuple(text.split()) for text in proposal.firsts}
    if len(texts) < _FEW_TEXTS:
        return ""
    words = []
    for column in zip(*texts, strict=False):
        if len(set(column)) > 1 or not column[0].isalpha():
            break
        words.append(column[0])
    is_rest = all(len(text) > len(words) for text in texts)
    return " ".join(words) if is_rest and len(words) == 1 else ""


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names of which the second and later equal ones have a number.

    >>> distinct(["a", "b", "a", "a_2"])
    ['a', 'b', 'a_2', 'a_2_2']
    """
    used = set(taken)
    result = []
    for name in names:
        number, numbered = 2, name
        while numbered in used:
            numbered = f"{name}_{number}"
            number += 1
        used.add(numbered)
        result.append(numbered)
    return result


class _Marks(NamedTuple):
    """What markup and values state about the name of a proposal.

    Attributes:
        property: the name by a property of microdata; empty for none.
        of_label: the name by its label; empty for none.
        classes: the names by a class or an id.
        possible: the names that its values, elements and label allow.
    """

    property: str
    of_label: str
    classes: Collection[str]
    possible: Collection[str]

    @classmethod
    def of(cls, proposal: Proposal) -> Self:
        """Return what markup and values state about a proposal."""
        of_label = _LABELS.get(label_name(proposal.label[1]), "") if proposal.label else ""
        names, *above = proposal.names_around
        classes = _named_by(names)
        for names in above:
            classes |= _named_by(names) - {"description"}
        if "author" in proposal.attributes[0].get("rel", ""):
            classes.add("author")
        possible = _possible_names(proposal, of_label, _is_unusual_price(proposal, classes))
        return cls(_property(proposal), of_label, classes, possible)


def _named_by(names: str) -> set[str]:
    """Return the names of fields that an id and classes state."""
    if names == " " or not _ANY_CLASS.search(names):
        return set()
    return {name for name, pattern in _CLASSES.items() if pattern.search(names)}


class _Scores:
    """How well names fit proposals; known: the pages.

    Attributes:
        marks: of each proposal.
    """

    def __init__(self, known: Sequence[KnownPage]) -> None:
        self._known = known
        self.marks: dict[Proposal, _Marks] = {}
        self._stated = {name: [each.stated.get(name, ()) for each in known] for name in NAMES}
        self._stated["price_old"] = self._stated["price"]
        self._tokens: dict[str, list[list[list[str]]]] = {}

    def note(self, proposals: Sequence[Proposal]) -> None:
        """Note proposals: their mean distances from the title in nodes, and their marks.

        The distance is `HEAD` or more if most elements are far before the title.
        """
        firsts = first_nodes([each.slot for each in proposals], len(self._known))
        titles = np.array(_places_of_titles(self._known))
        has_both = (firsts >= 0) & (titles >= 0)
        distances = np.where(has_both, firsts - titles, 0)
        number = has_both.sum(axis=1)
        mean = np.abs(distances).sum(axis=1) / np.maximum(number, 1)
        is_before = 2 * (distances < -FAR_BEFORE).sum(axis=1) > number
        for each, distance in zip(proposals, (mean + HEAD * is_before).tolist(), strict=True):
            each.distance = distance
            self.marks[each] = _Marks.of(each)

    def of(self, proposal: Proposal, name: str) -> float:
        """Return how well a name fits a proposal, 0 if it does not."""
        if name == "title":
            return self._title(proposal)
        marks = self.marks[proposal]
        is_named = name in marks.classes
        is_near = proposal.distance < HEAD
        score = 0.0
        if name != "description" or is_named:  # the first paragraph of a text often begins like it
            score = 10.0 * self._agreement(proposal, name)
        if name == marks.property:
            score += 6.0
        if name == marks.of_label:
            score += 5.0
        if is_named and is_near:
            score += 2.0
        if name in _BY_TYPE and is_near:
            score += 1.0
        if name == "price_old":
            score += 2.0
        return score if score and score >= _least_score(proposal, name) else 0.0

    def _title(self, proposal: Proposal) -> float:
        """Return how well a proposal fits as the title."""
        page, node = proposal.first
        share = self._share_with_title(proposal)
        of_heading = _OF_HEADINGS.get(page.dom.name(node), 0.0)
        is_only = of_heading > 1.0 and proposal.share >= MIN_INNER_SHARE and not proposal.is_item
        is_only = is_only and not self._has_meta_title
        return 10.0 * share + (of_heading if share or is_only else 0.0)

    @cached_property
    def _has_meta_title(self) -> bool:
        return any("og:title" in meta_contents(each.page.dom) for each in self._known)

    def _share_with_title(self, proposal: Proposal) -> float:
        """Return the share of the pages whose title a proposal has: its element, or an equal text."""
        titles = self._tokens_of("title")
        if not self._may_have(proposal, "title"):
            return 0.0
        counted = same = 0
        for nodes, of_page, stated in zip(proposal.slot.nodes, proposal.texts, titles, strict=True):
            if nodes and stated:
                counted += 1
                same += bool(stated[0]) and has_tokens(of_page[0], stated[0])
        share = same / max(counted, 1)
        return share * proposal.share if share >= MIN_AGREEMENT else 0.0

    def _agreement(self, proposal: Proposal, name: str) -> float:
        """Return the share of the pages on which the text of a proposal is the stated value."""
        if not any(self._stated[name]):
            return 0.0
        if name not in _EQUAL and not self._may_have(proposal, name):
            return 0.0
        before, after = self.words_around(proposal) if name == "author" else ("", "")
        equal: Callable[[str, Any], bool] = _EQUAL.get(name, _is_equal)
        wanted = self._stated[name] if name in _EQUAL else self._tokens_of(name)
        counted = same = 0
        for of_page, values in zip(proposal.texts, wanted, strict=True):
            if of_page and of_page[0] and values:
                counted += 1
                text = between(of_page[0], before, after)
                same += any(equal(text, value) for value in values)
        share = same / counted if counted else 0.0
        return share if same >= 2 and share >= MIN_AGREEMENT else 0.0

    def _may_have(self, proposal: Proposal, name: str) -> bool:
        """Return whether the tokens of a stated value are anywhere in the texts."""
        lowered = proposal.lowered
        for of_page in self._tokens_of(name):
            for value in of_page:
                if value and value[0] in lowered and value[-1] in lowered:
                    return True
        return False

    def words_around(self, proposal: Proposal) -> tuple[str, str]:
        """Return the words before and behind the author in the texts, those that most pages share."""
        around = []
        for of_page, values in zip(proposal.texts, self._stated["author"], strict=True):
            text = of_page[0] if of_page else ""
            names = [value for value in values if value and value in text]
            if names:
                first, _, rest = text.partition(names[0])
                around.append((first.strip(), (rest.split() or [""])[0]))
        if not around:
            return "", ""
        kept = []
        for column in zip(*around, strict=True):
            count = Counter(column)
            word = max(count, key=lambda word: (count[word], word))
            kept.append(word if count[word] >= 0.6 * len(around) else "")
        return kept[0], kept[1] if re.search(r"[^\W\d_]|[|·,:(]", kept[1]) else ""

    def _tokens_of(self, name: str) -> list[list[list[str]]]:
        """Return the tokens of the values that each page states."""
        if name not in self._tokens:
            self._tokens[name] = [list(map(tokens, of_page)) for of_page in self._stated[name]]
        return self._tokens[name]


def _least_score(proposal: Proposal, name: str) -> float:
    """Return the score that a name needs: an item of a list needs more than a class."""
    is_item = proposal.is_item and not proposal.slot.is_list and not proposal.label
    if is_item or (name == "author" and proposal.type != "text"):
        return 5.0
    return 1.0 if name in _BY_TYPE else 2.0


def _possible_names(proposal: Proposal, of_label: str, is_price: bool) -> set[str]:
    """Return the names that values, elements and label of a proposal may have.

    of_label: the name by its label; is_price: whether it is a price in an unusual form.
    """
    types = {"", proposal.type, "price"} if is_price else {"", proposal.type}
    names = _LIST_NAMES if proposal.type == "list" else _SINGLE_NAMES
    possible = {name for name in names if _TYPES_OF_NAMES[name] in types}
    if proposal.slot.attribute in ("src", "href"):
        possible &= {"image"}
    if proposal.label:
        possible &= {*_BY_TYPE, of_label}
    if proposal.size > LONGEST * 5:
        possible &= {"title", "image"}
    elif proposal.size > SHORT:
        possible &= {"title", "image", "description"}
    if "date" in possible and _is_change(proposal):
        possible.discard("date")
    if "price_old" in possible and not _is_struck(proposal):
        possible.discard("price_old")
    return possible


def _is_change(proposal: Proposal) -> bool:
    """Return whether a date is that of the last change, by its id, its class or the words before it."""
    words = before_date(proposal.firsts[0][: 2 * SHORT])
    return bool(_CHANGED.search(proposal.names_around[0]) or _CHANGED.search(words))


def _is_unusual_price(proposal: Proposal, classes: Collection[str]) -> bool:
    """Return whether an element for a price has short texts with a number, whatever the currency is."""
    if proposal.type != "text" or proposal.slot.attribute is not None or "price" not in classes:
        return False
    short = [
        text
        for text in proposal.firsts
        if len(text.split()) <= _WORDS_OF_PRICE and number_of(text) is not None
    ]
    return len(short) >= TYPICAL * len(proposal.firsts)


def _is_equal(text: str, wanted: Sequence[str]) -> bool:
    return bool(wanted) and has_tokens(text, wanted)


def _is_same_day(text: str, value: str) -> bool:
    return day_of(text)[:10] == value[:10] != ""


def _is_same_amount(text: str, value: str) -> bool:
    return number_of(text) == number_of(value) is not None


def _is_same_file(text: str, value: str) -> bool:
    """Return whether two addresses of images have one file name, but for the size of the image."""
    first, second = (_SIZE.sub("", address.rpartition("/")[2]) for address in (text, value))
    return first == second != ""


def _begins_alike(text: str, value: str) -> bool:
    first, second = tokens(text), tokens(value)
    return len(first) >= max(8, len(second) // 2) and first[:8] == second[:8]


_EQUAL: dict[str, Callable[[str, Any], bool]] = {
    "date": _is_same_day,
    "price": _is_same_amount,
    "image": _is_same_file,
    "description": _begins_alike,
}


def _property(proposal: Proposal) -> str:
    """Return the name by the property of microdata of an element, or of the thing that it names."""
    levels = proposal.attributes
    if not ["itemprop" for values in levels[:2] if "itemprop" in values]:
        return ""
    level = 0
    property_ = levels[0].get("itemprop", "").lower()
    if not property_ and len(levels) > 1 and "itemprop" in levels[1]:
        level = 1
        property_ = levels[1]["itemprop"].lower()
    if property_ == "name":
        property_ = proposal.thing(level + 1).get("itemprop", property_).lower()
    return _PROPERTIES.get(property_.split(" ")[0], property_.split(" ")[0])


def _is_struck(proposal: Proposal) -> bool:
    """Return whether a price is struck, or has the class of a former one."""
    page, node = proposal.first
    around = [page.dom.name(at) for at in [node, *page.dom.ancestors(node)][:3]]
    if not _STRUCK.isdisjoint(around):
        return True
    return any(_CLASSES["price_old"].search(names) for names in proposal.names_around)


def _places_of_titles(known: Sequence[KnownPage]) -> list[int]:
    """Return the element of the title of each page, that of its main content without one, -1 for none."""
    in_body = [[node for node in each.titles if _is_in_body(each.page, node)] for each in known]
    return [min(nodes, default=each.main) for nodes, each in zip(in_body, known, strict=True)]


def _is_in_body(page: Page, node: int) -> bool:
    return not any(page.dom.name(above) == "head" for above in page.dom.ancestors(node))


def _other_name(proposal: Proposal, property_: str) -> str:
    """Return a name by a property, a class or the tag."""
    if property_:
        return label_name(property_) or "line"
    page, node = proposal.first
    if proposal.type == "date" and _is_change(proposal):
        return "modified"
    relation = proposal.attributes[0].get("rel", "")
    if relation in ("author", "tag", "next", "prev"):
        return relation
    levels = 4 if proposal.slot.is_list else 2
    classes = [name for values in proposal.attributes[:levels] for name in values.get("class", "").split()]
    for name in classes:
        if not (_UTILITY.match(name) or _MANY_DIGITS.search(name)) and (named := label_name(name)):
            return named
    if proposal.type != "text":
        return proposal.type.lower()
    tag = page.dom.name(node)
    return "heading" if re.fullmatch("h[1-6]", tag) else "link" if tag == "a" else "line"
