"""Attacks of pages in the browser: on the network, on local services, and on the renderer itself."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import threading
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import PATIENCE
from tests.rendering.helpers import Canary, Files, settle, show

from webgrain.base.errors import RenderError
from webgrain.page.page import Source
from webgrain.rendering import chromium
from webgrain.rendering.chromium import Chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser

WEBRTC = """<p>waiting</p><script>
const mark = text => document.querySelector("p").textContent = text;
async function leak(Peer) {
    const peer = new Peer({iceServers: [{urls: "stun:127.0.0.1:PACKETS"},
        {urls: "turn:127.0.0.1:PACKETS", username: "secret", credential: "c"},
        {urls: "turn:127.0.0.1:STREAM?transport=tcp", username: "secret", credential: "c"}]});
    const other = new Peer();
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
    await other.setRemoteDescription(peer.localDescription);
    await other.setLocalDescription(await other.createAnswer());
    await peer.setRemoteDescription(other.localDescription);
    for (const host of ["127.0.0.1", "secret.local"]) {
        const candidate = `candidate:1 1 udp 2122260223 ${host} PACKETS typ host ufrag secret`;
        await peer.addIceCandidate({candidate, sdpMid: "0", sdpMLineIndex: 0}).catch(() => 0);
    }
}
const frame = document.createElement("iframe");
document.body.append(frame);
Promise.all([leak(RTCPeerConnection), leak(frame.contentWindow.RTCPeerConnection)]).then(
    () => setTimeout(() => mark("sent"), 1000), error => mark(error));
</script>"""


@contextmanager
def multicast_dns(heard: list[bytes]) -> Iterator[None]:
    """Collect what is sent to the multicast address of names that end in ``.local``."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("", 5353))
        group = struct.pack("4s4s", socket.inet_aton("224.0.0.251"), socket.inet_aton("0.0.0.0"))
        try:
            listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        except OSError:  # a machine without a network
            yield
            return
        listener.settimeout(0.1)
        yield
        try:
            while True:
                heard.append(listener.recv(4096))
        except TimeoutError:
            return


@pytest.mark.parametrize("network", [False, True])
def test_webrtc_sends_nothing(browser_path: str, canary: Canary, network: bool) -> None:
    html = WEBRTC.replace("PACKETS", str(canary.udp_port)).replace("STREAM", str(canary.port))
    names: list[bytes] = []
    with (
        multicast_dns(names),
        Chromium(executable=browser_path, timeout=PATIENCE, javascript=True, network=network) as browser,
    ):
        page = browser.render(Source("a", (html + "<img src=a.png>").encode(), assets=Slow()))
        settle()
    assert page.dom.text.startswith("sent")
    settle()
    assert canary.heard == []
    assert not [name for name in names if b"secret" in name]


class Slow:
    """An asset that loads slowly, so that the page is captured later."""

    def read(self, path: str) -> bytes | None:
        threading.Event().wait(2)
        return None


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "private.test"),
        *(
            pytest.param(host, marks=pytest.mark.full)
            for host in ("localhost", "[::ffff:7f00:1]", "2130706433")
        ),
    ],
)
def test_a_claimed_address_reaches_no_local_service(
    browser_path: str, canary: Canary, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda name, *rest, **more: look_up("127.0.0.1" if name == "private.test" else name, *rest, **more),
    )
    address = f"http://{host}:{canary.port}"
    html = (
        "<p>waiting</p><iframe src=/frame></iframe><img src=/image><script>"
        "fetch('/fetch').then(() => 0, () => document.querySelector('p').textContent = location.hostname)"
        "</script>"
    )
    with Chromium(executable=browser_path, timeout=PATIENCE, javascript=True, network=True) as browser:
        page = browser.render(Source("a", html.encode(), url=f"{address}/claimed"))
        settle()
    assert canary.heard == []
    assert page.dom.text.startswith("p1.invalid")


