"""Elements of extracted HTML, and whole containers of a page that are wrong or lost in an extracted text.

**Elements.** Two elements are equal if they have the same type and key. The key of most types is the letters
and digits of the text of an element, without those of elements of the same type inside it, so that an item is
not wrong because of one item in a list below it.

========  ==============================  ================================================================
type      elements                        key
========  ==============================  ================================================================
heading   h1 to h6                        text; headings that repeat the title are left out
item      li                              text
row       tr                              text
cell      td, th                          text
figure    figure with a caption           name of its first picture; its text if it has none
caption   figcaption, caption             text
code      pre                             text
quote     blockquote                      text
link      a with an address               text, and the fragment or last part of the path of the address
picture   img                             name of the file
video     iframe, video, embed, object    last part of the path of the address
term      dt                              text
formula   math                            its TeX, else its text
========  ==============================  ================================================================

Elements with an empty key are not counted, but for pictures and videos of the extracted HTML: one without an
address is wrong. In the reference a picture has several names: those in ``src``, in ``srcset`` and in the
attributes from which scripts load a picture later.

**Containers.** A token of the page is in a text if a run of `RUN` tokens of the page that contains it is in
the text. A false container is an element with at least `LEAST` tokens of which at least `MOST_IN` are in the
extracted text and at most `MOST_OUT` in the true text, and which is in no other false container; for a lost
container the two texts change places. The text blocks of the page (`webgrain.page.text.text_blocks`) are
never divided.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from webgrain.base.arrays import Bool, Int32
from webgrain.base.metrics import tokens
from webgrain.page.dom import Dom
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.strings import name_set
from webgrain.page.text import NO_TEXT, text_blocks

ELEMENT_TAGS = {
    "heading": name_set("h1 h2 h3 h4 h5 h6"),
    "item": name_set("li"),
    "row": name_set("tr"),
    "cell": name_set("td th"),
    "figure": name_set("figure"),
    "caption": name_set("figcaption caption"),
    "code": name_set("pre"),
    "quote": name_set("blockquote"),
    "link": name_set("a"),
    "picture": name_set("img"),
    "video": name_set("iframe video embed object"),
    "term": name_set("dt"),
    "formula": name_set("math"),
}
"""Types of elements and their tags."""
BY_ADDRESS = ("picture", "video")
"""Types whose elements are compared by their addresses only."""

RUN = 4
"""Length of the runs of tokens by which a token of a page is found in a text."""
LEAST = 10
"""Tokens of the smallest container."""
MOST_IN, MOST_OUT = 0.9, 0.1
"""Least share of tokens in the one text, and greatest share in the other text."""

Keys = tuple[str, ...]
"""The keys that an element of the reference may have."""

_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-url")
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_CANDIDATES = re.compile(r",\s+|(?<=\d[wx]),")  # addresses may contain commas
_NO_LETTERS = re.compile(r"[\W_]+")


class ElementCounts(NamedTuple):
    """Elements of one type: those of the reference, of the extracted HTML, and those that both have."""

    true: int
    extracted: int
    right: int


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case.

    >>> letters("The  Ende: 1.5")
    'theende15'
    """
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


def compare_elements(reference: str, html: str, titles: Sequence[str] = ()) -> dict[str, ElementCounts]:
    """Return the numbers of elements by type, of two documents or parts of documents.

    titles: headings with the letters of one of them are not counted.

    >>> compare_elements("<h2>A</h2><ul><li>b<li>c</ul>", "<h1>A</h1><li>c</li>")["item"]
    ElementCounts(true=2, extracted=1, right=1)
    """
    ignored = {letters(title) for title in titles}
    true, extracted = _reference_elements(reference), elements_of(html)
    counts = {}
    for name in ELEMENT_TAGS:
        left, right = true[name], extracted[name]
        if name == "heading":
            left = [keys for keys in left if keys[0] not in ignored]
            right = [keys for keys in right if keys[0] not in ignored]
        matched = _matches(left, [keys[0] for keys in right])
        counts[name] = ElementCounts(len(left), len(right), matched)
    return counts


