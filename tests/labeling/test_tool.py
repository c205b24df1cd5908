"""The tool in a real browser: actions of a person and the resulting file."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import PATIENCE
from tests.labeling.conftest import running

from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.labeling.app import LabelApp, LabelServer
from webgrain.rendering.chromium import Chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webgrain.page.page import Page, Source

pytestmark = pytest.mark.browser

BODY = "/html[1]/body[1]"
REFUSED = re.compile("status of (409|422|503)")  # the message of the browser itself
PAGE = """<!doctype html><title>A</title>
<style>
body, ul, li, p, h1 { margin: 0; padding: 0; list-style: none } li, p, h1 { height: 40px; line-height: 40px }
</style>
<ul><li>Home</li><li>News</li></ul><main><h1>Welcome</h1><p>First</p><p>Second</p></main>"""
HOSTILE = """<!doctype html><title>&lt;script>hacked = 1&lt;/script></title><script>hacked = 1</script>
<p id="<img src=x onerror=hacked=1>" class="&quot;><script>hacked=1</script>" onclick="hacked=1">
&lt;img src=x onerror="hacked=1">&lt;/script>&lt;script>hacked=1&lt;/script><p>Two"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "b.html").write_text("<!doctype html><title>Nothing to be seen</title>", encoding="utf-8")
    (tmp_path / "c<img src=x onerror=hacked=1>.html").write_text(HOSTILE, encoding="utf-8")
    return tmp_path


class RenderedOnce:
    """Renders each page once, since many tests show the same ones."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._rendered: dict[tuple[str, bytes], Page] = {}

    def render(self, source: Source, screenshot: bool = False) -> Page:
        key = (source.id, source.body)
        if key not in self._rendered:
            self._rendered[key] = self._chromium.render(source, screenshot=screenshot)
        return self._rendered[key]


@pytest.fixture(scope="module")
def chromium(browser_path: str) -> Iterator[Any]:
    """Lays out the pages that are labelled."""
    with Chromium(executable=browser_path, timeout=PATIENCE) as chromium:
        yield RenderedOnce(chromium)


@contextmanager
def serving(folder: Path, annotator: str, chromium: Any) -> Iterator[str]:
    with LabelApp(folder, annotator, chromium) as app, LabelServer(app) as server, running(server):
        yield server.url


@pytest.fixture
def tab(driven_browser: Any) -> Iterator[Any]:
    """Tab of the annotator's browser; messages in its console, except about refused pages, are errors."""
    messages: list[str] = []
    tab = driven_browser.new_page(viewport={"width": 1400, "height": 900})
    tab.set_default_timeout(PATIENCE * 1000)
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    yield tab
    tab.context.close()
    assert [text for text in messages if not REFUSED.search(text)] == []


@pytest.fixture
def tool(folder: Path, chromium: Any, tab: Any) -> Iterator[Any]:
    """The tool with its first page open."""
    with serving(folder, "kim", chromium) as url:
        tab.goto(url)
        shown(tab, "a.html")
        yield tab
        tab.goto("about:blank")


def until(tab: Any, condition: str) -> None:
    """Wait until a condition holds; Playwright's own way to wait is against the policy of the tool."""
    for _ in range(4000):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(15)
    pytest.fail(f"no {condition} in time; the tool shows: {tab.inner_text('body')[:500]}")


def shown(tab: Any, page: str) -> None:
    """Wait until a page is shown."""
    until(tab, f"title.textContent === {json.dumps(page)} && !sheet.hidden && picture.naturalWidth > 0")


def at(tab: Any, x: float, y: float) -> tuple[float, float]:
    """Where a point of the page, in its own px, is in the window."""
    frame = tab.locator("#marks").bounding_box()
    scale = frame["width"] / 1366
    return frame["x"] + x * scale, frame["y"] + y * scale


def click(tab: Any, x: float, y: float, *, shift: bool = False) -> None:
    if shift:
        tab.keyboard.down("Shift")
    tab.mouse.move(*at(tab, x - 1, y))
    tab.mouse.click(*at(tab, x, y))
    if shift:
        tab.keyboard.up("Shift")


