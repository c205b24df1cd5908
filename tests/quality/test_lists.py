"""Lists of the bench: row F1 on sites that were left out of training, and exactness of the selectors."""

from __future__ import annotations

import numpy as np
import pytest
from tests.quality.gate import check

from webgrain.base.errors import InputError


@pytest.mark.full
def test_lists_of_left_out_sites() -> None:
    pytest.importorskip("sklearn", reason="training needs scikit-learn")
    lists = pytest.importorskip("experiments.lists")
    try:
        found = np.array([figures for _, figures in lists.measure(5)])
    except InputError as error:
        pytest.skip(f"the bench is absent: {error}")
    check("lists", dict(zip(lists.MEASURES, np.nanmean(found, axis=0).tolist(), strict=True)))
