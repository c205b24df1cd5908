"""Pairs of pages of one site with the verdict that a search for duplicates should give.

    python experiments/datasets/sitepairs.py        # writes site_pairs.csv next to this file

The table has facts only: site, the paths of both pages, kind, verdict. The verdict is one of

    verdict        the pages
    duplicate      have the same content: a corpus needs one of them
    contains       the content of b is a part of a
    either         one of the two above: both are right, for example on a listing of a single post
    different      have different content, in the same template or not

The rules use the ground truth of the bench (title, main text, comments, records) and addresses. They do not
use the search for duplicates, its words or its sketches: contents are compared by their runs of five words,
and pairs between the bounds are in no class and left out. At most `MOST` pairs are drawn for each site, kind
and verdict. `READ` are pairs that were read page by page where the rules are wrong or do not apply.

    kind        pages                                                       verdict
    address     articles or lists with one title and one content            duplicate
    comments    the same article with another page of its comments          by title, main text and comments
    view        a light or print view and the page itself                   by title, main text and comments
    language    one path in two languages                                   by main text: translated or not
    listing     a list and a post whose whole main text it shows            contains; either if it lists one
    archive     two lists with other titles, or none                        by their records; either if they
                                                                            show the same posts
    neighbour   articles of one type; half of them those that look most     different
                alike, by the words of the whole page
"""

from __future__ import annotations

import csv
import hashlib
import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from scipy.sparse import csr_array

from experiments.datasets.bench import BenchSite, read_bench
from webgrain.page.text import visible_text

TABLE = Path(__file__).with_name("site_pairs.csv")
MOST = 8
SAME, WHOLE, PART, NOTHING = 0.7, 0.95, 0.4, 0.05
"""Resemblance of duplicates; containment and greatest resemblance of a part; containment of different
pages."""

WORDS = 40
"""Words of a content below which the rules do not decide."""

POST = 15
"""Runs per record from which a list shows more of a post than its title."""

_LANGUAGE = re.compile(r"(^|/)[a-z]{2}(-[a-z]{2})?/")
_COMMENTS = re.compile(r"/comment-page-\d+")
_LIGHT = re.compile(r"lite|light|print|forum/archive/")


class SitePair(NamedTuple):
    """Two pages of a site by their paths; kind: how they are related; verdict: the right one."""

    site: str
    a: str
    b: str
    kind: str
    verdict: str


class _Contents(NamedTuple):
    """What the ground truth knows of the n pages of a site.

    paths, titles, roles, types, listed: (n,) listed: the number of records. main, all, page: (n, n), the
    number of runs that the main texts have in common; the contents, which are main text, comments and
    records; the whole pages. part: (n, n), the share of the content of the second page that the first shows
    anywhere.
    """

    paths: list[str]
    titles: list[str]
    roles: list[str]
    types: list[str]
    listed: list[int]
    main: Any
    all: Any
    page: Any
    part: Any


# Pairs that the rules find, and that are wrong or cannot be decided, after reading both pages; an empty path
# stands for all pairs of the kind. A verdict adds the pair.
READ: tuple[SitePair, ...] = (
    # the products of a list have one name each, at other prices
    SitePair(
        "whisky",
        "product-category/macallan-exceptional-single-cask/index.html",
        "shop/page/7/index.html",
        "archive",
        "",
    ),
    # a reply that quotes the whole message
    SitePair(
        "pipermail",
        "twisted-web/2009-August/004305.html",
        "twisted-web/2009-August/004304.html",
        "listing",
        "either",
    ),
    # all courses with long descriptions between the names; the ground truth has the names only
    SitePair("straf", "", "", "archive", ""),
    # the same tickets with other columns
    SitePair("cktrac", "", "", "archive", ""),
    # two lists of months
    SitePair("pipermail", "twisted-web/index.html", "inheritance/index.html", "archive", ""),
    SitePair("pipermail", "twisted-python/index.html", "inheritance/index.html", "archive", ""),
)


