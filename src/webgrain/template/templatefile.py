"""Templates as files: JSON, one node of the template after the other, to read, to compare and to edit.

{"format": "webgrain template", "version": 1, "pages": 15, "floor": [0.8, 0.9],
 "marks": ["#main"], "nodes": [
 {"depth": 0, "op": "tag", "symbols": [["html"]], "css": "html", "pages": 15},
 {"depth": 1, "op": "star", "pages": 15, "list": true}, ...]}

A node is below the nearest one before it that is less deep. ``css`` is for the reader: it is written, and not
read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.errors import InputError
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.template.expression import OPS, STAR, TAG, Template, subtree_ends
from webgrain.template.forest import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FORMAT = "webgrain template"
VERSION = 1

FEATURES = ("text", "image", "link", "other", "word")


def write_template(path: Path, template: Template) -> None:
    """Write a template to a file; what `read_template` makes of it is the same.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
    >>> template = RegexTree().fit([parse(Source("a", b"<h1>One</h1><p>a<p>b"))]).template_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_template(Path(folder) / "template.json", template)
    ...     print(read_template(Path(folder) / "template.json"))
    html[body[h1[#text] (p[#text])*]]
    """
    write_model(path, FORMAT, VERSION, template_told(template))


def read_template(path: Path) -> Template:
    """Return the template in a file; `InputError` where it cannot be read or holds none."""
    told, _ = read_model(path, FORMAT, VERSION)
    try:
        return template_from(told)
    except DAMAGED as error:
        raise InputError(f"{path} holds a damaged template: {error}.") from error


def template_told(template: Template) -> dict[str, Any]:
    """Return a template as plain values, from which `template_from` makes it again."""
    head = {"pages": template.n_pages, "floor": list(template.floor), "marks": sorted(template.known)}
    return head | {"nodes": list(_told(template))}


def css(template: Template, node: int) -> str:
    """Return the CSS selector of a TAG, from the root down; of a text, that of the element around it.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
    >>> template = RegexTree().fit([parse(Source("a", b"<div id=main><p class='a b'>One"))]).template_
    >>> css(template, len(template) - 1)
    'html > body > div#main > p.a.b'
    """
    steps = []
    while node >= 0:
        if template.symbols[node] and template.symbols[node][0].tag != "#text":
            steps.append(template.name(node))
        node = int(template.owner[node])
    return " > ".join(reversed(steps))


def _told(template: Template) -> Iterator[dict[str, Any]]:
    depth = [0] * len(template)
    for node in range(len(template)):
        above = int(template.parent[node])
        depth[node] = depth[above] + 1 if above >= 0 else 0
        told: dict[str, Any] = {"depth": depth[node], "op": OPS[template.op[node]]}
        told["pages"] = int(template.page_support[node])
        if template.op[node] == STAR:
            told["list"] = bool(template.listing[node])
        if template.op[node] == TAG:
            told["symbols"] = [[symbol.tag, *symbol.marks] for symbol in template.symbols[node]]
            told["css"] = css(template, node)
            told["shape"] = f"{int(template.shape[node]):x}"
            if template.places[node]:
                told["places"] = list(template.places[node])
        if node in template.noise:
            told["noise"] = [[*feature, round(share, 4)] for feature, share in template.noise[node].items()]
        yield told


def template_from(told: dict[str, Any]) -> Template:
    """Return the template that was told; one of `DAMAGED` is raised where it is none."""
    nodes: Sequence[dict[str, Any]] = told["nodes"]
    op = [OPS.index(node["op"]) for node in nodes]
    parent = _parents([_integer(node["depth"]) for node in nodes])
    symbols = tuple(tuple(map(_symbol, node.get("symbols", ()))) for node in nodes)
    known = frozenset(_text(mark) for mark in told["marks"])
    _check(op, parent, symbols, known)
    return Template(
        op=np.array(op, np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=symbols,
        places=tuple(tuple(map(_integer, node.get("places", ()))) for node in nodes),
        shape=np.array([int(node.get("shape", "0"), 16) for node in nodes], np.uint64),
        page_support=np.array([_integer(node["pages"]) for node in nodes], np.int32),
        listing=np.array([node.get("list") is True for node in nodes]),
        n_pages=_integer(told["pages"]),
        known=known,
        noise={k: _noise(node["noise"]) for k, node in enumerate(nodes) if "noise" in node},
        floor=_floor(*told["floor"]),
    )


def _parents(depth: Sequence[int]) -> list[int]:
    """Return the parents of nodes from their depths."""
    parent, path = list[int](), list[int]()
    for node, level in enumerate(depth):
        if level > len(path) or (level == 0) != (node == 0):
            raise ValueError(f"node {node} has depth {level}, which does not follow the one before")
        del path[level:]
        parent.append(path[-1] if path else -1)
        path.append(node)
    return parent


def _check(
    op: Sequence[int], parent: Sequence[int], symbols: Sequence[tuple[Symbol, ...]], known: frozenset[str]
) -> None:
    """Raise `ValueError` where these are the nodes of no template."""
    if not op or op[0] != TAG:
        raise ValueError("the first node is no tag")
    having = set(parent)
    for node, (kind, own) in enumerate(zip(op, symbols, strict=True)):
        if (kind == TAG) != bool(own):
            raise ValueError(f"node {node} is a tag without symbols, or an operator with some")
        if kind != TAG and node not in having:
            raise ValueError(f"node {node} is an operator without children")
    if not known.issuperset(mark for own in symbols for symbol in own for mark in symbol.marks):
        raise ValueError("a node has a mark that is not among the marks")


def _symbol(told: Any) -> Symbol:
    tag, *marks = map(_text, told)
    return Symbol(tag, tuple(marks))


def _floor(known: Any, present: Any) -> tuple[float, float]:
    return float(known), float(present)


def _noise(told: Any) -> dict[tuple[str, str], float]:
    noise = {(_text(kind), _text(value)): float(share) for kind, value, share in told}
    if any(kind not in FEATURES for kind, _ in noise) or not all(0 <= share <= 1 for share in noise.values()):
        raise ValueError(f"noise must be of {', '.join(FEATURES)} and in 0..1")
    return noise


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"expected a text, got {value!r}")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise TypeError(f"expected a whole number of at least 0, got {value!r}")
    return value
