"""Private hosts, and pages of the open internet that redirect to them."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.base.errors import ReadError
from webgrain.base.failures import Failure
from webgrain.base.hosts import is_public
from webgrain.io import fetch as hosts
from webgrain.io.fetch import fetch, open_pool
from webgrain.page.page import Limits, Source

if TYPE_CHECKING:
    from collections.abc import Callable

IPV4 = ["0.0.0.0", "127.1.2.3", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1"]
IPV6 = [
    "::",
    "::1",
    "fe80::1%eth0",
    "fc00::1",
    "ff02::1",
    "::ffff:10.0.0.1",
    "2002:7f00:1::",
    "64:ff9b::a00:1",
    "64:ff9b:1::a00:1",
    "::127.0.0.1",
    "fec0::1",
]


@pytest.mark.parametrize("host", [*IPV4, *IPV6, "224.0.0.1", "255.255.255.255", "localhost", ""])
def test_hosts_that_are_not_public(host: str) -> None:
    assert not is_public(host)


@pytest.mark.parametrize("host", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_hosts_that_are_public(host: str) -> None:
    assert is_public(host)


PRIVATE = {"private.test": "10.0.0.1", "mapped.test": "::ffff:10.0.0.1", "metadata.test": "169.254.169.254"}
NAMES = {"public.test": "127.0.0.1", **PRIVATE}


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take 127.0.0.1, where the server of the tests is, for an address of the open internet."""
    look_up = socket.getaddrinfo

    def answer(host: Any, *args: Any, **kwargs: Any) -> Any:
        return look_up(NAMES.get(host, host), *args, **kwargs)

    monkeypatch.setattr(hosts, "is_public", lambda host: host == "127.0.0.1" or is_public(host))
    monkeypatch.setattr(socket, "getaddrinfo", answer)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", ["127.0.0.2", "169.254.169.254", "[::1]", "2130706434", *PRIVATE])
def test_public_pages_do_not_lead_to_private_hosts(
    server: Any, outside: None, host: str, scheme: str
) -> None:
    url = server.add("/", b"", 302, location="/on")
    server.add("/on", b"", 302, location=f"{scheme}://{host}:{server.http.server_port}/secret")
    server.add("/secret", b"<p>secret")
    (failure,) = fetch([url], Limits())
    assert isinstance(failure, Failure)
    assert failure.error == f"The page redirects to {host.strip('[]')}, which is in a private network."
    assert len(server.agents) == 2


def test_public_pages_lead_to_public_hosts(server: Any, outside: None) -> None:
    url = server.add("/", b"", 302, location=f"http://public.test:{server.http.server_port}/end")
    server.add("/end", b"<p>end")
    (page,) = fetch([url], Limits())
    assert isinstance(page, Source), page


def test_a_name_that_changes_its_address_gets_nothing(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    look_up: Callable[..., Any] = socket.getaddrinfo
    answers = iter(["8.8.8.8", "127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *a, **k: look_up(next(answers), *a, **k))
    with open_pool({}, only_public=True) as pool, pytest.raises(ReadError, match="private network"):
        pool.request("GET", f"http://changes.test:{server.http.server_port}/", retries=False)
    assert server.agents == []
