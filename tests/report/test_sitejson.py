from __future__ import annotations

import json

from webgrain.report.html import as_json

HOSTILE = "</script><!--<script>]]>&amp;\u2028\u2029\0\x7f'\"\\ </SCRIPT >"


def test_hostile_text_stays_data_and_whole() -> None:
    text = as_json({HOSTILE: HOSTILE})
    assert not set(text) & set("<>&\u2028\u2029\0")
    assert json.loads(text) == {HOSTILE: HOSTILE}
