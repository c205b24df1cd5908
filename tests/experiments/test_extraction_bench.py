"""Tables of the comparison of extraction, from pages made here."""

from __future__ import annotations

import pytest

from experiments import extraction_bench as bench
from webgrain.evaluation.extraction import Extraction, Extractor, ReferencePage, summaries
from webgrain.page.page import Page, Source

HTML = "<link rel=canonical href=http://www.example.org/a><p>One two</p><ul><li>Three</ul>"
BODY = HTML.encode()
ELEMENTS = "<li>Three<li>Four"
PAGES = [
    ReferencePage(Source("a", BODY), group="first", text="One two", html=ELEMENTS, authors=("Kim",)),
    ReferencePage(Source("b", BODY, url="https://example.com/b"), group="first", text="One two"),
    ReferencePage(Source("c", BODY, url="https://example.net/"), group="second", date="", authors=()),
]


def read(page: Page) -> Extraction:
    if page.url == "https://example.com/b":
        raise RuntimeError("no text")
    return Extraction(text="One two", html="<li>Three", authors=("Kim",), date="2020-01-01")


PROGRAMS = [
    Extractor("webgrain", ("text", "html", "authors", "date"), read),
    Extractor("other", ("text",), lambda _: Extraction(text="One")),
]


def test_tables_have_a_row_per_suite_and_program(capsys: pytest.CaptureFixture[str]) -> None:
    results, domains = bench.compare(PAGES, PROGRAMS)
    assert capsys.readouterr().err == "webgrain failed on 1 pages.\n"
    assert list(domains.values()) == ["example.org", "example.com", "example.net"]
    tables = bench.result_tables(summaries(results))
    assert set(tables) == {"text", "recall", "precision", "authors", "dates", "elements"}
    columns = [
        "program",
        "f1",
        "precision",
        "recall",
        "low",
        "false",
        "false largest",
        "lost",
        "lost largest",
    ]
    assert tables["text"]["columns"] == columns
    assert tables["text"]["rows"][0][:5] == ["first: webgrain", 0.5, 0.5, 0.5, 0.5]
    assert [row[0] for row in tables["text"]["rows"]] == ["first: webgrain", "first: other"]
    assert tables["recall"] == {"columns": ["program", "item"], "rows": [["first: webgrain", 0.5]]}
    assert tables["elements"]["rows"] == [["item", 2, "1 of 1"]]
    assert tables["authors"]["columns"] == [
        "program",
        "stated",
        "not stated",
        "right",
        "wrong",
        "missing",
        "invented",
    ]
    assert tables["authors"]["rows"] == [
        ["first: webgrain", 1, 0, 1.0, 0.0, 0.0, None],
        ["second: webgrain", 0, 1, None, None, None, 1.0],
    ]
    assert tables["dates"] == {
        "columns": ["program", "stated", "not stated", "invented"], "rows": [["second: webgrain", 0, 1, 1.0]],
    }  # fmt: skip


def test_pages_of_domains_of_the_training_data() -> None:
    results, domains = bench.compare(PAGES[:2], PROGRAMS)
    overlap = bench.overlap_table(results, domains, {"example.com", "example.net"})
    assert overlap["rows"] == [["first", 2, 2, 1, 1, "f1", 0.5, 1.0]]


def test_other_programs_read_a_page() -> None:
    first, second = (
        " ".join(f"Sentence number {k} is about the weather of {month}." for k in range(12))
        for month in ("May", "June")
    )
    head = "<!doctype html><html><head><title>Rain</title></head>"
    main = f"<main><h1>Rain</h1><p>{first}</p><p>{second}</p></main>"
    body = f"{head}<body><nav><a href=/>Home</a></nav>{main}</body></html>".encode()
    page = ReferencePage(Source("a", body), group="g", text=f"{first} {second}")
    programs = list(bench.installed_peers())
    if not programs:
        pytest.skip("no other program is installed")
    results, _ = bench.compare([page], programs)
    assert [one.error for one in results] == [None] * len(programs)
    scores = bench.result_tables(summaries(results)).get("text", {"rows": []})["rows"]
    assert all(row[1] > 0.9 for row in scores)
