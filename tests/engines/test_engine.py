from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.conftest import ROOT

from webgrain.base.errors import MissingExtraError, ParameterError
from webgrain.engines import engine
from webgrain.engines.local import Local
from webgrain.engines.ray import Ray

if TYPE_CHECKING:
    from pathlib import Path


def test_engines_by_name() -> None:
    assert engine() == Local()
    assert engine("local", 3) == Local(3)
    assert engine("ray", 3) == Ray(3)
    with pytest.raises(ParameterError, match=r"engine must be one of local, ray, got 'dask'\."):
        engine("dask")  # type: ignore[arg-type]


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"The Ray engine needs ray: pip install 'webgrain\[ray\]'"):
        list(engine("ray", 1).map(len, ["a"]))


def test_a_function_of_a_script_cannot_be_sent_to_a_cluster() -> None:
    def task(number: int) -> int:
        return number

    task.__module__ = "__main__"
    with pytest.raises(ParameterError, match=r"a module that all machines have, got task of a script\."):
        list(engine("ray", 1).map(partial(task), [1]))


def test_the_example_of_a_stage(tmp_path: Path) -> None:
    archives = [ROOT / "examples" / "site" / name for name in ("en/people", "en/harbour")]
    command = [sys.executable, ROOT / "examples" / "own_stage.py", tmp_path, *archives]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    lines = {path.name: path.read_text("utf-8").splitlines() for path in tmp_path.iterdir()}
    assert sorted(lines) == ["harbour.jsonl", "people.jsonl"]
    assert sorted(result.split("\n")) == ["", f"harbour {len(lines['harbour.jsonl'])}", "people 5"]
    assert json.loads(lines["harbour.jsonl"][0])[1].endswith("The Sandrey Lantern")
