"""Models of sites as files: readable JSON, see `webgrain.modelfile`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from webgrain.errors import InputError
from webgrain.layouts.learner import LEAST_LIKENESS
from webgrain.layouts.pagesteps import features, key_of
from webgrain.layouts.patternfile import read_patterns
from webgrain.layouts.sitelayouts import KEPT, LINKS, Container, FrameIndex, weight_of
from webgrain.layouts.sitemodel import Feature, KnownPaths, Layout, SiteModel
from webgrain.layouts.webstemmer import PRESETS, RULES, Pattern, PatternSet, Section, Webstemmer
from webgrain.modelfile import DAMAGED, read_model, write_model

FORMAT, VERSION = "webgrain layouts", 1
_REASONS = {KEPT: "", LINKS: "links"}
_CODES = {name: code for code, name in _REASONS.items()}


def write_layouts(path: Path, method: Webstemmer) -> None:
    """Write what was learnt to a file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> method = Webstemmer().fit([])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_layouts(Path(folder) / "model.json", method)
    ...     read_layouts(Path(folder) / "model.json").model.pages
    0
    """
    write_model(path, FORMAT, VERSION, layouts_told(method))


def layouts_told(method: Webstemmer) -> dict[str, Any]:
    """Return what was learnt as plain values, from which `layouts_from` makes the method again."""
    told: dict[str, Any] = {"params": method.get_params()}
    if isinstance(method.model, SiteModel):
        told |= _site_told(method.model)
    elif isinstance(method.model, PatternSet):
        told |= _patterns_told(method.model)
    return told


def layouts_from(told: dict[str, Any], **params: Any) -> Webstemmer:
    """Return the method that was told, ready to predict; params: thresholds that are other than then.

    One of `DAMAGED` is raised where the values are not those of a method.
    """
    method = Webstemmer(**(told["params"] | params))
    method.model = _site(told) if method.preset == PRESETS[0] else _pattern_set(told, method)
    return method


def read_layouts(path: Path, **params: Any) -> Webstemmer:
    """Return the method that was written, ready to predict; params: thresholds that are other than then.

    Reads pattern files, too. `InputError` where the file cannot be read, is damaged, or is of another format
    or version.
    """
    if not _is_json(path):
        found = read_patterns(path)
        told: dict[str, Any] = {"preset": "original", "mangle": found.mangle}
        method = Webstemmer(**(told | params))
        method.model = found
        return method
    told = read_model(path, FORMAT, VERSION)[0]
    try:
        return layouts_from(told, **params)
    except DAMAGED as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: {error}.") from error


def _is_json(path: Path) -> bool:
    """Whether a file begins as a model does; what cannot be read is left to the reader of models."""
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] in (b"{", b"P", b"")
    except OSError:
        return True


def _site_told(model: SiteModel) -> dict[str, Any]:
    """Return a site's model as plain values; paths and features stand for themselves by their numbers."""
    number = {key: i for i, key in enumerate(model.frames.weight)}
    layouts = [
        _layout_told(layout) | {"frame": sorted(number[key] for key in frame)}
        for layout, frame in zip(model.layouts, model.frames.frames, strict=True)
    ]
    return {
        "pages": model.pages,
        "layouts": layouts,
        "tokens": sorted(model.tokens.values()),
        "features": [list(feature) for feature in model.features],
        "paths": _paths_told(model.paths),
    }


def _site(told: dict[str, Any]) -> SiteModel:
    """Return the model that was told; an error of Python's own where it is damaged."""
    total, paths = int(told["pages"]), _paths(told["paths"])
    size = len(paths.names)
    parts = [
        (_number(path, size), str(token), int(n), bool(less)) for path, token, n, less in told["features"]
    ]
    keys = _feature_keys(paths, parts)
    weight = {key: weight_of(n / total, less) for key, (_, _, n, less) in zip(keys, parts, strict=True)}
    frames = FrameIndex(weight, LEAST_LIKENESS)
    for layout in told["layouts"]:
        frames.add(keys[_number(part, len(keys))] for part in layout["frame"])
    named = {key_of(name): name for name in map(str, told["tokens"])}
    layouts = tuple(_layout(layout, size) for layout in told["layouts"])
    return SiteModel(total, named, paths, tuple(parts), frames, layouts)


