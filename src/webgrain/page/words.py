"""Words of a text in any script: what is compared between pages and queries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Scripts that are written without spaces: a character stands for a word.
_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
)
# Accents and vowel signs, which are no letters of their own.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_PATTERN = rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}_])[\w{_MARKS}])+"
_WORD = re.compile(_PATTERN)

END = "\ue000"
"""Stands behind each text in `words_of_all`: a character for private use, and no part of any word."""

_WORD_OR_END = re.compile(f"{END}|{_PATTERN}")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; of scripts without spaces the characters.

    >>> words_of("The Čapek's R.U.R., 搜索 logs_2 हिन्दी")
    ['the', 'čapek', 's', 'r', 'u', 'r', '搜', '索', 'logs', '2', 'हिन्दी']
    """
    return _WORD.findall(text.lower())


def words_of_all(texts: Iterable[str]) -> list[str]:
    r"""Return the words of many texts, and `END` behind those of each.

    >>> words_of_all(["Two words", "", "3"])
    ['two', 'words', '\ue000', '\ue000', '3', '\ue000']
    """
    joined = "".join(f"{text.replace(END, ' ')}{END}" for text in texts)
    return _WORD_OR_END.findall(joined.lower())
