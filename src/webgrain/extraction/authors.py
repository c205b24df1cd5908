"""The authors of a page: candidates, and the features by which a model ranks them.

A candidate is a name, or several, with all that states it: JSON-LD, ``meta`` elements, microdata, the first
post of a thread, elements that a relation, a class or an address names as author, and lines such as "by Kim
Berg". The features are in ``metadata.csv``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from itertools import islice
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64
from webgrain.base.metrics import tokens
from webgrain.documents.dates import before_date
from webgrain.extraction import statementkernel, thresholds
from webgrain.extraction.surroundings import BYLINE, DISTANCE, Columns, Rules, Statement, Surroundings
from webgrain.page.dom import TEXT
from webgrain.page.markup import Node, Statements, named, node_kind
from webgrain.page.strings import name_set
from webgrain.page.values import Question, TextQuestion

T = TypeVar("T")

LONGEST_NAME = 100  # characters (hand-set)
_LONGEST_STATED = 300  # characters of a text that are read as a name (hand-set)
_MOST_INSIDE = 40  # nodes of an element that contains a name (hand-set)
_LONGEST_CLASSES = 200  # characters of the classes of an element (hand-set)
_LONGEST_LABEL = 20  # characters of "written by" in a line before the name (hand-set)
_LONGEST_ALONE = 45  # characters of a name in a separate line (hand-set)
_MOST_LOWER = 3  # words of a name behind a word such as "by" that has no capital letter (hand-set)
_MOST_ELEMENTS = 60  # named as author that are read (hand-set)
_MOST_PROPERTIES = 20  # elements with a property of microdata that are read (hand-set)
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
    r"/(authors?|contributors?|autor(es)?|auteurs?|profiles?|people|team|staff|users?|members?)/"
    r"(?!(index|default|log-?(in|out)|sign-?(in|up)|register|registration|password|new|add|search|page)\b)[^/]"
)
"""Addresses of people, but not of lists of people and of forms."""
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
_BYLINE, _SIGNED_LINE = (re.compile(rf"(?:{x})\s*:?\s*(?=[^\W\d_])", re.I) for x in (_STARTS, _LONG))
_AFTER_NAME = re.compile(
    r"\s+[|•·–—-]\s+|\s*\(.*|,?\s+(?:on|in|at|am|le|el|em)\s+(?=\W*\w*\W*\d).*|\s*[|•·\n]|,?\s+\d+ \w+$"
    r"|,?\s+(?:posted|published|filed|updated)\s+(?:in|on|at|under)\b.*",
    re.I,
)
_STRONG = re.compile(r"\b(by|von|par|por|автор|autor|author|auteur|door)\b", re.I)
_MAY_BE_BYLINE = re.compile(rf"by|By|BY|^\W*(?i:this\b|{_VERB}|{_BY_WORD}\b)|^[ :]+\Z")
"""A line that may have an author; a quick test."""
_HANDLE = re.compile(
    r"(?<=\w)\W*\s@\w+|[,;]?\s*\+?\s*follow(?:ing)?$", re.I
)  # of a social network, behind a name
_WITH_ADDRESS = re.compile(r"\S+@\S+\s+\(([^()@]+)\)|([^<>@]+?)\s*<\S+@\S+>")
"""A name beside an address of electronic mail."""
_ACCOUNTS = frozenset(
    ("admin", "administrator", "webmaster", "wordpress", "joomla", "drupal", "root", "super user")
)
"""Accounts of programs, which write them into ``meta`` elements. In a line that readers see they may sign."""
_DAY = re.compile(r"(^\w{0,9}|[\s,]+(on|am|le|el|em)\s[\s\w]{0,10})[\s,.]*$")  # a day before a date
_NO_NAME = re.compile(r"^(https?:|www\.)|^\S+@\S+$|^@|^\d+ [a-z ]+$")  # addresses, and "5 min read"
_NUMBER = re.compile(r"\d{4}|^\d+$|\d\.\d")  # a year, a number, or a version
_SIGNS = re.compile(r"[^\w .,'’&-]|_")
_AND = re.compile(r"\s*(?:[,;&/|]|\s(?:and|und|et|y|e|en|og|och|i|a)\s)\s*")
_PARTICLES = name_set(
    "de da di do du der den van von zu la le el al bin ben of the and und et y e jr sr mc dos das"
)
_JOINED = re.compile(r",?\s+(?:and|und|et|y|e|en|og|och|&)\s+|\s*[,;]\s*")
_OF = name_set("of for the in at on to by from with")
_SUFFIX = re.compile(r"(?:jr|sr|m\.?d|ph\.?d|esq|ii|iii|iv|inc|ltd|llc)\.?", re.IGNORECASE)
"""What may stand behind a comma that does not separate names."""
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
    """The names (c,) that a page states, their features (c, f), and whether other pages have each name.

    The latter (c,) is known with the site only; names that markup declares are not meant.
    """

    values: tuple[str, ...]
    features: Float32
    shared: Bool

    def best(self, probability: Float64) -> int:
        """Return the number of the most probable name, -1 if none is probable; probability: (c,)."""
        if not len(probability):
            return -1
        of_page = np.where(self.shared, 0.0, probability)
        best = int(of_page.argmax())
        return best if of_page[best] >= thresholds.AUTHOR else -1


_LEAST = "meta, property, relation, profile, named, byline, signed, alone, rest"
_OF_PAGE = "list page, og article, page article"
_COLUMNS = Columns("author", _LEAST, _OF_PAGE, Rules(_MOST_CANDIDATES, beside=-1, in_nodes=True))
_ARTICLE, _ARTICLE_KIND, _PERSON, _META, _PROPERTY, _FIRST_POST, _RELATION, _PROFILE_LINK = range(8)
_NAMED_AUTHOR, _BYLINE_AT, _BY_AUTHOR, _SIGNED, _ALONE_BESIDE, _REST = range(8, 14)
"""The numbers of the features of statements, in the order of their table."""
_SHAPE = _COLUMNS.numbers(
    "names", "words", "most words", "characters", "capitals", "upper case", "signs", "common words",
    "longest word",
)  # fmt: skip
_DECLARED = _COLUMNS.numbers("article", "meta", "property", "relation", "named")
"""Features of names that markup declares."""
_COMPARED = _COLUMNS.numbers(
    "at title", "blocks", "in title", "is site", "within another", "contains another", "candidates",
    "visible rank", "visible candidates", "stated in json",
)  # fmt: skip
_LIMITS = LONGEST_NAME, thresholds.SHARED_VALUE, thresholds.SHARED_BYLINE


def author_names() -> tuple[str, ...]:
    """Return the names of the features of a candidate.

    >>> author_names()[:2]
    ('article', 'article kind')
    """
    return _COLUMNS.names


def clean_name(text: str) -> str:
    """Return a name or several from a text, empty for texts that are no names.

    >>> [clean_name(text) for text in ("By Kim Auk | 3 May 2020", "All posts by Kim Auk", "5 min read")]
    ['Kim Auk', 'Kim Auk', '']
    """
    text = unescape(text[:_LONGEST_STATED]).replace("\xad", "")
    if "@" in text and (match := _WITH_ADDRESS.fullmatch(text.strip())):
        text = match[1] or match[2]
    name = _BY.sub("", text, count=1)
    name = _AFTER_NAME.split(name.strip(), maxsplit=1)[0]
    if (dated := before_date(name)) != name:
        name = "" if dated.rstrip().endswith(":") else _DAY.sub("", dated)  # "Date: 3 May 2020"
    name = _HANDLE.sub("", name).strip(" ,|•·-–—:;/+→●›»")
    if not 1 < len(name) <= LONGEST_NAME or _NO_NAME.search(name) or _NUMBER.search(name):
        return ""
    return name if any(letter.isalpha() for letter in name) else ""


def separated_names(name: str) -> str:
    """Return several names separated by commas; other names as they are.

    Names are several if each has two to four words, all of which begin with a capital but for particles.

    >>> separated_names("Ada Byron and Bob van der Roe"), separated_names("Ministry of Arts and Free Schools")
    ('Ada Byron, Bob van der Roe', 'Ministry of Arts and Free Schools')
    """
    parts = _JOINED.split(name)
    return ", ".join(parts) if len(parts) > 1 and all(map(_is_full_name, parts)) else name


def _is_full_name(name: str) -> bool:
    """Whether a text looks like the first name and the family name of a person."""
    words = name.split()
    if not 2 <= len(words) <= 4 or not words[0][:1].isupper() or not words[-1][:1].isupper():
        return False
    lower = {word.lower() for word in words}
    if not lower.isdisjoint(_OF) or not lower.isdisjoint(_COMMON - _PARTICLES):
        return False
    return all(word[:1].isupper() or word in _PARTICLES for word in words)


def names_in(author: str) -> tuple[str, ...]:
    """Return each of several names that commas separate.

    A comma before a suffix such as "Jr." separates no names, nor does the only one if a single word is before
    it, as in "Lund, Jo".

    >>> names_in("Ada Byron, Bob Roe, Jr."), names_in("Lund, Jo"), names_in("")
    (('Ada Byron', 'Bob Roe, Jr.'), ('Lund, Jo',), ())
    """
    names: list[str] = []
    for part in filter(None, author.split(", ")):
        if names and _SUFFIX.fullmatch(part):
            names[-1] += f", {part}"
        else:
            names.append(part)
    is_inverted = len(names) == 2 and " " not in names[0]
    return (author,) if is_inverted else tuple(names)


class _Name(NamedTuple):
    """What is known of a name.

    Attributes:
        key: equal for the same names.
        described: what it looks like, see `_SHAPE`, its tokens, those that do not only join names, the tokens
            together, and the name in lower case.
    """

    text: str
    key: tuple[str, ...]
    described: tuple[tuple[float, ...], tuple[str, ...], frozenset[str], str, str]


def _name(text: str) -> _Name:
    """Return what is known of a name by itself."""
    parts = [part for part in _AND.split(text) if part]
    words = [word for part in parts for word in part.split()]
    letters = [word for word in words if word[:1].isalpha()]
    plain = [word.strip(".,'’") for word in letters]
    cased = [word for word in plain if word.lower() not in _PARTICLES]
    capitals = sum([word[0].isupper() or not word.islower() for word in cased if word])
    shape = (
        len(parts),
        len(words) / max(len(parts), 1),
        max([len(part.split()) for part in parts], default=0),
        len(text),
        capitals / max(len(cased), 1),
        float(text.isupper()),
        float(len(_SIGNS.findall(text))),
        float(sum([word.lower() in _COMMON for word in plain])),
        max(map(len, words), default=0),
    )
    every = tuple(tokens(text))
    key = name_key(text)
    return _Name(text, key, (shape, every, frozenset(key), "".join(every), text.lower()))


def _signed_by(text: str) -> str:
    """Return the name in a line such as "this post was written by Kim"."""
    match = _SIGNED_LINE.match(text)
    if match is None:
        return ""
    name = clean_name(text[match.end() :])
    return name if len(name.split()) <= 5 else name.partition(",")[0]


def _alone(text: str) -> str:
    """Return the name in a line that has nothing else."""
    if len(text) > 2 * _LONGEST_ALONE or text.endswith(":"):  # a label
        return ""
    name = clean_name(text)
    if not 1 <= len(name.split()) <= 8 or len(name) > _LONGEST_ALONE or name.islower():
        return ""
    return name


def is_author_word(word: str) -> bool:
    """Return whether the name of an author follows a word.

    >>> is_author_word("By"), is_author_word("in")
    (True, False)
    """
    return _STRONG.fullmatch(word.rstrip(":")) is not None


def _is_label(text: str) -> bool:
    """Whether a line only has words such as "written by"."""
    return len(text) <= _LONGEST_LABEL and not _BY.sub("", f"{text} ", count=1).strip(" :")


def _byline_of(text: str) -> tuple[str, float]:
    """Return the name in a line behind a word such as "by", and whether this word states an author."""
    match = _BYLINE.match(text)
    if match is None and ("by" in text or "By" in text or "BY" in text):
        match = _BYLINE.search(text)  # further on, a name follows this word only
    if match is None:
        return "", 0.0
    name = clean_name(text[match.end() :])
    is_lower = match[0].strip().lower() == "by" and name[:1].islower()
    is_sentence = name.islower() and len(name.split()) > _MOST_LOWER
    if not name or is_lower or is_sentence or max(len(part.split()) for part in _AND.split(name)) > 5:
        return "", 0.0
    return name, float(_STRONG.search(match[0]) is not None)


_CLEAN = TextQuestion(lambda text: clean_name(" ".join(text.split())))
_NAME = TextQuestion(_name)
_SIGNED_BY = TextQuestion(_signed_by)
_ALONE = TextQuestion(_alone)
_IS_LABEL = TextQuestion(_is_label)
_BYLINE_OF = TextQuestion(_byline_of)
_IS_BYLINE = TextQuestion(lambda text: _MAY_BE_BYLINE.search(text) is not None)


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
        self._site_names = [tuple(tokens(name)) for name in names]
        self._host = (statements.url.hostname or "").split(".")

    def candidates(self) -> Candidates:
        """Return the names that the page states, in the order of their first statements."""
        statements = self._statements()
        values = [statement[0] for statement in statements]
        values = [self._without_site(name) if "," in name else name for name in values]
        names = self._answers(_NAME, values)
        number: dict[tuple[str, ...], int] = {}
        keys = [number.setdefault(name.key, len(number)) if name.key else -1 for name in names]
        if not number:
            return Candidates((), np.empty((0, len(_COLUMNS.names)), np.float32), np.zeros(0, np.bool_))
        stated, around = self._stated, self._around
        of_page = around.list_page, stated.is_og_article, stated.page_kind
        x, best, share = around.described(statements, keys, _COLUMNS, of_page)
        chosen = [names[k] for k in best]
        title = frozenset(tokens(stated.document_title))
        shared = statementkernel.describe_names(
            x,
            share,
            [name.described for name in chosen],
            (around.texts, around.shares),
            (title, self._site_names, self._host),
            _LIMITS,
            _SHAPE,
            _DECLARED,
            _COMPARED,
        )
        return Candidates(tuple([name.text for name in chosen]), x.T, shared)

    def _answers(self, question: TextQuestion[str, T], texts: Sequence[str]) -> list[T]:
        """Return the answers to a question about each text."""
        return self._dom.values.text_answers(question, texts)

    def _without_site(self, name: str) -> str:
        """Return names without the name of the site behind them."""
        rest, _, last = name.rpartition(",")
        return rest.strip() if self._is_site(tuple(tokens(last))) else name

    def _is_site(self, name: tuple[str, ...]) -> bool:
        """Whether the tokens of a name are none, or those of the name of the site."""
        return not name or name in self._site_names or "".join(name) in self._host

    # Sources.

    def _statements(self) -> list[Statement]:
        """Return the statements of all sources; each reads the page once."""
        statements = [*self._in_json(), *self._in_meta(), *self._in_properties()]
        if post := clean_name(self._around.byline.get("author", "")):
            statements += [(post, 3, -1, ((_FIRST_POST, 1.0),))]
        return [*statements, *self._in_elements(), *self._in_lines()]

    def _in_json(self) -> list[Statement]:
        statements: list[Statement] = []
        for node in self._stated.nodes[:30]:
            if node.is_other:
                continue
            for key in ("author", "creator"):
                if key in node.values:
                    statements += self._in_node(node, key)
        return statements

    def _in_node(self, node: Node, key: str) -> list[Statement]:
        """Return what a property of a node of JSON-LD states: people or, without them, organisations."""
        values = self._stated.resolved(node.values[key])
        people = [value for value in values if not (isinstance(value, dict) and _is_organisation(value))]
        texts = [" ".join(named(value).split())[:_LONGEST_STATED] for value in people or values]
        names = self._answers(_CLEAN, texts)
        name = _list_of(filter(None, names))
        if not people:
            self._site_names.append(tuple(tokens(name)))
        typed = [
            isinstance(value, dict) and "person" in str(value.get("@type", "")).lower() for value in people
        ]
        person = 1.0 if typed and all(typed) else 0.5 if people else 0.0
        features = (_ARTICLE, node.relevance), (_ARTICLE_KIND, node_kind(node)), (_PERSON, person)
        return [(name, 0, -1, features)]

    def _in_meta(self) -> list[Statement]:
        metas = self._stated.metas("author")
        names_of: dict[int, list[str]] = {rank: [] for rank, _ in metas}
        names = self._answers(_CLEAN, [value[:_LONGEST_STATED] for _, value in metas])
        for (rank, _), name in zip(metas, names, strict=True):
            if name.lower() not in _ACCOUNTS:
                names_of[rank] += [name]
        return [
            (_list_of(filter(None, names)), 1, -1, ((_META, float(rank)),))
            for rank, names in names_of.items()
        ]

    def _in_properties(self) -> list[Statement]:
        stated, dom = self._stated, self._dom
        inner = stated.properties.get("name", [])
        nodes = [
            node
            for key in ("author", "creator")
            for node in stated.properties.get(key, [])[:_MOST_PROPERTIES]
        ]
        if not nodes:
            return []
        texts = []
        for node in nodes:
            names = [k for k in inner if node < k < dom.end[node]]
            texts.append(" ".join(stated.value_of(names[0] if names else node).split())[:_LONGEST_STATED])
        named_nodes = [
            (node, name) for node, name in zip(nodes, self._answers(_CLEAN, texts), strict=True) if name
        ]
        features = ((_PROPERTY, DISTANCE),)
        single: list[Statement] = [(name, 2, node, features) for node, name in named_nodes]
        return [*single, *self._joined(named_nodes, 2, _PROPERTY)]

    def _joined(self, names: list[tuple[int, str]], order: int, column: int) -> list[Statement]:
        """Return the names of elements that follow each other, together."""
        if len(names) < 2:
            return []
        statements: list[Statement] = []
        run: list[tuple[int, str]] = []
        for node, name in [*names, (-1, "")]:
            if run and node >= 0 and node - int(self._dom.end[run[-1][0]]) <= _BETWEEN and len(run) < 8:
                run.append((node, name))
                continue
            distinct = list(dict.fromkeys(name for _, name in run))
            if len(distinct) > 1:
                statements += [(", ".join(distinct), order, run[0][0], ((column, DISTANCE),))]
            run = [(node, name)]
        return statements

    def _in_elements(self) -> list[Statement]:
        """Return the names in visible elements that a relation, a class or an address names as author."""
        dom, around = self._dom, self._around
        attributes, nodes = dom.find_attribute("href")
        low, high = nodes.searchsorted(around.near).tolist()
        leads = dom.ask(_LEADS_TO_PROFILE, attributes[low:high])
        columns_of: dict[int, tuple[tuple[int, float], ...]] = {}
        link = dom.tag_number("a")
        relations = [node for node in self._stated.relations.get("author", ()) if dom.tag[node] == link]
        for column, chosen in (
            (_RELATION, relations),
            (_PROFILE_LINK, nodes[low:high][leads].tolist()),
            (_NAMED_AUTHOR, dom.nodes_where("class", _NAMES_AUTHOR).tolist()),
        ):
            for node in chosen:
                columns_of[node] = (*columns_of.get(node, ()), (column, DISTANCE))
        if not columns_of:
            return []
        shown = around.shown
        visible = sorted([node for node in columns_of if shown[node]])
        first, end = around.near
        near = [node for node in visible if first <= node < end]
        far = [node for node in visible if not first <= node < end]
        every = [*near, *far][:_MOST_ELEMENTS]
        named_nodes = [(node, name) for node, name in zip(every, self._names_in(every), strict=True) if name]
        single: list[Statement] = [(name, 3, node, columns_of[node]) for node, name in named_nodes]
        return [*single, *self._joined(sorted(named_nodes), 4, _NAMED_AUTHOR)]

    def _names_in(self, nodes: Sequence[int]) -> list[str]:
        """Return the name in each element: its links, or the first text in it that is a name."""
        dom = self._dom
        end, start = dom.end, dom.text_start
        links: list[list[str]] = []
        pieces: list[list[str]] = []
        link = dom.tag_number("a")
        for node in nodes:
            stop = int(end[node])
            size = int(start[stop]) - int(start[node])
            tags = dom.tag[node:stop].tolist() if stop - node <= _MOST_INSIDE else ()
            if not 1 < size <= 10 * BYLINE:
                tags = ()
            links += [[dom.text_of(node + k) for k, tag in enumerate(tags) if tag == link and k]]
            pieces += [[dom.text_of(node + k) for k, tag in enumerate(tags) if tag == TEXT]]
        linked = [_list_of(filter(None, names)) for names in self._each(links)]
        others = self._each([[] if name else texts for name, texts in zip(linked, pieces, strict=True)])
        return [name or next(filter(None, names), "") for name, names in zip(linked, others, strict=True)]

    def _each(self, texts: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the names in texts, which are in several lists."""
        names = iter(self._answers(_CLEAN, [text for part in texts for text in part]))
        return [[*islice(names, len(part))] for part in texts]

    def _in_lines(self) -> list[Statement]:
        """Return the names in short lines that begin with a word such as "by", or have a name only."""
        around, texts = self._around, self._around.texts
        low, high = around.near_blocks
        end = range(max(around.end - 1, high), around.end + 5) if around.end >= 0 else ()
        last = len(texts)
        lines = [k for k in (*range(low, high), *end) if k < last and len(texts[k]) <= BYLINE]
        named_lines = sorted([*self._alone(lines), *self._bylines(lines)], key=itemgetter(0))
        statements = [statement for _, statement in named_lines]
        far = [k for k in around.signed if not low <= k < high]
        if far:
            first = around.blocks.first
            signed = self._answers(_SIGNED_BY, [texts[k] for k in far])
            statements += [
                (name, 5, int(first[k]), ((_SIGNED, DISTANCE),))
                for k, name in zip(far, signed, strict=True)
                if name
            ]
        return statements

    def _alone(self, lines: Sequence[int]) -> list[tuple[int, Statement]]:
        """Return the names in lines that have nothing else, near the title or at the end of the text."""
        around, texts = self._around, self._around.texts
        title, end = around.title, around.end
        near = {*(range(title - 4, title + 7) if title >= 0 else ()), *range(end, end + 4)} - {title}
        chosen = [k for k in lines if k in near]
        named_lines = [
            (k, name)
            for k, name in zip(chosen, self._answers(_ALONE, [texts[k] for k in chosen]), strict=True)
            if name
        ]
        if not named_lines:
            return []
        nodes, dated = around.blocks.first, self._dated()
        statements: list[tuple[int, Statement]] = []
        for k, name in named_lines:
            beside = min([abs(k - other) for other in dated], default=50)
            rest = len(texts[k]) - len(name)
            features = (_ALONE_BESIDE, float(beside)), (_REST, float(rest))
            statements += [(k, (name, 6, int(nodes[k]), features))]
        return statements

    def _dated(self) -> list[int]:
        """Return the text blocks near the title and at the end of the text that may have a date."""
        around = self._around
        title, end = max(around.title, 0), max(around.end, 0)
        return [k for k in around.dated if title - 7 <= k < title + 12 or end - 2 <= k < end + 6]

    def _bylines(self, lines: Sequence[int]) -> list[tuple[int, Statement]]:
        """Return the names in lines behind a word such as "by", which may be in the line before."""
        texts, first = self._around.texts, self._around.blocks.first
        may_be = self._answers(_IS_BYLINE, [texts[k] for k in lines])
        chosen = [k for k, chosen in zip(lines, may_be, strict=True) if chosen]
        if not chosen:
            return []
        labels = self._answers(_IS_LABEL, [texts[k] for k in chosen])
        stated = []
        for k, is_label in zip(chosen, labels, strict=True):
            following = texts[k + 1] if is_label and k + 1 < len(texts) else ""
            is_name = following and len(following) <= LONGEST_NAME / 2
            stated += [f"{texts[k]} {following}" if is_name else texts[k]]
        names = self._answers(_BYLINE_OF, stated)
        return [
            (k, (name, 4, int(first[k]), ((_BYLINE_AT, DISTANCE), (_BY_AUTHOR, strong))))
            for k, (name, strong) in zip(chosen, names, strict=True)
            if name
        ]


_BETWEEN = 6  # nodes between two elements with authors, at most (hand-set)


def _list_of(names: Iterable[str]) -> str:
    """Return different names, separated by commas."""
    return ", ".join(list(dict.fromkeys(names))[:_MOST_NAMES])


_JOINERS = ("and", "und", "et", "by")
"""Tokens that only join names."""


def name_key(name: str) -> tuple[str, ...]:
    """Return the words of names in order, without those that join them; equal for the same names.

    >>> name_key("Kim Auk and Jo Lund") == name_key("Lund, Jo; Auk, Kim")
    True
    """
    return tuple(sorted([token for token in tokens(name) if token not in _JOINERS]))


def _is_organisation(node: Mapping[str, object]) -> bool:
    return "organi" in str(node.get("@type", "")).lower()
