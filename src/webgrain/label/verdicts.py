"""What the verdicts of judges say of the sections, and how far the judges agree.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008, section 3: three people were
shown the sections and the class of each, and judged both.

    precision of noisy sections     of those said to be noisy, the share whose class is right
    recall of noisy sections        of those the judge takes for noisy, the share said to be
    right cuts                      of those judged, the share that begins and ends where it should

Every figure is over the sections that have the verdict it needs, all pages together. Agreement on classes is
about the class that each judge means, not about right and wrong: judges who find all right would have no
kappa else.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from webgrain.label.reviews import Judged, Review


@dataclass(frozen=True, slots=True)
class Figures:
    """What one judge found; a share is None where nothing was judged that it is a share of.

    Attributes:
        judge: who.
        pages, sections: number of those with a verdict.
        precision, recall: of noisy sections, 0..1.
        cuts: share of right cuts, 0..1.
    """

    judge: str
    pages: int
    sections: int
    precision: float | None
    recall: float | None
    cuts: float | None


@dataclass(frozen=True, slots=True)
class JudgesAgree:
    """How far two judges agree.

    Attributes:
        a, b: who.
        verdict: "cut" or "class".
        sections: number that both have judged so.
        raw: share of equal verdicts, 0..1.
        kappa: Cohen's, at most 1, 0 on average by chance; None where one verdict is all that both have given.
    """

    a: str
    b: str
    verdict: str
    sections: int
    raw: float | None
    kappa: float | None


def figures(judge: str, reviews: Mapping[str, Review]) -> Figures:
    """Return what one judge found on all pages.

    >>> from webgrain.label.reviews import Judged, Review
    >>> menu = Judged(("/html[1]/body[1]/ul[1]",), 0.1, noisy=True, cut=True, category=True)
    >>> legal = Judged(("/html[1]/body[1]/p[9]",), 0.6, noisy=False, cut=True, category=False)
    >>> figures("kim", {"a.html": Review("news", (menu, legal))})
    Figures(judge='kim', pages=1, sections=2, precision=1.0, recall=0.5, cuts=1.0)
    """
    judged = [[one for one in review.sections if one.is_judged] for review in reviews.values()]
    found = [one for page in judged for one in page]
    return Figures(
        judge,
        sum(map(bool, judged)),
        len(found),
        precision=_share(one.meant for one in found if one.noisy and one.meant is not None),
        recall=_share(one.noisy for one in found if one.meant),
        cuts=_share(one.cut for one in found if one.cut is not None),
    )


def agreement(judges: Mapping[str, Mapping[str, Review]]) -> list[JudgesAgree]:
    """Return the agreement of every two judges on cuts and on classes, over the sections that both judged.

    judges: the reviews of each, by page. A section is the same where page, template and paths are.
    """
    found = []
    for a, b in combinations(sorted(judges), 2):
        pairs = list(_shared(judges[a], judges[b]))
        found.append(_agree(a, b, "cut", [(one.cut, other.cut) for one, other in pairs]))
        found.append(_agree(a, b, "class", [(one.meant, other.meant) for one, other in pairs]))
    return found


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of pairs of verdicts; None where chance alone makes them all equal.

    >>> kappa([(True, True), (True, False), (False, False), (False, False)])
    0.5
    """
    raw = _share(a == b for a, b in pairs)
    if raw is None:
        return None
    one, other = (sum(pair[k] for pair in pairs) / len(pairs) for k in (0, 1))
    chance = one * other + (1 - one) * (1 - other)
    return None if chance == 1 else (raw - chance) / (1 - chance)


def _agree(a: str, b: str, verdict: str, pairs: Iterable[tuple[bool | None, bool | None]]) -> JudgesAgree:
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    return JudgesAgree(a, b, verdict, len(both), _share(one == other for one, other in both), kappa(both))


def _shared(one: Mapping[str, Review], other: Mapping[str, Review]) -> Iterator[tuple[Judged, Judged]]:
    """Yield the sections that both have a record of."""
    for page in one.keys() & other.keys():
        if one[page].template == other[page].template:
            theirs = {section.xpath: section for section in other[page].sections}
            for section in one[page].sections:
                if section.xpath in theirs:
                    yield section, theirs[section.xpath]


def _share(found: Iterable[bool | None]) -> float | None:
    values = [bool(one) for one in found]
    return sum(values) / len(values) if values else None
