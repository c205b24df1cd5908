"""Pages and templates for the tests of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.templates.sitetemplate import SiteTemplate

if TYPE_CHECKING:
    import random


def page(html: str, name: str = "page") -> Page:
    return parse(Source(name, html.encode()))


def learn(*pages: Page) -> SiteTemplate:
    """A template of all these pages."""
    return SiteTemplate(least_match=0.0).fit(pages)


def random_page(rng: random.Random) -> Page:
    """A page with a frame and free text, as sites have them."""
    body = "".join(
        rng.choice(["<p>a <b>b</b> c</p>", "<h2>d</h2>", "<ul><li>1<li>2</ul>", "<pre>e</pre>"])
        for _ in range(rng.randint(1, 12))
    )
    side = (
        "<div class=side>" + "<a href=x>l</a> " * rng.randint(1, 4) + "</div>" if rng.random() < 0.8 else ""
    )
    return page(f"<div id=head>Site</div>{side}<div class=main>{body}</div><div id=foot>f</div>")
