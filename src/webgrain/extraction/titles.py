"""The title of a page: candidates, and the features by which a model ranks them.

Candidates are headings, short blocks near the beginning of the main text, and the parts of ``<title>`` and
``og:title``. Features state whether ``<title>``, ``og:title`` and the address agree with a candidate, whether
other pages link to it, and how many pages of the site have it, too. They are in ``titles.csv``;
`webgrain.extraction.titlekernel` computes those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from urllib.parse import unquote

import numpy as np

from webgrain.base.arrays import Float32, Float64, Int64, UInt8, UInt32
from webgrain.base.metrics import ALONE
from webgrain.columns.blocks import NUMBER, SEPARATOR, PageFacts, folded_texts, title_parts
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.content import PERMALINKS
from webgrain.extraction import thresholds, titlekernel
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.sitetexts import judged_names, site_names, text_shares
from webgrain.page.page import Page
from webgrain.page.strings import code_points
from webgrain.page.tagtables import TagSet

_SHARES = ("site titles", "site same", "site same at tags")
"""Shares of pages of which a title has few."""
_BUTTONS = 8  # of a heading that are left out of the title
_IS_SILENT = TagSet("rt", "rp", "button")
_NAME_WITH_SIGN = re.compile(r"(?<![^\W_])[A-Z]#$")  # languages of programs and notes of music
_SIGNS = re.compile(r"[\W_]+")
_STEP = re.compile(r"\s[»›>→]\s")  # between the parts of a breadcrumb
_NAMED = np.array([NUMBER["title"], NUMBER["fact property"]])
"""Hints of titles, besides that of headings."""
_HEADING = NUMBER["heading element"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The texts (c,) that may be the title, and the block (c,) of each; -1 for those of the head.

    Attributes:
        start: the block with which the main text begins.
        head: ``<title>``, ``og:title`` and the name of the site; empty texts for none.
    """

    texts: tuple[str, ...]
    block: Int64
    start: int
    head: tuple[str, str, str]

    def __len__(self) -> int:
        return len(self.texts)


def _head(facts: PageFacts) -> tuple[str, str, str]:
    """Return ``<title>``, ``og:title`` and the name of the site; empty texts for none."""
    texts = (facts.title, *facts.stated("og:title", "og:site_name"))
    title, og_title, site_name = [text[: thresholds.TITLE_LENGTH] for text in texts]
    return title, og_title, site_name


def candidates(facts: PageFacts, start: int) -> Candidates:
    """Return the candidates for the title; start: the block with which the main text begins.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<title>The boat - Times</title><h1>The boat #</h1>")
    >>> candidates(PageFacts(page.dom, text_blocks(page)), 0).texts
    ('The boat', 'The boat - Times', 'Times')
    """
    head = title, og_title, _ = _head(facts)
    parts = [*(facts.title_parts if title == facts.title else title_parts(title))]
    if og_title and og_title != title:
        parts += title_parts(og_title)
    blocks = titlekernel.candidate_blocks(
        facts.texts["characters"],
        facts.is_title.view(np.uint8),
        facts.hint.T,
        _HEADING,
        _NAMED,
        start - thresholds.NEAR_TITLE,
        start + 1,
        thresholds.TITLE_LENGTH,
        thresholds.SHORT_TITLE,
        thresholds.MOST_CANDIDATES,
    )
    texts, number = _texts(facts, blocks), blocks.tolist()
    if parts:
        texts = _spelled(texts, parts)
    known = frozenset(folded_texts(texts))
    others: dict[str, str] = {}
    for part, folded in zip(parts, folded_texts(parts), strict=True):
        if folded not in known and folded not in others:
            others[folded] = part
    number += [-1] * len(others)
    return Candidates((*texts, *others.values()), np.array(number, np.int64), start, head)


def _texts(facts: PageFacts, blocks: Int64) -> list[str]:
    """Return the texts of some blocks without annotations, buttons and signs of permanent links."""
    numbers, silent = blocks.tolist(), _silent(facts)
    texts = [facts.blocks.texts[k] for k in numbers]
    for place, k in enumerate(numbers):
        text = texts[place]
        if k in silent:
            text = _without_buttons(facts, _without_annotations(facts, k, silent[k]), silent[k])
        if text and (text[0] in PERMALINKS or text[-1] in PERMALINKS):
            text = _without_signs(facts, text, k)
        if text:
            texts[place] = text
    return texts


def _silent(facts: PageFacts) -> dict[int, list[int]]:
    """Return the buttons and annotations that end in each block or directly behind it."""
    nodes = _IS_SILENT.of_nodes(facts.dom).nonzero()[0]
    if not len(nodes):
        return {}
    end, first = facts.dom.end[nodes], facts.blocks.first
    within: dict[int, list[int]] = {}
    block = facts.blocks.last.searchsorted(end - 1)
    for node, stop, k in zip(nodes.tolist(), end.tolist(), block.tolist(), strict=True):
        if k < len(first) and first[k] < stop:
            within.setdefault(k, []).append(node)
    return within


