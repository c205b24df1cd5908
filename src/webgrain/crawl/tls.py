"""Connections to servers that prove who they are, and to no others.

Where Twisted (26.10) cannot make out the names in a certificate, as in one without any, it logs that and goes
on as if it were one for the host. Here they are looked at once more, and what cannot be verified is refused.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

if TYPE_CHECKING:
    from OpenSSL.crypto import X509
    from OpenSSL.SSL import Connection


@implementer(IPolicyForHTTPS)
class SecondLook:
    """Policy that takes another, and looks at certificates once more."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def creatorForNetloc(self, hostname: bytes, port: int) -> _Creator:  # noqa: N802
        """Return what makes connections to a host."""
        return _Creator(self._policy.creatorForNetloc(hostname, port), hostname.decode("ascii"))


def is_for(certificate: X509, host: str) -> bool:
    """Tell whether a certificate is for a host, given as a name or an IP address."""
    try:
        verify_service_identity(extract_patterns(certificate), [_identity(host)], [])
    except (CertificateError, VerificationError, ValueError):
        return False
    return True


def _identity(host: str) -> DNS_ID | IPAddress_ID:
    try:
        return IPAddress_ID(str(ip_address(host)))
    except ValueError:
        return DNS_ID(host)


@implementer(IOpenSSLClientConnectionCreator)
class _Creator:
    """Makes connections to a host."""

    def __init__(self, creator: Any, host: str) -> None:
        self._creator, self._host = creator, host

    def clientConnectionForTLS(self, protocol: Any) -> Connection:  # noqa: N802
        connection: Connection = self._creator.clientConnectionForTLS(protocol)
        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, self._is_proof)
        return connection

    def _is_proof(self, _: Any, certificate: X509, error: int, depth: int, ok: int) -> bool:
        # ok: what OpenSSL says of dates and signatures. depth: 0 for the server's own certificate.
        return bool(ok) and (depth > 0 or is_for(certificate, self._host))
