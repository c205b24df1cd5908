"""A hostile page reaches neither the network nor a file that it was not given."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import PATIENCE, wait_until
from tests.rendering.helpers import Canary, Files, settle, show

from webgrain.base.errors import RenderError
from webgrain.io.local import FolderAssets
from webgrain.page.page import Source
from webgrain.rendering import chromium
from webgrain.rendering.chromium import Chromium, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser

TAGS = """
<link rel=stylesheet href=CANARY/a.css><link rel=prefetch href=CANARY/b><link rel=preconnect href=CANARY>
<link rel=dns-prefetch href=CANARY><link rel=prerender href=CANARY/c>
<link rel=modulepreload href=CANARY/d.js>
<link rel=icon href=CANARY/e.ico><link rel=manifest href=CANARY/f>
<link rel=preload as=image href=CANARY/g.png>
<script src=CANARY/h.js></script>
<script type=speculationrules>{"prerender": [{"urls": ["CANARY/i"]}]}</script>
<style>@import "CANARY/j.css"; @font-face {font-family: x; src: url(CANARY/k)} body {font-family: x;
background: url(CANARY/l)}</style>
<img src=CANARY/m><img srcset="CANARY/n 2x"><iframe src=CANARY/o></iframe><object data=CANARY/p></object>
<embed src=CANARY/q><video src=CANARY/r autoplay poster=CANARY/s></video><audio src=CANARY/t autoplay></audio>
<form action=CANARY/u id=f><input name=a><input type=image src=CANARY/v></form>
<svg><use href="CANARY/w#a"/></svg>
<a ping=CANARY/x href=CANARY/y download>text</a><iframe srcdoc="<img src=CANARY/z>"></iframe>
<iframe src="data:text/html,<img src=CANARY/1>"></iframe><meta http-equiv=refresh content="0;url=CANARY/2">
"""

SCRIPT = """<script>
const quietly = action => { try { const r = action(); r && r.catch && r.catch(() => 0) } catch {} };
const beacon = "fetch('CANARY/a')";
quietly(() => fetch("CANARY/b", {mode: "no-cors"}));
quietly(() => new WebSocket("ws://HOST/c"));
quietly(() => new EventSource("CANARY/d"));
quietly(() => navigator.sendBeacon("CANARY/e", "x"));
quietly(() => new Worker(URL.createObjectURL(new Blob([beacon + ";new WebSocket('ws://HOST/f')"]))));
quietly(() => new SharedWorker("data:text/javascript," + encodeURIComponent(beacon)));
quietly(() => navigator.serviceWorker.register("sw.js"));
quietly(() => import("CANARY/g.js"));
quietly(() => window.open("CANARY/h"));
quietly(() => new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:UDP"}]}).createDataChannel("x"));
quietly(() => {
    const peer = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:UDP"},
        {urls: "turn:127.0.0.1:UDP", username: "u", credential: "c"},
        {urls: "turn:127.0.0.1:TCP?transport=tcp", username: "u", credential: "c"}]});
    peer.createDataChannel("x");
    return peer.createOffer().then(offer => peer.setLocalDescription(offer));
});
const frame = document.createElement("iframe");
frame.src = URL.createObjectURL(new Blob(["<script>" + beacon + "<" + "/script>"], {type: "text/html"}));
document.documentElement.append(frame);
alert("stop"); confirm("stop"); prompt("stop");
addEventListener("load", () => { document.getElementById("f").submit(); location = "CANARY/i" });
</script><form id=f action=CANARY/j method=post><input name=a value=b></form><p>still here</p>"""


def aimed(html: str, canary: Canary) -> str:
    """Point the markup's placeholders at the canary."""
    html = html.replace("CANARY", canary.url).replace("HOST", f"127.0.0.1:{canary.port}")
    return html.replace("UDP", str(canary.udp_port)).replace("TCP", str(canary.port))


