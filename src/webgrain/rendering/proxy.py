"""The only way of the browser to the network: a SOCKS proxy (version 5, RFC 1928) in this process.

The browser passes on the names of hosts. The proxy resolves them, connects to public hosts only, and uses the
addresses that it has checked, so a name that changes its address has no effect. UDP is not supported.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from ipaddress import ip_address

from webgrain.hosts import is_public
from webgrain.rendering.thresholds import CONNECT_SECONDS

_PIECE = 2**16
_NAME = 3
_ADDRESS_BYTES = {1: 4, 4: 16}


class Proxy:
    """The proxy of one browser.

    Attributes:
        network: False: no connection is made at all.
        port: its port on 127.0.0.1, after `start`.
    """

    def __init__(self, network: bool) -> None:
        self.network = network
        self.port = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no more; connections end when their browser ends."""
        if self._server:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            try:
                host, port = await _read_request(reader, writer)
                remote = await self._connect(host, port) if self.network else None
                writer.write(b"\5" + (b"\0" if remote else b"\2") + b"\0\1" + bytes(6))
                if remote:
                    await asyncio.gather(_copy(reader, remote[1]), _copy(remote[0], writer))
            finally:
                writer.close()

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for address in await addresses_of(host):
            with suppress(OSError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.open_connection(address, port)
        return None


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """Return host and port of a request to connect; an invalid request raises `EOFError`."""
    _, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    writer.write(b"\5\0")  # without a password
    _, command, _, kind = await reader.readexactly(4)
    if kind == _NAME:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("latin-1")
    else:
        host = str(ip_address(await reader.readexactly(_ADDRESS_BYTES.get(kind, 4))))
    port = int.from_bytes(await reader.readexactly(2))
    if command != 1:
        raise EOFError
    return host, port


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until one side ends, and end the other."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()


async def addresses_of(host: str) -> list[str]:
    """Return the IP addresses of a host; none if it cannot be found or one of them is not public.

    >>> asyncio.run(addresses_of("127.0.0.1")), asyncio.run(addresses_of("1.1.1.1"))
    ([], ['1.1.1.1'])
    """
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    addresses = [str(address[4][0]) for address in found]
    return addresses if all(map(is_public, addresses)) else []
