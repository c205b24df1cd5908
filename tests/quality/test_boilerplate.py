"""Boilerplate words of the bench, on sites that were left out of training."""

from __future__ import annotations

import numpy as np
import pytest
from tests.quality.gate import check

from webgrain.base.errors import InputError


@pytest.mark.full
def test_boilerplate_of_left_out_sites() -> None:
    pytest.importorskip("sklearn", reason="training needs scikit-learn")
    training = pytest.importorskip("experiments.training.boilerplate")
    try:
        examples = training.all_examples()
    except InputError as error:
        pytest.skip(f"the bench, or the reader's models of left-out sites, are absent: {error}")
    _, *methods = training.evaluate(examples, training.left_out(examples))
    for name, found in zip(("", "in samples, "), methods, strict=True):
        precision, recall = np.mean(list(found.values()), axis=0).tolist()
        check("boilerplate", {f"{name}precision": precision, f"{name}recall": recall})
