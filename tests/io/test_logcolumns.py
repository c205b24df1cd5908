"""Columns of logs by name and by content."""

from __future__ import annotations

import pytest

from webgrain.io.queries import find_columns


@pytest.mark.parametrize(
    ("rows", "address", "query", "clicks", "heading"),
    [
        ([["クエリ", "ページ", "クリック数"], ["灯", "https://a/b", "1"]], 1, 0, 2, 1),
        ([["https://a/b", "lamp", "3"], ["https://a/c", "rope", "4"]], 0, 1, 2, 0),
        ([["x", "y"], ["https://a/b", "lamp"], ["https://a/c", "rope"]], 0, 1, None, 1),
        ([["Top queries", "Clicks"], ["lamp", "1"]], None, 0, 1, 1),
    ],
)
def test_columns_are_found(rows, address, query, clicks, heading):
    found = find_columns(rows)
    assert (found.address, found.query, found.clicks, found.heading) == (address, query, clicks, heading)


def test_an_empty_table_has_no_columns():
    assert find_columns([]) is None