def _feature_keys(paths: KnownPaths, parts: Sequence[Feature]) -> list[int]:
    tokens = np.array([key_of(token) if token else 0 for _, token, _, _ in parts], np.uint64)
    on = np.array([path for path, _, _, _ in parts], np.int64)
    keys: list[int] = features(paths.key[on], tokens).tolist()
    return keys


def _paths_told(paths: KnownPaths) -> list[list[Any]]:
    reasons = [_REASONS[code] for code in paths.reason.tolist()]
    columns = (paths.up.tolist(), paths.names, paths.pages.tolist(), reasons, paths.diff.tolist())
    return [list(path) for path in zip(*columns, strict=True)]


def _paths(told: list[list[Any]]) -> KnownPaths:
    up, names, pages, reason, diff = zip(*told, strict=True) if told else ((),) * 5
    if not all(-1 <= above < at and isinstance(above, int) for at, above in enumerate(up)):
        raise ValueError("a path goes on from one that comes later")
    return KnownPaths(
        tuple(map(str, names)),
        np.array(up, np.int64),
        np.array(pages, np.int64),
        np.array([_CODES[name] for name in reason], np.int8),
        np.array(diff, np.float64),
    )


def _layout_told(layout: Layout) -> dict[str, Any]:
    container = layout.container
    return {
        "name": layout.name,
        "pages": layout.pages,
        "main": layout.main,
        "teased": layout.teased,
        "affix": list(layout.affix),
        "container": list(container.chain),
        "title": container.title,
        "fields": sorted([path, letters] for path, letters in container.fields.items()),
        "places": list(container.places),
        "records": sorted(container.records),
    }


def _layout(told: dict[str, Any], paths: int) -> Layout:
    container = Container(
        tuple(_number(path, paths) for path in told["container"]),
        {_number(path, paths): float(letters) for path, letters in told["fields"]},
        tuple(map(float, told["places"])),
        -1 if told["title"] == -1 else _number(told["title"], paths),
        frozenset(_number(path, paths) for path in told["records"]),
    )
    if not container.chain:
        raise ValueError("a layout has no container")
    head, tail = map(str, told["affix"])
    main, teased = float(told["main"]), float(told["teased"])
    return Layout(str(told["name"]), max(1, int(told["pages"])), main, teased, container, (head, tail))


def _number(number: object, size: int) -> int:
    """Return a number below ``size``; `ValueError` for any other."""
    if not isinstance(number, int) or not 0 <= number < size:
        raise ValueError(f"there is no number {number!r}")
    return number


def _patterns_told(model: PatternSet) -> dict[str, Any]:
    return {
        "pages": model.pages,
        "patterns": [
            {
                "name": pattern.name,
                "score": pattern.score,
                "title": pattern.title,
                "pages": list(pattern.pages),
                "sections": [[section.diff, section.main, section.feature] for section in pattern.sections],
            }
            for pattern in model.patterns
        ],
    }


def _pattern_set(told: dict[str, Any], method: Webstemmer) -> PatternSet:
    patterns = tuple(
        Pattern(
            float(pattern["score"]),
            str(pattern["name"]),
            int(pattern["title"]),
            tuple(
                Section(float(diff), float(main), str(feature)) for diff, main, feature in pattern["sections"]
            ),
            tuple(map(str, pattern["pages"])),
        )
        for pattern in told["patterns"]
    )
    cluster = method.lowest_similarity
    return PatternSet(
        patterns, RULES[method.preset], method.mangle, cluster, method.title_threshold, int(told["pages"])
    )
