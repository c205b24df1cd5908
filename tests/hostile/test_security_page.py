"""Each statement of SECURITY.md names tests, which exist, and its limits are those of the program."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.test_architecture import MODULES

from webgrain.base import modelfile
from webgrain.cli.options import Browser, InputOptions
from webgrain.crawler import thresholds as crawler
from webgrain.engines import guard
from webgrain.io import thresholds as io
from webgrain.io.urls import Timeouts
from webgrain.page import thresholds as page
from webgrain.page.page import Limits
from webgrain.rendering import thresholds as rendering
from webgrain.site import thresholds as site

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
STATEMENTS = PAGE.partition("## Statements without a test")[0].partition("## Trusted")[2]
TESTS = r"\[`test_\w+`(?:,\s+`test_\w+`)*\]"
"""Names of tests in brackets."""

LIMITS = {
    "a page: # MiB": Limits().bytes / 2**20,
    "# nodes, ": Limits().nodes,
    "# levels": Limits().depth,
    "# for each byte of a page, at least": page.STEPS_PER_BYTE,
    "at least # million and": page.FREE_STEPS / 10**6,
    "at most # million |": page.MAX_STEPS / 10**6,
    "`--page-seconds` (# s of": InputOptions(["-"]).page_seconds,
    "`--page-memory` (# MB": InputOptions(["-"]).page_memory,
    "at most # million characters each": page.MAX_ADDRESSES / 2**20,
    "links are resolved: # characters": page.LONGEST_URL,
    "layers of compression: #,": io.LAYERS,
    "in total # times its size": io.BOMB_RATIO,
    "of a web archive: # |": io.REPAIRS,
    "a search log: # million rows": io.MAX_LOG_ROWS / 10**6,
    "# addresses, 1 GiB": io.MAX_LOG_ADDRESSES,
    "addresses, # GiB of tables": io.MAX_LOG_BYTES / 2**30,
    "# million characters of a line": io.MAX_RECORD / 2**20,
    "# columns that are looked at": io.MAX_COLUMNS,
    "a model file: # million values": modelfile._MAX_VALUES / 2**20,
    "a file that a page loads: # MiB": io.MAX_ASSET / 2**20,
    "you name: # s,": Timeouts().total,
    "60 s, # redirects": io.REDIRECTS,
    "`--timeout`, # KiB of headers": crawler.HEADER_BYTES / 2**10,
    "the style sheets of a crawl: # of": crawler.SHEETS,
    "500 of # MiB": io.MAX_SHEET / 2**20,
    "# of a page, imports five deep": crawler.PAGE_SHEETS,
    "the first # KiB are read": site.ROBOTS_BYTES / 2**10,
    "a robots.txt: the first # KiB": crawler.ROBOTS_READ / 2**10,
    "a delay that it requests: # s": crawler.CRAWL_DELAY,
    "the sitemaps of a site: # with": site.MOST_SITEMAPS,
    "with # million bytes each": site.SITEMAP_BYTES / 10**6,
    "# million in web archives": site.SITEMAPS_BYTES / 10**6,
    "# addresses of 2 048 characters": site.MOST_ENTRIES,
    "addresses of # characters": site.ENTRY_CHARACTERS,
    "`--timeout` (# s); a picture": Browser().timeout,
    "a picture of # x": rendering.MAX_WIDTH,
    "4 000 x # px": rendering.MAX_HEIGHT,
    "up to # files to which": site.REQUESTED_FILES,
}
"""Limits as the page states them; # is the number."""

NUMBERS = {
    "four": guard.MOST_LEFT_OUT,
    "imports five deep": crawler.SHEET_DEPTH,
    "three times the size of the page": page.ADDRESS_SHARE,
}
"""Numbers that are words on the page."""


def test_all_named_tests_exist() -> None:
    known = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 100
    assert named - known == set()


def test_each_row_names_a_test() -> None:
    rows = [line for line in STATEMENTS.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 15
    for row in rows:
        assert re.fullmatch(r"\| .+ \| `test_\w+`(?:, `test_\w+`)* \|", row), row


def test_each_sentence_names_a_test() -> None:
    points = [text for text in re.split(r"\n(?=- |\n|\|)", STATEMENTS) if text.startswith("- ")]
    assert len(points) > 30
    for point in points:
        sentences = re.split(TESTS, point)
        assert sentences.pop().strip() == "", point
        for sentence in sentences:
            text = " ".join(sentence.split())
            assert text.endswith("."), text
            assert not re.search(r"\. [A-Z`]", text), text


def test_what_is_no_statement_is_known() -> None:
    """Sentences outside of the table and the lists have no tests: there are only these."""
    paragraphs = [text for text in STATEMENTS.split("\n\n") if text[:2] not in ("- ", "| ", "##")]
    starts = [text.strip().partition(" ")[0] for text in paragraphs if text.strip()]
    assert starts == ["and", "Data", "`benchmarks/bench_hostile.py"]


def test_the_limits_of_the_page_are_those_of_the_program() -> None:
    text = " ".join(PAGE.split())
    for phrase, value in LIMITS.items():
        assert value == int(value), phrase
        assert phrase.replace("#", f"{int(value):,}".replace(",", " ")) in text
    assert NUMBERS == {"four": 4, "imports five deep": 5, "three times the size of the page": 3}
    for words in NUMBERS:
        assert words in text


def test_only_the_files_of_learning_and_of_an_engine_are_unpickled() -> None:
    """Another module that unpickles is reported, and so is `numpy.load` that may unpickle."""
    reading = set()
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("load", "loads", "Unpickler"):
                called = ast.unparse(node)
                if called.partition(".")[0] in ("pickle", "marshal", "shelve", "joblib"):
                    reading.add(name)
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert ast.unparse(node.value) == "False", name
    assert reading == {"webgrain.engines.local", "webgrain.site.stages.learning", "webgrain.site.samplefiles"}
