"""Pages with the same article in the frames of different sites: the pairs are synthetic, the halves are real.

The main text of a page of one site, the frame, is replaced by the paragraphs of an article of another site;
the heading and the title become those of the article, and descriptions and canonical addresses are removed.
Menus, side bars, comments and footers remain. The recipe contains

    frames      for each site the CSS of ``main``, the element with the main text, and of the ``heading``; the
                paragraphs replace the content of the element, or follow what is left after the elements of
                ``remove`` are removed
    articles    id, site, path, number of words (whole paragraphs from the beginning), class of length
    pages       path of the new page, id of its article, site and path of its frame
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from experiments.datasets.siterules import decoded
from webgrain.base.errors import InputError

Table = tuple[Sequence[str], list[Sequence[Any]]]
_REMOVED = 'meta[name="description"], meta[property], link[rel="canonical"]'


def grafted(
    recipe: Mapping[str, Any], frames: Mapping[str, bytes], data: Path
) -> tuple[dict[str, bytes], Table, list[dict[str, Any]]]:
    """Return the pages by path, the table of them, and the articles.

    frames: the pages of the sites of the frames by ``<site>/<path>``; data: the folder with the sites of the
    articles. `InputError` if an article or a frame is missing.
    """
    bodies = {site: _articles(data, site) for site in {one["site"] for one in recipe["articles"]}}
    articles = {}
    for one in recipe["articles"]:
        source = bodies[one["site"]].get(one["path"])
        if source is None:
            raise InputError(f"There is no article {one['path']} in the articles of sites/{one['site']}.")
        body = first_words(source["body"], one["words"])
        articles[one["id"]] = {**one, "title": source["title"], "body": body}
    pages = {}
    for path, article, site, frame in recipe["pages"]:
        if f"{site}/{frame}" not in frames:
            raise InputError(f"The frame {frame} of {site} is not in the source.")
        pages[path] = graft(frames[f"{site}/{frame}"], articles[article], recipe["frames"][site])
    rows = [tuple(row) for row in recipe["pages"]]
    records = [
        {"id": key, "title": one["title"], "body": one["body"], "length_class": one["length"]}
        for key, one in articles.items()
    ]
    return pages, (("path", "article", "frame_site", "frame_page"), rows), records


def graft(frame: bytes, article: Mapping[str, str], css: Mapping[str, str]) -> bytes:
    """Return a page with the article in the frame of another page.

    >>> page = b"<title>Old | Site</title><h1>Old</h1><main><p>Text</main><footer>Us</footer>"
    >>> graft(page, {"title": "New", "body": "One."}, {"main": "main", "heading": "h1"}).decode()[12:-14]
    '<title>New | Site</title></head><body><h1>New</h1><main><p>One.</p></main><footer>Us</footer>'
    """
    tree = LexborHTMLParser(decoded(frame))
    main, place = tree.css_first(css["main"]), tree.css_first(css["heading"])
    if main is None or place is None:
        raise InputError(f"A frame has no element {css['main']} or {css['heading']}.")
    paragraphs = "\n".join(f"<p>{escape(part, quote=False)}</p>" for part in article["body"].split("\n\n"))
    heading = escape(article["title"], quote=False)
    place.inner_html = heading
    for node in tree.css(", ".join(filter(None, (_REMOVED, css.get("remove"))))):
        node.decompose()
    main.inner_html = (main.inner_html or "") + paragraphs if "remove" in css else paragraphs
    title = tree.css_first("title")
    if title is not None:
        site = _SITE.search(title.text())
        title.inner_html = heading + escape(site[0] if site else "", quote=False)
    return (tree.html or "").encode()


_SITE = re.compile(r" (\||-) ((?! \1 ).)*$", re.DOTALL)
"""The name of the site at the end of a title."""


def first_words(body: str, number: int) -> str:
    r"""Return the first paragraphs of a text that have at least a number of words.

    >>> first_words("One two.\n\nThree.\n\nFour.", 3)
    'One two.\n\nThree.'
    """
    kept, paragraphs = list[str](), body.split("\n\n")
    while paragraphs and len(" ".join(kept).split()) < number:
        kept.append(paragraphs.pop(0))
    return "\n\n".join(kept)


def _articles(data: Path, site: str) -> dict[str, dict[str, str]]:
    path = data / "sites" / f"{site}.articles.jsonl.xz"
    if not path.exists():
        raise InputError(f"{path} does not exist: build sites/{site} first.")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return {record["path"]: record for record in map(json.loads, lines)}
