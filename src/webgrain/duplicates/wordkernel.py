# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Hashes of the words and shingles of a text.

Sources: Dietzfelbinger, Hagerup, Katajainen, Penttonen, A reliable randomized algorithm for the closest-pair
problem, J. of Algorithms 25, 1997 (multiply-shift hashing); the mixer of words and shingles is the finaliser
of SplitMix64, public domain. The hashes are not cryptographic.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled


REMOVED, SPACE, PART, ALONE = 0, 1, 2, 3
"""Kinds of characters: ignored, white space, part of a word, a word on its own."""


def word_hashes(codes: object, kinds: object, starts: object, stops: object, lines: object):
    """Return the hashes (w,) uint64 of the words of a text, and the position (w,) int32 where each ends.

    codes (n,) uint32: characters; kinds (c,) uint8: kind of each character, `REMOVED`, `SPACE`, `PART` or
    `ALONE`; characters from c on are parts of words. The text are the pieces from starts (p,) int32 to stops
    (p,) int32; a word continues in the next piece if both have the same number in lines (p,) int64.
    """
    # Uncompiled, a memoryview returns Python integers, which do not overflow.
    character: cython.const[cython.uint][::1] = memoryview(codes)
    role_of: cython.const[cython.uchar][::1] = memoryview(kinds)
    start: cython.const[cython.int][::1] = memoryview(starts)
    stop: cython.const[cython.int][::1] = memoryview(stops)
    line: cython.const[cython.longlong][::1] = memoryview(lines)
    size: cython.Py_ssize_t = len(codes) + len(starts)
    pieces: cython.Py_ssize_t = len(starts)
    golden: cython.ulonglong = 0x9E3779B97F4A7C15  # typed: a literal of this size would be an object
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    known: cython.uint = len(kinds)
    role: cython.uchar
    h: cython.ulonglong = 0
    n: cython.Py_ssize_t = 0
    hashes = np.empty(size, np.uint64)
    out: cython.ulonglong[::1] = hashes
    ends = np.empty(size, np.int32)
    end: cython.int[::1] = ends
    last: cython.Py_ssize_t = 0
    for piece in range(pieces):
        if h and line[piece] != line[piece - 1]:
            out[n] = h
            end[n] = last
            h = 0
            n += 1
        for i in range(start[piece], stop[piece]):
            code = character[i]
            role = role_of[code] if code < known else 2
            if role == 2:
                h = ((h ^ (code + 1)) * golden) & mask
                h = h ^ (h >> 29)
                last = i + 1
            elif role:  # white space ends a word, and so does a character that is a word on its own
                if h:
                    out[n] = h
                    end[n] = last
                    h = 0
                    n += 1
                if role == 3:
                    h = ((code + 1) * golden) & mask
                    out[n] = h ^ (h >> 29)
                    end[n] = i + 1
                    h = 0
                    n += 1
    if h:
        out[n] = h
        end[n] = last
        n += 1
    return hashes[:n].copy(), ends[:n].copy()


def shingle_hashes(words: object, width: cython.Py_ssize_t):
    """Return the hashes (s,) uint64 of all sequences of ``width`` words; of all words if fewer."""
    word: cython.const[cython.ulonglong][::1] = memoryview(words)
    size: cython.Py_ssize_t = len(words)
    golden: cython.ulonglong = 0x9E3779B97F4A7C15
    second: cython.ulonglong = 0xBF58476D1CE4E5B9
    third: cython.ulonglong = 0x94D049BB133111EB
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    if size < width:
        width = size
    count: cython.Py_ssize_t = size - width + 1 if size else 0
    hashes = np.empty(count, np.uint64)
    out: cython.ulonglong[::1] = hashes
    for i in range(count):
        h = 0
        for k in range(i, i + width):
            h = ((h ^ word[k]) * golden) & mask
            h = h ^ (h >> 32)
        h = ((h ^ (h >> 30)) * second) & mask
        h = ((h ^ (h >> 27)) * third) & mask
        out[i] = h ^ (h >> 31)
    return hashes
