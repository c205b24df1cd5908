"""Synthetic articles of one site, and lists of them."""

from __future__ import annotations

import random

from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

WORDS = (
    "harbour light rope tide salt wind letter kitchen boat crane bell morning lantern slate road net window "
    "story winter herring glass keeper north map tower bread smoke engine paper garden river stone"
)
NAMES = "Ada Ben Cleo Dan Eve Fay".split()  # noqa: SIM905


def words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS.split(), k=count)).capitalize() + "."


def frame(number: int, title: str, main: str, kind: str) -> Page:
    html = (
        f"<title>{title} | The Lantern</title><body class='{kind} post-{number} tag-{NAMES[number % 6]}'>"
        "<div id=head><p class=name>The Lantern</p><ul class=menu><li><a href=list-0.html>News</a>"
        "<li><a href=about.html>About us</a></ul></div>"
        f"<div id=main>{main}</div>"
        "<div id=foot>All words belong to those who made them. Printed on Quay Street.</div>"
    )
    return parse(Source(f"{kind}-{number}.html", html.encode()))


def article(number: int, body: str = "", comments: int = 0) -> Page:
    rng = random.Random(number)
    title = f"{words(rng, 4)[:-1]} {number}"
    paragraphs = "".join(f"<p>{words(rng, 40)}" for _ in range(rng.randrange(3, 9)))
    replies = "".join(
        f"<div class='comment' id=c{number}{i}><div class=who>{name}</div>"
        f"<div class=reply>{words(rng, 30)}</div></div>"
        for i, name in enumerate(rng.sample(NAMES, comments))
    )
    main = (
        f"<h1 class=title>{title}</h1><p class=byline>By {rng.choice(NAMES)}, {number % 28 + 1} May 2026</p>"
        f"<div class='entry entry-{number}'>{paragraphs}{body}</div>"
        f"<div id=comments><h2>Comments</h2>{replies}</div>"
    )
    return frame(number, title, main, "article")


def listing(number: int, articles: list[Page]) -> Page:
    rng = random.Random(-number)
    teasers = "".join(
        f"<div class=teaser><h2><a href={page.id}>{title_of(page)}</a></h2>"
        f"<div class=date>{rng.randrange(1, 29)} May</div><div class=lead>{words(rng, 20)}</div></div>"
        for page in articles
    )
    return frame(number, f"News, page {number}", f"<h1>News</h1>{teasers}", "list")


def title_of(page: Page) -> str:
    return page.dom.text_of(node_of(page, "title")).removesuffix(" | The Lantern")


def node_of(page: Page, tag: str) -> int:
    return next(node for node in range(len(page.dom)) if page.dom.name(node) == tag)