def _without_annotations(facts: PageFacts, block: int, inside: Sequence[int]) -> str:
    """Return the text of a block without ruby annotations; as it is if it has hidden text."""
    dom, text = facts.dom, facts.blocks.texts[block]
    annotations = [node for node in inside if dom.name(node) != "button"]
    if not annotations:
        return text
    silent = {k for node in annotations for k in range(node, dom.end[node])}
    nodes = range(int(facts.blocks.first[block]), int(facts.blocks.last[block]) + 1)
    pieces = {node: dom.text_of(node) for node in nodes if dom.is_text[node]}
    if " ".join("".join(pieces.values()).split()) != text:
        return text
    return " ".join("".join([piece for node, piece in pieces.items() if node not in silent]).split())


def _without_buttons(facts: PageFacts, text: str, inside: Sequence[int]) -> str:
    """Return the text of a block without the buttons at its beginning and end."""
    dom = facts.dom
    for button in [node for node in inside if dom.name(node) == "button"][:_BUTTONS]:
        label = " ".join(dom.text_of(button).split())
        text = text.removeprefix(label).removesuffix(label).strip()
    return text


def _without_signs(facts: PageFacts, text: str, block: int) -> str:
    """Return the text of a block without signs of permanent links; names such as "C#" keep their sign."""
    dom = facts.dom
    for node in (int(facts.blocks.first[block]), int(facts.blocks.last[block])):
        sign = dom.text_of(node).strip()
        is_separate = dom.text_of(int(dom.parent[node])).strip() == sign
        if is_separate and not sign.strip(PERMALINKS):
            text = text.removeprefix(sign).removesuffix(sign).strip()
    return text if _NAME_WITH_SIGN.search(text) else text.rstrip(PERMALINKS)


