r"""Sites whose articles are known: the pages, which of them are articles, their titles and main texts.

Two layouts of a folder are read. ``news``: ``<site>.tar.xz`` with the pages, ``<site>.pages.tsv`` that says
of each whether it is an article or an index and whether to learn from it (``fit``) or to score on it
(``check``), ``<site>.articles.jsonl.xz``, and ``<site>.anchors.tsv`` with what links say. ``sites``:
``<site>.types.tsv`` instead, without a split. There the pages are put in the order of the SHA-256 of their
paths, the first ones are learnt from and the others are scored on; a post that has a truth is an article, a
listing an index, and other pages are neither.

The bodies of ``news`` hold the code that stands in an article, those of ``sites`` do not.

Pairs of pages that are duplicates or different: three sets with archives of pages and a table of pairs.

Layout: ``pairs.tsv`` (set, path_a, path_b, label, byte_identical, full_text_jaccard6) and ``<set>.tar.xz``
with the pages, paths beginning with the name of the set. For the set ``grafted``, whose pairing is synthetic
(true article bodies in frames of three sites), ``grafted.pages.tsv`` names the article of each page and
``grafted.articles.jsonl.xz`` its length class.

Pages of all kinds with titles and main texts: a sample of WCXB, the Web Content eXtraction Benchmark.

Source: Foley, WCXB, arXiv 2605.21097; CC-BY-4.0. The texts of the pages stay those of their sites.

Layout: ``wcxb-dev-300.tar.xz`` with ``dev/html/<id>.html.gz`` and ``dev/ground-truth/<id>.json``.

The truth is plain text. Its metric is the word F1: words are all runs of ``\w`` in lower case, as often as
each one stands; the mean over pages counts each page the same.

Which texts of a page come from the article it shows, and which are noise of its site.

The words of a page, in order, are laid beside those of the article's source (title, body, code); a text is of
the source where at least half of its words are. Texts in comments are neither, and so are texts of the source
that stand on most pages of the site, word for word: a notice that every article ends with.

Whole sites with the type of each page, and a pseudo search log made of anchor texts.

Layout of the folder: ``<name>.tar.xz`` with the pages, ``<name>.types.tsv`` (path, type),
``<name>.queries.tsv`` (query, path, clicks). The logs are no search logs: results on them must say so.

Made-up texts with planted near-duplicates, for benchmarks and tests; no memory but for the last text.

Every text is made of words drawn by Zipf's law. A share of them are copies of an earlier text with words
replaced here and there, and another share has only a half of an earlier text, which no search should call a
duplicate.
"""

from __future__ import annotations

import csv
import functools
import gzip
import hashlib
import json
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int64
from webgrain.errors import InputError, ParameterError
from webgrain.evaluation.datasets import members
from webgrain.metrics import tokens
from webgrain.page.leaves import TEXT_LEAF, visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.templates.sections import Sections

Kind = Literal["article", "index", "other"]
NEWS = ("asa", "krisold", "octo54")
SITES = {"flink-web": 90, "datafusion": 35}
"""Sites without a split of their own, and how many of their pages are learnt from."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a page: kind, title and body; with_code: whether the body holds the code, too."""

    kind: Kind
    title: str = ""
    body: str = ""
    with_code: bool = False


@dataclass(frozen=True, slots=True)
class ArticleSite:
    """A site with its truth.

    Attributes:
        name: the site's name.
        learn, check: ids of the pages to learn from and of those to score on, in order.
        sources: the pages by id; truth: what is true of them.
        anchors: texts of links to the pages, by id, with their numbers, collected over the whole site; None
            where only the links on the pages themselves are known.
    """

    name: str
    learn: tuple[str, ...]
    check: tuple[str, ...]
    sources: dict[str, Source]
    truth: dict[str, Truth]
    anchors: dict[str, dict[str, int]] | None = None

    def pages(self, ids: Iterable[str]) -> list[Page]:
        """Return the pages of these ids, parsed."""
        return [parse(self.sources[page]) for page in ids]