@pytest.fixture(scope="module")
def networked(browser_path: str) -> Iterator[Callable[[str], Chromium]]:
    """Give a browser with the network, and with scripts for a page with scripts; one for all tests."""
    running: dict[bool, Chromium] = {}
    with ExitStack() as stack:

        def give(html: str) -> Chromium:
            javascript = html is SCRIPT
            if javascript not in running:
                browser = Chromium(
                    executable=browser_path, timeout=PATIENCE, network=True, javascript=javascript
                )
                running[javascript] = stack.enter_context(browser)
            return running[javascript]

        yield give


def test_markup_reaches_no_network(browser: Chromium, canary: Canary) -> None:
    page = show(browser, aimed(TAGS, canary))
    settle()
    assert canary.heard == []
    assert page.notes == ()
    assert "text" in page.dom.text


def test_scripts_reach_no_network(scripted: Chromium, canary: Canary) -> None:
    page = show(scripted, aimed(SCRIPT, canary), {"sw.js": aimed("fetch('CANARY/sw')", canary).encode()})
    settle()
    assert "still here" in page.dom.text
    assert canary.heard == []


@pytest.mark.parametrize("html", [TAGS, SCRIPT], ids=["markup", "scripts"])
def test_requests_without_the_option_are_blocked(
    scripted: Chromium, canary: Canary, monkeypatch: pytest.MonkeyPatch, html: str
) -> None:
    async def let_all_pass(served: Served, route: Any, is_main: bool) -> None:
        if not is_main:
            await route.continue_()
        elif served.given:
            await route.fulfill(status=204)
        else:
            served.given, served.address = True, route.request.url
            await route.fulfill(status=200, body=served.html, content_type="text/html")

    monkeypatch.setattr(Served, "answer", let_all_pass)
    show(scripted, aimed(html, canary))
    settle()
    assert canary.heard == []


@pytest.mark.parametrize(
    ("html", "heard", "never"),
    [(TAGS, {"/a.css", "/j.css", "/m", "/o", "/z"}, {"/2", "/u", "/c"}),
     (SCRIPT, {"/b", "/d", "/e"}, {"/c", "/h", "/i", "/j"})],
    ids=["markup", "scripts"],
)  # fmt: skip
def test_the_test_server_records_allowed_requests(
    networked: Callable[[str], Chromium],
    canary: Canary,
    monkeypatch: pytest.MonkeyPatch,
    html: str,
    heard: set[str],
    never: set[str],
) -> None:
    monkeypatch.setattr(chromium, "is_public", lambda address: True)

    def paths() -> set[str]:
        return {line.split()[2].decode() for line in canary.heard if len(line.split()) > 2}

    show(networked(html), aimed(html, canary))
    wait_until(lambda: heard <= paths())
    settle()
    assert not never & paths()


@pytest.mark.parametrize("html", [TAGS, SCRIPT], ids=["markup", "scripts"])
def test_with_the_network_pages_send_no_request_to_local_addresses(
    networked: Callable[[str], Chromium], canary: Canary, html: str
) -> None:
    show(networked(html), aimed(html, canary))
    settle()
    assert canary.heard == []


def test_redirect_of_an_allowed_request_cannot_read_files(
    networked: Callable[[str], Chromium], tmp_path: Path
) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>the secret</p>")
    html = f"<iframe src='file://{secret}'></iframe><object data='file://{secret}'></object>"
    page = show(networked(SCRIPT), html + FETCH.replace("FILE", f"file://{secret}"))
    assert "refused" in page.dom.text


FETCH = """<p>waiting</p><script>const mark = text => document.querySelector("p").textContent = text;
const request = new XMLHttpRequest(); try { request.open("GET", "FILE", false); request.send();
mark("got " + request.responseText) } catch { mark("refused") }</script>"""


@pytest.fixture
def strings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every string of all documents that the browser showed, frames included."""
    seen: list[str] = []

    class Spy(chromium.Snapshot):
        def __init__(self, raw: Any, limit: int) -> None:
            seen.extend(raw["strings"])
            super().__init__(raw, limit)

    monkeypatch.setattr(chromium, "Snapshot", Spy)
    return seen


def site(folder: Path) -> Path:
    """A site's folder with a file beside it that the site must not show."""
    (folder / "secret.html").write_text("<p>the secret</p>")
    (folder / "site").mkdir()
    (folder / "site" / "own.html").write_text("<p>my own</p>")
    (folder / "site" / "link.html").symlink_to(folder / "secret.html")
    return folder / "site"