def drag(tab: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    tab.mouse.move(*at(tab, *start))
    tab.mouse.down()
    tab.mouse.move(*at(tab, *end), steps=4)
    tab.mouse.up()


def press(tab: Any, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def saved(tab: Any, folder: Path, page: str = "a.html", annotator: str = "kim") -> list[Any]:
    """Segments of a page in the file, once all changes are saved."""
    found: list[Any] = record_of(tab, folder, page, annotator).get("segments", [])
    return found


def record_of(tab: Any, folder: Path, page: str = "a.html", annotator: str = "kim") -> Any:
    """Record of a page in the file, once all changes are saved."""
    until(tab, "saved.textContent === 'Saved'")
    records = map(json.loads, (folder / f"labels-{annotator}.jsonl").read_text("utf-8").splitlines())
    return next((record for record in records if record["page"] == page), {})


def test_a_click_marks_and_a_letter_gives_the_role(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]"]}]
    press(tool, "m")
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]"], "role": "menu"}]
    assert tool.locator("#roles [aria-pressed=true]").inner_text().split() == ["m", "menu"]
    assert "1 menu" in tool.locator("#marks .chip").text_content()
    press(tool, "0")
    assert "role" not in saved(tool, folder)[0]


@pytest.mark.full
def test_the_arrow_key_goes_to_the_part_around(tool: Any, folder: Path) -> None:
    tool.mouse.move(*at(tool, 10, 20))
    press(tool, "ArrowUp")
    assert "ul" in tool.locator("#here").inner_text()
    tool.mouse.click(*at(tool, 12, 22))  # the pointer may move inside of it
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]"]}]


@pytest.mark.full
def test_the_wheel_with_shift_goes_up_too(tool: Any, folder: Path) -> None:
    tool.mouse.move(*at(tool, 10, 20))
    tool.keyboard.down("Shift")
    tool.mouse.wheel(0, -100)
    tool.keyboard.up("Shift")
    until(tool, "here.textContent.includes('2 leaves')")
    press(tool, "Enter")
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]"]}]


@pytest.mark.full
def test_undo_and_redo(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    press(tool, "m")
    click(tool, 10, 100)
    after = saved(tool, folder)
    assert len(after) == 2
    press(tool, "Control+z", "Control+z")
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]"]}]
    press(tool, "Control+z")
    assert saved(tool, folder) == []
    assert tool.locator("#undo").is_disabled()
    press(tool, "Control+y", "Control+y", "Control+Shift+z")
    assert saved(tool, folder) == after
    assert tool.locator("#redo").is_disabled()


def test_dragging_marks_the_largest_parts_in_the_rectangle(tool: Any, folder: Path) -> None:
    drag(tool, (300, 130), (1, 2))
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]", f"{BODY}/main[1]/h1[1]"]}]
    assert "3 of 5 leaves" in tool.locator("#facts").inner_text()


@pytest.mark.full
def test_dragging_over_nothing_marks_nothing(tool: Any, folder: Path) -> None:
    drag(tool, (600, 10), (900, 100))
    assert tool.locator("#count").inner_text() == "0 segments"
    assert not list(folder.glob("labels-*"))


def test_shift_adds_to_the_segment_and_removes_from_it(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    click(tool, 10, 180, shift=True)
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]", f"{BODY}/main[1]/p[2]"]}]
    click(tool, 10, 20, shift=True)
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/main[1]/p[2]"]}]


def test_a_part_replaces_only_the_inner_parts_of_its_own_segment(tool: Any, folder: Path) -> None:
    click(tool, 10, 140)
    press(tool, "a", "Escape")
    click(tool, 10, 100)
    press(tool, "ArrowUp", "Shift+Enter")
    found = saved(tool, folder)
    assert found == [{"xpath": [f"{BODY}/main[1]"]}, {"xpath": [f"{BODY}/main[1]/p[1]"], "role": "article"}]
    assert "3 of 5 leaves" in tool.locator("#facts").inner_text()


