from __future__ import annotations

import base64
import hashlib

from webgrain.report.html import policy


def test_a_policy_names_style_and_script_by_their_hashes() -> None:
    digest = base64.b64encode(hashlib.sha256(b"let a;").digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy("p {}", "let a;", images=True)
    assert "img-src data:" in policy("p {}", "let a;", images=True)


def test_what_is_not_there_is_not_allowed() -> None:
    assert policy("p {}").startswith("default-src 'none'")
    assert "script-src" not in policy("p {}")
    assert "img-src" not in policy("p {}")
    assert "unsafe" not in policy("p {}", "let a;", images=True)
