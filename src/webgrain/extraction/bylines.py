"""Lines that state the author and the date of a post: which texts may be one.

`webgrain.extraction.threads` collects the texts near each post and asks these functions about each of them.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from webgrain.documents.dates import first_date
from webgrain.extraction.thresholds import BYLINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_DATE = 40  # characters of a date without a year (hand-set)
_SENTENCE_ENDS = "?!…。？！؟"  # which no name ends with
_WORDS_OF_NAME = 3  # that may end with a full stop, such as "Ann B. Lee jr." (hand-set)


def is_written_date(text: str) -> bool:
    """Whether a text may be a date without a year, such as "4 May, 10:12" and "3 hours ago"."""
    return len(text) <= _LONGEST_DATE and any(map(str.isdigit, text))


def is_byline(text: str, author: str) -> bool:
    """Whether a text contains little besides an author or a date."""
    rest = text.replace(author, "") if author else text
    return len(text) <= BYLINE and (rest != text or bool(first_date(text))) and len(rest) <= BYLINE / 2


def may_be_name(text: str) -> bool:
    """Whether a text has letters, but no date, and is no sentence.

    >>> [may_be_name(text) for text in ("Kim B.", "Is it?", "I think it is.", "3 May 2021", "***")]
    [True, False, False, False, False]
    """
    is_sentence = text[-1] in _SENTENCE_ENDS or (text[-1] == "." and text.count(" ") >= _WORDS_OF_NAME)
    return not is_sentence and any(map(str.isalpha, text)) and not first_date(text)


def without_labels(texts: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the first text of each post that may be its author, of those at a place.

    texts: by the number of the post. A text that all posts but one have, beside different other ones, is a
    label; what has no letters without the words that all texts share is a number.

    >>> without_labels({0: ["Subject", "Kim Berg"], 1: ["Subject", "Ann Lee"], 2: ["Subject", "Kim Berg"]})
    {0: 'Kim Berg', 1: 'Ann Lee', 2: 'Kim Berg'}
    >>> without_labels({0: ["Posts: 17"], 1: ["Posts: 230"]})
    {}
    """
    posts = [frozenset(of_post) for of_post in texts.values()]
    times = Counter(chain.from_iterable(posts))
    often = [text for text, number in times.items() if number >= max(2, len(posts) - 1)]
    labels = {text for text in often if len({of_post for of_post in posts if text in of_post}) > 1}
    firsts = {k: next((text for text in of_post if text not in labels), "") for k, of_post in texts.items()}
    names = {k: text for k, text in firsts.items() if text}
    shared = shared_words([*names.values()])
    return {k: text for k, text in names.items() if may_be_name(without_shared_words(text, shared) or " ")}


def shared_words(names: Sequence[str]) -> tuple[int, int]:
    """Return how many words all names begin with and end with, such as "wrote"; equal names count once.

    >>> shared_words(["Posted by Kim", "Posted by Ann Lee"])
    (2, 0)
    """
    split = [name.split() for name in dict.fromkeys(names)]
    if len(split) < 2:
        return 0, 0
    least = min(map(len, split)) - 1

    def same(k: int) -> bool:
        return all(a[k] == b[k] for a, b in pairwise(split))

    begin = next((k for k in range(least) if not same(k)), max(least, 0))
    end = next((k for k in range(max(least - begin, 0)) if not same(-1 - k)), max(least - begin, 0))
    return begin, end


def without_shared_words(name: str, shared: tuple[int, int]) -> str:
    """Return a name without the words that all names share, and the marks around it; shared: `shared_words`.

    >>> without_shared_words("Posted by Kim:", (2, 0))
    'Kim'
    """
    words = name.split()
    return " ".join(words[shared[0] : len(words) - shared[1]]).strip(" ,:|·–—-")
