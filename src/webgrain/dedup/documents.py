"""What is compared: the texts of a page and their signatures."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from webgrain.dedup.verdict import MIN_CONTENT
from webgrain.dedup.words import in_sorted, shingles

if TYPE_CHECKING:
    from webgrain.dedup.minhash import MinHash, Signature

KINDS = ("whole", "content", "frame")
"""Texts of a page that have signatures."""

WHOLE, CONTENT, FRAME = range(len(KINDS))
"""Their numbers."""

NO_SIGNATURE = np.zeros(0, np.uint16)


@dataclass(frozen=True, slots=True)
class Document:
    """The texts of one page.

    Attributes:
        id, url: as of the page.
        text: all of it.
        content: the main content; None where it is not known.
        path: XPaths of the nodes that the main content is from.
    """

    id: str
    text: str = field(repr=False)
    content: str | None = field(default=None, repr=False)
    url: str | None = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Signed:
    """The signatures of one page.

    Attributes:
        digest: of the whole text; equal texts have equal ones.
        size: shingles of the whole text, of the main content, of the frame.
        signatures: of the same; empty where there is no such text, or too little of it.
    """

    digest: bytes
    size: tuple[int, int, int]
    signatures: tuple[Signature, Signature, Signature]


def sign(document: Document, method: MinHash) -> Signed:
    """Return the signatures of a page; that of its frame is made of the shingles beyond its main content.

    >>> from webgrain.dedup.minhash import MinHash
    >>> text = " ".join(f"word{k}" for k in range(40))
    >>> sign(Document("a", f"{text} and a footer with the imprint", text), MinHash()).size
    (41, 35, 6)
    """
    whole = shingles(document.text, method.width)
    content = shingles(document.content or "", method.width)
    if len(content) < max(1, MIN_CONTENT - method.width + 1):
        content = content[:0]
    frame = whole[~in_sorted(whole, np.sort(content))] if len(content) else content
    texts = (whole, content, frame)
    first, second, third = (method.signature_of(text) if len(text) else NO_SIGNATURE for text in texts)
    return Signed(digest_of(document.text), (len(whole), len(content), len(frame)), (first, second, third))


def digest_of(text: str) -> bytes:
    """Return 16 bytes that only equal texts share.

    >>> len(digest_of("a"))
    16
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def storable(text: str) -> str:
    """Return a text with its lone surrogates replaced: sqlite does not take them.

    >>> storable("a" + chr(0xD800))
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")
