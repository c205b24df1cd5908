# cython: boundscheck=False, wraparound=False
# mypy: ignore-errors
"""The columns of a tree from a parser's node objects: one loop over their attributes, without recursion."""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


def number(name, number_of: dict, known: dict):
    """Number a name met for the first time; names that differ in ASCII case alone share one."""
    lower = name.encode().lower().decode()
    number_of[name] = known.setdefault(lower, len(known))
    return number_of[name]


def walk(root, max_nodes: cython.Py_ssize_t, max_chars: cython.Py_ssize_t):
    """Return the columns of the tree below ``root`` (a selectolax node), and whether it was cut at a limit.

    The columns are parent, end, tag, text_start, attr_start, attr_name, value_start; after them come tags,
    names, text, values; all as in `webgrain.page.dom.Dom`.
    """
    parent, end, tag = array("i"), array("i"), array("i")
    text_start, attr_start, attr_name, value_start = array("i"), array("i"), array("i"), array("i")
    tags: dict = {"#text": 0}
    names: dict = {}
    tag_of: dict = {"-text": 0}
    name_of: dict = {}
    texts: list = []
    values: list = []
    open_nodes: list = []
    n: cython.Py_ssize_t = 0
    chars: cython.Py_ssize_t = 0
    value_chars: cython.Py_ssize_t = 0
    above: cython.Py_ssize_t = -1
    cut = False
    node = root
    while True:
        name = node.tag
        kept = name is not None and name != "-comment"
        if kept:
            if n >= max_nodes or chars > max_chars or value_chars > max_chars:
                cut = True
                break
            parent.append(above)
            end.append(n + 1)
            tag.append(tag_of[name] if name in tag_of else number(name, tag_of, tags))
            text_start.append(chars)
            attr_start.append(len(values))
            if name == "-text":
                text: str = node.text_content or ""
                texts.append(text)
                chars += len(text)
            else:
                for key, value in node.attributes.items():
                    attr_name.append(name_of[key] if key in name_of else number(key, name_of, names))
                    value_start.append(value_chars)
                    values.append(value or "")
                    value_chars += len(value or "")
            n += 1
        child = node.first_child if kept else None
        if child is not None:
            open_nodes.append(node)
            above = n - 1
            node = child
            continue
        while open_nodes:
            following = node.next
            if following is not None:
                break
            node = open_nodes.pop()
            end[above] = n
            above = parent[above]
        if not open_nodes:
            break
        node = following
    while above >= 0:  # of a walk that was cut short
        end[above] = n
        above = parent[above]
    text_start.append(chars)
    attr_start.append(len(values))
    value_start.append(value_chars)
    columns = (parent, end, tag, text_start, attr_start, attr_name, value_start)
    return columns, tuple(tags), tuple(names), "".join(texts), "".join(values), cut
