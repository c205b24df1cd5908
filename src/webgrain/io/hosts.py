"""Which hosts are of the open internet, and requests that go to no other."""

from __future__ import annotations

import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from webgrain.errors import ReadError

_TRANSLATED = IPv6Network("64:ff9b::/96")  # the last four bytes are an address of IPv4


def is_public(host: str) -> bool:
    """Tell whether an IP address is one of the open internet, however it is written down in IPv6.

    >>> [is_public(ip) for ip in ("93.184.216.34", "127.0.0.1", "10.1.2.3", "169.254.169.254", "::1")]
    [True, False, False, False, False]
    >>> is_public("::ffff:127.0.0.1"), is_public("64:ff9b::7f00:1")
    (False, False)
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    inner = _embedded(address) if isinstance(address, IPv6Address) else None
    return all(one.is_global and not one.is_multicast for one in (address, inner) if one is not None)


def open_pool(headers: dict[str, str], only_public: bool = False) -> PoolManager:
    """Return what makes requests; the ``connection`` of each answer has a flag ``public``.

    only_public: `ReadError` for hosts that are not public, before anything is sent to them.

    >>> with open_pool({}, only_public=True) as pool:
    ...     pool.request("GET", "http://127.0.0.1/")
    Traceback (most recent call last):
    webgrain.errors.ReadError: The page redirects to 127.0.0.1, which is in a private network.
    """
    pool = PoolManager(headers=headers)
    kinds = (_OnlyPublicHttpPool, _OnlyPublicHttpsPool) if only_public else (_HttpPool, _HttpsPool)
    pool.pool_classes_by_scheme = dict(zip(("http", "https"), kinds, strict=True))
    return pool


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in _TRANSLATED:
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


class _Http(HTTPConnection):
    """A connection that knows where it leads."""

    only_public = False
    public = False

    def _new_conn(self) -> socket.socket:
        if self.only_public and not all(map(is_public, _addresses(self.host, self.port))):
            raise self._refusal()
        connection = super()._new_conn()
        self.public = is_public(connection.getpeername()[0])
        if self.only_public and not self.public:  # the name has had another address a moment ago
            connection.close()
            raise self._refusal()
        return connection

    def _refusal(self) -> ReadError:
        return ReadError(f"The page redirects to {self.host}, which is in a private network.")


class _Https(HTTPSConnection, _Http):
    """The same with TLS."""


class _OnlyPublicHttp(_Http):
    only_public = True


class _OnlyPublicHttps(_Https):
    only_public = True


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _Https


class _OnlyPublicHttpPool(HTTPConnectionPool):
    ConnectionCls = _OnlyPublicHttp


class _OnlyPublicHttpsPool(HTTPSConnectionPool):
    ConnectionCls = _OnlyPublicHttps


def _addresses(host: str, port: int | None) -> list[str]:
    """Return the addresses of a host; none where its name cannot be looked up, which connecting tells."""
    with suppress(OSError, UnicodeError):
        return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    return []
