"""Kinds of elements: those of a page that have the same tag, id and class. There are few of them."""

from __future__ import annotations

from typing import NamedTuple

from webgrain.arrays import Int32
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import same_elements
from webgrain.page.strings import LONGEST, codes_of_values


class Kinds(NamedTuple):
    """The kinds of the nodes of a page, numbered by their first nodes; arrays read-only.

    Attributes:
        of: (n,) int32, the kind of each node.
        ids, classes: (k,) of each kind, None for none.
        tag: (k,) int32, as in the Dom.
        short: whether all ids and classes are short enough to be keys of a bounded cache.
    """

    of: Int32
    ids: tuple[str | None, ...]
    classes: tuple[str | None, ...]
    tag: Int32
    short: bool


@cached_on_page
def kinds_of(dom: Dom) -> Kinds:
    """Return the kinds of the nodes of a page.

    >>> from webgrain.page.parsing import parse_html
    >>> found = kinds_of(parse_html("<p class=a>One<p>Two<p class=a>"))
    >>> found.of.tolist(), found.classes  # html, head, body, p, text, p, text, p
    ([0, 1, 2, 3, 4, 5, 4, 3], (None, None, None, 'a', None, None))
    """
    names = [dom.names.index(name) if name in dom.names else -1 for name in ("id", "class")]
    attributes = dom.attr_start, dom.attr_name, dom.value_start
    of, first, own = same_elements(dom.tag, attributes, codes_of_values(dom), *names)
    ids, classes = (dom.values_of(column) for column in own.T)
    tag = dom.tag[first]
    short = bool((dom.value_start[own + 1] - dom.value_start[own]).max(initial=0) <= LONGEST)
    for array in (of, tag):
        array.setflags(write=False)
    return Kinds(of, tuple(ids), tuple(classes), tag, short)
