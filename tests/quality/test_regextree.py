"""Noise found with the templates of five sites, and pages of other types told apart."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.conftest import ROOT
from tests.quality.gate import check

from webgrain.evaluation.corpora import NEWS, SITES, NoiseScore

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

pytestmark = pytest.mark.data
JUDGE = 30
"""Pages of each site that are judged here; the experiment judges 65."""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_noise_of_five_sites(data_dir: Path) -> None:
    for part in ("news", "sites"):
        if not (data_dir / part).is_dir():
            pytest.skip(f"no sites with articles: the folder {data_dir / part} does not exist")
    figure1: Any = load(ROOT / "experiments" / "template_figure1.py")
    means = np.mean([figure1.judge(data_dir, name, JUDGE).mean(axis=0) for name in (*NEWS, *SITES)], axis=0)
    told = dict(zip(NoiseScore._fields, means.tolist(), strict=True))
    check("sites with articles, noise", {name: told[name] for name in NoiseScore._fields[:4]})
