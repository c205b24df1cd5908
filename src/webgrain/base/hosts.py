"""Which hosts belong to the open internet."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")  # the last four bytes are an IPv4 address
_GLOBAL = IPv6Network("2000::/3")  # RFC 4291, section 2.4: all unicast addresses that are assigned today


def is_public(host: str) -> bool:
    """Return whether an IP address belongs to the open internet, also one that is embedded in IPv6.

    Downloads, crawls and the browser reach other hosts only with an option.

    >>> [is_public(ip) for ip in ("93.184.216.34", "127.0.0.1", "10.1.2.3", "169.254.169.254", "::1")]
    [True, False, False, False, False]
    >>> is_public("::ffff:127.0.0.1"), is_public("64:ff9b::7f00:1"), is_public("::127.0.0.1")
    (False, False, False)
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    embedded: list[IPv4Address | IPv6Address | None] = [address]
    if isinstance(address, IPv6Address):
        nat64 = IPv4Address(address.packed[-4:]) if address in _NAT64 else None
        teredo = address.teredo[1] if address.teredo else None
        plain = None if nat64 or address.ipv4_mapped else address
        if plain and plain not in _GLOBAL:
            return False
        embedded = [plain, nat64, address.ipv4_mapped, address.sixtofour, teredo]
    return all(each.is_global and not each.is_multicast for each in embedded if each)
