from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.papers.webstemmer import Pattern, Section
from webgrain.papers.webstemmer2007 import (
    OriginalWebstemmer,
    format_patterns,
    parse_patterns,
    read_patterns,
    write_patterns,
)

if TYPE_CHECKING:
    from pathlib import Path

# A pattern as the description prints one: on several lines, with remarks for the reader.
PRINTED = """### version=0.6.0                (Webstemmer Version)
### fname='news.zip'             (Source file used for learning)
### cluster_threshold=0.950000   (Clustering threshold of page similarity)
### title_threshold=0.700000
### pages=74                     (Total number of pages used for learning)

# 375.5 <2005/a.html> (pattern 1)
#       (Pages which belong to this cluster)
#       2005/a.html
#       2005/b.html
(375.5,                          (Overall score of the cluster)
 '2005/a.html', (Cluster ID)
 1,                              (Index of the title layout block in the sequence)
 [                               (List of layout blocks)
  # (diffscore, mainscore, block feature)
  (0.54130434782608694, 24.899999999999999, 'title'),
  (0.76, 23.7, 'tr:valign=top/td:id=story/h1'),
  (0.0, 0.0, "td:class=it's (a) [menu/p"),
  (0.99, 2262.8, 'tr:valign=top/td:id=story/p')
  ]
)
"""


def test_the_printed_form_and_the_joined_line_are_the_same() -> None:
    method = parse_patterns(PRINTED)
    assert (method.n_pages_, method.cluster_threshold, method.title_threshold) == (74, 0.95, 0.7)
    pattern = method.patterns_[0]
    assert (pattern.score, pattern.name, pattern.title) == (375.5, "2005/a.html", 1)
    assert pattern.pages == ("2005/a.html", "2005/b.html")
    assert [section.feature for section in pattern.sections][2] == "td:class=it's (a) [menu/p"
    joined = format_patterns(method)
    assert parse_patterns(joined).patterns_ == method.patterns_
    assert sum(not line.startswith("#") for line in joined.splitlines() if line) == 1


def test_files_are_readable_by_the_documented_rules() -> None:
    sections = (Section(0.5, 60.25, "div:id=main/p"), Section(0.9, 1.0, "h1"))
    method = OriginalWebstemmer()
    method.patterns_ = (Pattern(12.5, "ü\n'x'", 0, sections, ("ü\n'x'", "b")),)
    text = format_patterns(method)
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    score, name, title, blocks = ast.literal_eval(lines[0])
    assert (score, name, title) == (12.5, "ü\n'x'", 0)
    assert blocks == [(0.5, 60.25, "div:id=main/p"), (0.9, 1.0, "h1")]


def test_old_patterns_have_a_fifth_item_and_some_no_title() -> None:
    method = parse_patterns("(1.0, 'a', 0, 1, [(0.1, 2, 'p'), (0.2, 3, 'q')])\n(1.0, 'b', None, [])\n")
    assert [pattern.title for pattern in method.patterns_] == [0, -1]


def test_mangling_is_kept() -> None:
    method = parse_patterns("!mangle_pat='[a-z]+'\n(1.0, 'a', 0, [(0.1, 2, 'p')])")
    assert method.mangle == "[a-z]+"
    assert "!mangle_pat='[a-z]+'\n" in format_patterns(method)


@pytest.mark.parametrize(
    "text",
    [
        "(__import__('os').system('true'), 'a', 0, [])",
        "(1.0, 'a', 0, [(0.1, 2, 'p'",
        "(1.0, 'a', 0)",
        "(1.0, 'a', 0, [(0.1, 2)])",
        "(1.0, 'a', 0, [(1e999, 2, 'p')])",
        "(True, 'a', 0, [])",
        "nonsense",
        "(" * 100_000 + ")" * 100_000,
        "9" * 5000,
        "!mangle_pat='(a+)+$'",
        "!mangle_pat=__import__",
    ],
    ids=range(11),
)
def test_what_is_no_pattern_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ParameterError) as error:
        parse_patterns(text)
    assert "\n" not in str(error.value)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.pat"
    write_patterns(path, parse_patterns(PRINTED), "site/")
    assert read_patterns(path).patterns_ == parse_patterns(PRINTED).patterns_
    with pytest.raises(InputError, match="Cannot read patterns"):
        read_patterns(tmp_path / "none.pat")
    with pytest.raises(InputError, match="cannot be written"):
        write_patterns(tmp_path / "none" / "a.pat", OriginalWebstemmer())
    path.write_bytes(b"\x00\xff nonsense")
    with pytest.raises(InputError, match="is not a pattern file"):
        read_patterns(path)


def test_pages_are_read_by_a_pattern() -> None:
    method = parse_patterns(
        "(9.0, 'a', 1, [(0.6, 9.0, 'title'), (0.8, 9.0, 'div:id=story/h1'), (0.9, 300.0, 'div:id=story/p'), "
        "(0.7, 9.0, 'div:id=date'), (0.0, 0.0, 'div:id=foot')])"
    )
    strict = OriginalWebstemmer(strict=True)
    strict.patterns_ = method.patterns_
    html = (
        "<title>The title - Site</title>"
        "<div id=story><h1>The title</h1><p>First paragraph.<p>Second one.</div>"
        "<div id=date>1 January 2026</div><div id=foot>All rights reserved</div>"
    )
    page = parse(Source("a.html", html.encode()))
    article = method.predict(page)
    assert (article.verdict, article.title) == ("article", "The title")
    assert article.text == "First paragraph.\n\nSecond one."
    assert article.sub == ("The title - Site", "1 January 2026")
    assert strict.predict(page).verdict == "article"
    shorter = parse(Source("b.html", html.replace("<div id=foot>All rights reserved</div>", "").encode()))
    assert method.predict(shorter).verdict == "article"
    assert strict.predict(shorter).verdict == "unknown"
    assert method.predict(parse(Source("c", b"<p>Other text"))).verdict == "unknown"