def read_pairs(path: Path = TABLE) -> list[SitePair]:
    """Return the pairs of the table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [SitePair(**row) for row in csv.DictReader(file)]


def make_pairs(site: BenchSite) -> list[SitePair]:
    """Return the pairs of a site, by kind and verdict."""
    read = {frozenset(pair[1:3]): pair for pair in READ if pair.site == site.name}
    left_out = {pair.kind for pair in read.values() if not pair.a}
    contents = _contents(site)
    ruled = (pair for pair in _by_rules(site.name, contents) if pair.kind not in left_out)
    found = [pair for pair in ruled if frozenset(pair[1:3]) not in read]
    groups: dict[tuple[str, str], list[SitePair]] = {}
    for pair in sorted(found, key=_drawn):
        groups.setdefault((pair.kind, pair.verdict), []).append(pair)
    drawn = [pair for _, group in sorted(groups.items()) for pair in group[:MOST]]
    drawn += _neighbours(site.name, contents)
    chosen = {*drawn, *(pair for pair in read.values() if pair.verdict)}
    return sorted(chosen, key=lambda pair: (*pair[3:], *pair))


def _contents(site: BenchSite) -> _Contents:
    pages = {page.id: visible_text(page, separator="\n") for page in site.pages()}
    truths = [site.truth[path] for path in pages]
    mains = [_runs(truth.get("text") or "") for truth in truths]
    every = [_runs(_content(truth)) for truth in truths]
    whole = [_runs(text) for text in pages.values()]
    return _Contents(
        list(pages),
        [" ".join(_words(truth.get("title") or "")) for truth in truths],
        [site.roles[path] for path in pages],
        [site.types[path] for path in pages],
        [len(truth.get("records") or []) for truth in truths],
        _common(mains, mains),
        _common(every, every),
        _common(whole, whole),
        _common(whole, every) / np.maximum([len(runs) for runs in every], 1),
    )


def _content(truth: dict[str, Any]) -> str:
    """Return the main text, the comments and the records of a page."""
    comments = truth.get("comments") or []
    records = [" ".join(map(str, record.values())) for record in truth.get("records") or []]
    return "\n".join(
        [truth.get("text") or "", *(comments if isinstance(comments, list) else [comments]), *records]
    )


_ALONE = "\u0e00-\u0eff\u3041-\u30ff\u3400-\u9fff"


def _words(text: str) -> list[str]:
    """Return the words of a text; each character of Chinese, Japanese and Thai is one."""
    return re.findall(rf"[{_ALONE}]|[^\W{_ALONE}]+", text.lower())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return set(zip(*(words[k:] for k in range(5)), strict=False))


def _common(left: list[set[tuple[str, ...]]], right: list[set[tuple[str, ...]]]) -> Any:
    """Return the numbers (n, n) of common runs."""
    number: dict[tuple[str, ...], int] = {}
    for runs in (*left, *right):
        for run in runs:
            number.setdefault(run, len(number))

    def rows(pages: list[set[tuple[str, ...]]]) -> csr_array:
        ends = np.cumsum([0, *map(len, pages)])
        columns = [number[run] for runs in pages for run in runs]
        return csr_array((np.ones(len(columns)), columns, ends), shape=(len(pages), len(number)))

    return (rows(left) @ rows(right).T).toarray()


def _by_rules(site: str, of: _Contents) -> Iterator[SitePair]:
    for i, j in combinations(range(len(of.paths)), 2):
        a, b = of.paths[i], of.paths[j]
        roles, title = {of.roles[i], of.roles[j]}, of.titles[i] == of.titles[j]
        verdict, first = _verdict(of.all, i, j)
        x, y = (a, b) if first == i else (b, a)
        if _LANGUAGE.sub(r"\1", a) == _LANGUAGE.sub(r"\1", b):
            kind = "language"
        elif _COMMENTS.sub("", a) == _COMMENTS.sub("", b):
            kind = "comments"
        elif title and of.titles[i] and bool(_LIGHT.search(a)) != bool(_LIGHT.search(b)):
            kind = "view"
        elif title and of.titles[i] and verdict == "duplicate" and "other" not in roles:
            kind = "address"
        elif roles == {"index"} and min(of.listed[i], of.listed[j]) >= 2:
            kind = "archive"
            words = min(of.all[k, k] / of.listed[k] for k in (i, j))
            verdict = {"duplicate": "either", "contains": "contains" if words >= POST else ""}.get(
                verdict, verdict
            )
        elif roles == {"index", "article"}:
            listing, post = (i, j) if of.roles[i] == "index" else (j, i)
            kind, x, y, verdict = "listing", of.paths[listing], of.paths[post], ""
            if of.all[post, post] >= WORDS and of.part[listing, post] >= WHOLE:
                verdict = "contains" if of.listed[listing] > 2 else "either"
        else:
            verdict = ""
        if verdict:
            yield SitePair(site, x, y, kind, verdict)


def _verdict(common: Any, i: int, j: int) -> tuple[str, int]:
    """Return the verdict on two contents, and the one that contains the other."""
    least, most = sorted((common[i, i], common[j, j]))
    both = common[i, j]
    first = i if common[i, i] >= common[j, j] else j
    if least < WORDS:
        return "", first
    resemblance, share = both / (least + most - both), both / least
    if resemblance >= SAME:
        return "duplicate", i
    if share >= WHOLE and resemblance <= PART:
        return "contains", first
    return "different" if share <= NOTHING else "", i


def _neighbours(site: str, of: _Contents) -> list[SitePair]:
    """Return pairs of articles of one type with different titles and main texts."""
    pairs = []
    for i, j in combinations(range(len(of.paths)), 2):
        article = of.roles[i] == of.roles[j] == "article" and of.types[i] == of.types[j]
        if article and of.titles[i] != of.titles[j] and _verdict(of.main, i, j)[0] == "different":
            alike = of.page[i, j] / (of.page[i, i] + of.page[j, j] - of.page[i, j])
            pairs.append((alike, SitePair(site, of.paths[i], of.paths[j], "neighbour", "different")))
    most_alike = [pair for _, pair in sorted(pairs, reverse=True)[:MOST]]
    return most_alike + sorted((pair for _, pair in pairs), key=_drawn)[:MOST]


def _drawn(pair: SitePair) -> bytes:
    """Return the key by which pairs are drawn."""
    return hashlib.blake2b("\0".join(pair).encode("utf-8", "surrogatepass")).digest()


def main() -> None:
    """Write the table."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(SitePair._fields)
        for site in read_bench():
            writer.writerows(make_pairs(site))


if __name__ == "__main__":
    main()
