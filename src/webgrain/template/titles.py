"""Where the title of a page stands: the block that links to the page, or its ``<title>``, agree with.

Links to an article carry its title. So do most ``<title>`` elements, with the name of the site before or
behind it: what half of the pages begin or end with is cut off.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from webgrain.metrics.extraction import bag_f1, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_JOINT = re.compile(r"\s+[-–—|·•:»«/]+\s+|:\s+|\s*[|»«]\s*")
SHARE = 0.5
"""Share of the pages that begin or end with the name of the site."""


def affixes(titles: Sequence[str]) -> tuple[str, str]:
    """Return what many of the titles begin with, and what many of them end with; the longest of each.

    >>> affixes(["One | The Times", "Two - three | The Times", "Four | The Times"])
    ('', ' | The Times')
    """
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for title in titles:
        joints = list(_JOINT.finditer(title))
        heads.update({title[: joint.end()] for joint in joints})
        tails.update({title[joint.start() :] for joint in joints})
    return _longest(heads, len(titles)), _longest(tails, len(titles))


def trimmed(title: str, affix: tuple[str, str]) -> str:
    """Return a title without the name of the site, unless nothing would be left.

    >>> trimmed("One | The Times", ("", " | The Times")), trimmed("The Times", ("", " | The Times"))
    ('One', 'The Times')
    """
    head, tail = affix
    return title.removeprefix(head).removesuffix(tail).strip() or title


class Called:
    """What a page is called: by the links to it, and by its ``<title>``.

    >>> Called(["A short title", ""]).closeness("« A short Title")
    1.0
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._bags = [Counter(tokens(name)) for name in names if name]

    def closeness(self, text: str) -> float:
        """Return how well a text fits as the title, 0..1: the F1 of it and the nearest name."""
        own = Counter(tokens(text))
        return max((bag_f1(own, bag).f1 for bag in self._bags), default=0.0)


def _longest(counts: Counter[str], pages: int) -> str:
    found = [text for text, count in counts.items() if count > 1 and count >= SHARE * pages]
    return max(found, key=lambda text: (len(text), text), default="")
