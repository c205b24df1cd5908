"""Calls a page of each task on the sample site: a bound for speed that does not depend on the machine."""

from __future__ import annotations

import pytest
from benchmarks.bench_calls import calls_by_task, sample_pages
from tests.quality.gate import check


@pytest.mark.full
def test_calls_of_each_task() -> None:
    check("calls", calls_by_task(sample_pages()))
