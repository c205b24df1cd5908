"""Addresses that begin with https, of servers that can prove who they are and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.certificates import PROOFS, prove, trust_authority

from webgrain.base.failures import Failure
from webgrain.io.fetch import fetch
from webgrain.page.page import Limits, Source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("proof", PROOFS)
def test_only_who_proves_who_it_is_is_read(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proof: str
) -> None:
    trust_authority(tmp_path, monkeypatch)
    prove(server.http, tmp_path, proof)
    url = server.add("/", b"<p>Hi").replace("http:", "https:")
    (item,) = fetch([url], Limits())
    if proof == "valid":
        assert isinstance(item, Source), item
        assert (item.url, item.body) == (url, b"<p>Hi")
    else:
        assert isinstance(item, Failure)
        assert item.error == "The server cannot prove who it is (TLS)."
        assert server.agents == []


def test_redirects_to_a_host_with_an_invalid_certificate_fail(
    server: Any, other: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust_authority(tmp_path, monkeypatch)
    prove(other.http, tmp_path, "expired")
    target = other.add("/", b"<p>Hi").replace("http:", "https:")
    (item,) = fetch([server.add("/", b"", 302, location=target)], Limits())
    assert isinstance(item, Failure)
    assert item.error == "The server cannot prove who it is (TLS)."
    assert other.agents == []
