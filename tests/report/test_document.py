from __future__ import annotations

import base64
import hashlib

from webgrain.report.html import element, head


def test_policy_names_style_and_script_by_their_hashes() -> None:
    for text, script in (("p {}", "let a;"), ("let a;", "p {}")):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in head("A", text, script)
        assert f"style-src 'sha256-{digest}'" in head("A", script, text)


def test_policy_allows_nothing_else() -> None:
    html = head("A", "p {}")
    assert "default-src 'none'" in html
    assert "script-src" not in html
    assert "unsafe" not in head("A", "p {}", "let a;")


def test_text_and_attributes_are_escaped_once() -> None:
    inner = element("b", "<&>", title='"<')
    assert inner == '<b title="&quot;&lt;">&lt;&amp;&gt;</b>'
    assert element("p", inner, "<i>") == f"<p>{inner}&lt;i&gt;</p>"
    assert "<title>&lt;script&gt;</title>" in head("<script>", "")