def _matches(true: Sequence[Keys], extracted: Sequence[str]) -> int:
    """Return how many elements of the reference have an extracted element of their own."""
    remaining = Counter(extracted)
    matched = 0
    for keys in true:
        key = next((key for key in keys if remaining[key] > 0), None)
        if key is not None:
            remaining[key] -= 1
            matched += 1
    return matched


@lru_cache(maxsize=8)  # several programs are compared with one page
def _reference_elements(html: str) -> dict[str, list[Keys]]:
    return elements_of(html, reference=True)


def elements_of(html: str, reference: bool = False) -> dict[str, list[Keys]]:
    """Return the keys of the elements of a document by type.

    reference: with all names of a picture; without, the name in ``src`` only, empty if there is none.

    >>> elements_of("<p><img src=a/b.jpg><a href=/c/>C</a>")["link"]
    [('c c',)]
    """
    page = parse(Source("elements", html.encode("utf-8", "replace"), charset="utf-8"))
    pictures = {node: _picture_names(attributes, reference) for node, attributes in page.dom.elements("img")}
    return {name: list(_elements(page, name, pictures, reference)) for name in ELEMENT_TAGS}


def _elements(page: Page, name: str, pictures: dict[int, Keys], reference: bool) -> Iterator[Keys]:
    """Yield the keys of the elements of one type."""
    nodes = _nodes(page.dom, name)
    texts = _own_texts(page, nodes)
    for node in nodes:
        if name == "picture":
            keys = pictures[node]
        elif name == "video":
            keys = _video_names(page.dom, node)
        elif name == "figure":
            keys = _figure_names(page.dom, node, pictures) or (texts[node],)
        elif name == "link":
            keys = _link_key(page.dom, node, texts[node])
        elif name == "formula":
            keys = (_tex(page.dom, node) or texts[node],)
        else:
            keys = (texts[node],)
        keys = tuple(dict.fromkeys(filter(None, keys)))
        if keys or (name in BY_ADDRESS and not reference):
            yield keys or ("",)


def _nodes(dom: Dom, name: str) -> list[int]:
    """Return the elements of a type in document order."""
    nodes = np.flatnonzero(dom.tagged(*ELEMENT_TAGS[name])).tolist()
    if name == "figure":
        captions = dom.find_tag("figcaption").tolist()
        nodes = [node for node in nodes if any(node < place < dom.end[node] for place in captions)]
    return nodes


def _own_texts(page: Page, nodes: Sequence[int]) -> dict[int, str]:
    """Return the letters of each node, without those of other nodes of the list inside it."""
    dom = page.dom
    silent = dom.tagged(*NO_TEXT)
    seen = (dom.is_text & visible_nodes(page) & ~dom.inside(silent)).tolist()
    starts = dom.text_start.tolist()
    chosen = set(nodes)
    owner: list[int] = []
    pieces: dict[int, list[str]] = {node: [] for node in nodes}
    for node, parent in enumerate(dom.parent.tolist()):
        if node in chosen:
            owner.append(node)
        else:
            owner.append(owner[parent] if parent >= 0 else -1)
        if seen[node] and owner[node] >= 0:
            pieces[owner[node]].append(dom.text[starts[node] : starts[node + 1]])
    return {node: letters(" ".join(parts)) for node, parts in pieces.items()}


def _picture_names(attributes: dict[str, str], reference: bool) -> Keys:
    """Return the file names of a picture; in a reference the names in all of its addresses."""
    addresses = [attributes.get("src", "")]
    if reference:
        addresses += [attributes.get(name, "") for name in _LAZY]
        for name in _SETS:
            candidates = map(str.split, _CANDIDATES.split(attributes.get(name, "")))
            addresses += [words[0] for words in candidates if words]
    return tuple(map(last_part, addresses))


def _figure_names(dom: Dom, node: int, pictures: dict[int, Keys]) -> Keys:
    """Return the names of the first picture inside a figure that has one; empty if there is none."""
    inside = (names for place, names in pictures.items() if node < place < dom.end[node])
    return next((names for names in inside if any(names)), ())


def _video_names(dom: Dom, node: int) -> Keys:
    """Return the names of a video or embedded page, of all of its sources."""
    below = range(node, int(dom.end[node]))
    places = [node, *(place for place in below if dom.name(place) in ("source", "embed"))]
    attributes = dom.attributes_of(places)
    return tuple(last_part(source.get("src") or source.get("data") or "") for source in attributes)


