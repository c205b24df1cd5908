# cython: boundscheck=False, wraparound=False, initializedcheck=False
# mypy: ignore-errors
"""The columns of a tree from a parser's node objects: one loop over their attributes, without recursion."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled

PARENT, END, TAG, TEXT_START, ATTR_START = 0, 1, 2, 3, 4


def number(name, number_of: dict, known: dict):
    """Give a name met for the first time its number; names that differ in ASCII case alone share one."""
    lower = name.encode().lower().decode()
    number_of[name] = known.setdefault(lower, len(known))
    return number_of[name]


def walk(root, max_nodes: cython.Py_ssize_t, max_chars: cython.Py_ssize_t):
    """Return the fields of the Dom below ``root`` (a selectolax node), and whether it was cut at a limit."""
    tags: dict = {"#text": 0}
    tag_of: dict = {"-text": 0}
    names: dict = {}
    name_of: dict = {}
    texts: list = []
    attr_name: list = []
    values: list = []
    open_nodes: list = []
    table = np.zeros((256, 5), np.int32)
    row: cython.int[:, ::1] = table
    n: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t = 0
    chars: cython.Py_ssize_t = 0
    value_chars: cython.Py_ssize_t = 0
    above: cython.Py_ssize_t = -1
    text: str
    value: str
    cut: cython.bint = False
    node = root
    while True:
        name = node.tag
        child = None
        if name is not None and name != "-comment":
            cut = n >= max_nodes or max(chars, value_chars) > max_chars
            if cut:
                break
            if n == len(table):
                table = np.concatenate([table, np.zeros_like(table)])
                row = table
            number_of = tag_of.get(name)
            row[n, PARENT] = above
            row[n, END] = n + 1
            row[n, TAG] = number(name, tag_of, tags) if number_of is None else number_of
            row[n, TEXT_START] = chars
            row[n, ATTR_START] = m
            n += 1
            if name == "-text":
                text = node.text_content or ""
                texts.append(text)
                chars += len(text)
            else:
                attributes: dict = node.attributes
                for name, content in attributes.items():
                    number_of = name_of.get(name)
                    attr_name.append(number(name, name_of, names) if number_of is None else number_of)
                    value = content or ""
                    values.append(value)
                    value_chars += len(value)
                    m += 1
                child = node.first_child
        if child is not None:
            open_nodes.append(node)
            above = n - 1
            node = child
            continue
        while open_nodes:
            child = node.next
            if child is not None:
                break
            node = open_nodes.pop()
            row[above, END] = n
            above = row[above, PARENT]
        if not open_nodes:
            break
        node = child
    while above >= 0:  # of a walk that was cut short
        row[above, END] = n
        above = row[above, PARENT]
    parent, end, tag, text_start, attr_start = np.ascontiguousarray(table[:n].T)
    fields = (parent, end, tag, tuple(tags), "".join(texts), np.append(text_start, np.int32(chars)))
    fields += (np.append(attr_start, np.int32(m)), np.array(attr_name, np.int32), tuple(names))
    return (*fields, "".join(values), np.cumsum([0, *map(len, values)], dtype=np.int32)), cut
