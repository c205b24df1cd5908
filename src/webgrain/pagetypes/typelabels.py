"""Labels of page types: words that seldom depend on which pages of a type were learnt from.

A label is a word of the addresses, of the metadata, of the classes of the body, or of the titles (see
`NAME_WEIGHTS`) that most pages of the type have and fewer others. Of the words that are about as good as the
best it is the shortest, because the best one changes with a few pages. A type without such a word is an
``index`` if most characters are in links, otherwise a ``page``.

A class is a name for its author, not for readers: ``tm-isblog`` or ``vector-animatelayout`` state nothing
about the pages. So only those parts of a class are words that are in `CLASS_WORDS`: ``catalog-product-view``
has the word ``product``. If a larger type has the label, the next word is the label; without one, ``-index``
or a number is added.

Cost: a few steps for each word of each page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, count

import numpy as np

from webgrain.page.strings import bounded_cache, name_set
from webgrain.pagetypes import thresholds
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.traits import NAME_SOURCES, PROFILE, PageTraits

FUNCTION_WORDS = name_set(
    """
    and are but for from has have how into its more not our over than that the their them then there
    these they this those using was were what when where which who why will with would you your
    aber als auch auf aus bei beim das dem den der des die durch ein eine einem einen einer für ist
    mit nach nicht oder sich sie sind über und unser unsere vom von vor wie wir zum zur
    aux avec ces cette comme dans des elle est les leur mais nos notre nous par pas plus pour pourquoi
    quand que qui sans sont sur une vos votre vous
    como con cuando del desde donde ella entre esta este las los más muy nos nuestra nuestro para
    pero por porque que qué sin sobre son sus también una uno
    alla alle che come dalla degli dei del della delle gli nel nella non per più sono sul sulla tra
    das dos essa esse isso mais não nas pela pelo por sua seu uma
    een het met niet van voor wordt zijn
    """
)
"""Words of titles and addresses that name nothing, in seven languages; hand-set."""

_OF_ALL_PAGES = name_set("page pages website webpage object thing")
"""Words of addresses and metadata that are true of all pages; hand-set."""

CLASS_WORDS = name_set(
    """
    about account album announcement answer api archive article attachment author blog board book brand
    calendar cart category chapter checkout collection comment company compare contact course date
    diary directory discussion document download episode error event example faq film forum function gallery
    glossary guide help history home image index issue job lesson letter list location login map manual member
    message method milestone module month movie news newsletter note order partner people person photo place
    player poll post press product profile project question recipe reference release report result review
    schedule search service session shop song speaker sponsor staff store story tag team testimonial thread
    ticket topic tour tutorial user version video wiki year
    """
)
"""Words of classes that state what a page is or has, and their plurals; hand-set."""

_PARTS = re.compile(r"[^\W\d_]+")
_ABBREVIATED = re.compile(r"[a-z][-_]")
"""How classes begin that are abbreviated, such as ``s-tag-tea`` of a post about tea, which is no tag page."""


def type_labels(
    traits: Sequence[PageTraits],
    words: Sequence[tuple[frozenset[str], ...]],
    groups: Sequence[Sequence[int]],
    specials: Sequence[str],
) -> list[str]:
    """Return the labels of types, see the module.

    words: of each page, see `naming_words`; groups: the pages of each type, largest first; specials: the
    labels of those of special pages, else empty.
    """
    labels: list[str] = []
    pages = sum(map(len, groups))
    links = PROFILE.index("link share")
    of_groups = [_word_counts(words, group) for group in groups]
    of_all = [sum(counters, Counter[str]()) for counters in zip(*of_groups, strict=True)]
    for group, counters, special in zip(groups, of_groups, specials, strict=True):
        weights = zip(thresholds.NAME_WEIGHTS, thresholds.NAME_LIFTS, strict=True)
        marks = [
            _marks(*numbers, of_group, of_site, len(group), pages)
            for numbers, of_group, of_site in zip(weights, counters, of_all, strict=True)
        ]
        noun = "index" if np.median([traits[page].profile[links] for page in group]) > 0.5 else "page"
        label = special or _shortest(marks) or noun
        if label in labels:
            label = _distinguished(label, noun, marks, labels)
        labels.append(unused(label, {*labels, OTHER}))
    return labels


def _distinguished(
    label: str, noun: str, marks: Iterable[Mapping[str, float]], taken: Collection[str]
) -> str:
    """Return another label for a type whose label is taken: the next word, or the label with ``-index``.

    Without either it is the same label.
    """
    others = [{name: score for name, score in of_source.items() if name not in taken} for of_source in marks]
    if other := _shortest(others):
        return other
    return f"{label}-index" if noun == "index" != label else label


def unused(label: str, taken: Collection[str]) -> str:
    """Return a label that is not taken, with a number if necessary.

    >>> unused("post", {"post", "post-2"})
    'post-3'
    """
    numbered = (f"{label}-{k}" for k in count(2))
    return next(candidate for candidate in chain([label], numbered) if candidate not in taken)


@bounded_cache(2**14)
def class_words(name: str) -> tuple[str, ...]:
    """Return the parts of a class that are in `CLASS_WORDS`.

    >>> class_words("catalog-category-view"), class_words("page_comments"), class_words("tm-isblog")
    (('category',), ('comments',), ())
    """
    parts = [] if _ABBREVIATED.match(name) else _PARTS.findall(name)
    return tuple(part for part in parts if part in CLASS_WORDS or part.removesuffix("s") in CLASS_WORDS)


def _word_counts(words: Sequence[tuple[frozenset[str], ...]], pages: Iterable[int]) -> list[Counter[str]]:
    """Return how many of some pages have which words of `NAME_SOURCES`."""
    counters = [Counter[str]() for _ in NAME_SOURCES]
    for page in pages:
        address, kind, body, title = words[page]
        of_classes = {word for name in body for word in class_words(name)}
        of_page = _usable(address), _usable(kind), of_classes, _usable(title)
        for counter, of_source in zip(counters, of_page, strict=True):
            counter.update(of_source)
    return counters


def _usable(words: Iterable[str]) -> set[str]:
    """Return the words that can name a type, as they are written in a label."""
    written = {re.sub(r"[\W_0]+", "-", word.lower()).strip("-")[:40] for word in words}
    return {word for word in written if len(word) >= thresholds.MIN_NAME} - FUNCTION_WORDS - _OF_ALL_PAGES


def _marks(
    weight: float, lift: float, pages_with: Counter[str], of_all: Counter[str], size: int, pages: int
) -> dict[str, float]:
    """Return words with their scores: F measures, of which the recall has twice the weight."""
    return {
        name: weight * 5 * n / (4 * size + of_all[name])
        for name, n in pages_with.items()
        if n >= thresholds.NAME_SHARE * size and (of_all[name] - n) * size * lift <= n * (pages - size)
    }


def _shortest(marks: Iterable[Mapping[str, float]]) -> str:
    """Return the shortest word with nearly the highest score, empty for none."""
    scores = [pair for of_source in marks for pair in of_source.items()]
    least = max(
        thresholds.NAME_SCORE, max((score for _, score in scores), default=0) - thresholds.NAME_TOLERANCE
    )
    return min(
        (name for name, score in scores if score >= least), key=lambda name: (len(name), name), default=""
    )