@pytest.mark.parametrize(
    "address",
    [
        "file://{outside}", "../secret.html", "/../secret.html", "..%2fsecret.html", "%2e%2e/secret.html",
        "%2e%2e%2fsecret.html", "..\\secret.html", "/%2e%2e%5csecret.html", "//../secret.html", "{outside}",
        "link.html", "http://../secret.html", "http://%2e%2e/secret.html", "view-source:file://{outside}",
    ],
)  # fmt: skip
def test_frames_show_no_file_outside(
    browser: Chromium, strings: list[str], tmp_path: Path, address: str
) -> None:
    assets = FolderAssets(site(tmp_path))
    frame = address.format(outside=tmp_path / "secret.html")
    html = f"<iframe src='own.html'></iframe><iframe src='{frame}'></iframe><a href='{frame}'>x</a>"
    browser.render(Source("test", html.encode(), assets=assets))
    assert "my own" in strings
    assert "the secret" not in strings


def test_scripts_read_no_file_outside(scripted: Chromium, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    page = show(scripted, FETCH.replace("FILE", f"file://{tmp_path}/secret.txt"))
    assert "refused" in page.dom.text


@pytest.mark.parametrize(
    "target", ["", "http://other.invalid/", "?again", "data:text/html,gone", "javascript:1"]
)
def test_page_does_not_leave(browser: Chromium, target: str) -> None:
    slow = {"a.css": b"p { color: red }" * 20_000}
    html = f"<meta http-equiv=refresh content='0;url={target}'><link rel=stylesheet href=a.css><p>stays"
    page = show(browser, html, slow)
    assert page.dom.text == "stays"
    assert page.notes == ()


def test_page_that_leaves_all_the_same_fails(browser: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "_SETTLE", "() => new Promise(done => setTimeout(done, 2000))")
    with pytest.raises(RenderError, match=r"navigation|left its address"):
        show(browser, "<meta http-equiv=refresh content='0;url=about:blank'>")


def test_scripts_do_not_run_and_noscript_stays_hidden(browser: Chromium) -> None:
    page = show(
        browser,
        "<p>before</p><noscript><p>no scripts</p></noscript><script>document.body.textContent = 1</script>"
        "<img src=x onerror='document.body.textContent = 1'><a href='javascript:1'>a</a>",
    )
    assert page.view is not None
    assert page.dom.text.startswith("before<p>no scripts</p>")
    hidden = next(i for i in range(len(page.dom)) if page.dom.name(i) == "noscript")
    assert not page.view.visible[hidden : page.dom.end[hidden]].any()


def test_files_beside_the_page_are_used(browser: Chromium) -> None:
    files = Files({"site/css/a.css": b"p { width: 77px }", "site/b.css?v=3": b"p { height: 33px }"})
    html = b"<link rel=stylesheet href='../css/a.css'><link rel=stylesheet href='/site/b.css?v=3'><p>x"
    page = browser.render(Source("test", html, assets=files, path="site/en/index.html"))
    assert page.view is not None
    assert page.view.box[-2, 2:].tolist() == [77, 33]


def served(path: str, address: str = "http://p1.invalid/") -> Served:
    source = Source("a", b"", assets=Files({}), path=path)
    return Served(source, b"", address, javascript=False, network=False)


def test_hosts_of_a_mirror_have_folders_of_their_own() -> None:
    one = served("example.org/news/index.html")
    one._asset("http://p1.invalid/a.css?v=1")
    one._asset("https://cdn.example/b.css")
    one._asset("file:///etc/passwd")
    assert one.source.assets.asked == [  # type: ignore[union-attr]
        "a.css?v=1", "example.org/a.css?v=1", "example.org/news/a.css?v=1", "cdn.example/b.css"
    ]  # fmt: skip
