"""The measure of gaps inside of tables, definition lists and code."""

from __future__ import annotations

from experiments.container_gaps import gaps

from webgrain.extraction.document import article_text
from webgrain.extraction.single import SinglePage
from webgrain.page.parsing import parse

PROSE = (
    "<p>The ferry leaves the old harbour at seven, and the crossing takes about two hours in calm weather."
)
PAGE = f"""<title>Ferry</title><main><h1>Ferry</h1>{PROSE * 4}
<table><tr><th>Port<th>Hour<tr><td>Ask<td>7<tr><td>Bod<td>9<tr><td>Ulm<td>11</table>{PROSE}
<pre>book("Ask")</pre>{PROSE.replace("old", "new")}
<dl><dt>Deck<dd>Outside, in the wind<dt>Cabin<dd>Inside, and dry</dl>{PROSE}</main>"""


def test_gaps_of_each_kind_are_found() -> None:
    page = parse(PAGE)
    text = "Port Hour Ask 7 Ulm 11 Deck Inside, and dry " + " ".join(
        [PROSE[3:], PROSE[3:].replace("old", "new")]
    )
    assert dict(gaps(page, text)) == {"table": True, "code": True, "definitions": True}
    assert dict(gaps(page, text.replace("Ulm", "Bod 9 Ulm")))["table"] is False


def test_an_extracted_page_has_no_gap() -> None:
    page = parse(PAGE)
    found = dict(gaps(page, article_text(SinglePage().predict(page))))
    assert found["table"] is found["code"] is False