def read_articles(folder: Path, name: str) -> ArticleSite:
    """Return one site; ``folder`` holds ``news`` and ``sites``; `InputError` where a file is missing.

    >>> from pathlib import Path
    >>> read_articles(Path("nowhere"), "asa")
    Traceback (most recent call last):
    webgrain.errors.InputError: Cannot read nowhere/news/asa.articles.jsonl.xz: No such file or directory.
    """
    place = folder / ("news" if name in NEWS else "sites")
    try:
        told = _told(place / f"{name}.articles.jsonl.xz")
        kinds, parts, urls = (_news if name in NEWS else _site)(place, name, told)
        bodies = dict(members(place / f"{name}.tar.xz"))
        anchors = _anchors(place / f"{name}.anchors.tsv") if name in NEWS else None
    except OSError as error:
        raise InputError(f"Cannot read {error.filename or place}: {error.strerror or error}.") from error
    sources = {page: Source(page, bodies[page], url=urls.get(page)) for page in kinds}
    return ArticleSite(
        name,
        tuple(page for page in kinds if parts[page] == "fit"),
        tuple(page for page in kinds if parts[page] == "check"),
        sources,
        {page: _truth(kind, told.get(page), name in NEWS) for page, kind in kinds.items()},
        anchors,
    )


def _told(path: Path) -> dict[str, dict[str, str]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return {record["path"]: record for record in map(json.loads, lines)}


def _truth(kind: Kind, told: dict[str, str] | None, with_code: bool) -> Truth:
    if told is None:
        return Truth(kind)
    return Truth(kind, told["title"], told["body"], with_code)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _news(
    folder: Path, name: str, told: dict[str, dict[str, str]]
) -> tuple[dict[str, Kind], dict[str, str], dict[str, str]]:
    rows = _rows(folder / f"{name}.pages.tsv")
    kinds: dict[str, Kind] = {row["path"]: "article" if row["path"] in told else "index" for row in rows}
    parts = {row["path"]: row["part"] for row in rows}
    return kinds, parts, {row["path"]: row["url"] for row in rows}


def _site(
    folder: Path, name: str, told: dict[str, dict[str, str]]
) -> tuple[dict[str, Kind], dict[str, str], dict[str, str]]:
    kinds: dict[str, Kind] = {}
    for row in _rows(folder / f"{name}.types.tsv"):
        page = row["path"]
        kinds[page] = "article" if page in told else "index" if row["type"] == "listing" else "other"
    order = sorted(kinds, key=lambda page: hashlib.sha256(page.encode()).digest())
    parts = {page: "fit" if at < SITES[name] else "check" for at, page in enumerate(order)}
    return kinds, parts, {}


def _anchors(path: Path) -> dict[str, dict[str, int]]:
    anchors: dict[str, dict[str, int]] = {}
    for row in _rows(path):
        anchors.setdefault(row["path"], {})[row["anchor"]] = int(row["links"])
    return anchors


SETS = ("libreoffice-help", "installation-guide", "grafted")
"""Names of the sets."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two pages by their paths, whether they are duplicates, and of what kind.

    kind: of a duplicate in ``grafted`` the length class of its article (complete-short, lead, complete-long);
    of a different pair there the site of both pages; else empty.
    """

    a: str
    b: str
    duplicate: bool
    kind: str = ""


def load_pairs(folder: Path, name: str) -> list[LabelledPair]:
    """Return the pairs of one set, in the order of the table.

    `InputError` where the folder does not hold the data.

    >>> from pathlib import Path
    >>> load_pairs(Path("nowhere"), "grafted")
    Traceback (most recent call last):
    webgrain.errors.InputError: There are no pairs at nowhere/pairs.tsv.
    """
    table = folder / "pairs.tsv"
    if not table.exists():
        raise InputError(f"There are no pairs at {table}.")
    kinds = _kinds(folder) if name == "grafted" else {}
    pairs = []
    for row in _duplicates_rows(table):
        if row["set"] == name:
            duplicate = row["label"] == "duplicate"
            site, length = kinds.get(row["path_a"], ("", ""))
            pairs.append(LabelledPair(row["path_a"], row["path_b"], duplicate, length if duplicate else site))
    return pairs


def read_pages(folder: Path, name: str) -> Iterator[Source]:
    """Go through the pages of one set; the id of a page is its path."""
    for path, body in members(folder / f"{name}.tar.xz", lambda path: path.endswith(".html")):
        yield Source(path, body)


def _kinds(folder: Path) -> dict[str, tuple[str, str]]:
    """Return site and length class of each page of ``grafted``."""
    with lzma.open(folder / "grafted.articles.jsonl.xz", "rt", encoding="utf-8") as lines:
        length = {article["id"]: article["length_class"] for article in map(json.loads, lines)}
    return {
        row["path"]: (row["frame_site"], length[row["article"]])
        for row in _duplicates_rows(folder / "grafted.pages.tsv")
    }


def _duplicates_rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


ARCHIVE = "wcxb-dev-300.tar.xz"
KINDS = ("article", "service", "documentation", "forum", "collection", "listing", "product")
"""Kinds of pages, as the data set names them."""

_WORD = re.compile(r"\w+")
_SHORT = 3
"""Letters of the last but one part of a host that is no name of a site by itself, as in ``example.co.uk``."""


@dataclass(frozen=True, slots=True)
class MainPage:
    """A page with what is true of it.

    Attributes:
        source: the page; kind: one of `KINDS`.
        title, text: its title and its main text.
    """

    source: Source
    kind: str
    title: str
    text: str

    @property
    def domain(self) -> str:
        """The domain of the page: pages of one domain must not stand on both sides of a test."""
        return domain_of(self.source.url or "")


def read_main_pages(folder: Path) -> list[MainPage]:
    """Return all pages, by their ids; `InputError` where the archive is missing or damaged.

    >>> from pathlib import Path
    >>> read_main_pages(Path("nowhere"))
    Traceback (most recent call last):
    webgrain.errors.InputError: nowhere/wcxb-dev-300.tar.xz cannot be read: No such file or directory.
    """
    path = folder / ARCHIVE
    bodies: dict[str, bytes] = {}
    truths: dict[str, dict[str, Any]] = {}
    try:
        for name, content in members(path):
            stem = name.rsplit("/", 1)[-1].split(".")[0]
            if name.endswith(".html.gz"):
                bodies[stem] = gzip.decompress(content)
            elif "/ground-truth/" in name:
                truths[stem] = json.loads(content)
        return [_page(name, bodies[name], truths[name]) for name in sorted(truths)]
    except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def word_f1(truth: str, found: str) -> float:
    """Return the word F1 of two texts; 1 where neither has a word.

    >>> word_f1("The quick brown fox", "the brown")
    0.6666666666666666
    """
    wanted, got = Counter(words(truth)), Counter(words(found))
    if not wanted and not got:
        return 1.0
    return 2 * (wanted & got).total() / (wanted.total() + got.total())


def words(text: str) -> list[str]:
    """Return the words of a text as the metric counts them.

    >>> words("It's a_b 1.9")
    ['it', 's', 'a_b', '1', '9']
    """
    return _WORD.findall(text.lower())


def domain_of(url: str) -> str:
    """Return the domain of an address without the names below it.

    >>> domain_of("https://forum.example.com/a"), domain_of("http://www.example.co.uk")
    ('example.com', 'example.co.uk')
    """
    parts = (urlsplit(url).hostname or "").split(".")
    short = len(parts) > 2 and len(parts[-2]) <= _SHORT and len(parts[-1]) == 2
    return ".".join(parts[-3:] if short else parts[-2:])


def _page(name: str, body: bytes, told: dict[str, Any]) -> MainPage:
    truth, kind = told["ground_truth"], told["_internal"]["page_type"]["primary"]
    kind = "collection" if kind == "category" else kind
    return MainPage(
        Source(name, body, url=told["url"]), kind, truth["title"] or "", truth["main_content"] or ""
    )


CODE = ("pre", "code")
COMMENTS = ("comments", "comment", "disqus_thread")
"""Ids and classes of comments begin so."""

REPEATED = 0.5
"""Share of the articles of a site above which a text of the source is one of the site."""


@dataclass(frozen=True, slots=True, eq=False)
class NoiseTruth:
    """The texts of a page.

    node (t,): in the Dom; words (t,): how many they are; noise (t,) bool: not of the source.
    """

    node: Int64
    words: Int64
    noise: Bool


class NoiseScore(NamedTuple):
    """Shares of what was called noise that is, and of the noise that was; of words and of sections.

    share: of the words of the page, those called noise.
    """

    precision: float
    recall: float
    section_precision: float
    section_recall: float
    share: float


def noise_truths(pages: Sequence[Page], sources: Sequence[Sequence[str]], code: bool) -> list[NoiseTruth]:
    """Return the truth of pages of one site.

    sources: title, body, and what else the source of each page holds; code: take all code on a page for text
    of the source, where the source lacks it.
    """
    found = [_noise_truth(page, source, code) for page, source in zip(pages, sources, strict=True)]
    texts = [
        [_text(page, node) for node in one.node.tolist()] for page, one in zip(pages, found, strict=True)
    ]
    count = Counter(
        text
        for own, one in zip(texts, found, strict=True)
        for text in {text for text, noise in zip(own, one.noise, strict=True) if not noise}
    )
    kept = [
        np.array(
            [
                noise or count[text] <= REPEATED * len(pages)
                for text, noise in zip(own, one.noise, strict=True)
            ],
            bool,
        )
        for own, one in zip(texts, found, strict=True)
    ]
    return [NoiseTruth(one.node[k], one.words[k], one.noise[k]) for one, k in zip(found, kept, strict=True)]


def noise_score(truth: NoiseTruth, sections: Sections) -> NoiseScore:
    """Return how well noise was found on one page: word by word, and by sections of which most is noise."""
    called = sections.noise[truth.node] > 1.0 - _THRESHOLD
    own = sections.labels[truth.node]
    true = np.bincount(own, truth.words * truth.noise, len(sections))
    size = np.bincount(own, truth.words, len(sections))
    judged = size > 0
    really, noisy = (true > size / 2)[judged], sections.noisy[judged]
    return NoiseScore(
        *_shares(truth.words, called, truth.noise),
        *_shares(np.ones(len(really)), noisy, really),
        float(truth.words[called].sum() / max(truth.words.sum(), 1)),
    )


_THRESHOLD = 0.25


def _shares(weight: NDArray[Any], called: Bool, true: Bool) -> tuple[float, float]:
    """Return precision and recall; 1 where there is nothing to be wrong about."""
    both = float(weight[called & true].sum())
    all_called, all_true = float(weight[called].sum()), float(weight[true].sum())
    return (both / all_called if all_called else 1.0), (both / all_true if all_true else 1.0)


def _noise_truth(page: Page, source: Sequence[str], code: bool) -> NoiseTruth:
    dom, tree = page.dom, visible_tree(page)
    out = dom.ancestor_sum(_comments(page)) > 0
    nodes = [node for node in tree.node[tree.kind == TEXT_LEAF].tolist() if not out[node]]
    words = [tokens(_text(page, node)) for node in nodes]
    owner = [k for k, own in enumerate(words) for _ in own]
    flat = [word for own in words for word in own]
    hits: Counter[int] = Counter()
    matcher = SequenceMatcher(None, flat, [word for text in source for word in tokens(text)], autojunk=False)
    for block in matcher.get_matching_blocks():
        hits.update(owner[block.a : block.a + block.size])
    inside = dom.ancestor_sum(np.isin(dom.tag, [k for k, tag in enumerate(dom.tags) if tag in CODE])) > 0
    size = np.array([len(own) for own in words], np.int64)
    of_source = np.array([hits[k] for k in range(len(nodes))]) >= size / 2
    if code:
        of_source |= inside[nodes]
    kept = size > 0
    return NoiseTruth(np.array(nodes, np.int64)[kept], size[kept], ~of_source[kept])


def _comments(page: Page) -> Bool:
    dom = page.dom
    found = np.zeros(len(dom), bool)
    for name in ("id", "class"):
        for node, value in enumerate(dom.column(name)):
            found[node] |= any(part.lower().startswith(COMMENTS) for part in (value or "").split())
    return found


def _text(page: Page, node: int) -> str:
    return " ".join(page.dom.text_of(node).split())


@dataclass(frozen=True, slots=True)
class LabelledSite:
    """A site: the type of each page by its id, and the pseudo-queries with their clicks.

    Attributes:
        name: of the site; archive: its pages.
        types: of each page; queries: of those that have any.
    """

    name: str
    archive: Path
    types: dict[str, str]
    queries: dict[str, dict[str, int]]

    def __len__(self) -> int:
        return len(self.types)

    def pages(self) -> Iterator[Page]:
        """Yield the pages that have a type, in the order of the archive."""
        yield from map(parse, self.sources())

    def sources(self) -> Iterator[Source]:
        """Yield the same as bytes; `InputError` where the archive cannot be read."""
        for name, body in members(self.archive, self.types.__contains__):
            yield Source(name, body)


def read_sites(folder: Path) -> list[LabelledSite]:
    """Read all sites of a folder, by name; `InputError` where there is none."""
    names = sorted(path.name.removesuffix(".types.tsv") for path in folder.glob("*.types.tsv"))
    if not names:
        raise InputError(f"There is no labelled site (*.types.tsv) in {folder}.")
    return [read_site(folder, name) for name in names]


def read_site(folder: Path, name: str) -> LabelledSite:
    r"""Read one site; its pages are read when they are asked for.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.types.tsv").write_text("path\ttype\nx.html\tpost\n")
    ...     _ = (Path(folder) / "a.queries.tsv").write_text("query\tpath\tclicks\nlamp\tx.html\t3\n")
    ...     site = read_site(Path(folder), "a")
    >>> site.types, site.queries
    ({'x.html': 'post'}, {'x.html': {'lamp': 3}})
    """
    types = {path: kind for path, kind, *_ in _sites_rows(folder / f"{name}.types.tsv")}
    queries: dict[str, dict[str, int]] = {}
    for query, path, clicks in _sites_rows(folder / f"{name}.queries.tsv"):
        own = queries.setdefault(path, {})
        own[query] = own.get(query, 0) + int(clicks)
    return LabelledSite(name, folder / f"{name}.tar.xz", types, queries)


def _sites_rows(path: Path) -> list[list[str]]:
    """Return the rows of a table below its heading: tabs between, and no quoting."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    return [line.rstrip("\r").split("\t") for line in lines[1:] if line]


COPIES, HALVES = 0.1, 0.05
"""Shares of texts that are near-copies of an earlier text, and that have a half of one."""

EDITED = 0.005
"""Share of the words of a copy that are replaced: it then shares 94 % of its shingles with the original."""

_VOCABULARY = 50_000


@dataclass(frozen=True, slots=True)
class MadeText:
    """A text, and of which earlier text it is a copy or has a half; None for its own."""

    id: str
    text: str
    copy_of: str | None = None
    half_of: str | None = None


def make_texts(n: int, words: int = 1000, random_state: int = 0) -> Iterator[MadeText]:
    """Go through ``n`` texts of so many words; the same arguments give the same texts.

    >>> made = list(make_texts(50, words=20))
    >>> len(made), len(made[0].text.split()), sum(text.copy_of is not None for text in made) > 0
    (50, 20, True)
    """
    if n < 0 or words < 2:
        raise ParameterError(f"Expected n of at least 0 and at least 2 words, got {n} and {words}.")
    for k in range(n):
        rng = np.random.default_rng((random_state, k))
        draw, earlier = rng.random(), int(rng.integers(max(1, k)))
        own = _words(rng, words)
        if not k or draw >= COPIES + HALVES or _drawn(random_state, earlier) < COPIES + HALVES:
            yield MadeText(str(k), _joined(own))
            continue
        other = _own_words(random_state, earlier, words)
        if draw < COPIES:
            text = np.where(rng.random(words) < EDITED, own, other)
            yield MadeText(str(k), _joined(text), copy_of=str(earlier))
        else:
            half = np.concatenate([other[: words // 2], own[words // 2 :]])
            yield MadeText(str(k), _joined(half), half_of=str(earlier))


def _drawn(random_state: int, k: int) -> float:
    """Return what was drawn for an earlier text: only texts of their own are copied."""
    return float(np.random.default_rng((random_state, k)).random()) if k else 1.0


def _own_words(random_state: int, k: int, words: int) -> Int64:
    rng = np.random.default_rng((random_state, k))
    rng.random(), rng.integers(max(1, k))
    return _words(rng, words)


def _words(rng: np.random.Generator, words: int) -> Int64:
    """Draw words, by number, about as often as 1 / (number + 1)."""
    numbers: Int64 = (_VOCABULARY ** rng.random(words) - 1).astype(np.int64)
    return numbers


def _joined(numbers: Int64) -> str:
    return " ".join(map(_spelt().__getitem__, numbers.tolist()))


@functools.cache
def _spelt() -> list[str]:
    """Spell the words: pronounceable, longer the rarer they are."""
    syllables = [consonant + vowel for consonant in "bdfghklmnprstvz" for vowel in "aeiou"]
    spelt = []
    for number in range(_VOCABULARY):
        rest, word = number, ""
        while rest or not word:
            rest, last = divmod(rest, len(syllables))
            word += syllables[last]
        spelt.append(word)
    return spelt
