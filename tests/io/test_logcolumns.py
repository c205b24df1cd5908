"""Columns of logs by name and by content."""

from __future__ import annotations

import pytest

from webgrain.io.queries import find_columns, read_queries
from webgrain.page.links import canonical


@pytest.mark.parametrize(
    ("rows", "address", "query", "clicks", "heading"),
    [
        ([["クエリ", "ページ", "クリック数"], ["灯", "https://a/b", "1"]], 1, 0, 2, 1),
        ([["https://a/b", "lamp", "3"], ["https://a/c", "rope", "4"]], 0, 1, 2, 0),
        ([["x", "y"], ["https://a/b", "lamp"], ["https://a/c", "rope"]], 0, 1, None, 1),
        ([["Top queries", "Clicks"], ["lamp", "1"]], None, 0, 1, 1),
        ([["Visits", "url", "query"], ["3", "https://a/b", "lamp"]], 1, 2, 0, 1),
        ([["Query", "URL", "Impressions"], ["lamp", "https://a/b", "90"]], 1, 0, None, 1),
        (
            [["Ordet", "Stedet", "Tal"], ["lamp", "https://a/b", "3"], ["rope", "https://a/c", "4"]],
            1,
            0,
            2,
            1,
        ),
    ],
)
def test_columns_are_found(rows, address, query, clicks, heading):
    found = find_columns(rows)
    assert (found.address, found.query, found.clicks, found.heading) == (address, query, clicks, heading)


AOL = """AnonID\tQuery\tQueryTime\tItemRank\tClickURL
142\tblue lamp\t2006-03-01 07:17:12\t3\thttp://www.example.org
142\trent a sofa\t2006-03-12 12:31:06\t\t
217\tblue lamp\t2006-03-03 17:01:31\t1\thttp://www.example.org
"""


def test_each_row_of_an_aol_log_is_a_click(tmp_path):
    """Columns of users and of ranks are no numbers of clicks."""
    file = tmp_path / "log.txt"
    file.write_text(AOL)
    log = read_queries(file)
    assert log.clicks_on("start", [canonical("http://www.example.org")]) == (2, ["blue lamp"])
    assert (log.rows, log.unused) == (3, 1)
    without_clicks = "".join(AOL.splitlines(keepends=True)[:1] + AOL.splitlines(keepends=True)[2:3])
    file.write_text(without_clicks)
    assert read_queries(file).unused == 1


def test_an_empty_table_has_no_columns():
    assert find_columns([]) is None