def _spelled(texts: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Return texts, each spelled like the part with the same letters and more words, if there is one.

    Style sheets set marks and spaces between the elements of a heading, which its text lacks.

    >>> _spelled(["GtkButtonnew", "Docs"], ["Gtk.Button.new", "Docs"])
    ['Gtk.Button.new', 'Docs']
    """
    lowered = code_points("\n".join([*texts, *parts]).lower())
    part_of = titlekernel.spelled_parts(lowered, _properties(lowered), len(texts), len(parts)).tolist()
    return [parts[part] if part >= 0 else text for text, part in zip(texts, part_of, strict=True)]


_FIRST_CODES, _LETTER_CODES = 0x3000, 0x40000
"""Code points of which most texts consist, and those that letters have."""


def _properties(codes: UInt32) -> UInt8:
    """Return what code points are, see `webgrain.extraction.titlekernel`; codes (c,): of a text."""
    most = int(codes.max(initial=0))
    return _table_of_properties(_FIRST_CODES if most < _FIRST_CODES else _LETTER_CODES)


@cache
def _table_of_properties(known: int) -> UInt8:
    """Return what each code point below a number is, and 0 for all others as the last."""
    table = np.zeros(known + 1, np.uint8)
    text = np.arange(len(table) - 1, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for bits, pattern in ((titlekernel.WORD | titlekernel.TOKEN, r"\w+"), (titlekernel.ALONE, f"[{ALONE}]+")):
        for match in re.finditer(pattern, text):
            table[match.start() : match.end()] |= bits
    table[ord("_")] = titlekernel.WORD
    return table


def whole_title(facts: PageFacts, titles: Candidates, number: int) -> tuple[str, list[int]]:
    """Return a candidate with all lines of its heading, and the blocks of these lines; -1 for the head.

    It stays as it is if ``<title>`` or ``og:title`` has it as a part, but not the whole heading.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<h1>The boat<br>of the lake</h1><p>It has a sail.")
    >>> facts = PageFacts(page.dom, text_blocks(page))
    >>> whole_title(facts, candidates(facts, 0), 0)
    ('The boat of the lake', [0, 1])
    """
    text, block = titles.texts[number], int(titles.block[number])
    holder, headings = facts.blocks.holder, facts.heading
    lines = headings[holder[headings] == holder[block]].tolist() if block >= 0 else []
    if len(lines) < 2 or block not in lines or len(lines) != lines[-1] - lines[0] + 1:
        return text, [block]
    title, og_title, _ = titles.head
    whole = " ".join(_texts(facts, np.array(lines)))
    folded, *parts = folded_texts([text, *title_parts(title), *title_parts(og_title)])
    is_part = folded in parts and folded_texts([whole])[0] not in parts
    if is_part or len(whole) > thresholds.TITLE_LENGTH:
        return text, [block]
    return whole, lines


def without_steps(title: str) -> str:
    """Return the last part of a title that is a breadcrumb: it has two separators, and no quotation marks.

    >>> without_steps("Board » Garden » The boat"), without_steps("« Boats » and « lakes » and « sails »")
    ('The boat', '« Boats » and « lakes » and « sails »')
    """
    steps = _STEP.split(title)
    return steps[-1].strip() or title if len(steps) > 2 and "«" not in title else title


# Features.


_NAMES = names_by_group("titles.csv")
_FIRST = dict(zip(_NAMES, accumulate(map(len, _NAMES.values()), initial=0), strict=False))
"""The first row of each group in the table of the features."""
_SITE = slice(_FIRST["site"], _FIRST["site"] + len(_NAMES["site"]))
_BEGINS = np.array([_FIRST[name] for name in ("block", "main", "place", "text", "site place", "lead")])
_NO_SITE = np.zeros((0, 0), np.float32)


@cache
def title_names() -> tuple[str, ...]:
    """Return the names of the features of a candidate.

    >>> title_names()[:3]
    ('number', 'inside', 'tag')
    """
    return tuple(chain.from_iterable(_NAMES.values()))


_HINTS = np.array([NUMBER[name[5:]] for name in _NAMES["block"] if name.startswith("hint ")])
_LED = np.array([title_names().index(name.removeprefix("lead ")) for name in _NAMES["lead"]])
_COMMON = [title_names().index(name) for name in _SHARES]


@cache
def _places() -> Int64:
    """Return the columns of the features of the site at the place of a candidate."""
    names = (*site_names(), *judged_names())
    return np.array([names.index(name) for name in _NAMES["site place"]])


def title_features(
    page: Page,
    facts: PageFacts,
    titles: Candidates,
    main: Float64,
    site: SiteTable | None,
    of_site: Float32 | None,
) -> Float32:
    """Return the features (c, f) of candidates; their names are `title_names`.

    main: (b,) the probability that a block is main text; site: the texts of the site; of_site:
    (b, s) the features of the site and its judgements, None if it is unknown.
    """
    x = np.empty((len(title_names()), len(titles.texts)), np.float32)
    if titles.texts:
        _write_site_features(x[_SITE], site, titles)
        total = max(float(np.add.reduce(facts.letters * main)), 1e-9)
        titlekernel.title_features(
            x,
            _BEGINS,
            titles.block,
            facts.kind,
            facts.hint.T,
            _HINTS,
            _HEADING,
            main,
            facts.letter_table,
            facts.texts["repeats"],
            titles.start,
            total,
            *_lowered_texts(page, titles),
            *_folded_blocks(facts, titles),
            _NO_SITE if of_site is None else of_site.T,
            _places(),
            _LED,
        )
    return x.T


def _lowered_texts(page: Page, titles: Candidates) -> tuple[UInt32, UInt8, Int64, int]:
    """Return code points of the texts that `titlekernel.text_features` compares, and of what they consist.

    Then the characters of each candidate, and how many parts the ``<title>`` has.
    """
    title, og_title, site_name = titles.head
    parts = [part for part in SEPARATOR.split(title) if part.strip()]
    address = _SIGNS.sub(" ", unquote(page.url or page.id or ""))
    lines = [*titles.texts, title, og_title, site_name, address, *parts]
    characters = np.array([*map(len, titles.texts)], np.int64)
    codes = code_points("\n".join(lines).lower())
    return codes, _properties(codes), characters, len(parts)


def _folded_blocks(facts: PageFacts, titles: Candidates) -> tuple[UInt32, int]:
    """Return the code points of the candidates and of the blocks that are not longer, without case."""
    folded = "\n".join(titles.texts).casefold()
    longest = max(map(len, folded.split("\n")))
    short = (facts.texts["characters"] <= longest).nonzero()[0].tolist()
    texts = facts.blocks.texts
    blocks = "\n".join([texts[k] for k in short]).casefold()
    return code_points(f"{folded}\n{blocks}"), len(short)


def _write_site_features(x: Float32, site: SiteTable | None, titles: Candidates) -> None:
    """Write how many pages of the site have a text, and have it as a title; NaN if the site is unknown."""
    if site is None or not len(site):
        x[:] = np.nan
        return
    shares = text_shares(titles.texts, site)
    x[:4] = shares.T
    x[4] = shares[:, 0] * len(site)
    x[5] = np.log(len(site))


def main_start(facts: PageFacts, main: Float64) -> int:
    """Return the block with which the expected main text begins."""
    mass = (facts.letters * main).cumsum()
    return int(mass.searchsorted(0.02 * mass[-1])) if len(mass) else 0


def title_probability(probability: Float64, x: Float32) -> Float64:
    """Return the probability of each candidate (c,), 0 if a tenth of the pages have it, unless all are such.

    probability: (c,) by the trees; x: (c, f) the features. The pages are those with the same path, or the
    same part of the ``<title>``.
    """
    # A missing share is not above the limit.
    common = np.logical_or.reduce(x[:, _COMMON] > thresholds.COMMON_TITLE, axis=1)
    judged: Float64 = probability * (~common | np.logical_and.reduce(common))
    return judged
