"""Page types of made-up sites that are easily split or merged: folders, languages, short pages, archives."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from webgrain.base.metrics import ari
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes

ENGLISH = ["amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath", "iris", "jade", "kelp"]
GERMAN = ["apfel", "birke", "dorf", "eiche", "feder", "garten", "hafen", "insel", "kreis", "linde", "mauer"]
NAVIGATION = {"en": ("Home", "News", "About us"), "de": ("Startseite", "Aktuelles", "Über uns")}
BY = {"en": "Posted by", "de": "Geschrieben von"}

Pages = Iterator[tuple[str, str, str]]
"""The type, the address and the HTML of each page."""


def words(rng: random.Random, number: int, language: str = "en") -> str:
    return " ".join(rng.choices(GERMAN if language == "de" else ENGLISH, k=number)).capitalize()


def frame(language: str, main: str, side: str = "", body: str = "page") -> str:
    links = "".join(
        f"<li><a href='/{language}/{k}'>{name}</a>" for k, name in enumerate(NAVIGATION[language])
    )
    return (
        f"<html lang={language}><title>Site</title><body class='{body}'>"
        f"<header><ul class=menu>{links}</ul></header><div id=content>{main}</div>"
        f"<aside>{side}</aside><footer>{NAVIGATION[language][2]}</footer>"
    )


def article(rng: random.Random, language: str = "en", side: str = "", body: str = "single") -> str:
    prose = "".join(f"<p>{words(rng, 30, language)}." for _ in range(rng.randint(2, 5)))
    title = (
        f"<h1 class=title>{words(rng, 4, language)}</h1><p class=byline>{BY[language]} {words(rng, 1)}</p>"
    )
    return frame(language, f"<article class=post>{title}{prose}</article>", side, body)


def listing(rng: random.Random, head: str, language: str = "en", body: str = "archive") -> str:
    items = "".join(
        f"<div class=entry><h2><a href='/x{rng.random()}'>{words(rng, 4, language)}</a></h2>"
        f"<p class=summary>{words(rng, 12, language)}</div>"
        for _ in range(rng.randint(3, 9))
    )
    return frame(language, f"<h1 class=page-title>{head}</h1>{items}<div class=pager>1 2 3</div>", body=body)


def folders(rng: random.Random) -> Pages:
    """One template in four folders, each with its own menu."""
    for folder in ("tea", "cups", "trips", "notes"):
        links = [f"<a href='/{folder}/{word}'>{folder} {word}</a>" for word in ENGLISH[:5]]
        side = f"<h3>{folder}</h3>{''.join(links)}"
        for k in range(12):
            yield "article", f"{folder}/{words(rng, 2)}-{k}.html", article(rng, side=side)
    for k in range(12):
        yield "list", f"lists/{k}.html", listing(rng, words(rng, 2))


def languages(rng: random.Random) -> Pages:
    """Two languages of one theme."""
    for language in ("en", "de"):
        for k in range(20):
            yield "article", f"{language}/{words(rng, 2, language)}-{k}.html", article(rng, language)
        for k in range(10):
            yield "list", f"{language}/list/{k}.html", listing(rng, words(rng, 2, language), language)


def short_pages(rng: random.Random) -> Pages:
    """Pages with the same frame and little content."""
    for k in range(15):
        cells = f"<dt>Phone<dd>{rng.randint(1000, 9999)}<dt>Mail<dd>{words(rng, 1)}@example.org"
        main = f"<h1>{words(rng, 2)}</h1><dl class=contact>{cells}</dl>"
        yield "person", f"people/{k}.html", frame("en", main, body="person")
    for k in range(15):
        picture = f"<img src='/{k}.jpg'><figcaption>{words(rng, 3)}</figcaption>"
        main = f"<h1>{words(rng, 2)}</h1><figure class=shot>{picture}</figure>"
        yield "picture", f"pictures/{k}.html", frame("en", main, body="attachment")
    for k in range(15):
        tags = "".join(f"<li><a href='/t/{word}'>{word}</a>" for word in rng.sample(ENGLISH, 5))
        main = f"<h1>{words(rng, 1)}</h1><ul class=cloud>{tags}</ul>"
        yield "tags", f"topics/{k}.html", frame("en", main, body="tags")


def archives(rng: random.Random) -> Pages:
    """Articles, and archives by date and by category of the same template."""
    for k in range(30):
        month = f"20{rng.randint(10, 20)}/0{rng.randint(1, 9)}"
        yield "article", f"{month}/{words(rng, 1)}-{k}.html", article(rng)
    for k in range(12):
        yield "archive", f"20{10 + k}/index.html", listing(rng, f"Archive for 20{10 + k}")
    for word in ENGLISH:
        yield "archive", f"category/{word}/index.html", listing(rng, f"Category {word}")


def pages_of(rows: Sequence[tuple[str, str, str]]) -> list[Page]:
    host = "https://example.org"
    return [parse(Source(address, html.encode(), url=f"{host}/{address}")) for _, address, html in rows]


@pytest.mark.parametrize("site", [folders, languages, short_pages, archives])
@pytest.mark.parametrize("seed", [1, 2])
def test_types_are_those_of_the_templates(site: Callable[[random.Random], Pages], seed: int) -> None:
    rows = list(site(random.Random(seed)))
    found = PageTypes().fit(pages_of(rows)).labels_
    kinds = sorted({kind for kind, _, _ in rows})
    truth = [kinds.index(kind) for kind, _, _ in rows]
    assert ari(truth, found) >= 0.95
