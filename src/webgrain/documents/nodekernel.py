# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""What the nodes of a page are, as bits that `partkernel` and `gapkernel` read."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

cython.declare(
    VISIBLE=cython.int, FILLED=cython.int, MEDIA=cython.int, IGNORED=cython.int, SILENT=cython.int,
    PICTURE=cython.int, SCRIPT=cython.int, UNREAD=cython.int, TEX=cython.int, HIDDEN=cython.int,
    RESULT=cython.int,
)  # fmt: skip
VISIBLE, FILLED, MEDIA, IGNORED, SILENT = [2**k for k in range(16, 21)]  # as in `partkernel`
PICTURE, SCRIPT, UNREAD = [2**k for k in range(3)]  # of other_of_tag
TEX, HIDDEN = 2**29, 2**30  # of of_attributes
RESULT = 2**29 - 1


def node_bits(
    parent: Ints,
    tag: Ints,
    bits_of_tag: Ints,
    other_of_tag: Flags,
    of_attributes: Ints,
    visible: Flags,
    filled: Flags,
    pictured: Longs,
):
    """Return the bits (n,) int32 of each node, see `webgrain.documents.parttable.node_bits`.

    bits_of_tag (t,), of_attributes (n,): bits of the result; the latter also has `TEX` and `HIDDEN`.
    other_of_tag (t,): pictures and formulas, scripts, and style sheets and ``<noscript>``. visible, filled
    (n,): nodes that are visible, and texts that are not blank. pictured: each ``<noscript>`` with a picture,
    and each script that writes something into the page.

    Media are pictures, formulas, TeX in scripts and these elements. On a page with media, hidden elements are
    silent, and what is inside them, media, scripts and style sheets is ignored.
    """
    n: cython.Py_ssize_t = len(parent)
    bits = np.empty(n, np.int32)
    out: cython.int[::1] = bits
    media: cython.bint = len(pictured) > 0
    for i in range(n):
        other = other_of_tag[tag[i]]
        mark = of_attributes[i]
        out[i] = bits_of_tag[tag[i]] | (mark & RESULT)
        if visible[i]:
            out[i] |= VISIBLE
        if filled[i]:
            out[i] |= FILLED
        if other & PICTURE or (other & SCRIPT and mark & TEX):
            out[i] |= MEDIA
            media = True
    for j in range(len(pictured)):
        out[pictured[j]] |= MEDIA | VISIBLE
    if not media:
        return bits
    for i in range(n):
        if of_attributes[i] & HIDDEN:
            out[i] |= SILENT
        p = parent[i]
        if p < 0:
            continue
        if out[p] & IGNORED or other_of_tag[tag[p]] or of_attributes[p] & HIDDEN:
            out[i] |= IGNORED
    return bits
