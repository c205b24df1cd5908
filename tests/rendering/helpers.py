"""Pages given by hand, and a server that must not be reached."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webgrain.page.page import Page, Source

if TYPE_CHECKING:
    from webgrain.rendering.chromium import Chromium


@dataclass
class Files:
    """Files given by a test; records the requests."""

    files: dict[str, bytes]
    asked: list[str] = field(default_factory=list)

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.files.get(path)


def show(
    browser: Chromium, html: str, files: dict[str, bytes] | None = None, screenshot: bool = False
) -> Page:
    return browser.render(Source("test", html.encode(), assets=Files(files or {})), screenshot=screenshot)


class Canary:
    """A TCP and a UDP port on this machine; remembers what reached them."""

    def __init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp_port = self.udp.getsockname()[1]
        self.heard: list[bytes] = []
        for listen in (self._accept, self._receive):
            threading.Thread(target=listen, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self.tcp.close()
        self.udp.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.tcp.accept()
            except OSError:
                return
            # Each in a separate thread: browsers open some connections in advance and send nothing.
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(2)
            try:
                self.heard.append(b"TCP " + connection.recv(4096))
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")
            except OSError:
                self.heard.append(b"TCP")

    def _receive(self) -> None:
        while True:
            try:
                self.heard.append(b"UDP " + self.udp.recv(4096))
            except OSError:
                return


def settle() -> None:
    """Give what is under way the time to arrive."""
    time.sleep(0.6)
