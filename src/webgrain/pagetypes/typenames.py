"""Names of page types for display, in words.

A name states what most pages of a type are, where they are, and how their titles begin. It is learnt from
addresses, titles and kinds of pages, so it may change with the pages; the label does not:

    Blog posts in /blog/                        most pages of the type are in this folder
    Reference pages in /mod/ “Apache Module …”  and their titles have the same beginning
    Articles in /YYYY/MM/DD/                    digits of a date
    Manual pages in /docs/ (guide)              other types have the name, too: the label
    Pages in /authors/ and /composers/          no pattern covers nearly all pages, but a few folders do
    Articles                                    nor do these

What pages are is a noun of `NOUNS` if their addresses, or a label of one word, have one of its words, and if
the kind of most pages (`webgrain.extraction.kinds`) does not contradict it; otherwise it is that of the kind.

Cost: about 50 patterns for each page that a name is made from, so callers pass a sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple
from unicodedata import combining, normalize
from urllib.parse import unquote, urlsplit

from webgrain.pagetypes import thresholds
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.traits import ERROR, REDIRECT
from webgrain.pagetypes.typelabels import FUNCTION_WORDS

SPECIAL_NAMES = {OTHER: "Other pages", REDIRECT: "Redirects", ERROR: "Error pages"}

_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR, _TWO_DIGITS = re.compile(r"(?:19|20)\d\d"), re.compile(r"\d\d?")
_INDEX_FILE = re.compile(r"(?:index|default)\.\w{2,5}$", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:html?|xhtml|php|aspx?|jsp)$", re.IGNORECASE)
_CUTS = re.compile(r"(?<=[-_.:~])|(?<=[a-z])(?=[A-Z])")
_JOINERS = "\u200c\u200d"  # invisible, but part of the spelling in several scripts
_WORD = re.compile(r"[^\W\d_]{3}")
_WORDS = re.compile(r"[^\W\d_]+")
_PLURAL = re.compile(r"(?:e?s|en?|n)$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

AddressSteps = tuple[str, ...]


class Noun(NamedTuple):
    """What pages are, if their addresses have one of some words.

    Attributes:
        words: in lower case, without accents.
        name: of pages that are no lists; empty if only lists are meant.
        list_name: of pages that are lists; empty: lists of these pages.
        kind: of most pages; empty for any.
    """

    words: str
    name: str
    list_name: str = ""
    kind: str = ""


NOUNS = (
    Noun("topic thread viewtopic showthread thema themen sujet tema topico", "Forum topics", kind="thread"),
    Noun("board forum viewforum forumdisplay foren foro", "", "Forum boards"),
    Noun("ticket issue bug", "Tickets", kind="thread"),
    Noun("question pregunta frage", "Questions"),
    Noun("tag label etiqueta etiket schlagwort keyword", "", "Tag pages"),
    Noun("category categories categoria categorie kategorie kategori rubrique", "", "Category pages"),
    Noun("author autor auteur autore", "Author pages", "Author pages"),
    Noun("user profile member memberlist mitglied membre perfil", "Member pages", "Member pages"),
    Noun("product produkt produit producto produto prodotto shop store tienda boutique", "Product pages"),
    Noun("recipe rezept recette receta receita", "Recipes"),
    Noun("event veranstaltung evento termin", "Events"),
    Noun("job stelle empleo vaga career", "Job offers"),
    Noun("people person staff personen player", "Pages of people"),
    Noun("team", "Pages of teams"),
    Noun("news aktuelles nachrichten noticia actualite actu press presse", "News"),
    Noun("blog post", "Blog posts"),
    Noun("story stories article artikel articulo artigo", "Articles"),
    Noun("episode podcast episodio", "Episodes"),
    Noun("wiki", "Wiki pages"),
    Noun("reference api class module function method", "Reference pages", kind="documentation"),
    Noun("doc documentation manual guide tutorial handbuch help learn", "Manual pages"),
    Noun("archive archiv archivo arquivo", "", "Archive pages"),
    Noun("page pagina seite", "", "Numbered list pages"),
    Noun("search suche busca recherche query", "", "Search results"),
    Noun("attachment gallery galerie image photo foto", "Pictures and files"),
    Noun("faq", "Questions and answers"),
)
"""Nouns by words in addresses and labels, hand-set in seven languages; their plurals count, too."""

_OF_KIND = {
    "article": "Articles",
    "thread": "Discussions",
    "product": "Detail pages",
    "list": "List pages",
    "documentation": "Documentation pages",
}
"""Nouns by the kind of most pages of a type."""
_OF_DOCUMENTATION = frozenset(
    ("Wiki pages", "Reference pages", "Manual pages", "Questions and answers", "Blog posts", "News")
)
"""Nouns of pages that are documentation: a reference has events, products and teams, too."""
_BY_WORD = {word: noun for noun in NOUNS for word in noun.words.split()}


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """The facts that the display name of a type is made from.

    Attributes:
        addresses: URLs of its pages, or their paths in the site.
        titles, kinds: of some of them.
    """

    addresses: Sequence[str]
    titles: Sequence[str] = ()
    kinds: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """The kind of most pages; empty if there is none."""
        [(kind, n)] = Counter(self.kinds).most_common(1) or [("", 0)]
        return kind if n >= thresholds.KIND_SHARE * len(self.kinds) else ""


def name_types(types: Mapping[str, TypeFacts]) -> dict[str, str]:
    """Return a unique display name for each type, by its label; the order of the pages does not matter.

    >>> posts = TypeFacts([f"blog/{n}.html" for n in ("tea", "bread", "salt")], ["Tea", "Bread", "Salt"])
    >>> goods = TypeFacts(["shop/1.html", "shop/2.html"], ["Buy a kettle", "Buy a cup"], ["product"] * 2)
    >>> name_types({"p-1": posts, "div-2": goods})
    {'p-1': 'Blog posts in /blog/', 'div-2': 'Product pages in /shop/ “Buy a …”'}
    """
    steps = {label: [_steps(address) for address in facts.addresses] for label, facts in types.items()}
    patterns = {
        label: Counter(pattern for page in pages for pattern in set(_patterns(page)))
        for label, pages in steps.items()
    }
    all_patterns = Counter[str]()
    for counter in patterns.values():
        all_patterns.update(counter)
    folders = {of_page[0] for pages in steps.values() for of_page in pages if len(of_page) > 1}
    pages_in = {
        label: Counter(of_page[0] for of_page in pages if of_page and of_page[0] in folders)
        for label, pages in steps.items()
    }
    all_pages_in = sum(pages_in.values(), Counter[str]())
    names = {}
    for label, facts in types.items():
        pages = len(facts.addresses)
        pattern = _best_pattern(patterns[label], all_patterns, pages)
        other_place = _addresses(steps[label]) or _folders(pages_in[label], all_pages_in, pages)
        place = _place(pattern) if pattern else other_place
        words = _title_words(facts.titles, [other.titles for key, other in types.items() if key != label])
        is_large = pages > thresholds.FEW_PAGES
        noun = _noun(pattern, label if is_large else "", facts.kind if facts.kinds else None)
        names[label] = " ".join(filter(None, (noun, place, words)))
    names |= {label: SPECIAL_NAMES[label] for label in names.keys() & SPECIAL_NAMES.keys()}
    return _unique(names)


def _noun(pattern: str, label: str, kind: str | None) -> str:
    """Return what the pages of a type are.

    pattern: of their addresses; kind: of most of them; empty for none, None if the kinds are not known.

    >>> _noun("/viewtopic.php?*", "topic", "thread"), _noun("/news/page/*", "page", "list")
    ('Forum topics', 'Numbered list pages')
    >>> _noun("/news/*", "index", "list"), _noun("/x/*", "page", ""), _noun("/tags/*", "page", "article")
    ('Lists of news', 'Pages', 'Articles')
    >>> _noun("/tags/*", "page", ""), _noun("/tags/*", "page", None)
    ('Pages', 'Tag pages')
    """
    for text in (pattern, "" if label == "page" or "-" in label else label):
        words = _WORDS.findall(_without_accents(_CAMEL.sub(" ", text)).lower())
        for word in reversed(words):
            noun = _BY_WORD.get(word) or _BY_WORD.get(_PLURAL.sub("", word))
            if noun is None or (noun.kind or kind) != kind:
                continue
            if kind == "documentation" and noun.name not in _OF_DOCUMENTATION:
                continue
            if kind == "list":
                return noun.list_name or f"Lists of {noun.name[0].lower()}{noun.name[1:]}"
            if noun.name:
                return noun.name
            if kind is None:
                return noun.list_name
    return _OF_KIND.get(kind or "", "Pages")


def _without_accents(text: str) -> str:
    return "".join(c for c in normalize("NFKD", text) if not combining(c))


def _place(pattern: str) -> str:
    """Return where the pages of a pattern are, in words.

    >>> [_place(pattern) for pattern in ("/blog/*", "*/tags/*", "/*", "/viewtopic.php?*", "/a/*/YYYY", "/")]
    ['in /blog/', 'in …/tags/', 'in /', 'at /viewtopic.php?…', 'at /a/…/YYYY', 'at /']
    """
    preposition, pattern = ("in", pattern[:-1]) if pattern.endswith("/*") else ("at", pattern)
    return f"{preposition} {pattern.replace('*', '…')}"


def _steps(address: str) -> AddressSteps:
    """Return the folders of an address and the name of its page, dates as ``YYYY``, ``MM``, ``DD``.

    >>> _steps("https://example.org/2024/05/17/tea/index.html"), _steps("a/2024-05-17-tea.html")
    (('YYYY', 'MM', 'DD', 'tea'), ('a', 'YYYY-MM-DD-tea'))
    """
    try:
        parts = urlsplit(address)
        path = unquote(parts.path)
        query = parts.query
    except ValueError:  # not an address
        path, query = address, ""
    steps = [step for step in path.split("/") if step]
    if steps and _INDEX_FILE.match(steps[-1]) and not query:
        steps.pop()
    if steps:
        steps[-1] = f"{steps[-1]}?{query}" if query else _SUFFIX.sub("", steps[-1])
    year = next((k for k, step in enumerate(steps) if _YEAR.fullmatch(step)), len(steps))
    following = zip(("MM", "DD"), steps[year + 1 :], strict=False)
    day = [unit for unit, step in following if _TWO_DIGITS.fullmatch(step)]
    steps[year : year + 1 + len(day)] = ["YYYY", *day] if year < len(steps) else []
    return tuple(_DATE.sub(r"YYYY\1MM\1DD", step[:200]) for step in steps)


def _patterns(steps: AddressSteps) -> Iterator[str]:
    """Yield the patterns of an address, with ``*`` for any characters.

    >>> sorted(set(_patterns(("blog", "my_tea"))))
    ['*/blog/*', '*/my_*', '*/my_tea', '*_tea', '/*/my_tea', '/blog/*', '/blog/my_*', '/blog/my_tea']
    """
    if not steps:
        yield "/"
        return
    folders, leaf = steps[:-1], steps[-1]
    for depth in range(1, min(len(folders), thresholds.MAX_FOLDERS) + 1):
        for masked in _masks(folders[: depth - 1]):
            yield "/".join(["", *masked, folders[depth - 1], "*"])
    yield f"*/{folders[-1]}/*" if folders else "/*"
    if folders:
        yield f"*/{leaf}"
    if len(folders) <= thresholds.MAX_FOLDERS:
        yield from ("/".join(["", *masked, leaf]) for masked in _masks(folders))
    # Page names with the same beginning or end, in the same folder or in any.
    cuts = [match.start() for match in _CUTS.finditer(leaf) if 1 < match.start() < len(leaf)]
    cuts = [leaf.index("?") + 1] if "?" in leaf else cuts
    for cut in cuts[:3]:
        yield f"/{'/'.join(folders)}/{leaf[:cut]}*".replace("//", "/")
        yield f"*/{leaf[:cut]}*"
    if cuts and not leaf[cuts[-1] - 1].isalnum():
        yield f"*{leaf[cuts[-1] - 1 :]}"


def _masks(folders: AddressSteps) -> Iterator[tuple[str, ...]]:
    """Yield folders with any of them as ``*``.

    >>> list(_masks(("a", "b")))
    [('a', 'b'), ('a', '*'), ('*', 'b'), ('*', '*')]
    """
    return product(*((folder, "*") for folder in folders))


def _best_pattern(patterns: Counter[str], all_patterns: Counter[str], pages: int) -> str:
    """Return the pattern that agrees best with the type, by F1; empty if none covers most pages."""
    best, best_pattern = (0.0, 0, 0, 0, ""), ""
    for pattern, n in patterns.items():
        if n >= thresholds.PLACE_SHARE * pages:
            f1 = round(2 * n / (pages + all_patterns[pattern]), 1)
            literal = sum("*" not in step for step in pattern.split("/"))
            rank = (f1, literal, -pattern.count("*"), -len(pattern), pattern)
            if rank > best and (pages > thresholds.FEW_PAGES or f1 >= thresholds.PATTERN_F1):
                best, best_pattern = rank, pattern
    return best_pattern


def _addresses(pages: Sequence[AddressSteps]) -> str:
    """Return the addresses of a few pages, the shortest if all are too long; empty for more pages.

    >>> _addresses([("b", "tea"), ("a",)]), _addresses([("tea",)] * 9)
    ('/a, /b/tea', '')
    """
    if len(pages) > thresholds.FEW_PAGES:
        return ""
    addresses = sorted("/" + "/".join(steps) for steps in pages)
    text = ", ".join(addresses)
    shortest = min(addresses, key=lambda address: (len(address), address), default="")
    if len(text) <= thresholds.LONG_PLACE:
        return text
    return f"{shortest}, …" if len(shortest) <= thresholds.LONG_PLACE else ""


def _folders(pages_in: Counter[str], all_pages_in: Counter[str], pages: int) -> str:
    """Return the few folders that contain nearly all pages of a type, in words; empty if there are no such.

    pages_in, all_pages_in: the pages of the type and of the site in each folder of the first level. Nearly
    all pages in the folders are of the type: those of languages distinguish nothing.

    >>> of_type, of_site = Counter(a=2, b=1), Counter(a=2, b=1, c=9)
    >>> _folders(of_type, of_site, 3), _folders(of_type, of_site + of_type, 3)
    ('in /a/ and /b/', '')
    """
    usual = [folder for folder, n in pages_in.items() if n >= thresholds.FOLDER_SHARE * pages]
    inside = sum(pages_in[folder] for folder in usual)
    of_all_types = sum(all_pages_in[folder] for folder in usual)
    if len(usual) < 2 or inside < thresholds.PLACE_SHARE * max(pages, of_all_types):
        return ""
    *first, last = (f"/{folder}/" for folder in sorted(usual))
    text = f"in {', '.join(first)} and {last}"
    return text if len(text) <= thresholds.LONG_FOLDERS else ""


def _title_words(titles: Sequence[str], others: Iterable[Sequence[str]]) -> str:
    """Return the common beginning of the titles of a type, if those of others lack it; empty for none."""
    split = [title.split() for title in titles if title.strip()]
    common: Sequence[str] = ()
    while len(split) > 1 and len(common) < thresholds.MAX_WORDS:
        longer = Counter(tuple(words[: len(common) + 1]) for words in split if len(words) > len(common))
        [(begin, n)] = longer.most_common(1) or [((), 0)]
        if n < max(2, thresholds.PATTERN_SHARE * len(split)):
            break
        common = begin
    text = " ".join(common)
    other_titles = [title for of_type in others for title in of_type]
    shared = sum(title.startswith(text) for title in other_titles)
    has_name = any(_WORD.search(word) and word.lower() not in FUNCTION_WORDS for word in common)
    if not has_name or shared > (1 - thresholds.PATTERN_SHARE) * len(other_titles):
        return ""
    return f"“{text} …”" if any(len(words) > len(common) for words in split) else f"“{text}”"


def _unique(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names; those of several types with their labels, or else with a number."""
    short = {label: _shorten(name) for label, name in names.items()}
    times = Counter(short.values())
    taken: set[str] = set()
    for label, name in short.items():
        name = f"{name} ({_shorten(label)})" if times[name] > 1 else name
        number, unique = 2, name
        while unique in taken:
            unique, number = f"{name} ({number})", number + 1
        taken.add(unique)
        short[label] = unique
    return short


def _shorten(name: str) -> str:
    name = " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in name).split())
    return name if len(name) <= thresholds.MAX_NAME else name[: thresholds.MAX_NAME - 1] + "…"
