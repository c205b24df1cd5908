"""A template as an indented text, a line for each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.template.expression import ALT, OPT, SEQ, STAR, TAG

if TYPE_CHECKING:
    from webgrain.template.expression import Template

LINES = 200
"""Lines of an outline, at most."""

_SIGNS = {STAR: "*", OPT: "?", ALT: "|"}


def outline(template: Template, lines: int = LINES) -> str:
    """Return a line for each element of a template: its operators, and how many of the pages have it.

    ``*`` stands behind what is repeated, ``?`` behind what may be missing, ``|`` behind one of several
    choices. Texts are left out, and what is deepest where there are more than ``lines``.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.template.regextree import RegexTree
    >>> pages = [f"<h1>{n}</h1><ul>" + "<li>More" * n + "</ul>" for n in range(1, 4)]
    >>> print(outline(RegexTree().fit(parse(Source(html, html.encode())) for html in pages).template_))
    html
      body
        h1
        ul
          li *
    """
    tags = [node for node in range(len(template)) if _is_element(template, node)]
    depth = np.zeros(len(template), np.int64)
    for node in tags[1:]:
        depth[node] = depth[template.owner[node]] + 1
    number = np.bincount(depth[tags])
    deepest = int(np.searchsorted(np.cumsum(number), lines, side="right"))
    return "\n".join(
        f"{'  ' * depth[node]}{template.name(node)}{_told(template, node)}"
        for node in tags
        if depth[node] < max(deepest, 1)
    )


def _is_element(template: Template, node: int) -> bool:
    return bool(template.op[node] == TAG) and template.symbols[node][0].tag != "#text"


def _told(template: Template, node: int) -> str:
    signs = [_SIGNS[template.op[above]] for above in _operators(template, node) if template.op[above] != SEQ]
    share = template.support[node]
    return (" " + "".join(reversed(signs)) if signs else "") + (f" {share:.0%}" if share < 1 else "")


def _operators(template: Template, node: int) -> list[int]:
    """Return the operators between an element and that around it, from the inside."""
    found, above = [], int(template.parent[node])
    while above >= 0 and template.op[above] != TAG:
        found.append(above)
        above = int(template.parent[above])
    return found
