"""How well text was extracted: the F1 of its tokens, titles, and whether a page was told as an article.

A token is a run of letters and digits, in lower case; each Chinese or Japanese character is one by itself.
The order of tokens does not count, how often each one stands does.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALONE = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_ALONE}]|(?:(?![{_ALONE}])[^\W_])+")


class TokenF1(NamedTuple):
    """Shares of the found tokens that are true, of the true ones that were found; their harmonic mean."""

    precision: float
    recall: float
    f1: float


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in order.

    >>> tokens("It's Flink 1.9, 新闻!")
    ['it', 's', 'flink', '1', '9', '新', '闻']
    """
    return _TOKEN.findall(text.lower())


def token_f1(truth: str, found: str) -> TokenF1:
    """Return how far the tokens of two texts agree; two texts without tokens do.

    >>> token_f1("the quick brown fox", "the brown")
    TokenF1(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    return bag_f1(Counter(tokens(truth)), Counter(tokens(found)))


def bag_f1(wanted: Counter[str], got: Counter[str]) -> TokenF1:
    """Return how far two bags of tokens agree, as `token_f1` does."""
    if not wanted and not got:
        return TokenF1(1.0, 1.0, 1.0)
    common = sum(min(count, got[token]) for token, count in wanted.items() if token in got)
    precision = common / max(got.total(), 1)
    recall = common / max(wanted.total(), 1)
    return TokenF1(precision, recall, 2 * precision * recall / max(precision + recall, 1e-300))


def same_title(truth: str, found: str | None) -> bool:
    """Whether two titles are equal but for case and white space.

    >>> same_title("A  Title", "a title"), same_title("A title", None)
    (True, False)
    """
    return found is not None and " ".join(truth.lower().split()) == " ".join(found.lower().split())


def balanced_accuracy(truth: Sequence[bool], found: Sequence[bool]) -> float:
    """Return the mean of the shares of true and of false things that were told right; 0..1.

    `ParameterError` where the lengths differ or all things are of one kind.

    >>> balanced_accuracy([True, True, True, False], [True, True, True, True])
    0.5
    """
    if len(truth) != len(found) or len(set(truth)) != 2:
        raise ParameterError(
            f"Expected as many answers as things of both kinds, got {len(found)} for {len(truth)}."
        )
    right = {
        kind: [answer == kind for told, answer in zip(truth, found, strict=True) if told == kind]
        for kind in (True, False)
    }
    return sum(sum(answers) / len(answers) for answers in right.values()) / 2
