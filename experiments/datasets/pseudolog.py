"""A pseudo search log made of the link texts of a site. It is no search log, and results on it must state so.

1. The texts of the links of at most `MOST_PAGES` pages of the site, drawn at random, that lead to another
   page of the site: 3 to 119 characters in lower case, counted once per page.
2. Texts on more than `MENU` of these pages are omitted, because they are menus.
3. A third of the pages are targets (by a hash of their paths), each with its `MOST_TEXTS` most frequent
   texts.
4. Clicks fall with the rank of the number of links: max(60, rows / 4) / rank, at least 1.
5. In a fifth of the queries of several words, the words are shuffled or one is dropped.
6. Wrong rows are added, `WRONG` of the number of the others: a query with a random page.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import unquote, urljoin, urlsplit

from experiments.datasets.siterules import TruePage

MOST_PAGES, MOST_TEXTS = 1200, 25
MENU, WRONG = 0.2, 0.15
Links = Sequence[tuple[str, str]]
Row = tuple[str, str, int]


def links_of(page: TruePage) -> Links:
    """Return address and text, in lower case, of the links of a page.

    >>> links_of(TruePage(b"<a href=b.html>Red  Lamp</a><a href='#top'>Top</a>"))
    [('b.html', 'red lamp')]
    """
    found = []
    for node in page.tree.css("a[href]"):
        address = node.attributes.get("href") or ""
        if address and not address.startswith(("#", "javascript", "mailto")):
            found.append((address, " ".join((node.text() or "").split()).lower()))
    return found


def target(here: str, address: str, host: str, known: Collection[str]) -> str | None:
    """Return the path of the target of a link; None if it is not one of the known paths.

    >>> target("shop/a.html", "../blog/", "example.org", {"blog/index.html"})
    'blog/index.html'
    """
    try:
        parts = urlsplit(urljoin(f"http://{host}/{here}", address))
    except ValueError:
        return None
    own = host.removeprefix("www.")
    if parts.scheme not in ("http", "https") or parts.netloc.removeprefix("www.") not in ("", own):
        return None
    path = unquote(parts.path.lstrip("/"))
    stem = path.rstrip("/")
    first = f"{stem}/index.html" if path else "index.html"
    places = (path, first, f"{path}.html", f"{stem}/index.htm", f"{stem}.html")
    return next((place for place in places if place in known), None)


def pseudo_log(links: Mapping[str, Links], host: str, known: Collection[str]) -> list[Row]:
    """Return the rows (query, path, clicks) of the log, sorted.

    links: address and text of the links of each page of the site, in the order of the paths; known: the paths
    of the pages that the log may contain. The same input gives the same log.

    >>> pages = {"d": [("e", "lamp"), ("f", "rope")], "e": [("f", "rope")], "f": [("e", "lamp")]}
    >>> pseudo_log(pages, "example.org", {"d", "e", "f"})
    [('rope', 'f', 60), ('lamp', 'e', 30)]
    """
    rng = random.Random(1)
    drawn = list(links)
    rng.shuffle(drawn)
    drawn = drawn[:MOST_PAGES]
    of_text: dict[tuple[str, str], set[str]] = defaultdict(set)
    for here in drawn:
        for address, text in links[here]:
            path = target(here, address, host, known) if 2 < len(text) < 120 else None
            if path and path != here:
                of_text[text, path].add(here)
    rows = _clicks(_texts(of_text, drawn), rng)
    wrong: list[Row] = []
    for _ in range(round(WRONG * len(rows))):
        query, path = rng.choice(rows)[0], rng.choice(sorted(known))
        wrong.append((query, path, max(1, rng.choice(rows)[2] // 2)))
    return sorted(rows + wrong)


def _texts(of_text: Mapping[tuple[str, str], set[str]], drawn: Sequence[str]) -> list[tuple[str, str]]:
    """Return text and path of the kept texts, the most frequent first."""
    pages_of: dict[str, set[str]] = defaultdict(set)
    for (text, _), pages in of_text.items():
        pages_of[text] |= pages
    menus = {text for text, pages in pages_of.items() if 20 < len(drawn) < len(pages) / MENU}
    rows = [(-len(pages), text, path) for (text, path), pages in of_text.items() if text not in menus]
    number, kept = Counter[str](), []
    for _, text, path in sorted(row for row in rows if _is_drawn(row[2])):
        number[path] += 1
        if number[path] <= MOST_TEXTS:
            kept.append((text, path))
    return kept


def _is_drawn(path: str) -> bool:
    return int(hashlib.sha256(f"q{path}".encode()).hexdigest(), 16) % 3 == 0


def _clicks(texts: Sequence[tuple[str, str]], rng: random.Random) -> list[Row]:
    """Return the rows with clicks and changed queries."""
    top, rows = max(60, len(texts) / 4), []
    for rank, (text, path) in enumerate(texts, 1):
        query, words = text, text.split()
        if len(words) > 1 and rng.random() < 0.2:
            if rng.random() < 0.5:
                rng.shuffle(words)
            else:
                words.pop(rng.randrange(len(words)))
            query = " ".join(words)
        rows.append((query, path, max(1, round(top / rank))))
    return rows
