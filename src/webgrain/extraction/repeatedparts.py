"""Parts that the pages of a site repeat: which of them are main text.

The models of a site refuse most texts that many pages have, wherever they are. Each function returns the
probability of main text (b,) of the blocks of a page:

=======================  ===================================================================================
`without_system_tables`  0 for tables of fields before the text, whose labels most pages repeat, such as the
                         status and the priority of a ticket
`without_repeated_ends`  0 for what most pages repeat before and behind all texts that vary
`with_shared_values`     that by the page alone for labels and values between long texts that vary, such as
                         "Light: full sun" on the pages of plants
=======================  ===================================================================================

The rules are hand-set; the manual has what they change on the sites of the bench.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.columns.blocks import PageFacts
from webgrain.extraction import thresholds
from webgrain.page.kernels.treepass import innermost
from webgrain.page.tagtables import TagSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from webgrain.base.arrays import Bool, Float32, Float64

_FIELDS = TagSet("tr", "dt")  # elements of which tables and lists of fields consist
_ENDS = ".!?。！？…"  # of a sentence


def without_system_tables(
    facts: PageFacts, main: Float64, chosen: NDArray[np.intp], same: Float32
) -> Float64:
    """Return the probability of main text (b,), 0 for tables of fields before the first long text.

    The table is a ``<table>`` or ``<dl>``. In four fifths of its rows a label is followed by a value, and
    most pages with the same elements have this label there. No text in it is long. chosen, same: as in
    `without_repeated_ends`.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.columns.blocks import page_facts
    >>> rows = "<tr><th>State<td>open<tr><th>Owner<td>Kim"
    >>> facts = page_facts(parse(f"<table>{rows}</table><p>" + "The lamp is lit at dusk. " * 9))
    >>> same = np.array([1, 0.3, 1, 0.1, 0], np.float32)
    >>> without_system_tables(facts, np.ones(5), np.arange(5), same).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0]
    """
    dom, letters = facts.dom, facts.letters
    has_field = _FIELDS.of_nodes(dom)
    if True not in has_field:
        return main
    long = chosen[_varies_at_length(facts, chosen, same)]
    begin = int(facts.blocks.first[long[0]]) if len(long) else 0
    if True not in has_field[:begin]:
        return main
    terms = dom.find_tag("dt")
    before = np.arange(long[0])
    holders = facts.holder[before]
    is_table, is_list, is_row = (dom.tagged(tag) for tag in ("table", "dl", "tr"))
    marks = is_table | is_list, is_row
    table, row = (innermost(dom.parent, mark.view(np.uint8))[holders] for mark in marks)
    term = np.append(-1, terms)[terms.searchsorted(holders, side="right")]
    row = np.where(is_list[table], term, row)
    inside = (table >= 0) & (row > table)
    before, table, row = before[inside], table[inside], row[inside]
    _, first, cells = np.unique(row, return_index=True, return_counts=True)
    labels = before[first]
    is_field = (cells > 1) & (same[labels] >= thresholds.REPEATED_END) & (letters[labels] < thresholds.LABEL)
    tables, number = np.unique(table, return_inverse=True)
    size, fields = (np.bincount(number[first], weight, len(tables)) for weight in (None, is_field))
    longest, shown = np.zeros(len(tables)), np.zeros(len(tables))
    np.maximum.at(longest, number, letters[before])
    np.add.at(shown, number, np.isin(before, chosen))
    dropped = (
        (fields >= thresholds.LEAST_FIELDS)
        & (fields >= thresholds.FIELDS_OF_TABLE * size)
        & (longest < thresholds.LONG_TEXT)
        & (shown > 0)
        & (dom.end[tables] <= begin)
    )
    if not dropped.any():
        return main
    main = main.copy()
    main[before[dropped[number]]] = 0.0
    return main


def without_repeated_ends(
    facts: PageFacts, main: Float64, chosen: NDArray[np.intp], same: Float32
) -> Float64:
    """Return the probability of main text (b,), 0 for chosen texts before and behind all that vary.

    Most pages that have the same elements repeat them there, such as a line to share the text. What a site
    repeats between texts that vary stays, and so do labels directly before or behind these: short texts
    without links and a full stop. Texts that are nearly certain count as if they varied: articles of a site
    may end with the same paragraph. same: (b,) the share of the pages with the path of a block that have its
    text there, NaN if it is unknown; chosen: the blocks.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.columns.blocks import page_facts
    >>> page = parse("<p>Welcome.<p>Name<p>A lamp<p>Colour<p>Red<p><a href=p>Print</a>")
    >>> same = np.array([1, 1, 0.1, 1, 0.5, 1], np.float32)
    >>> without_repeated_ends(page_facts(page), np.full(6, 0.8), np.arange(6), same).tolist()
    [0.0, 0.8, 0.8, 0.8, 0.8, 0.0]
    """
    varying = ~(same[chosen] >= thresholds.REPEATED_END) | (main[chosen] >= thresholds.SURE_END)
    if varying.all() or not varying.any():
        return main
    texts = facts.blocks.texts
    is_label = [
        len(texts[k]) < thresholds.LABEL and facts.linked[k] < 0.5 and texts[k][-1] not in _ENDS
        for k in chosen.tolist()
    ]
    first, last = (int(places.argmax()) for places in (varying, varying[::-1]))
    stop = len(chosen) - last
    while first > 0 and is_label[first - 1]:
        first -= 1
    while stop < len(chosen) and is_label[stop]:
        stop += 1
    main = main.copy()
    main[chosen[:first]] = main[chosen[stop:]] = 0.0
    return main


def with_shared_values(
    facts: PageFacts, main: Float64, chosen: NDArray[np.intp], same: Float32, alone: Callable[[], Float64]
) -> Float64:
    """Return the probability of main text (b,), that by the page alone for shared labels and values.

    They are all texts between two chosen long ones that vary, and get their mean, weighted by letters. Each
    is short, and the mean is at least `thresholds.SHARED_VALUES`. Most pages with the same elements repeat
    some of them, but not all: what they repeat as a whole has no values. None was left out before, such as
    comments. alone: returns the probability (b,) by the page alone; chosen, same: as in
    `without_repeated_ends`.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.columns.blocks import page_facts
    >>> text = "<p>" + "The lamp is lit at dusk. " * 9
    >>> facts = page_facts(parse(f"{text}<p>Light<p>Full sun{text}<p>Light<p>Full sun"))
    >>> main, same = np.array([0.9, 0.3, 0.4, 0.9, 0.3, 0.4]), np.array([0, 1, 0.5, 0, 1, 0.5], np.float32)
    >>> with_shared_values(facts, main, np.array([0, 3]), same, lambda: np.full(6, 0.8)).round(2).tolist()
    [0.9, 0.8, 0.8, 0.9, 0.3, 0.4]
    """
    ends = chosen[_varies_at_length(facts, chosen, same)]
    begin, stop = ends[:-1] + 1, ends[1:]
    is_between = begin < stop
    if not is_between.any():
        return main
    begin, stop = begin[is_between], stop[is_between]
    is_repeated = same >= thresholds.REPEATED_END
    fits = (facts.letters < thresholds.LONG_TEXT) & (main > 0)
    before = np.zeros((2, len(main) + 1), np.int64)
    np.cumsum([is_repeated, fits], axis=1, out=before[:, 1:])
    repeated, fit = before[:, stop] - before[:, begin]
    is_mixed = (fit == stop - begin) & (repeated > 0) & (repeated < stop - begin)
    if not is_mixed.any():
        return main
    begin, stop = begin[is_mixed], stop[is_mixed]
    probability, letters = alone(), facts.letters + 1.0
    of_blocks = np.zeros((3, len(main) + 1))
    likely = probability >= thresholds.LEAST_SHARED_VALUE
    np.cumsum([likely, letters, letters * probability], axis=1, out=of_blocks[:, 1:])
    number, size, mass = of_blocks[:, stop] - of_blocks[:, begin]
    is_shared = (number == stop - begin) & (mass >= thresholds.SHARED_VALUES * size)
    if not is_shared.any():
        return main
    main = main.copy()
    mean = mass / size
    for first, last, chance in zip(
        *(of_run[is_shared].tolist() for of_run in (begin, stop, mean)), strict=True
    ):
        main[first:last] = np.maximum(main[first:last], chance)
    return main


def _varies_at_length(facts: PageFacts, chosen: NDArray[np.intp], same: Float32) -> Bool:
    """Return whether each chosen block (c,) is a long text that few pages repeat; same: (b,)."""
    long: Bool = facts.letters[chosen] >= thresholds.LONG_TEXT
    return long & ~(same[chosen] >= thresholds.REPEATED_END)
