"""Readers of model files: a changed file is a model that can be used, or an `InputError`, never more."""

from __future__ import annotations

import contextlib
import json
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hostile.models import KINDS, mutated, pages, valid

from webgrain.base.errors import InputError
from webgrain.base.modelfile import read_model

if TYPE_CHECKING:
    from random import Random


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(random=st.randoms(use_true_random=False))
def test_a_changed_file_is_a_model_or_an_error(kind: str, random: Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(mutated(kind, random))
        with contextlib.suppress(InputError):
            KINDS[kind].use(KINDS[kind].read(path), pages()[0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_valid_file_can_be_used(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(valid(kind))
    KINDS[kind].use(KINDS[kind].read(path), pages()[0])


def test_a_template_whose_last_node_lacks_statistics_is_refused(tmp_path: Path) -> None:
    values = json.loads(valid("template"))
    del values["nodes"][-1]["statistics"]
    path = tmp_path / "model"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(InputError, match="some nodes have statistics"):
        KINDS["template"].read(path)


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_other_kinds_are_rejected(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    for other in KINDS:
        if other != kind and {kind, other} != {"layouts", "patterns"}:
            path.write_bytes(valid(other))
            with pytest.raises(InputError):
                KINDS[kind].read(path)


def test_many_small_values_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b'{"format": "example", "version": 1, "x": [' + b"[]," * 2**22 + b"[]]}")
    with pytest.raises(InputError, match="more than 8,388,608 values"):
        read_model(path, "example", 1)


@pytest.mark.parametrize("head", ["{'descr': '<f8', 'fortran_order': False, 'shape': (", "{1: 2, b'x': 3}"])
def test_a_damaged_header_of_an_array_gives_one_sentence(tmp_path: Path, head: str) -> None:
    path = tmp_path / "model"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps({"format": "example", "version": 1}))
        archive.writestr("x.npy", b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head.encode())
    with pytest.raises(InputError, match="an array without a header"):
        read_model(path, "example", 1)
