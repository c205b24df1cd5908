"""The life of the browser: what a page may cost, and what it leaves to the next one."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import Error
from tests.conftest import PATIENCE, wait_until
from tests.rendering.helpers import show

from webgrain.base.errors import MissingExtraError, ParameterError, RenderError, WebgrainError
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse
from webgrain.rendering import chromium, thresholds
from webgrain.rendering.chromium import Chromium, NoPictureError, Served, Tab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser

ENDLESS = "<p>x</p><script>while (true) {}</script>"


@pytest.fixture(scope="module")
def mortal(browser_path: str) -> Iterator[Chromium]:
    """A browser with scripts, to be killed; its time limit is long enough for slow pages."""
    with Chromium(executable=browser_path, javascript=True, timeout=PATIENCE) as browser:
        yield browser


def assert_works(browser: Chromium) -> None:
    assert show(browser, "<p>fine").dom.text == "fine"


@pytest.mark.full
@pytest.mark.parametrize(
    "html",
    [
        ENDLESS,
        "<script>addEventListener('load', () => setTimeout(() => { while (true) {} }))</script>",
        "<script>document.fonts.ready.then(() => { while (true) {} })</script>",
    ],
    ids=["while loading", "after loading", "while it is captured"],
)
def test_page_that_hangs_costs_only_itself(
    mortal: Chromium, html: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(mortal, "timeout", 1.5)
        with pytest.raises(RenderError, match=r"no result within 1\.5 s"):
            show(mortal, html)
    assert_works(mortal)


def test_a_killed_browser_fails_a_single_page(mortal: Chromium) -> None:
    assert_works(mortal)
    tab = mortal._tab
    assert tab is not None
    killer = threading.Timer(0.3, os.kill, (tab.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(RenderError, match=r"the browser failed|crashed"):  # noticed, not waited for
        show(mortal, ENDLESS)
    assert_works(mortal)


@pytest.mark.full
def test_a_browser_that_dies_between_pages_loses_no_page(mortal: Chromium) -> None:
    assert_works(mortal)
    tab = mortal._tab
    assert tab is not None
    os.kill(tab.pid, signal.SIGKILL)
    wait_until(lambda: not tab.alive)
    assert_works(mortal)


@pytest.mark.full
def test_a_renderer_that_crashes_fails_a_single_page(
    mortal: Chromium, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_works(mortal)
    tab, loop = mortal._tab, mortal._loop
    assert tab is not None
    assert loop is not None

    def crash() -> None:
        asyncio.run_coroutine_threadsafe(tab.devtools.send("Page.crash"), loop.loop)

    with monkeypatch.context() as patch:
        patch.setattr("webgrain.rendering.chromium._SETTLE", "() => new Promise(() => 0)")  # never done
        threading.Timer(0.3, crash).start()
        with pytest.raises(RenderError, match=r"the browser failed|crashed"):
            show(mortal, "<p>x")
    assert_works(mortal)


@pytest.mark.full
def test_a_driver_that_crashes_fails_a_single_page(mortal: Chromium) -> None:
    assert_works(mortal)
    assert mortal._tab is not None
    with open(f"/proc/{mortal._tab.pid}/stat") as stat:
        driver = int(stat.read().rpartition(")")[2].split()[1])
    assert driver != os.getpid()
    os.kill(driver, signal.SIGKILL)
    with pytest.raises(RenderError):
        show(mortal, "<p>x")
    assert_works(mortal)


class Refusing:
    """DevTools of a tab that refuse this many pictures."""

    def __init__(self, devtools: Any, refused: int) -> None:
        self.devtools, self.refused = devtools, refused

    async def send(self, method: str, options: Any) -> Any:
        if method == "Page.captureScreenshot" and self.refused:
            self.refused -= 1
            raise Error("Protocol error (Page.captureScreenshot): Unable to capture screenshot")
        return await self.devtools.send(method, options)


@pytest.mark.full
def test_a_refused_picture_is_requested_again(mortal: Chromium) -> None:
    assert_works(mortal)
    tab = mortal._tab
    assert tab is not None
    tab.devtools = Refusing(tab.devtools, refused=2)
    assert mortal.render(Source("a", b"<p>x"), screenshot=True).screenshot
    assert tab.devtools.refused == 0
    assert mortal._tab is tab


@pytest.mark.full
def test_a_browser_that_takes_no_screenshot_is_replaced(
    mortal: Chromium, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webgrain.rendering.chromium.SCREENSHOT_PAUSES", (0.0, 0.0))
    assert_works(mortal)
    tab = mortal._tab
    assert tab is not None
    tab.devtools = Refusing(tab.devtools, refused=1000)
    page = mortal.render(Source("a", b"<p>x"), screenshot=True)
    assert page.screenshot
    assert page.dom.text == "x"
    assert mortal._tab is not tab


@pytest.mark.full
def test_page_without_picture_in_a_new_browser_either_fails(
    mortal: Chromium, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none(tab: Tab, document: Any) -> bytes:
        raise NoPictureError("the browser takes no picture of it.")

    with monkeypatch.context() as patch:
        patch.setattr(Tab, "_screenshot", none)
        with pytest.raises(RenderError, match="takes no picture"):
            mortal.render(Source("a", b"<p>x"), screenshot=True)
    assert_works(mortal)


@pytest.mark.full
def test_page_that_never_ends_loading_is_shown_as_it_is(
    browser_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Served.answer

    async def answer_the_page_alone(served: Served, route: Any, is_main: bool) -> None:
        if is_main:
            await usual(served, route, is_main)

    monkeypatch.setattr(Served, "answer", answer_the_page_alone)
    with Chromium(executable=browser_path, timeout=PATIENCE) as browser:
        monkeypatch.setattr(chromium, "LOADING", 1 / PATIENCE)
        page = show(browser, "<p style='width:80px'>here<img src=a.png>")
    assert page.notes == ("The page was still loading after 1 s: it is shown as it was.",)
    assert page.view is not None
    assert page.view.box[3, 2] == 80


def test_no_process_survives(browser_path: str) -> None:
    with Chromium(executable=browser_path, timeout=PATIENCE) as browser:
        assert_works(browser)
        assert browser._tab is not None
        pid = browser._tab.pid
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))
    browser.close()


@pytest.mark.full
def test_browser_is_restarted_after_some_pages(browser_path: str) -> None:
    pids = []
    with Chromium(executable=browser_path, timeout=PATIENCE, restart_after=2) as browser:
        for _ in range(3):
            assert_works(browser)
            assert browser._tab is not None
            pids.append(browser._tab.pid)
    assert pids[0] == pids[1] != pids[2]


@pytest.mark.full
def test_dialogs_and_popups_do_not_block(scripted: Chromium) -> None:
    page = show(
        scripted,
        "<p>before</p><script>alert(1); confirm(2); prompt(3); window.open('about:blank');"
        "onbeforeunload = () => 'stay'; document.querySelector('p').textContent = 'after'</script>",
    )
    assert page.dom.text_of(3) == "after"
    assert_works(scripted)


def test_pages_do_not_see_each_other(scripted: Chromium) -> None:
    html = "<p>-</p><script>document.querySelector('p').textContent = `${localStorage.a}${document.cookie}`;"
    html += "localStorage.a = 1; document.cookie = 'a=1'</script>"
    assert [show(scripted, html).dom.text_of(3) for _ in range(2)] == ["undefined", "undefined"]


def test_scripts_make_the_tree_that_counts(scripted: Chromium) -> None:
    page = show(scripted, "<p>a</p><script>document.body.innerHTML = '<ul ID=x><li>One<li>Two'</script>")
    assert page.view is not None
    names = [page.dom.name(i) for i in range(len(page.dom))]
    assert names[-5:] == ["ul", "li", "#text", "li", "#text"]
    assert page.dom.get(len(page.dom) - 5, "id") == "x"
    assert page.view.visible[-4:].all()


def test_limits_hold_for_what_scripts_make(scripted: Chromium) -> None:
    html = "<p><script>document.body.innerHTML = '<i>x</i>'.repeat(1000)</script>"
    page = scripted.render(Source("a", html.encode()), limits=Limits(nodes=100))
    assert len(page.dom) == 100
    assert any("100" in note for note in page.notes)


def test_limits_cut_both_trees_alike(browser: Chromium) -> None:
    source = Source("a", b"<p>1</p>" * 50)
    page = browser.render(source, limits=Limits(nodes=20))
    assert page.notes == parse(source, Limits(nodes=20)).notes
    assert len(page.dom) == 20


def test_works_inside_a_running_loop(browser: Chromium) -> None:
    async def cell_of_a_notebook() -> None:
        assert_works(browser)

    # In a separate thread: other tests may have left a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(cell_of_a_notebook())).result()


def png_size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return struct.unpack(">II", png[16:24])


def test_screenshot_is_of_the_whole_page(browser: Chromium) -> None:
    html = "<body style='margin:0'><div style='height:100vh'></div><div style='height:1000px'>"
    page = show(browser, html, screenshot=True)
    assert page.screenshot is not None
    assert png_size(page.screenshot) == (1366, 1768)
    assert show(browser, html).screenshot is None


def test_screenshot_of_a_high_page_is_cut_and_noted(browser: Chromium) -> None:
    page = show(browser, "<body style='margin:0'><div style='width:9px; height:20000px'>", screenshot=True)
    assert page.screenshot is not None
    assert png_size(page.screenshot) == (1366, thresholds.MAX_HEIGHT)
    assert page.notes == ("The page is 1,366 x 20,000 px: its picture ends at 4,000 x 16,000 px.",)


@pytest.mark.parametrize(
    "body", [b"", b"\0\0\0", b"<frameset><frame>", b"<html style='display:none'>x", b"\xff" * 99]
)
def test_odd_pages_are_pages(browser: Chromium, body: bytes) -> None:
    page = browser.render(Source("odd", body), screenshot=True)
    assert page.view is not None
    assert len(page.view) == len(page.dom) == len(parse(Source("odd", body)).dom)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"), ({"viewport": (0, 5)}, "viewport"),
        ({"restart_after": 0}, "restart_after"), ({"executable": "/no/browser"}, "executable"),
    ],
)  # fmt: skip
def test_wrong_calls_raise_at_once(options: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Chromium(**options)  # type: ignore[arg-type]


def test_a_browser_that_was_not_started_is_an_error(browser_path: str) -> None:
    with pytest.raises(ParameterError, match="with Chromium"):
        show(Chromium(executable=browser_path), "<p>x")


def test_program_that_is_no_browser_is_named(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(WebgrainError, match="does not start"), Chromium(executable=program):
        pass


def test_the_browser_of_the_user_is_searched_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, browser_path: str
) -> None:
    monkeypatch.setenv("WEBGRAIN_BROWSER", browser_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert chromium.find_browser() == browser_path
    monkeypatch.setenv("WEBGRAIN_BROWSER", str(tmp_path / "none"))
    with pytest.raises(ParameterError, match="WEBGRAIN_BROWSER"):
        chromium.find_browser()


def test_without_a_browser_one_sentence_names_the_solution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WEBGRAIN_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "_PLACES", ())
    with pytest.raises(MissingExtraError, match=r"apt install chromium.*WEBGRAIN_BROWSER"):
        chromium.find_browser()
