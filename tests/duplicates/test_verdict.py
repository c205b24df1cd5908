from __future__ import annotations

import numpy as np
import pytest

from webgrain.duplicates.search import VERDICTS, Evidence, judge

NAN = float("nan")


@pytest.mark.parametrize(
    ("same", "whole", "content", "frame", "kept", "expected"),
    [
        (True, 1.0, 1.0, 1.0, 1.0, "identical"),
        (True, 0.1, NAN, NAN, NAN, "identical"),
        (False, 0.8, 0.9, 0.9, 1.0, "near-duplicate"),
        (False, 0.8, NAN, NAN, NAN, "near-duplicate"),
        (False, 0.9, 0.0, 0.9, 0.25, "near-duplicate"),  # cut otherwise, but the words are there
        (False, 0.9, 0.0, 0.9, 0.2, "same-template"),  # what is shared is the frame
        (False, 0.79, 0.8, 0.0, 1.0, "same-content"),
        (False, NAN, 0.8, NAN, 1.0, "same-content"),
        (False, 0.4, 0.79, 0.5, 0.9, "same-template"),
        (False, 0.4, 0.79, 0.49, 0.9, "distinct"),
        (False, NAN, NAN, NAN, NAN, "distinct"),
    ],
)
def test_verdicts(same: bool, whole: float, content: float, frame: float, kept: float, expected: str) -> None:
    numbers = (np.array([x]) for x in (whole, content, frame, kept))
    assert VERDICTS[judge(Evidence(np.array([same]), *numbers), 0.8)[0]].value == expected
