"""Chunks of a document: passages with a bounded number of tokens, for search and for language models.

Chunks follow the sections: as many neighbouring sections and blocks as fit form a chunk, a section that does
not fit is cut at the sections and blocks in it, and its end is not joined with the next section. A heading
stays with the text below it. Only a block that does not fit alone is cut, as follows; what still does not fit
is cut at words, and a word at characters.

===================================  =====================================================================
block                                is cut
===================================  =====================================================================
list, definitions, quote, figure     between its items, terms or blocks; a larger one of them like a block
table                                between rows; its caption and its head are repeated
code                                 at blank lines, otherwise between lines
paragraph, heading and others        between sentences
===================================  =====================================================================

Cost: the text of each chunk is counted about ``2 log2`` of its blocks times, and that of a block that is cut
once for each part around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from operator import index
from typing import Any, ClassVar, SupportsIndex

from webgrain.base.errors import ParameterError
from webgrain.base.guesses import NamesGuesses
from webgrain.documents.markdown import markdown
from webgrain.documents.parts import Part, part_text
from webgrain.page.addresses import addresses_of
from webgrain.page.page import Page


@dataclass(frozen=True, slots=True)
class Chunk(NamesGuesses):
    """A chunk of a document.

    Attributes:
        id: a name that depends on the address of the page, the headings and the text only.
        page, url: id of the page; its address, None if it is not known.
        number: its place among the chunks of the document, from 0.
        headings: the title and the headings of the sections around it; headings in it are part of its text.
        text: its text, or its Markdown; tokens: their number in it.
        xpath: the XPaths of the elements of its blocks, in order.
        parts: its blocks and sections.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("page_content", "content", "markdown", "body"), "text"),
        **dict.fromkeys(("metadata", "meta", "as_dict", "dict", "to_json"), "to_dict()"),
        **dict.fromkeys(("n_tokens", "token_count", "size"), "tokens"),
        **dict.fromkeys(("index", "position"), "number"),
        **dict.fromkeys(("title", "heading"), "headings"),
        **dict.fromkeys(("source", "page_id"), "page or url"),
    }

    id: str
    page: str
    url: str | None
    number: int
    headings: tuple[str, ...]
    text: str
    tokens: int
    xpath: tuple[str, ...]
    parts: tuple[Part, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a record of ``webgrain extract --chunks``, ready for JSON.

        >>> chunk = Chunk("1f", "a.html", None, 0, ("T",), "One.", 2, ("/html[1]/body[1]/p[1]",), ())
        >>> list(chunk.to_dict())
        ['id', 'page', 'url', 'number', 'headings', 'text', 'tokens', 'xpath']
        """
        names = ("id", "page", "url", "number", "headings", "text", "tokens", "xpath")
        record = {name: getattr(self, name) for name in names}
        return record | {"headings": list(self.headings), "xpath": list(self.xpath)}


def chunks(
    page: Page,
    title: str,
    blocks: Sequence[Part],
    max_tokens: int,
    tokenizer: Any = None,
    as_markdown: bool = False,
) -> list[Chunk]:
    """Return the chunks of the content of a page; those without text are left out.

    blocks: the sections and blocks of the content. max_tokens, tokenizer, as_markdown: see
    `webgrain.extraction.document.Document.chunks`.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One two. Three four five.<p>Six.")
    >>> blocks = [Part("paragraph", 3, ("One two. Three four five.",)), Part("paragraph", 5, ("Six.",))]
    >>> [chunk.text for chunk in chunks(page, "T", blocks, 4, lambda text: len(text.split()))]
    ['One two.', 'Three four five.', 'Six.']
    """
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise ParameterError(f"max_tokens must be an integer of at least 1, got {max_tokens!r:.80}.")
    cutter = _Cutter(max_tokens, counter(tokenizer), as_markdown)
    cut = list(cutter.cut(tuple(blocks), (title,) if title else ()))
    where = addresses_of(page.dom, (node for _, parts in cut for node in _nodes(parts)))
    repetitions = Counter[str]()
    made: list[Chunk] = []
    for headings, parts in cut:
        text = cutter.text_of(parts)
        if not text:
            continue
        content = "\x1f".join((page.url or page.id, *headings, text))
        repetitions[content] += 1
        made.append(
            Chunk(
                id=_name(f"{content}\x1f{repetitions[content]}"),
                page=page.id,
                url=page.url,
                number=len(made),
                headings=headings,
                text=text,
                tokens=cutter.count(text),
                xpath=tuple(where[node][0] for node in _nodes(parts) if node in where),
                parts=parts,
            )
        )
    return made


def _name(content: str) -> str:
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _nodes(parts: Iterable[Part]) -> list[int]:
    """Return the elements of blocks and of the blocks in sections, in order."""
    nodes: dict[int, None] = {}
    waiting = list(parts)[::-1]
    while waiting:
        part = waiting.pop()
        if part.kind == "section":
            waiting += reversed(list(part.parts))
        else:
            nodes[part.node] = None
    return list(nodes)


# Tokens.

_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
"""Accents and vowels that belong to a word but are no letters."""
_WORDS = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w{_MARKS}])+|[^\w\s{_MARKS}]+")
LETTERS, SIGNS = 6, 3
"""Letters of a word, and other signs in a row, that count as a token (hand-set)."""


def approximate_tokens(text: str) -> int:
    """Return an approximate number of tokens of a text, without a tokenizer.

    Each six letters or digits of a word, the last ones included, count 1, and so do each three other signs in
    a row and each character of a script without spaces (Chinese, Japanese, Korean, Thai, Lao, Burmese,
    Khmer).

    >>> approximate_tokens("Two words, extraordinary!!!"), approximate_tokens("漢字かな")
    (7, 4)
    """
    return sum(-(-len(word) // (LETTERS if word[0].isalnum() else SIGNS)) for word in _WORDS.findall(text))


def counter(tokenizer: Any) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text by a tokenizer; None: `approximate_tokens`.

    tokenizer: a function that returns a number or a sequence of tokens, or an object with such a method
    ``encode``. Raises `ParameterError` for another one.

    >>> counter(str.split)("One two"), counter(len)("One two")
    (2, 7)
    """
    if tokenizer is None:
        return approximate_tokens
    encode = getattr(tokenizer, "encode", tokenizer)
    if not callable(encode):
        raise ParameterError(f"tokenizer must count or encode a text, got {type(tokenizer).__name__}.")

    def count(text: str) -> int:
        tokens = encode(text)
        if isinstance(tokens, Sized):
            return len(tokens)
        if isinstance(tokens, SupportsIndex):
            return index(tokens)
        raise ParameterError(
            f"tokenizer must return a number or a sequence of tokens, got {type(tokens).__name__}."
        )

    return count


# Cutting.

_TEXTS = frozenset(("paragraph", "heading", "term", "caption", "title", "sub", "math", "row"))
_END = r"(?:[.!?…।॥؟۔][\"'”’)\]]*+(?=\s)|[。！？]|\n|\Z)"
_SENTENCE = re.compile(rf"(?:(?!{_END}).)*+{_END}\s*", re.DOTALL)
_WORD = re.compile(r"\S+\s*|\s+")
_CODE_BLOCK = re.compile(r".*?(?:\n[ \t]*\n|\Z)", re.DOTALL)
_LINE = re.compile(r".*?(?:\n|\Z)", re.DOTALL)

Around = Callable[[Part], Part]
Parts = tuple[Part, ...]


class _Cutter:
    """Cuts the parts of a document into passages. most: tokens of a passage."""

    def __init__(self, most: int, count: Callable[[str], int], as_markdown: bool) -> None:
        self.most, self.count, self.as_markdown = most, count, as_markdown

    def text_of(self, parts: Sequence[Part]) -> str:
        """Return the text or the Markdown of parts."""
        if self.as_markdown:
            return markdown("", parts).strip("\n")
        return part_text(Part("document", 0, tuple(parts)))

    def fits(self, parts: Sequence[Part], most: int | None = None) -> bool:
        """Whether parts have at most that number of tokens."""
        return self.count(self.text_of(parts)) <= (self.most if most is None else most)

    def cut(self, parts: Parts, headings: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Parts]]:
        """Yield the parts of each passage, with the headings around it."""
        start = 0
        while start < len(parts):

            def fit(n: int, i: int = start) -> bool:
                return self.fits(parts[i : i + n])

            stop = start + most_that_fit(len(parts) - start, fit)
            if stop < len(parts):
                stop = _before_leads(parts, start, stop)
            if stop > start:
                passage = parts[start:stop]
                yield _headings_of(passage, headings), passage
                start = stop
                continue
            first = _after_leads(parts, start)
            leads, block = parts[start:first], parts[first : first + 1]
            if block and block[0].kind == "section":
                yield from self.cut((*leads, *block[0].parts), _headings_of(block, headings))
            else:
                yield from ((headings, passage) for passage in self._cut_block(leads, block))
            start = first + 1

    def _cut_block(self, leads: Parts, block: Parts) -> Iterator[Parts]:
        """Yield the passages of a block that does not fit with the leads before it, or of leads without one.

        A heading that does not fit is not repeated: it is one of the headings around the block.
        """
        whole = bool(block) and self.fits(block)
        if not block or (leads and (whole or not self.fits(leads, self.most // 2))):
            if not block or any(lead.kind != "heading" for lead in leads):
                yield from ((piece,) for lead in leads for piece in self._pieces(lead, (), _unchanged))
            leads = ()
        for piece in (piece for part in block for piece in self._pieces(part, leads, _unchanged)):
            yield (*leads, piece)
            leads = ()

    def _pieces(self, part: Part, before: Parts, around: Around) -> Iterator[Part]:
        """Yield the pieces of a part, each as large as it fits.

        before: the parts before the first piece; around: puts a piece into the parts around it.
        """
        if self.fits((*before, around(part))):
            yield part
        elif part.kind == "table":
            yield from self._rows(part, before, around)
        elif part.kind == "code":
            for text in self._texts(part, part_text(part), (_CODE_BLOCK, _LINE, _WORD), before, around):
                if text.strip():
                    yield replace(part, children=(text.strip("\n"),))
        elif part.kind in _TEXTS:
            for text in self._texts(part, part_text(part), (_SENTENCE, _WORD), before, around):
                if text.strip():
                    yield _with_text(part, text.strip())
        else:
            yield from self._children(part, before, around)

    def _children(self, part: Part, before: Parts, around: Around) -> Iterator[Part]:
        """Yield a container in pieces: as many of its children as fit, or pieces of a child."""
        children = tuple(child if isinstance(child, Part) else _line(part, child) for child in part.children)

        def with_children(start: int, inner: Parts) -> Part:
            return replace(part, children=inner, attributes=_from_item(part, start))

        start = 0
        while start < len(children):

            def fit(n: int, i: int = start, before: Parts = before) -> bool:
                return self.fits((*before, around(with_children(i, children[i : i + n]))))

            number = most_that_fit(len(children) - start, fit)
            if number:
                yield with_children(start, children[start : start + number])
            else:
                number = 1

                def wrapped(piece: Part, i: int = start) -> Part:
                    return around(with_children(i, (piece,)))

                for piece in self._pieces(children[start], before, wrapped):
                    yield with_children(start, (piece,))
                    before = ()
            before = ()
            start += number

    def _rows(self, table: Part, before: Parts, around: Around) -> Iterator[Part]:
        """Yield a table in pieces: each has its caption and its head, unless these are large."""
        children = tuple(table.parts)
        head = _head(children)
        if not self.fits((around(replace(table, children=head)),), self.most // 2):
            head = ()
        body = children[len(head) :]
        start = 0
        while start < len(body):

            def fit(n: int, i: int = start, before: Parts = before) -> bool:
                return self.fits((*before, around(replace(table, children=(*head, *body[i : i + n])))))

            number = most_that_fit(len(body) - start, fit)
            if number:
                yield replace(table, children=(*head, *body[start : start + number]))
            else:
                number = 1

                def wrapped(piece: Part) -> Part:
                    return around(replace(table, children=(*head, piece)))

                for piece in self._pieces(body[start], before, wrapped):
                    yield replace(table, children=(*head, piece))
                    before = ()
            before = ()
            start += number

    def _texts(
        self, part: Part, text: str, units: tuple[re.Pattern[str], ...], before: Parts, around: Around
    ) -> Iterator[str]:
        """Yield a text in pieces. units: what it is cut into, and what larger units are cut into."""
        pieces = _units(text, units[0]) if units else list(text)
        start = 0
        while start < len(pieces):

            def fit(n: int, i: int = start, before: Parts = before) -> bool:
                piece = _with_text(part, "".join(pieces[i : i + n]).strip())
                return self.fits((*before, around(piece)))

            number = most_that_fit(len(pieces) - start, fit)
            if number or not units:
                number = max(number, 1)
                yield "".join(pieces[start : start + number])
            else:
                number = 1
                yield from self._texts(part, pieces[start], units[1:], before, around)
            before = ()
            start += number


def most_that_fit(number: int, fits: Callable[[int], bool]) -> int:
    """Return how many of the first parts fit, by tests of numbers that at most double.

    >>> most_that_fit(100, lambda n: n <= 37), most_that_fit(3, lambda n: True)
    (37, 3)
    """
    low, high = 0, 1
    while high <= number and fits(high):
        low, high = high, high * 2
    high = min(high, number + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def _units(text: str, unit: re.Pattern[str]) -> list[str]:
    return [match[0] for match in unit.finditer(text) if match[0]]


def _unchanged(part: Part) -> Part:
    return part


def _before_leads(parts: Parts, start: int, stop: int) -> int:
    """Return where a passage ends that would end with leads."""
    while stop > start and _leads(parts, stop - 1):
        stop -= 1
    return stop


def _after_leads(parts: Parts, start: int) -> int:
    """Return the first part that is no lead."""
    while start < len(parts) and _leads(parts, start):
        start += 1
    return start


_LED = frozenset(("list", "table", "definitions", "code"))
_COLONS = (":", "：")
_STOPS = (".", "!", "?", "…", "।", "॥", "؟", "۔", "。", "！", "？")


def _leads(parts: Parts, place: int) -> bool:
    """Whether a part belongs to the next one.

    A heading does, and so do a paragraph that ends with a colon, and before a list, a table or code also one
    that does not end like a sentence.
    """
    part = parts[place]
    if part.kind != "paragraph":
        return part.kind == "heading"
    following = parts[place + 1].kind if place + 1 < len(parts) else "section"
    if following in ("section", "heading"):
        return False
    text = part.text.rstrip()
    return text.endswith(_COLONS) or (following in _LED and not text.endswith(_STOPS))


def _headings_of(passage: Parts, headings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings around a passage; those of a section include its own."""
    first = passage[0]
    if len(passage) > 1 or first.kind != "section":
        return headings
    text = " ".join(next(first.parts).text.split())
    return (*headings, text) if text else headings


def _with_text(part: Part, text: str) -> Part:
    """Return a part with a text in place of its contents; a row has one cell."""
    if part.kind == "math":
        return Part("paragraph", part.node, (text,), score=part.score)
    if part.kind == "row":
        return replace(part, children=(Part("cell", part.node, (_line(part, text),)),))
    return replace(part, children=(text,))


def _line(part: Part, text: str) -> Part:
    return Part("paragraph", part.node, (text,), score=part.score)


def _from_item(part: Part, start: int) -> dict[str, Any]:
    """Return the attributes of a list from one of its items; of other parts their attributes."""
    attributes = dict(part.attributes)
    if part.kind == "list" and attributes.get("ordered"):
        attributes["start"] = int(attributes.get("start", 1)) + start
    return attributes


def _head(children: Parts) -> Parts:
    """Return the caption and the rows of headers at the beginning of a table."""
    number = 0
    while number < len(children) and _is_head(children[number]):
        number += 1
    return children[:number] if number < len(children) else ()


def _is_head(child: Part) -> bool:
    if child.kind == "caption":
        return True
    cells = list(child.parts)
    return bool(cells) and all(cell.attributes.get("header") for cell in cells)
