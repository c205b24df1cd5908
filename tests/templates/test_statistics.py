"""Statistics of the nodes of templates."""

from __future__ import annotations

import pytest
from tests.templates.pages import learn, page


def test_statistics_of_the_nodes() -> None:
    html = "<h1>Title {0}</h1><p><a href=x>Home</a> or</p><ul>" + "<li>x" * 3 + "</ul>"
    template = learn(*(page(html.format(n)) for n in range(4))).template_
    assert template is not None
    at = {template.name(node): node for node in range(len(template))}
    result = {name: template.statistic(name) for name in ("characters", "linked", "variation", "repetition")}
    assert [float(result[name][at["h1"]]) for name in result] == [7.0, 0.0, 1.0, 0.25]
    assert [float(result[name][at["p"]]) for name in result] == [
        pytest.approx(7.0),
        pytest.approx(4 / 7),
        0.0,
        1.0,
    ]
    assert template.statistic("items")[[at["star"], at["li"], at["h1"]]].tolist() == [3.0, 3.0, 1.0]