def _link_key(dom: Dom, node: int, text: str) -> Keys:
    address = dom.get(node, "href")
    if address is None or not text:
        return ()
    return (f"{text} {_fragment(address) or last_part(address)}",)


def _tex(dom: Dom, node: int) -> str:
    """Return the letters of the TeX of a formula; empty if it is not stated."""
    for place in range(node, int(dom.end[node])):
        if dom.name(place) == "annotation" and "tex" in (dom.get(place, "encoding") or ""):
            return letters(dom.text_of(place))
    return letters(dom.get(node, "alttext") or "")


def last_part(address: str) -> str:
    """Return the last part of the path of an address that is not empty, in lower case.

    >>> last_part("https://example.org/a/Two%20Cats.JPG?w=3"), last_part("/a/"), last_part("data:image/png,1")
    ('two cats.jpg', 'a', '')
    """
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ""
    if parts.scheme == "data":
        return ""
    return unquote(parts.path).rstrip("/").rsplit("/", 1)[-1].casefold()


def _fragment(address: str) -> str:
    return address.partition("#")[2].casefold()


class Container(NamedTuple):
    """An element of a page, as a node of its DOM, and the number of its tokens."""

    node: int
    size: int


def containers(page: Page, inside: str, outside: str) -> list[Container]:
    """Return the largest elements of a page whose tokens are in the one text and not in the other.

    False containers: inside is the extracted text and outside the true one. Lost containers: the reverse.

    >>> from webgrain.page.parsing import parse
    >>> words = "one two three four five six seven eight nine ten"
    >>> page = parse(f"<p>The story of a walk in rain<div><ul><li>{words}</ul></div>")
    >>> false = containers(page, f"The story of a walk in rain {words}", "The story of a walk in rain")
    >>> [(page.dom.name(container.node), container.size) for container in false]
    [('div', 10)]
    """
    dom = page.dom
    first, last, block_tokens = _token_blocks(page)
    flat = list(chain.from_iterable(block_tokens))
    # Numbers of tokens before each token and before each block: their differences are those of a range.
    bounds = np.array([0, *accumulate(map(len, block_tokens))])
    in_one = np.array([0, *accumulate(tokens_in(flat, inside))])
    in_other = np.array([0, *accumulate(tokens_in(flat, outside))])
    first_block = np.searchsorted(first, np.arange(len(dom)))
    after_block = np.maximum(np.searchsorted(last, dom.end), first_block)
    start, stop = bounds[first_block], bounds[after_block]
    size = stop - start
    wanted = in_one[stop] - in_one[start] >= MOST_IN * size
    unwanted = in_other[stop] - in_other[start] > MOST_OUT * size
    chosen: Bool = (size >= LEAST) & wanted & ~unwanted & ~dom.is_text
    outermost = np.flatnonzero(chosen & ~dom.inside(chosen))
    return [Container(node, int(size[node])) for node in outermost.tolist()]


def _token_blocks(page: Page) -> tuple[Int32, Int32, list[list[str]]]:
    """Return first and last node (b,) of each visible text block, and its tokens."""
    blocks = text_blocks(page)
    titles = set(page.dom.find_tag("title").tolist())
    holders = blocks.element[blocks.holder].tolist()
    kept = [place for place, holder in enumerate(holders) if holder not in titles]
    return blocks.first[kept], blocks.last[kept], [tokens(blocks.texts[place]) for place in kept]


def tokens_in(page: Sequence[str], text: str) -> list[bool]:
    """Return for each token of a page whether it is in a text, see `RUN`.

    >>> tokens_in("home about a cup of tea".split(), "A cup of tea.")
    [False, False, True, True, True, True]
    """
    runs = set(_runs(tokens(text)))
    covered = [False] * len(page)
    for place, run in enumerate(_runs(page)):
        if run in runs:
            covered[place : place + RUN] = [True] * RUN
    return covered


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return the runs of `RUN` tokens, one from each place."""
    return zip(*(words[shift:] for shift in range(RUN)), strict=False)
