"""Model files of every kind, what a hostile hand makes of them, and the use of a model that was read."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.site.sites import shop
from tests.views import with_lines

from webgrain.base.trees import read_trees, write_trees
from webgrain.extraction.single import FORMAT, model_names, trained_models
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.papers.gcuts import GCuts
from webgrain.papers.keyclus import KeyClus, KeyClusModel
from webgrain.papers.regextree import RegexTree
from webgrain.papers.webstemmer import Webstemmer
from webgrain.papers.webstemmer2007 import OriginalWebstemmer, read_layouts, write_patterns
from webgrain.papers.weights import UNIFORM, read_weights, write_weights
from webgrain.segmentation.learntcut import LearntCut, find_blocks, read_blocks, write_blocks
from webgrain.segmentation.segmenter import (
    read_classifier,
    read_segmenter,
    segmenter,
    trained,
    write_classifier,
    write_segmenter,
)
from webgrain.site.learning import learn_site
from webgrain.site.model import load_model
from webgrain.templates.sections import Sectioner
from webgrain.templates.template import read_template, write_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from webgrain.page.page import Page
    from webgrain.segmentation.learntcut import BlockModel


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model: how a file of it is made, read, and used on a page."""

    write: Callable[[Path], object]
    read: Callable[[Path], Any]
    use: Callable[[Any, Page], object]


@cache
def pages() -> list[Page]:
    """Return some pages of one site."""
    read = [parse(page) for page in shop(12)]
    return [with_lines(page) for page in read]


def _sections(template: Any, page: Page) -> object:
    cutter = Sectioner(template=template)
    found = cutter.predict(page)
    return str(template), found.match.score


def _blocks() -> BlockModel:
    return find_blocks("trained", pages()[0])


KINDS: dict[str, Kind] = {
    "template": Kind(
        lambda path: write_template(path, RegexTree().fit(pages()).template_),
        read_template,
        _sections,
    ),
    "layouts": Kind(
        lambda path: Webstemmer(pattern_threshold=0.0).fit(pages()).save(path),
        read_layouts,
        lambda model, page: model.predict(page),
    ),
    "patterns": Kind(
        lambda path: write_patterns(path, OriginalWebstemmer(pattern_threshold=0.0).fit(pages())),
        read_layouts,
        lambda model, page: model.predict(page),
    ),
    "types": Kind(
        lambda path: PageTypes().fit(pages()).model_.save(path),
        TypeModel.load,
        lambda model, page: model.assign(page),
    ),
    "keyclus": Kind(
        lambda path: KeyClus(shingle_size=2).fit(pages(), {"page-1": ["a"]}).model_.save(path),
        KeyClusModel.load,
        lambda model, page: model.assign(page),
    ),
    "site": Kind(
        lambda path: learn_site(lambda: shop(12), "site").save(path),
        load_model,
        lambda model, page: model.predict(page),
    ),
    "weights": Kind(
        lambda path: write_weights(path, UNIFORM),
        read_weights,
        lambda model, page: GCuts(weights=model).predict(page),
    ),
    "blocks": Kind(
        lambda path: write_blocks(path, _blocks()),
        read_blocks,
        lambda model, page: LearntCut(model=model).predict(page),
    ),
    "role classifier": Kind(
        lambda path: write_classifier(path, trained(pages()[0])),
        read_classifier,
        lambda model, page: model.classify(page, LearntCut().predict(page)),
    ),
    "main content": Kind(
        lambda path: write_trees(path, trained_models(), FORMAT),
        lambda path: read_trees(path, model_names(), FORMAT),
        lambda models, page: [
            model.probability(np.zeros((len(page.dom), len(model.names)), np.float32))
            for model in models.values()
        ],
    ),
    "segmenter": Kind(
        lambda path: write_segmenter(path, segmenter(model=_blocks())),
        read_segmenter,
        lambda model, page: model.predict(page),
    ),
}
"""Kinds of models by name."""


@cache
def valid(kind: str) -> bytes:
    """Return a model file of a kind."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        KINDS[kind].write(path)
        return path.read_bytes()


BAD: tuple[Any, ...] = (
    *(None, -1, 0, 1, 2, 2**31, 2**64, -(2**70), 1e308, float("nan"), float("inf"), -0.5, 0.5, True, False),
    *("", "x", "\ud800", "#", "ffffffffffffffff", "star", "x" * 10_000, [], {}, [[]], {"a": 1}, ["x"], [-1]),
    [0] * 1000,
)
"""Values of wrong types."""


def mutated(kind: str, random: Random) -> bytes:
    """Return a model file of a kind in which a few things are other than they were."""
    content = valid(kind)
    if kind == "patterns" or random.random() < 0.2:
        return _bytes(content, random)
    if not content.startswith(b"PK"):
        return _json(content, random)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            change = (
                _json if name == "model.json" else _bytes if random.random() < 0.1 else lambda data, _: data
            )
            new.writestr(name, change(old.read(name), random))
    return out.getvalue()


def _bytes(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 2, 8))):
        at = random.randrange(len(changed) or 1)
        new = random.choice(
            (b"9" * 30, b"(", b"'", b"\n", b"[", b"\xff", b"1e999", b"-", b".", b"\\x", b"\0", b"")
        )
        changed[at : at + random.choice((0, 1, 1, 5, 100))] = new
    return bytes(changed)


def _json(content: bytes, random: Random) -> bytes:
    result = json.loads(content)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = list(_places(result))
        inside, key = random.choice(places)
        what = random.random()
        if what < 0.5:
            inside[key] = copy.deepcopy(random.choice(BAD))
        elif what < 0.65:
            del inside[key]
        elif what < 0.85:
            other, place = random.choice(places)
            inside[key] = copy.deepcopy(other.get(place) if isinstance(other, dict) else other[place])
        elif isinstance(inside, list):
            inside.insert(random.randrange(len(inside)), copy.deepcopy(inside[key]))
    return json.dumps(result).encode()


def _places(result: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what holds each value, and where in it."""
    work = [result]
    while work:
        inside = work.pop()
        for key, value in list(inside.items() if isinstance(inside, dict) else enumerate(inside)):
            yield inside, key
            if isinstance(value, dict | list):
                work.append(value)
