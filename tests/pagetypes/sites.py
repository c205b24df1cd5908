"""A small made-up site: posts, lists and products, with the queries that lead to them."""

from __future__ import annotations

from webgrain.page.page import Source
from webgrain.page.parsing import parse

FRAME = (
    "<title>{title} | Shop</title><div id=menu><ul><li><a href=/>Home</a><li><a href=/b>About</a></ul></div>"
    "{body}<div id=foot><p>All rights</p></div>"
)


def post(k):
    paragraphs = "".join(f"<p>Text {i} of <em>{k}</em></p>" for i in range(1 + k % 4))
    body = f"<article class='post n{k}'><h1>Story {k}</h1><p class=by>Kim</p>{paragraphs}</article>"
    return FRAME.format(title=f"Story {k}", body=body)


def product(k):
    rows = "".join(f"<tr><td>size</td><td>{i}</td></tr>" for i in range(1 + k % 3))
    body = f"<div class=item><h2>Lamp {k}</h2><table>{rows}</table><b class=price>{k} coins</b></div>"
    return FRAME.format(title=f"Lamp {k}", body=body)


def listing(k):
    items = "".join(f"<li><a href=p{i}.html>Lamp {i}</a>" for i in range(2 + k % 5))
    return FRAME.format(title=f"List {k}", body=f"<ol class=all>{items}</ol><form><input></form>")


MAKERS = {"post": post, "product": product, "listing": listing}


def make_site(n=20):
    """Return pages, their types, and queries by page."""
    pages, types, queries = [], [], {}
    for kind, maker in MAKERS.items():
        for k in range(n):
            name = f"{kind}/{k}.html"
            pages.append(parse(Source(name, maker(k).encode())))
            types.append(kind)
            if k % 3 == 0:
                queries[name] = {f"{'story' if kind == 'post' else 'lamp'} {k}": 2, "buy": 1}
    return pages, types, queries
