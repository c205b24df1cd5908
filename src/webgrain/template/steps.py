"""Steps of paths, with names and keys that mean the same on all pages of a site.

The step to an element is its tag with tokens of its id and classes. Numbers, dates and hashes in a token are
levelled (``node-256`` and ``node-7`` are both ``#node-0``).
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.pathtable import path_keys
from webgrain.page.remember import remembered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]
    Int32 = NDArray[np.int32]
    Int64 = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_NUMBER = re.compile(r"\d+")
_PARTS = re.compile(r"[-_]+")
_SPREAD = 0x9E3779B97F4A7C15  # so that tokens that change places give another key
_LONGEST = 80
_MOST = 12
"""A step has no more tokens than this."""


@remembered(100_000)
def key_of(name: str) -> int:
    """Return the key of a tag or token: 64 bits, the same on every machine.

    >>> key_of("div") == key_of("div"), key_of("div") == key_of(".div")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big") | 1


@remembered(100_000)
def tokens_of(attribute: str, value: str) -> tuple[str, ...]:
    """Return the tokens of an ``id`` or ``class``, levelled and sorted.

    >>> tokens_of("class", "node  Post-2014-05 css-1q2w3e"), tokens_of("id", "node-256")
    (('.css-~', '.node', '.post-0-0'), ('#node-0',))
    """
    mark = "#" if attribute == "id" else "."
    words = value[: _MOST * _LONGEST].lower().split()[:_MOST]
    return tuple(sorted({mark + _level(word[:_LONGEST]) for word in words}))


def _level(word: str) -> str:
    parts = (_NUMBER.sub("0", part) for part in _PARTS.split(word))
    return "-".join("~" if part.count("0") > 1 and part.strip("0") else part for part in parts)


def among(keys: Keys, known: Keys) -> Mask:
    """Return True (k,) at the keys that are known; known: sorted.

    >>> among(np.array([3, 1, 9], np.uint64), np.array([1, 3], np.uint64)).tolist()
    [True, True, False]
    """
    if not len(known):
        return np.zeros(len(keys), bool)
    found: Mask = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return found


def contexts(up: Int32, tag: Keys, owner: Int64, token: Keys) -> Keys:
    """Return the keys (t,) of tokens with the tags that lead to their owners; up, tag (e,): of elements."""
    start = np.array([0, len(tag)], np.int64)
    way: Keys = path_keys(up, tag, start)
    return way[owner] ^ (token * np.uint64(_SPREAD))


def keys_of_paths(up: Int32, tag: Keys, owner: Int64, token: Keys) -> Keys:
    """Return the keys (e,) of the paths to elements, by their tags and these tokens (t,) of their owners."""
    steps = tag.copy()
    np.add.at(steps, owner, token * np.uint64(_SPREAD))
    start = np.array([0, len(steps)], np.int64)
    keys: Keys = path_keys(up, steps | np.uint64(1), start)
    return keys


def features(path: Keys, token: Keys) -> Keys:
    """Return the keys of paths with one more token each; token 0 stands for none."""
    return path ^ (token * np.uint64(_SPREAD))


def key_of_step(name: str) -> int:
    """Return the key of a step from how it reads; the same as in `keys_of_paths`.

    >>> key_of_step("div") == key_of("div")
    True
    """
    tag, *tokens = name.split(" ")
    return (key_of(tag) + sum(key_of(token) * _SPREAD for token in tokens)) % 2**64 | 1