def test_del_removes_and_a_click_on_a_segment_chooses_it(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    click(tool, 10, 60)
    click(tool, 10, 20)
    press(tool, "Delete")
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[2]"]}]
    press(tool, "Delete")  # none is chosen now
    assert tool.locator("#count").inner_text() == "1 segment"
    tool.locator("#marks .chip").click()
    press(tool, "Delete")
    assert saved(tool, folder) == []


def test_the_keyboard_alone_does_it_all(tool: Any, folder: Path) -> None:
    tool.locator("#stage").focus()
    press(tool, "ArrowDown", "ArrowDown", "Enter", "m")  # html, then ul
    press(tool, "ArrowRight", "Enter", "c")
    assert saved(tool, folder) == [
        {"xpath": [f"{BODY}/ul[1]"], "role": "menu"},
        {"xpath": [f"{BODY}/main[1]"], "role": "content"},
    ]
    press(tool, ".")
    assert "Every leaf is in a segment" in tool.locator("#here").inner_text()
    press(tool, "Delete", ".")
    assert "Welcome" in tool.locator("#here").inner_text()
    press(tool, "?")
    assert tool.locator("#help").is_visible()
    press(tool, "Delete", "Escape")
    assert not tool.locator("#help").is_visible()
    assert tool.locator("#count").inner_text() == "1 segment"


@pytest.mark.full
def test_enter_marks_after_a_click_on_a_button(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    tool.locator("#roles [data-role=menu]").click()
    press(tool, "ArrowRight", "Enter")
    tool.locator("#segments button").first.click()
    press(tool, "Delete")
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[2]"]}]


@pytest.mark.full
def test_where_no_further_page_can_be_shown_it_stays(tool: Any, folder: Path) -> None:
    (folder / "c<img src=x onerror=hacked=1>.html").unlink()
    press(tool, "n")
    until(tool, "document.querySelectorAll('#pages .failed').length === 2")
    shown(tool, "a.html")
    tool.locator("#pages button").nth(1).click()
    until(tool, "message.textContent.includes('nothing is visible')")
    assert tool.locator("#suggest").is_disabled()


def test_a_suggestion_fills_in_unmarked_parts(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    press(tool, "m", "g")
    until(tool, "facts.textContent.startsWith('5 of 5')")
    found = saved(tool, folder)
    assert {"xpath": [f"{BODY}/ul[1]/li[1]"], "role": "menu"} in found
    press(tool, "Control+z")
    assert len(saved(tool, folder)) == 1


@pytest.mark.full
def test_the_tool_opens_the_last_page_again(folder: Path, chromium: Any, tab: Any) -> None:
    with serving(folder, "kim", chromium) as url:
        tab.goto(url)
        shown(tab, "a.html")
        press(tab, "n")
        shown(tab, "c<img src=x onerror=hacked=1>.html")  # the empty page is passed over
        assert "nothing is visible" in tab.locator("#pages .failed").inner_text()
        press(tab, "ArrowDown", "Enter", "v")
        until(tab, "saved.textContent === 'Saved'")
        tab.reload()
        shown(tab, "c<img src=x onerror=hacked=1>.html")
        assert tab.locator("#segments strong").inner_text() == "video"
        tab.goto("about:blank")
    with serving(folder, "kim", chromium) as url:
        tab.goto(url)
        shown(tab, "c<img src=x onerror=hacked=1>.html")
        assert tab.locator("#segments strong").inner_text() == "video"
        press(tab, "p")
        shown(tab, "a.html")
        tab.goto("about:blank")


def test_a_hostile_page_runs_nothing(tool: Any, folder: Path) -> None:
    press(tool, "n")
    shown(tool, "c<img src=x onerror=hacked=1>.html")
    press(tool, "ArrowDown", "ArrowDown", "Enter")
    assert len(saved(tool, folder, "c<img src=x onerror=hacked=1>.html")) == 1
    assert "<script>" in tool.locator("#segments").inner_text()
    assert tool.evaluate("window.hacked") is None
    assert tool.locator("script").count() == 1
    assert tool.locator("#pages img, #segments img, #here img, header img").count() == 0


@pytest.mark.full
def test_paths_that_are_gone_are_shown_and_kept(folder: Path, chromium: Any, tab: Any) -> None:
    old = {"page": "a.html", "segments": [{"css": ["#gone"], "role": "ad"}]}
    (folder / "labels-kim.jsonl").write_text(json.dumps(old), encoding="utf-8")
    with serving(folder, "kim", chromium) as url:
        tab.goto(url)
        shown(tab, "a.html")
        assert "1 part no longer on the page" in tab.locator("#segments").inner_text()
        click(tab, 10, 20)
        assert saved(tab, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]"]}, {"css": ["#gone"], "role": "ad"}]
        tab.goto("about:blank")


def test_a_change_that_cannot_be_saved_is_reported(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    assert saved(tool, folder)
    (folder / "labels-kim.jsonl").unlink()
    press(tool, "d")
    until(tool, "saved.textContent.startsWith('Not saved: labels-kim.jsonl was changed')")
    assert not (folder / "labels-kim.jsonl").exists()
    tool.on("dialog", lambda dialog: dialog.accept())  # leaving is asked about


@pytest.mark.full
def test_a_change_is_saved_once_the_tool_answers_again(tool: Any, folder: Path) -> None:
    tool.route("**/pages/0", lambda route: route.fulfill(status=503, json={"error": "The disk is full."}))
    click(tool, 10, 20)
    until(tool, "saved.textContent.startsWith('Not saved: The disk is full. Trying again')")
    press(tool, "m")
    tool.unroute("**/pages/0")
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]"], "role": "menu"}]


def test_the_agreement_is_shown(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    saved(tool, folder)
    text = (folder / "labels-kim.jsonl").read_text("utf-8").replace("kim", "lee")
    (folder / "labels-lee.jsonl").write_text(text, encoding="utf-8")
    tool.locator("#compare").click()
    tool.wait_for_selector("#mean tr")
    assert tool.locator("#rows").inner_text().split() == ["a.html", "kim,", "lee", "1", "1.000", "1.000"]
    assert tool.locator("#mean").inner_text().split()[-2:] == ["1.000", "1.000"]


def content_of(tab: Any, folder: Path) -> list[Any]:
    """Marks of content of the first page in the file, once all changes are saved, by their last element."""
    marks = record_of(tab, folder).get("content", [])
    for mark in marks:
        for name in {"xpath", "label"} & set(mark):
            mark[name] = [path.removeprefix(f"{BODY}/") for path in mark[name]]
    return marks  # type: ignore[no-any-return]


def test_content_is_marked_beside_blocks(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    press(tool, "m", "x")
    assert tool.locator("#edit-content").get_attribute("aria-pressed") == "true"
    assert tool.locator("#segments button").count() == 0
    click(tool, 10, 100)
    assert "no name: not saved" in tool.locator("#segments").inner_text()
    press(tool, "e")
    assert "1 title" in tool.locator("#marks .chip").text_content()
    click(tool, 10, 140)
    press(tool, "m")
    click(tool, 10, 180, shift=True)
    assert content_of(tool, folder) == [
        {"name": "title", "xpath": ["main[1]/h1[1]"]},
        {"name": "main", "xpath": ["main[1]/p[1]", "main[1]/p[2]"]},
    ]
    assert saved(tool, folder) == [{"xpath": [f"{BODY}/ul[1]/li[1]"], "role": "menu"}]
    assert tool.locator("#roles [data-role=main]").get_attribute("title").startswith("main content")
    assert "1 segment, 2 content marks" in tool.locator("#pages").inner_text()
    tool.locator("#edit-blocks").click()
    assert tool.locator("#segments strong").all_inner_texts() == ["menu"]
    press(tool, "0")  # none is chosen
    click(tool, 10, 20)
    press(tool, "Delete")
    assert saved(tool, folder) == []
    assert len(content_of(tool, folder)) == 2


def test_a_part_of_a_text_is_selected_or_typed(tool: Any, folder: Path) -> None:
    press(tool, "x")
    click(tool, 10, 140)
    press(tool, "u", "q")
    until(tool, "document.querySelector('#text textarea').value === 'First'")
    tool.keyboard.type("irs")
    press(tool, "Enter")
    assert content_of(tool, folder) == [{"name": "author", "xpath": ["main[1]/p[1]"], "span": [1, 4]}]
    tool.mouse.move(*at(tool, 10, 141))
    press(tool, "Shift+D")  # a further mark of the same element
    tool.locator("#text textarea").dblclick(position={"x": 20, "y": 12})
    date = {"name": "date", "xpath": ["main[1]/p[1]"], "span": [0, 5]}
    assert content_of(tool, folder)[1] == date
    assert tool.locator("#text input").input_value() == "First"
    press(tool, ".", "q")
    tool.keyboard.type("Fort")
    press(tool, "Enter")
    until(tool, "here.textContent.includes('does not contain')")
    tool.locator("#text input").fill("")
    press(tool, "Enter", "Escape")
    click(tool, 10, 140)
    click(tool, 10, 140)  # the second mark there
    assert tool.locator("#iso").is_visible()
    assert content_of(tool, folder)[1] == {"name": "date", "xpath": ["main[1]/p[1]"]}
    tool.locator("#iso").fill("2020-02-30")
    press(tool, "Enter")
    until(tool, "here.textContent.includes('not a date')")
    tool.locator("#iso").fill("2020-02-29")
    press(tool, "Enter")
    assert content_of(tool, folder)[1] == {"name": "date", "xpath": ["main[1]/p[1]"], "value": "2020-02-29"}
    press(tool, ".")
    until(tool, "here.textContent.startsWith('No mark lacks')")
    press(tool, "a")  # an aside has no date
    assert content_of(tool, folder)[1] == {"name": "aside", "xpath": ["main[1]/p[1]"]}


def test_a_value_has_a_label(tool: Any, folder: Path) -> None:
    press(tool, "x")
    click(tool, 10, 60)
    press(tool, "v", "f")
    assert tool.locator("#label").get_attribute("aria-pressed") == "true"
    click(tool, 10, 20)
    until(tool, "document.querySelector('#label-text textarea').value === 'Home'")
    assert tool.locator("#marks .label.on").count() == 1
    tool.locator("#label-text input").fill("Ho")
    press(tool, "Enter")
    value = {"name": "value", "xpath": ["ul[1]/li[2]"], "label": ["ul[1]/li[1]"], "label_span": [0, 2]}
    assert content_of(tool, folder) == [value]
    press(tool, "f", "Escape")  # no click follows
    click(tool, 10, 100)
    press(tool, "o")
    assert content_of(tool, folder) == [value, {"name": "name", "xpath": ["main[1]/h1[1]"]}]
    click(tool, 10, 60)
    tool.locator("#unlabel").click()
    assert content_of(tool, folder)[0] == {"name": "value", "xpath": ["ul[1]/li[2]"]}


def test_the_kind_of_a_page_and_what_it_lacks(tool: Any, folder: Path) -> None:
    tool.locator("#edit-content").click()
    kinds = tool.locator("#kind option").all_inner_texts()
    assert kinds == ["not chosen", *PAGE_KINDS]
    tool.locator("#kind").select_option("thread")
    tool.locator("#absent [data-name=date]").click()
    tool.locator("#absent [data-name=main]").click()
    record = record_of(tool, folder)
    assert (record["kind"], record["content"], record["absent"]) == ("thread", [], ["date", "main"])
    tool.mouse.move(*at(tool, 10, 140))
    press(tool, "d")
    assert tool.locator("#absent .wrong").all_inner_texts() == ["date"]
    click(tool, 10, 100)
    press(tool, "ArrowUp", "Shift+C")  # a date in a comment is not that of the page
    assert tool.locator("#absent .wrong").count() == 0
    press(tool, *["Control+z"] * 4)
    assert record_of(tool, folder)["absent"] == ["date"]
    press(tool, "Control+z", "Control+z")
    assert record_of(tool, folder) == {}
    press(tool, "Control+y", "Control+y")
    assert record_of(tool, folder)["absent"] == ["date"]


def test_content_that_the_tool_does_not_show_stays(folder: Path, chromium: Any, tab: Any) -> None:
    old = {
        "page": "a.html",
        "annotator": "kim",
        "kind": "front page",
        "segments": [{"css": ["main"], "role": "content", "confidence": 0.5}],
        "content": [
            {"name": "body", "xpath": [f"{BODY}/main[1]/p[1]/text()[1]"], "span": [1, 3], "note": "?"},
            {"name": "title", "xpath": ["/html[1]/head[1]/title[1]"]},
            {"name": "date", "xpath": [f"{BODY}/time[1]"], "attribute": "datetime", "value": "2020"},
        ],
        "absent": ["price"],
        "text": "First Second",
        "url": "https://example.org/a",
    }
    (folder / "labels-kim.jsonl").write_text(json.dumps(old), encoding="utf-8")
    with serving(folder, "kim", chromium) as url:
        tab.goto(url)
        shown(tab, "a.html")
        press(tab, "x")
        assert tab.locator("#segments strong").all_inner_texts() == ["body", "title", "date"]
        assert "1 part not visible" in tab.locator("#segments").inner_text()
        tab.locator("#segments button").nth(1).click()
        until(tab, "document.querySelector('#text textarea').value === 'A'")
        tab.mouse.move(*at(tab, 10, 100))
        press(tab, "Shift+E")
        assert len(content_of(tab, folder)) == 4
        press(tab, "Control+z")
        assert record_of(tab, folder) == old
        press(tab, "x")
        click(tab, 10, 20)
        press(tab, "Delete")
        assert record_of(tab, folder) == old
        tab.goto("about:blank")


@pytest.mark.full
def test_the_layer_stays_and_the_other_one_is_shown_faintly(tool: Any, folder: Path) -> None:
    click(tool, 10, 20)
    press(tool, "x")
    saved(tool, folder)
    assert not tool.locator("#suggest").is_enabled()
    press(tool, "g", "0")
    assert tool.locator("#marks .faint").get_attribute("d")
    assert not tool.locator("#marks .faint").is_visible()
    tool.locator("#other").check()
    assert tool.locator("#marks .faint").is_visible()
    assert not tool.locator("#bare").is_visible()
    tool.reload()
    shown(tool, "a.html")
    assert tool.locator("#edit-content").get_attribute("aria-pressed") == "true"
    drag(tool, (300, 130), (1, 2))
    press(tool, "k")
    assert content_of(tool, folder) == [{"name": "breadcrumb", "xpath": ["ul[1]", "main[1]/h1[1]"]}]
