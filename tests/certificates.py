"""Certificates for servers on this machine, signed by an authority that only the test knows."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import HTTPServer
    from pathlib import Path

    import pytest
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

HOST = "127.0.0.1"
DAYS = {"expired": (-365, -2), "not yet valid": (2, 365)}
"""From when and until when, in days from now: far enough for a clock that is wrong."""

PROOFS = ("valid", *DAYS, "for another host", "for no host", "signed by itself", "of an unknown authority")
"""What certificates a server may have; all but the first prove nothing."""


class Pair(NamedTuple):
    """A certificate and its key."""

    certificate: x509.Certificate
    key: EllipticCurvePrivateKey


def make(name: str, issuer: Pair | None = None, days: tuple[int, int] = (-2, 365)) -> Pair:
    """Make a certificate for a host (its IP address, its name, or ""); without an issuer, for itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.hashes import SHA256

    key = generate_private_key(SECP256R1())
    signer = issuer.key if issuer else key
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name or "nobody")])
    begin, end = (datetime.now(UTC) + timedelta(days=day) for day in days)
    builder = x509.CertificateBuilder(
        issuer_name=issuer.certificate.subject if issuer else subject,
        subject_name=subject,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=begin,
        not_valid_after=end,
    )
    for extension, critical in _extensions(name, key, signer):
        builder = builder.add_extension(extension, critical)
    return Pair(builder.sign(signer, SHA256()), key)


@cache
def authority() -> Pair:
    """The authority that the tests trust."""
    return make("authority.test")


def trust_authority(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process, and those it starts, trust the authority and no other."""
    path = folder / "authority.pem"
    path.write_bytes(_pem(authority()))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))


def prove(server: HTTPServer, folder: Path, proof: str) -> None:
    """Let a server speak TLS, with one of `PROOFS`; handshakes are made by the threads that answer."""
    from cryptography.hazmat.primitives import serialization

    path, pair = folder / "server.pem", _pair(proof)
    key = pair.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(key + _pem(pair))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)


def _pair(proof: str) -> Pair:
    if proof == "signed by itself":
        return make(HOST)
    name = {"for another host": "other.test", "for no host": ""}.get(proof, HOST)
    issuer = make("unknown.test") if proof == "of an unknown authority" else authority()
    return make(name, issuer, DAYS.get(proof, (-2, 365)))


def _extensions(
    name: str, key: EllipticCurvePrivateKey, signer: EllipticCurvePrivateKey
) -> Iterator[tuple[x509.ExtensionType, bool]]:
    """Give what a strict reader wants to see, each with whether it is critical."""
    from cryptography import x509

    yield x509.BasicConstraints(ca=key is signer, path_length=None), True
    if name:
        yield x509.SubjectAlternativeName([_general(name)]), False
    yield x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False
    yield x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), False
    if key is signer:
        uses = dict.fromkeys(
            ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment"], False
        )
        rest = dict.fromkeys(["key_agreement", "crl_sign", "encipher_only", "decipher_only"], False)
        yield x509.KeyUsage(key_cert_sign=True, **uses, **rest), True


def _general(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(pair: Pair) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return pair.certificate.public_bytes(Encoding.PEM)
