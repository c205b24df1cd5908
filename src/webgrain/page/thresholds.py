"""Hand-set limits of parsing and page facts, with their units and reasons; none of them was tuned.

The limits that callers may change are in `webgrain.page.page.Limits`.
"""

from __future__ import annotations

CHEAP = 16 * 1024
"""Bytes: a shorter page is parsed without an estimate of the cost of parsing."""
MAX_STEPS = 200_000_000
"""Estimated steps of the HTML parser for one page, see `webgrain.page.kernels.domwalk.affordable`."""
STEPS_PER_BYTE, FREE_STEPS = 500, 20_000_000
"""The same for each byte of a page, and for a page of any size. None of 2,680 files of sites has 100 a byte;
the parser takes 2 to 10 ms for a million, in one call that no limit of time ends."""
MAX_COPIES = 4
"""Elements that the HTML parser may reopen, per node of the limit; the estimate is high."""
MAX_CHARS = 2**31 - 1 - 2**26
"""Characters of text of a page: offsets are int32, and one more node may be as long as a document."""

DETECTED = 64 * 1024
"""Bytes that the detection of a charset reads, from the first byte that is not ASCII."""
CONFIDENT = 0.5
"""Least confidence of a detected charset, from 0 to 1."""

LONGEST_PATH = 1_024
"""Characters: a longer text is HTML and not a file path or URL."""
LONGEST_URL = 2_048
"""Characters of a URL that are read."""
MAX_LINKS = 10_000
"""Links of a page that are collected for their anchor texts."""

MAX_COMPOUNDS = 16
"""Compounds of a selector; a selector with more matches nothing."""
SELECTOR_COMPARISONS = 2_000_000
"""Comparisons of a node with a compound on one page, and 200 more per node; after that nothing matches."""

ADDRESS_SHARE = 3
"""Characters of all addresses compared to the page: its text, 4 for each node, and 1000. Not tuned."""

MAX_ADDRESSES = 2**22
"""Characters of the XPaths of a record, and of its CSS paths; further ones are left out and noted."""

LONGEST_KEY = 500
"""Longest arguments of a cached function, in characters and items together.

A hostile page may have any number of tags or classes, so unlimited keys would fill the memory."""

MAX_VALUES = 2**17
"""Attribute values of a `ValueTable`; the page after it begins a new table."""
MAX_VALUE_CHARACTERS = 2**23
"""Characters of the attribute values of a `ValueTable`; the page after it begins a new table."""

HEAD = 1024
"""Bytes that are inspected to recognise HTML: as many as a browser inspects for a charset (HTML standard)."""
