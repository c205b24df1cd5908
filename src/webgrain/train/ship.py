"""The models that come with webgrain: made from all labelled pages, for each layout and each method.

    examples --learn_all--> per method: Learnt --ship--> segment/trained/<layout>.*

The same pages give the same files.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from webgrain.methods import create
from webgrain.segment.blockfiles import write_blocks
from webgrain.segment.describer import Describer, write_describer
from webgrain.segment.models import write_weights
from webgrain.train.learn import learn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from webgrain.datasets.load import Example
    from webgrain.train.learn import Learnt

METHODS = ("learntcut", "gcuts", "cclus")
"""Methods that models are made for, by name."""


def learn_all(examples: Sequence[Example]) -> dict[str, Learnt]:
    """Return what each method learns from labelled pages, by its name."""
    return {name: learn(create(name), examples) for name in METHODS}


def ship(learnt: Mapping[str, Learnt], layout: str, folder: Path) -> None:
    """Write what was learnt, by name of the method, into a folder: the files of one layout."""
    confidence = {name: trust for one in learnt.values() for name, trust in one.describer.confidence.items()}
    roles = next(iter(learnt.values())).describer.roles
    write_describer(folder / f"{layout}.roles", Describer(roles, confidence))
    write_blocks(folder / f"blocks-{layout}.json", replace(learnt["learntcut"].method.model_, name="trained"))
    paper = [learnt[name].method.weights_ for name in ("gcuts", "cclus")]
    parameters = {method: values for weights in paper for method, values in weights.parameters.items()}
    write_weights(folder / f"{layout}.json", replace(paper[0], name="trained", parameters=parameters))