def test_a_name_that_becomes_private_reaches_no_local_service(
    browser_path: str, canary: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["1.1.1.1"])
    look_up = socket.getaddrinfo

    def rebind(name: str, *rest: object, **more: object) -> object:
        return look_up(next(answers, "127.0.0.1") if name == "rebind.test" else name, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(socket, "getaddrinfo", rebind)
    html = f"<p>x<iframe src=http://rebind.test:{canary.port}/frame></iframe>"
    with Chromium(executable=browser_path, timeout=PATIENCE, network=True) as browser:
        browser.render(Source("a", html.encode(), url=f"http://rebind.test:{canary.port}/"))
        settle()
    assert canary.heard == []


def test_public_hosts_are_reached_by_their_names(
    browser_path: str, canary: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo
    monkeypatch.setattr(chromium, "is_public", lambda address: True)
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda name, *rest, **more: look_up("127.0.0.1" if name == "public.test" else name, *rest, **more),
    )
    with Chromium(executable=browser_path, timeout=PATIENCE, network=True) as browser:
        show(browser, f"<img src=http://public.test:{canary.port}/image>")
    assert [line.split()[2] for line in canary.heard] == [b"/image"]


CHANGES = ["location.hash = 'x'", "history.pushState(0, '', '/other?q')", "history.replaceState(0, '', 'b')"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_page_may_change_its_own_address(scripted: Chromium, change: str) -> None:
    mark = "document.querySelector('p').textContent = 'after'"
    page = show(scripted, f"<p>before</p><script>{change}; {mark}</script>")
    assert page.dom.text.startswith("after")


@pytest.mark.parametrize("leave", ["location = 'about:blank'", "location = BLOB"])
def test_a_new_document_means_leaving_the_page(
    scripted: Chromium, leave: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "_SETTLE", "() => new Promise(done => setTimeout(done, 1000))")
    leave = leave.replace("BLOB", "URL.createObjectURL(new Blob(['<p>gone'], {type: 'text/html'}))")
    with pytest.raises(RenderError, match=r"left its address|navigation"):
        show(scripted, f"<p>first</p><script>setTimeout(() => {{ {leave} }}, 100)</script>")


@pytest.mark.parametrize("leave", ["location = 'data:text/html,gone'", "history.back()", "location = '/x'"])
def test_a_refused_navigation_changes_nothing(
    scripted: Chromium, leave: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "_SETTLE", "() => new Promise(done => setTimeout(done, 1000))")
    show(scripted, "<p>first")
    page = show(scripted, f"<p>stays</p><script>setTimeout(() => {{ {leave} }}, 100)</script>")
    assert page.dom.text.startswith("stays")


def test_a_timeout_with_many_open_requests_prints_nothing(
    browser_path: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Last(Files):
        def read(self, path: str) -> bytes | None:
            if len(self.asked) == 20:  # the other requests are open
                limits[-1].reschedule(asyncio.get_running_loop().time())
            return super().read(path)

    def timeout(seconds: float | None) -> asyncio.Timeout:
        limits.append(asyncio.Timeout(seconds and asyncio.get_running_loop().time() + seconds))
        return limits[-1]

    limits: list[asyncio.Timeout] = []
    monkeypatch.setattr(chromium.asyncio, "timeout", timeout)
    images = "".join(f"<img src=/{k}.png>" for k in range(1000))
    files = Last({f"{k}.png": b"x" for k in range(1000)})
    source = Source("a", f"{images}<script>for (;;);</script>".encode(), assets=files)
    with (
        Chromium(executable=browser_path, timeout=PATIENCE, javascript=True) as browser,
        pytest.raises(RenderError, match="no result"),
    ):
        browser.render(source)
    assert 20 < len(files.asked) < 1000
    output = capfd.readouterr()
    assert output.out + output.err + caplog.text == ""


def test_the_sandbox_is_off_for_root_only(scripted: Chromium) -> None:
    show(scripted, "<p>x")
    assert scripted._tab is not None
    command = Path(f"/proc/{scripted._tab.pid}/cmdline").read_bytes().split(b"\0")
    assert (b"--no-sandbox" in command) == (os.geteuid() == 0)
