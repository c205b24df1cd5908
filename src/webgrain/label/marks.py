"""Marks and segments: what the window of the tool knows by numbers of parts, files know by paths."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeGuard

from webgrain.datasets.labelled import MAX_SEGMENTS
from webgrain.datasets.truth import LabelledSegment
from webgrain.errors import ParameterError
from webgrain.page.address import find_css, find_xpath, xpaths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webgrain.label.scene import Scene

MAX_ROLE, MAX_PATH = 100, 20_000
"""Characters of a role and of a path, at most."""

Mark = dict[str, Any]
"""``parts``: numbers of the scene; ``role``: a name or None; ``lost``: paths that mean no part of it."""


def marks_of(scene: Scene, segments: Iterable[LabelledSegment]) -> list[Mark]:
    """Return segments as marks; paths that mean nothing that can be seen are kept as they are.

    >>> from webgrain.label.scene import scene_of
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.render.estimate import estimate
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> scene = scene_of(page.with_view(estimate(page.dom)))
    >>> marks_of(scene, [LabelledSegment(xpath=("/html[1]/body[1]/p[2]", "/html[1]/body[1]/ul[1]"))])
    [{'parts': [2], 'role': None, 'lost': ['/html[1]/body[1]/ul[1]']}]
    """
    marks = []
    usual = dict(zip(xpaths(scene.page.dom, scene.node.tolist()), range(len(scene)), strict=True))
    for segment in segments:
        paths = (*segment.xpath, *segment.css)
        part = {path: usual[path] if path in usual else _part(scene, path) for path in paths}
        marks.append(
            {
                "parts": sorted({k for k in part.values() if k >= 0}),
                "role": segment.role,
                "lost": [path for path, k in part.items() if k < 0],
            }
        )
    return marks


def segments_of(scene: Scene, marks: object) -> list[LabelledSegment]:
    """Return marks as segments; `ParameterError` where they are not as they must be.

    >>> from webgrain.label.scene import scene_of
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.render.estimate import estimate
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> scene = scene_of(page.with_view(estimate(page.dom)))
    >>> segments_of(scene, [{"parts": [2], "role": "content", "lost": []}])
    [LabelledSegment(xpath=('/html[1]/body[1]/p[2]',), css=(), role='content')]
    """
    if not isinstance(marks, list) or len(marks) > MAX_SEGMENTS:
        raise ParameterError(f"Expected segments as a list of at most {MAX_SEGMENTS:,} records.")
    checked = [_checked(scene, mark) for mark in marks]
    nodes = [int(scene.node[k]) for mark in checked for k in mark["parts"]]
    path = dict(zip(nodes, xpaths(scene.page.dom, nodes), strict=True))
    return [
        _segment([path[int(scene.node[k])] for k in mark["parts"]] + mark["lost"], mark["role"])
        for mark in checked
    ]


def _part(scene: Scene, path: str) -> int:
    find = find_xpath if path.startswith("/") else find_css
    try:
        node = find(scene.page.dom, path)
    except ParameterError:  # a path of another kind: kept, as one of a node that is gone
        return -1
    return -1 if node is None else int(scene.part[node])


def _segment(paths: Sequence[str], role: str | None) -> LabelledSegment:
    ways = {
        is_xpath: tuple(group)
        for is_xpath, group in groupby(
            sorted(paths, key=lambda path: not path.startswith("/")), lambda path: path.startswith("/")
        )
    }
    return LabelledSegment(ways.get(True, ()), ways.get(False, ()), role)


def _checked(scene: Scene, mark: object) -> Mark:
    if not isinstance(mark, dict):
        raise ParameterError(f"Expected a segment as a record, got {type(mark).__name__}.")
    parts, role, lost = mark.get("parts"), mark.get("role"), mark.get("lost", [])
    if not _is_list(parts) or not all(type(k) is int and 0 <= k < len(scene) for k in parts):
        raise ParameterError(f"Expected parts as a list of numbers from 0 to {len(scene) - 1}.")
    if role is not None and not (isinstance(role, str) and 0 < len(role) <= MAX_ROLE):
        raise ParameterError(f"Expected role as a text of at most {MAX_ROLE} characters.")
    if not _is_list(lost) or not all(isinstance(path, str) and 0 < len(path) <= MAX_PATH for path in lost):
        raise ParameterError("Expected lost as a list of paths.")
    if not parts and not lost:
        raise ParameterError("Expected a segment with at least one part.")
    return {"parts": parts, "role": role, "lost": lost}


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and len(value) <= MAX_SEGMENTS
