from __future__ import annotations

import re

from webgrain.duplicates.sketches import PageText
from webgrain.page.parsing import parse_html
from webgrain.report.difference import LENGTH, as_html, as_text
from webgrain.site.duplicates import compare_pages

LEFT = [
    "Menu of the first",
    "one two three four five six seven eight",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "end",
]
RIGHT = [
    "Another menu",
    "one two three four five six seven nine",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "end",
    "ad",
]


def page(name: str, lines: list[str]) -> PageText:
    return PageText(name, "\n".join(lines))


FOUND = compare_pages([page("a", LEFT), page("b", RIGHT)])


def test_as_text() -> None:
    assert list(as_text(FOUND, 84))[1:7] == [
        f"{'a':40} | b",
        "< 15 of 20 words shared",
        "> 15 of 19 words shared",
        "",
        f"{'[-Menu of the first-]':40} | {{+Another menu+}}",
        f"{'one two three four five six seven':40} | one two three four five six seven",
    ]


def test_equal_lines_are_left_out() -> None:
    text = "\n".join(as_text(FOUND))
    assert "(4 equal lines)" in text
    assert "[-eight-]" in text
    assert "{+nine+}" in text
    assert re.search(r"^ +> \{?\+?ad", text, re.MULTILINE)
    assert "[-a-]" not in text  # it is too short for a shingle, but its neighbour is the same


def test_the_terminal_is_safe() -> None:
    text = "\n".join(as_text(compare_pages([PageText("a\x1b[31m", "x\x1b[2Jy"), PageText("b", "z")])))
    assert "\x1b" not in text


def test_as_html() -> None:
    html = as_html(FOUND)
    assert "<mark>eight</mark>" in html
    assert "<mark>nine</mark>" in html
    assert "15 of 20 words shared" in html
    assert "http" not in html.replace("http-equiv", "")


def test_hostile_pages_stay_text() -> None:
    nasty = '</td><script>alert(1)</script><img src=x onerror="x">'
    html = as_html(compare_pages([page(nasty, [nasty, "x" * 3 * LENGTH]), page("b", ["b"])]))
    dom = parse_html(html.encode())
    assert not {"script", "img"} & {dom.name(node) for node in range(len(dom))}
    assert "x" * (LENGTH + 1) not in html
    assert "default-src 'none'" in html
