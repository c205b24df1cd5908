"""Names of fields, by what pages declare, labels, classes and content, in this order.

A name of a meaning (`NAMES`) is given to the proposal with the highest score:

========  ==============================================================================================
10 share  the pages whose stated value (`webgrain.fields.stated`) equals the text of the element; the
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
from collections.abc import Callable, Iterable, Sequence

from webgrain.base.metrics import tokens
from webgrain.documents.dates import before_date
from webgrain.fields.pairs import label_name
from webgrain.fields.proposals import KnownPage, Proposal
from webgrain.fields.thresholds import FAR_BEFORE, LONGEST, MIN_AGREEMENT, MIN_INNER_SHARE, SHORT, TYPICAL
from webgrain.fields.values import between, day_of, number_of
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
_TYPES_OF_NAMES = {"price": "price", "price_old": "price", "date": "date", "image": "image", "tags": "list"}
_BY_TYPE = frozenset(("price", "date", "image"))
"""Names that a proposal may have by the type of its values."""
_LIST_NAMES = frozenset(("tags", "breadcrumb"))


def with_names(proposals: Sequence[Proposal], known: Sequence[KnownPage]) -> list[Proposal]:
    """Give names to proposals that have none; return them, and the author that is in the line of a date."""
    added: list[Proposal] = []
    waiting = [each for each in proposals if each.name != "breadcrumb"]
    taken = {each.name for each in proposals if each.name == "breadcrumb"}
    places = _places_of_titles(known)
    for name in NAMES:
        if name in taken:
            continue
        scores = [(_score(each, name, known, _distance(each, places)), each) for each in waiting]
        scores = [(score, each) for score, each in scores if score > 0]
        if not scores:
            continue
        _, best = min(scores, key=lambda pair: (-pair[0], pair[1].size, _distance(pair[1], places)))
        best.name, best.is_meant = name, True
        if name == "author":
            best.trimmed(*_words_around(best, known))
        waiting.remove(best)
        if name == "date" and best.slot.attribute is None:
            rest = best.copy()  # a line may have the author, too
            waiting.append(rest)
            added.append(rest)
    added = [each for each in added if each.is_meant]
    for each in waiting:
        each.name = each.name or _other_name(each)
        if each.type == "text" and each.label is None and each.slot.attribute is None:
            each.trimmed(_words_before(each))
    return [*proposals, *added]


def _words_before(proposal: Proposal) -> str:
    """Return the word with which all texts begin, such as ``Previous``; empty for several, or few texts."""
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


def _score(proposal: Proposal, name: str, known: Sequence[KnownPage], distance: float) -> float:
    """Return how well a name fits a proposal, 0 if it does not; distance: from the title."""
    if not _is_possible(proposal, name):
        return 0.0
    if name == "title":
        page, node = proposal.first
        share = _share_with_title(proposal, known)
        of_heading = _OF_HEADINGS.get(page.dom.name(node), 0.0)
        is_only = of_heading > 1.0 and proposal.share >= MIN_INNER_SHARE and not proposal.is_item
        is_only = is_only and not any("og:title" in meta_contents(page.dom) for page in proposal.pages)
        return 10.0 * share + (of_heading if share or is_only else 0.0)
    is_named = _has_class(proposal, name)
    is_near = distance < HEAD
    score = 10.0 * _agreement(proposal, name, known)
    if name == "description" and not is_named:
        score = 0.0  # the first paragraph of a text often begins like its description
    if name == _property(proposal):
        score += 6.0
    if proposal.label and _LABELS.get(label_name(proposal.label[1])) == name:
        score += 5.0
    if is_named and is_near:
        score += 2.0
    if name in _BY_TYPE and is_near:
        score += 1.0
    if name == "price_old":
        score += 2.0
    return score if score >= _least_score(proposal, name) else 0.0


def _least_score(proposal: Proposal, name: str) -> float:
    """Return the score that a name needs: an item of a list needs more than a class."""
    is_item = proposal.is_item and not proposal.slot.is_list and not proposal.label
    if is_item or (name == "author" and proposal.type != "text"):
        return 5.0
    return 1.0 if name in _BY_TYPE else 2.0


def _is_possible(proposal: Proposal, name: str) -> bool:
    """Return whether values, elements and label of a proposal may have a name."""
    type_ = _TYPES_OF_NAMES.get(name)
    if type_ == "price" and _is_unusual_price(proposal):
        type_ = proposal.type
    if (type_ and proposal.type != type_) or (proposal.type == "list") != (name in _LIST_NAMES):
        return False
    if proposal.slot.attribute in ("src", "href") and name != "image":
        return False
    longest = LONGEST * 5 if name == "description" else SHORT
    if proposal.size > longest and name not in ("title", "image"):
        return False
    if proposal.label and name not in _BY_TYPE and _LABELS.get(label_name(proposal.label[1])) != name:
        return False
    if name == "date":
        return not _is_change(proposal)
    return name != "price_old" or _is_struck(proposal)


def _is_change(proposal: Proposal) -> bool:
    """Return whether a date is that of the last change, by its id, its class or the words before it."""
    words = before_date(proposal.firsts[0][: 2 * SHORT])
    return bool(_CHANGED.search(_names_around(proposal)[0]) or _CHANGED.search(words))


def _is_unusual_price(proposal: Proposal) -> bool:
    """Return whether an element for a price has short texts with a number, whatever the currency is."""
    if proposal.type != "text" or proposal.slot.attribute is not None or not _has_class(proposal, "price"):
        return False
    short = [
        text
        for text in proposal.firsts
        if len(text.split()) <= _WORDS_OF_PRICE and number_of(text) is not None
    ]
    return len(short) >= TYPICAL * len(proposal.firsts)


def _share_with_title(proposal: Proposal, known: Sequence[KnownPage]) -> float:
    """Return the share of the pages whose title a proposal has: its element, or an equal text."""
    counted = same = 0
    for nodes, of_page, each in zip(proposal.slot.nodes, proposal.texts, known, strict=True):
        stated = each.stated.get("title", ())
        if nodes and stated:
            counted += 1
            same += _is_equal(of_page[0], stated[0])
    share = same / max(counted, 1)
    return share * proposal.share if share >= MIN_AGREEMENT else 0.0


def _agreement(proposal: Proposal, name: str, known: Sequence[KnownPage]) -> float:
    """Return the share of the pages on which the text of a proposal is the stated value."""
    equal = _EQUAL.get(name, _is_equal)
    before, after = _words_around(proposal, known) if name == "author" else ("", "")
    counted = same = 0
    for of_page, each in zip(proposal.texts, known, strict=True):
        stated = each.stated.get("price" if name == "price_old" else name, ())
        if of_page and of_page[0] and stated:
            counted += 1
            same += any(equal(between(of_page[0], before, after), value) for value in stated)
    share = same / counted if counted else 0.0
    return share if same >= 2 and share >= MIN_AGREEMENT else 0.0


def _is_equal(text: str, value: str) -> bool:
    return tokens(text) == tokens(value) != []


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


_EQUAL: dict[str, Callable[[str, str], bool]] = {
    "date": _is_same_day,
    "price": _is_same_amount,
    "image": _is_same_file,
    "description": _begins_alike,
}


def _property(proposal: Proposal) -> str:
    """Return the name by the property of microdata of an element, or of the thing that it names."""
    own, *above = proposal.attributes
    property_ = own.get("itemprop", "").lower()
    if not property_ and above and "itemprop" in above[0]:
        own, *above = above
        property_ = own["itemprop"].lower()
    around = next((values for values in above if "itemscope" in values), {})
    if property_ == "name" and "itemprop" in around:
        property_ = around["itemprop"].lower()
    return _PROPERTIES.get(property_.split(" ")[0], property_.split(" ")[0])


def _names_around(proposal: Proposal) -> list[str]:
    """Return id and classes of an element and of the two elements above it, the element first."""
    return [f"{values.get('id', '')} {values.get('class', '')}"[:300] for values in proposal.attributes[:3]]


def _has_class(proposal: Proposal, name: str) -> bool:
    pattern = _CLASSES.get(name)
    if pattern is None:
        return False
    own, *above = _names_around(proposal)
    if name == "author" and "author" in proposal.attributes[0].get("rel", ""):
        return True
    if name == "description":
        return bool(pattern.search(own))
    return bool(pattern.search(own) or (above and pattern.search(above[0])))


def _is_struck(proposal: Proposal) -> bool:
    """Return whether a price is struck, or has the class of a former one."""
    page, node = proposal.first
    around = [page.dom.name(at) for at in [node, *page.dom.ancestors(node)][:3]]
    if not _STRUCK.isdisjoint(around):
        return True
    return any(_CLASSES["price_old"].search(names) for names in _names_around(proposal)[:2])


def _places_of_titles(known: Sequence[KnownPage]) -> list[int]:
    """Return the element of the title of each page, that of its main content without one, -1 for none."""
    in_body = [[node for node in each.titles if _is_in_body(each.page, node)] for each in known]
    return [min(nodes, default=each.main) for nodes, each in zip(in_body, known, strict=True)]


def _is_in_body(page: Page, node: int) -> bool:
    return not any(page.dom.name(above) == "head" for above in page.dom.ancestors(node))


def _distance(proposal: Proposal, titles: Sequence[int]) -> float:
    """Return the mean distance from the title in nodes, `HEAD` or more if most elements are far before it."""
    distances = [
        nodes[0] - title
        for nodes, title in zip(proposal.slot.nodes, titles, strict=True)
        if nodes and title >= 0
    ]
    far = sum(distance < -FAR_BEFORE for distance in distances)
    mean = sum(map(abs, distances)) / max(len(distances), 1)
    return mean + (HEAD if 2 * far > len(distances) else 0.0)


def _words_around(proposal: Proposal, known: Sequence[KnownPage]) -> tuple[str, str]:
    """Return the words before and behind the author in the texts, those that most pages share."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for of_page, each in zip(proposal.texts, known, strict=True):
        text = of_page[0] if of_page else ""
        name = next((value for value in each.stated.get("author", ()) if value and value in text), "")
        if name:
            first, _, rest = text.partition(name)
            before[first.strip()] += 1
            after[(rest.split() or [""])[0]] += 1
    total = sum(before.values())
    words = [max(count, key=lambda word: (count[word], word), default="") for count in (before, after)]
    shares = [count[word] >= 0.6 * total for count, word in zip((before, after), words, strict=True)]
    kept = [word if is_usual else "" for word, is_usual in zip(words, shares, strict=True)]
    return kept[0], kept[1] if re.search(r"[^\W\d_]|[|·,:(]", kept[1]) else ""


def _other_name(proposal: Proposal) -> str:
    """Return a name by a property, a class or the tag."""
    property_ = _property(proposal)
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
        if not (_UTILITY.match(name) or _MANY_DIGITS.search(name)) and label_name(name):
            return label_name(name)
    if proposal.type != "text":
        return proposal.type.lower()
    tag = page.dom.name(node)
    return "heading" if re.fullmatch("h[1-6]", tag) else "link" if tag == "a" else "line"
