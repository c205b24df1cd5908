"""URLs and links of pages: canonical URLs, link targets, and addresses of a page.

Two URLs are compared by their canonical form: the host in lower case, without scheme, standard port,
fragment, trailing slash and the name of an index page (`canonical`). A page without a URL (a local file) is
treated as the file of its id below the root of the reserved host ``local.invalid``, so that its relative
links and links from the root lead to other local files.

The canonical form is part of the model files, so it is defined here and not by `w3lib.url.canonicalize_url`,
which sorts queries and keeps schemes, ports and index pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int32, Int64, UInt64
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels import linkpass
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import code_points, letters_table, text_codes, text_from
from webgrain.page.tagtables import TagSet
from webgrain.page.thresholds import LONGEST_URL, MAX_LINKS
from webgrain.page.values import IS_FILLED, GroupQuestion, Question

PORTS = {"http": ":80", "https": ":443"}
"""Schemes of pages, with their standard ports."""
LOCAL_HOST = "local.invalid/"
"""Beginning of the canonical URLs of pages without a URL."""
_LOCAL = f"http://{LOCAL_HOST}"
_INDEX = re.compile(r"(?:^|(?<=/))(?:index|default)\.(?:html?|xhtml|php|aspx?)$", re.I)
_ABSOLUTE = re.compile(r"https?://[^/?#]", re.I)
_PLAIN = re.compile(r"https?://[^\s\[\]]{1,2000}")
_UNUSUAL = r"(?!.*(?://|\.(?:[/?#]|$)))"  # parts of a path that are empty, ``.`` or ``..``
_CHARACTER = r"[^\s\x00-\x20\x7f\\;?#\[\]]"
_NO_SCHEME = r"(?![^/?#]*:)"
_BASE = re.compile(rf"(https?://[a-zA-Z0-9.-]+(?::[0-9]+)?|file://){_UNUSUAL}((?:/{_CHARACTER}*)?)")
_PATH = re.compile(
    rf"((?:\.\./)+(?!/)|){_UNUSUAL}{_NO_SCHEME}({_CHARACTER}+(?:\?{_CHARACTER}+)?(?:#{_CHARACTER}+)?)"
)
_WHOLE = re.compile(
    rf"https?://[a-zA-Z0-9.-]+(?::[0-9]+)?(?:/{_CHARACTER}*)?(?:\?{_CHARACTER}+)?(?:#{_CHARACTER}+)?"
)
_WITH_PATH = re.compile(r"(?!//|[^/?]*:)[^?]")
_QUERY = re.compile("[?#]")
# The URL of a page without anything that its canonical form changes, except the name of an index page.
_PLAIN_PAGE = re.compile(
    r"https?://([a-z0-9.-]+)(/[\w.~!$&'()*+,;=:@/-]*)?(\?[!-\"$-~]+)?(?:#[!-~]*)?", re.ASCII
)
_FROM_ROOT = re.compile(rf"/(?!/)[^\\\s\x00-\x20\x7f]{{0,{LONGEST_URL // 2 - 4}}}")
_HAS_TARGET = TagSet("a", "area")
_LEADS_TO_PART = Question(lambda href: href.partition("#")[2].strip().lower() not in ("", "top"), bool)
"""Whether a link leads to a part of its target: ``#`` and ``#top`` lead to the top of a page."""
_IS_CANONICAL = Question(lambda rel: rel.lower() == "canonical", bool)
_IS_REFRESH = Question(lambda value: value.strip().lower() == "refresh", np.bool_)
_REFRESH = re.compile(
    r"\s*+[\d.]*+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+(?:\"([^\"]+)|'([^']+)|([^\"'].*))", re.I | re.S
)


@lru_cache(maxsize=2**14)  # the pages of a site share their targets
def canonical(url: str) -> str:
    """Return the canonical form of a URL; empty if it is not the URL of a page.

    >>> canonical("HTTP://Example.org:80/a/index.html#top"), canonical("https://example.org/a%7Eb/?q=1")
    ('example.org/a', 'example.org/a~b?q=1')
    """
    plain = _PLAIN_PAGE.fullmatch(url) if len(url) <= LONGEST_URL else None
    if plain is None:
        return _canonical(url)
    host, path, query = plain.groups("")
    return host + _INDEX.sub("", path).rstrip("/") + query


def _canonical(url: str) -> str:
    """Return the canonical form of any URL as `canonical`, which does less for usual URLs."""
    try:
        parts = urlsplit(url.strip()[:LONGEST_URL])
    except ValueError:
        return ""
    if parts.scheme not in PORTS or not parts.netloc:
        return ""
    host = parts.netloc.rpartition("@")[2].lower().removesuffix(PORTS[parts.scheme])
    path = quote(unquote(_INDEX.sub("", parts.path)), safe="/~!$&'()*+,;=:@").rstrip("/")
    return host + path + (f"?{parts.query}" if parts.query else "")


def target_of(base: str, href: str) -> str:
    """Return the canonical URL of the target of a link; empty if the target is not a page.

    >>> target_of("http://example.org/a/", "../b/#c"), target_of("http://example.org/", "mailto:x@y.z")
    ('example.org/b', '')
    """
    href = _without_fragment(href)
    # So that the links of menus are in the cache for all pages: absolute links do not depend on the base, and
    # relative links with a path depend only on its folder.
    if _ABSOLUTE.match(href):
        base = ""
    elif _WITH_PATH.match(href):
        base = _path_base(base)
    return _target(base, href)


def _path_base(base: str) -> str:
    """Return the base of relative links with a path."""
    base = _QUERY.split(base, maxsplit=1)[0]
    return base[: base.rindex("/") + 1] if base.count("/") > 2 else base


def _without_fragment(href: str) -> str:
    """Return the beginning of a link up to its fragment."""
    return href.strip()[:LONGEST_URL].partition("#")[0]


@lru_cache(maxsize=2**14)
def _target(base: str, href: str) -> str:
    """Return the result of `target_of` for a link without its fragment."""
    return canonical(joined(base, f"{href}#-"))  # a space before a fragment belongs to the path


class _FixedTarget(NamedTuple):
    """What is known of the target of a link without its page.

    url: the canonical URL of an absolute link; of a link from the root, what follows the host.
    from_root: whether the host is that of the page.
    """

    url: str
    from_root: bool


class _Path(NamedTuple):
    """A relative link.

    levels: its folder, by the steps upwards from that of the page; -1 is the root.
    size: characters of what follows the folder; rest: what follows the folder in the canonical URL, from the
    slash on.
    """

    levels: int
    size: int
    rest: str


class _Folder(NamedTuple):
    """A folder in which relative links of a page begin.

    canonical: its canonical URL, without the slash at the end; parent: the same without any slashes at the
    end, for links to the folder itself. room: most characters of a link that can be added; negative for an
    unusual folder.
    """

    canonical: str
    parent: str
    room: int


@lru_cache(maxsize=2**10)  # for both questions
def _fixed_target(href: str) -> _FixedTarget | _Path | None:
    """Return what is known of the target of a link without its page; None for an unusual link."""
    href = _without_fragment(href)
    if _PLAIN_PAGE.fullmatch(href):
        return _FixedTarget(canonical(href), from_root=False)
    if _ABSOLUTE.match(href):
        return _FixedTarget(target_of("", href), from_root=False)
    if _FROM_ROOT.fullmatch(href):
        return _FixedTarget(
            canonical(joined("http://host/", f"{href}#-")).removeprefix("host"), from_root=True
        )
    match = _PATH.fullmatch(href) if len(href) <= LONGEST_URL - len("http://host/") else None
    if not match:
        return None
    levels = -1 if href[0] == "/" else len(match[1]) // len("../")
    folder = "http://host" if levels < 0 else "http://host/"
    return _Path(levels, len(match[2]), canonical(folder + match[2]).removeprefix("host"))


_FIXED_TARGET = Question(_fixed_target)


class TargetKeys(NamedTuple):
    """The keys of a canonical URL; equal texts have equal keys.

    host: of what precedes the first ``/``; 0 for no URL.
    rest: of what follows the host.
    folder: of what follows the host up to the last ``/`` of the path; 0 for none.
    """

    host: int
    rest: int
    folder: int


def target_keys(url: str) -> TargetKeys:
    """Return the keys of a canonical URL.

    >>> target_keys("example.org/a/b?q=1").folder == target_keys("example.org/a/c").folder
    True
    >>> target_keys("")
    TargetKeys(host=0, rest=0, folder=0)
    """
    [keys] = _key_table([url]).tolist()
    return TargetKeys(*keys)


@lru_cache(maxsize=2**10)  # the pages of a site share their hosts
def _host_key(url: str) -> int:
    """Return the key of the host of a canonical URL."""
    return target_keys(url).host


def _fixed_keys(hrefs: Sequence[str]) -> UInt64:
    """Return the keys (k, 4) of the targets of links as far as they are known without their page.

    They are `TargetKeys`, and whether the link is not empty.
    """
    targets = enumerate(map(_fixed_target, hrefs))
    fixed = {row: target for row, target in targets if isinstance(target, _FixedTarget) and _has_keys(target)}
    urls = [f"host{target.url}" if target.from_root else target.url for target in fixed.values()]
    keys = np.zeros((len(hrefs), 4), np.uint64)
    keys[:, 0] = linkpass.RELATIVE
    keys[[*fixed], :3] = _key_table(urls)
    keys[[row for row, target in fixed.items() if target.from_root], 0] = linkpass.FROM_ROOT
    keys[:, 3] = [*map(bool, hrefs)]
    return keys


def _has_keys(target: _FixedTarget) -> bool:
    """Return whether the keys of a target are known without its page, except that of its host."""
    return not target.from_root or target.url[:1] in ("", "/")


_FIXED_KEYS = GroupQuestion(_fixed_keys, (np.uint64, (4,)))


def _key_table(urls: Sequence[str]) -> UInt64:
    """Return the keys (k, 3) of canonical URLs."""
    stop = np.fromiter(accumulate(map(len, urls)), np.int64, len(urls))
    keys: UInt64 = linkpass.url_keys(code_points("".join(urls)), stop)
    return keys


class LinkTable(NamedTuple):
    """The ``a`` and ``area`` elements of a page with ``href``, in document order.

    Attributes:
        attribute, node: (k,) the attribute, and the element.
        keys: (3, k) uint64, the keys of the canonical URL that each leads to, of its host and of its folder,
            see `TargetKeys`; 0 if it is not a page.
        resolved: (k,) the number in ``urls`` of the target of a relative link; -1 for other links.
        filled: (k,) whether it is an ``a`` element with an ``href`` that is not empty; read-only.
        urls: the targets of the relative links.
        root: the canonical URL of the host of the page; empty if it is unusual.
    """

    attribute: Int64
    node: Int64
    keys: UInt64
    resolved: Int32
    filled: Bool
    urls: list[str]
    root: str

    def texts(self, page: Page, rows: Int64 | slice = slice(None)) -> list[str]:
        """Return the canonical URL that each link leads to, as `target_of`; rows: of the links."""
        urls, root = self.urls, self.root
        fixed_targets = page.dom.ask(_FIXED_TARGET, self.attribute[rows]).tolist()
        return [
            urls[number] if number >= 0 else root + fixed.url if fixed.from_root else fixed.url
            for number, fixed in zip(self.resolved[rows].tolist(), fixed_targets, strict=True)
        ]


@cached_on_page
def link_table(page: Page) -> LinkTable:
    """Return the links of a page as numbers.

    >>> from webgrain.page.parsing import parse
    >>> table = link_table(parse("<a href=b>B</a><a href='#c'>C</a><a href=b#c>D</a><a href=mailto:x>x</a>"))
    >>> target = table.keys[0].tolist()
    >>> table.node.tolist(), target[0] == target[2] != target[1], target[3]
    ([3, 5, 7, 9], True, 0)
    """
    dom, base = page.dom, base_of(page)
    attributes, nodes = dom.find_attribute("href")
    is_link = _HAS_TARGET.of_nodes(dom)[nodes]
    attributes, nodes = attributes[is_link], nodes[is_link]
    root = _root_of(base)
    keys = dom.ask(_FIXED_KEYS, attributes)
    number, first = linkpass.dependent_links(keys, dom.value[attributes], bool(root))
    urls = _resolved_urls(page, dom.value[attributes[first]])
    of_page = _key_table(urls), _host_key(root)
    table, filled = linkpass.link_keys(keys, number, *of_page, nodes, dom.tag, dom.tag_number("a"))
    filled.setflags(write=False)
    return LinkTable(attributes, nodes, table, number, filled, urls, root)


def _root_of(base: str) -> str:
    """Return the canonical URL of the host of a base; empty if it is unusual."""
    if len(base) > LONGEST_URL // 2:
        return ""
    plain = _PLAIN_PAGE.fullmatch(base)
    return plain[1] if plain else target_of(base, "/")


def targets_of(page: Page, values: Int32) -> list[str]:
    """Return `target_of` of several addresses (k,), by their numbers in the table of values.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<a href=b/#c>x</a><a href=/d>y</a>", url="http://example.org/a/"))
    >>> targets_of(page, page.dom.value)
    ['example.org/a/b', 'example.org/d']
    """
    base = base_of(page)
    root = _root_of(base)
    fixed_targets = page.dom.values.answers(_FIXED_TARGET, values).tolist()
    rows = [
        row for row, fixed in enumerate(fixed_targets)
        if fixed.__class__ is not _FixedTarget or (fixed.from_root and not root)
    ]  # fmt: skip
    for row in rows:
        fixed_targets[row] = _UNFIXED
    targets: list[str] = [root + fixed.url if fixed.from_root else fixed.url for fixed in fixed_targets]
    for row, target in zip(rows, _resolved_urls(page, values[rows]), strict=True):
        targets[row] = target
    return targets


def _resolved_urls(page: Page, values: Int32) -> list[str]:
    """Return the target of each of several links (k,), as `target_of`; values: numbers of their addresses."""
    if not len(values):
        return []
    table, base = page.dom.values, base_of(page)
    fixed_targets = table.answers(_FIXED_TARGET, values).tolist()
    paths = [fixed if fixed.__class__ is _Path else _NO_PATH for fixed in fixed_targets]
    path_base = _path_base(base)
    folder_at = {levels: _folder(path_base, levels) for levels in {path.levels for path in paths}}
    texts = table.texts
    return [
        target_of(base, texts[value])
        if path.size > (folder := folder_at[path.levels]).room
        else folder.canonical + path.rest
        if path.rest[:1] == "/"
        else folder.parent + path.rest
        for path, value in zip(paths, values.tolist(), strict=True)
    ]


_NO_PATH = _Path(-2, 0, "")
_UNFIXED = _FixedTarget("", from_root=False)


@lru_cache(maxsize=2**6)  # pages share their folders
def _folder(base: str, levels: int) -> _Folder:
    """Return a folder of a URL, see `folder_of`."""
    folder = None if levels < -1 else folder_of(base, levels)
    if folder is None:
        return _Folder("", "", -1)
    # A name keeps the slashes that the end of a canonical URL loses.
    whole = canonical(f"{folder.removesuffix('/')}/-")
    if not whole:
        return _Folder("", "", -1)
    known = whole.removesuffix("/-")
    return _Folder(known, known.rstrip("/"), LONGEST_URL - len(folder) - 1)


def join_url(base: str, href: str) -> str:
    """Return the result of `urllib.parse.urljoin`, of which usual paths take a fifth of the time.

    >>> join_url("http://example.org/a/b", "c?q=1#d"), join_url("http://example.org/a/b", "../c")
    ('http://example.org/a/c?q=1#d', 'http://example.org/c')
    """
    path = path_of(href)
    folder = folder_of(base, path[0] if path else 0)
    if folder is not None and path:
        return folder + path[1]
    return href if folder is not None and is_whole(href) else urljoin(base, href)


def path_of(href: str) -> tuple[int, str] | None:
    """Return from which folder a link leads, and its path from there; None for an unusual link.

    The folder is 0: that of the base, 1: the one above, and so on; -1: the root.

    >>> path_of("../b#c"), path_of("/b"), path_of("mailto:x@y.z")
    ((1, 'b#c'), (-1, '/b'), None)
    """
    match = _PATH.fullmatch(href)
    if match is None:
        return None
    return -1 if href[0] == "/" else len(match[1]) // 3, match[2]


def is_whole(href: str) -> bool:
    """Return whether `join_url` returns a link unchanged, whatever the base.

    >>> is_whole("http://example.org/a?b#c"), is_whole("http://example.org?"), is_whole("/a")
    (True, False, False)
    """
    return _WHOLE.fullmatch(href) is not None


@lru_cache(maxsize=2**6)  # the links of a page have one base
def folder_of(base: str, levels: int) -> str | None:
    """Return a folder of a URL, as numbered by `path_of`; None for an unusual URL.

    >>> [folder_of("http://example.org/a/b/c", levels) for levels in (0, 1, -1)]
    ['http://example.org/a/b/', 'http://example.org/a/', 'http://example.org']
    """
    match = _BASE.fullmatch(base)
    folders = match[2].split("/")[1:-1] if match else []
    if match is None or levels > len(folders):
        return None
    if levels < 0:
        return match[1]
    kept = folders[: len(folders) - levels]
    return "/".join([match[1], *kept, ""])


def joined(base: str, href: str) -> str:
    """Return the absolute URL of a link; empty if it has none.

    >>> joined("http://example.org/a/", " ../b?q=1#c "), joined("http://[", "a")
    ('http://example.org/b?q=1#c', '')
    """
    try:
        return join_url(base, href.strip()[:LONGEST_URL])
    except ValueError:
        return ""


@cached_on_page
def base_of(page: Page) -> str:
    """Return the URL against which the links of a page are resolved: that of ``<base>``, or its own.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> base_of(parse(Source("a/b.html", b"<base href='/c/'><p>x")))
    'http://local.invalid/c/'
    """
    page_url = _own_url(page)
    bases = page.dom.find_tag("base")
    if not len(bases):
        return page_url
    href = next(filter(None, page.dom.values_at("href", bases)), None)
    return joined(page_url, href) if href else page_url


@cached_on_page
def _own_url(page: Page) -> str:
    """Return the URL of a page; that of its file if it has none."""
    if page.url:
        return page.url[:LONGEST_URL]
    path = local_path(page.id)
    return (_LOCAL + (path if _UNQUOTED.fullmatch(path) else quote(path)))[:LONGEST_URL]


def local_path(page: str) -> str:
    """Return the path of the address of a local page, by its id: that below the root of ``local.invalid``.

    >>> local_path("/sites/a.html"), local_path("../sites/a.html")
    ('sites/a.html', 'sites/a.html')
    """
    return _TO_ROOT.sub("", page) if page[:1] in ("/", ".") else page


_TO_ROOT = re.compile(r"\A(?:\.{0,2}/)+")
_UNQUOTED = re.compile(r"[\w.~/-]*", re.ASCII)
"""Paths that `quote` does not change."""


def absolute(page: Page, href: str) -> str:
    """Return the absolute URL of a link or an image of a page; empty if it is not an HTTP URL.

    On a page without a URL, relative links are returned unchanged.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>x", url="http://example.org/a/"))
    >>> absolute(page, "b?q=1#c"), absolute(page, " javascript:x()"), absolute(page, "")
    ('http://example.org/a/b?q=1#c', '', '')
    """
    return resolved(base_of(page), href)


def absolute_values(page: Page, attributes: NDArray[np.integer[Any]]) -> list[str]:
    """Return `absolute` of the values (k,) of attributes.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<a href=b/c>x</a><a href=../d#e>y</a>", url="http://example.org/a/"))
    >>> absolute_values(page, page.dom.find_attribute("href")[0])
    ['http://example.org/a/b/c', 'http://example.org/d#e']
    """
    return absolute_urls(page, page.dom.value[attributes])


def absolute_urls(page: Page, values: Int32) -> list[str]:
    """Return `absolute` of several addresses (k,), by their numbers in the table of values."""
    table, base = page.dom.values, base_of(page)
    known_urls = table.answers(_KNOWN_URL, values).tolist()
    is_local = base.startswith(_LOCAL) or base + "/" == _LOCAL
    begin_of = {levels: _begin_of_urls(base, levels) for levels in {url.levels for url in known_urls}}
    return [
        resolved(base, table.texts[value]) if (begin := begin_of[url.levels]) is None
        else url.href if is_local
        else begin + url.rest
        for url, value in zip(known_urls, values.tolist(), strict=True)
    ]  # fmt: skip


def _begin_of_urls(base: str, levels: int) -> str | None:
    """Return what precedes the links of some levels; None for unusual links, and at an unusual URL."""
    if levels == _WHOLE_URL:
        return ""
    folder = None if levels == _UNUSUAL_URL else folder_of(base, levels)
    return folder if folder is not None and folder.startswith("http") else None


class _KnownUrl(NamedTuple):
    """What is known of the URL of a link without its page.

    levels: as in `path_of`, `_WHOLE_URL` for an absolute URL, `_UNUSUAL_URL` for an unusual link.
    rest: what follows the folder; href: the link without white space around it.
    """

    levels: int
    rest: str
    href: str


_WHOLE_URL, _UNUSUAL_URL = -2, -3


def _known_url(href: str) -> _KnownUrl:
    """Return what is known of the URL of a link."""
    if _PLAIN.fullmatch(href):
        return _KnownUrl(_WHOLE_URL, href, href)
    stripped = href.strip()
    path = path_of(stripped) if 0 < len(stripped) <= LONGEST_URL else None
    return _KnownUrl(*path, stripped) if path else _KnownUrl(_UNUSUAL_URL, "", stripped)


_KNOWN_URL = Question(_known_url)


def resolved(base: str, href: str) -> str:
    """Return the absolute URL of a link as in `absolute`; base: the result of `base_of`.

    >>> resolved("http://example.org/a/", "b"), resolved("http://example.org/a/", "data:x")
    ('http://example.org/a/b', '')
    """
    return _resolved(base, href) if len(href) <= LONGEST_URL else _resolved.__wrapped__(base, href)


@lru_cache(maxsize=2**12)  # several steps resolve the links of a page
def _resolved(base: str, href: str) -> str:
    if _PLAIN.fullmatch(href):
        return href
    url = joined(base, href)
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return ""
    if not href or scheme not in PORTS:
        return ""
    return href.strip() if url.startswith(_LOCAL) else url


@cached_on_page
def addresses(page: Page) -> list[str]:
    """Return the canonical URLs of a page: its own, and the one that its ``<link rel=canonical>`` names.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = b"<link rel=canonical href=http://example.org/b/><p>x"
    >>> addresses(parse(Source("a", html, url="http://example.org/a?print=1")))
    ['example.org/a?print=1', 'example.org/b']
    """
    dom = page.dom
    urls = [canonical(_own_url(page))]
    for node in dom.nodes_where("rel", _IS_CANONICAL).tolist():
        if dom.name(node) == "link":
            urls += [canonical(joined(base_of(page), dom.get(node, "href") or ""))]
            break
    return [url for url in dict.fromkeys(urls) if url]


@cached_on_page
def _address_keys(page: Page) -> UInt64:
    """Return the keys (k, 3) of the canonical URLs of a page."""
    keys = _key_table(addresses(page))
    keys.setflags(write=False)
    return keys


def has_host(page: Page) -> bool:
    """Whether the host of a page is known.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> has_host(parse(Source("a.html", b"<p>x"))), has_host(parse(Source("a", b"", url="http://example.org/a")))
    (False, True)
    """
    urls = addresses(page)
    return [f"{url}/"[: len(LOCAL_HOST)] for url in urls] != [LOCAL_HOST] * len(urls)


def link_targets(page: Page) -> dict[int, str]:
    """Return the canonical URL that each ``a`` element of a page leads to; empty if it is not a page.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> link_targets(parse(Source("a", b"<a href=b>B</a><a>C</a>", url="http://example.org/a")))
    {3: 'example.org/b'}
    """
    table = link_table(page)
    filled = table.filled.nonzero()[0]
    return dict(zip(table.node[filled].tolist(), table.texts(page, filled), strict=True))


def filled_links(page: Page) -> Bool:
    """Return which rows (k,) of `link_table` are ``a`` elements with an ``href`` that is not empty."""
    return link_table(page).filled


class SiteLinks(NamedTuple):
    """The links of a page to other pages of its host.

    Attributes:
        address: the canonical URL of the page; empty for none.
        node: (k,) the elements; number: (k,) the target of each, from 0 in the order of the page.
        urls: the canonical URLs of the targets.
        beside: how many targets are in the folder of the page.
        elsewhere: the number of the other links that lead to a page, such as those to the page itself.
    """

    address: str
    node: Int64
    number: Int32
    urls: list[str]
    beside: int
    elsewhere: int


def site_links(page: Page) -> SiteLinks:
    """Return the links of a page to other pages of its host.

    >>> from webgrain.page.parsing import parse
    >>> links = site_links(parse("<a href=/b>B</a><a href=http://example.org>C</a>"))
    >>> links.node.tolist(), links.urls, links.elsewhere
    ([3], ['local.invalid/b'], 1)
    """
    table, page_urls = link_table(page), addresses(page)
    if not page_urls:
        every = np.count_nonzero(table.keys[0][table.filled])
        return SiteLinks("", np.zeros(0, np.int64), np.zeros(0, np.int32), [], 0, int(every))
    is_link = table.filled.view(np.uint8)
    rows, number, first, beside, elsewhere = linkpass.inner_links(table.keys, is_link, _address_keys(page))
    return SiteLinks(page_urls[0], table.node[rows], number, table.texts(page, first), beside, elsewhere)


class Targets(NamedTuple):
    """Where the links of a page lead to, for each node (n,).

    number: of the page that a visible link leads to, from 1; 0 for the page itself, other hosts, other nodes.
    external: whether it is a visible link to another host; linked: whether it is inside a link.
    """

    number: Int64
    external: Bool
    linked: Bool


def numbered_targets(page: Page) -> Targets:
    """Return where the links of a page lead to.

    >>> from webgrain.page.parsing import parse
    >>> found = numbered_targets(parse("<a href=/b>B</a>"))  # html, head, body, a, text
    >>> found.number.tolist(), found.linked.tolist()
    ([0, 0, 0, 1, 0], [False, False, False, False, True])
    """
    dom, table, base = page.dom, link_table(page), base_of(page)
    link = dom.links()
    anchors = (link & visible_nodes(page)).nonzero()[0]
    pieces = base.split("/", 3)
    host = pieces[2] if len(pieces) > 2 else ""
    page_urls = addresses(page)
    is_link = table.filled
    if has_host(page) and host not in {url.partition("/")[0] for url in page_urls}:
        is_inner = table.keys[1] == _host_key(f"{host}/")
        is_link = is_link & ~is_inner
    links_of_page = table.node, is_link.view(np.uint8), anchors
    keys = _address_keys(page), _host_key(f"{host}/")
    number, external = linkpass.number_targets(table.keys, *links_of_page, *keys, len(dom.parent))
    return Targets(number, external, dom.inside(link))


def redirect(page: Page) -> str:
    """Return the canonical URL to which a page redirects by ``<meta http-equiv=refresh>``; or ''.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> redirect(parse(Source("a/b.html", b"<meta http-equiv=refresh content='0; url=../c.html'>")))
    'local.invalid/c.html'
    """
    for _, address in refreshes(page.dom):
        return target_of(base_of(page), address)
    return ""


@cached_on_page
def refreshes(dom: Dom) -> list[tuple[int, str]]:
    """Return the ``meta`` elements that lead to another address, and the addresses.

    >>> from webgrain.page.parsing import parse_html
    >>> html = "<meta http-equiv=refresh content='0; url=../c'><meta http-equiv=refresh content=9>"
    >>> refreshes(parse_html(html))
    [(2, '../c')]
    """
    found = []
    for node in dom.nodes_where("http-equiv", _IS_REFRESH).tolist():
        content = dom.get(node, "content") if dom.name(node) == "meta" else None
        match = _REFRESH.match(content or "")
        if match:
            found.append((node, match[1] or match[2] or match[3]))
    return found


class PageLinks(NamedTuple):
    """The links of a page that lead to pages, ``a`` before ``area``.

    Attributes:
        node: (k,) the elements.
        attribute: (k,) their attributes ``href``.
        target: the canonical URL that each leads to; that of the page for links within the page.
        text: the text of each, and the alternative texts of its images.
        is_part: (k,) whether it leads to a part of the target, such as a heading or the comments.
    """

    node: Int64
    attribute: Int64
    target: list[str]
    text: list[str]
    is_part: Bool


def page_links(page: Page, most: int = MAX_LINKS) -> PageLinks:
    """Return the first links of a page that lead to pages.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = b"<a href=../c.html#d>See <img alt=this></a><a href='mailto:x'>y</a>"
    >>> links = page_links(parse(Source("a/b.html", html)))
    >>> links.target, links.text, links.is_part.tolist()
    (['local.invalid/c.html'], ['See this'], [True])
    """
    dom, table = page.dom, link_table(page)
    is_area = dom.tag[table.node] == dom.tag_number("area")
    leads_to_page = table.keys[0] != 0
    rows = np.concatenate([(leads_to_page & ~is_area).nonzero()[0], (leads_to_page & is_area).nonzero()[0]])
    rows = rows[:most]
    nodes, attributes = table.node[rows], table.attribute[rows]
    is_part: Bool = dom.ask(_LEADS_TO_PART, attributes)
    return PageLinks(nodes, attributes, table.texts(page, rows), texts_with_images(dom, nodes), is_part)


class Link(NamedTuple):
    """A link: its address and its text."""

    url: str
    text: str


def links_of(page: Page) -> tuple[Link, ...]:
    """Return the links ``<a>`` of a page to HTTP addresses, in order, without those within the page.

    Addresses are absolute if the URL of the page is known. The text includes the alternative texts of images.

    >>> from webgrain.page.parsing import parse
    >>> links_of(parse("<a href=b>B</a><a href=#c>C</a><a href=mailto:d@example.org>D</a>"))
    (Link(url='b', text='B'),)
    """
    dom = page.dom
    attributes, nodes = dom.find_attribute("href")
    is_link = dom.links()[nodes]
    attributes, nodes = attributes[is_link], nodes[is_link]
    hrefs = dom.values_of(attributes)
    texts = texts_with_images(dom, nodes)
    linked = zip(hrefs, absolute_values(page, attributes), texts, strict=True)
    return tuple(Link(url, text) for href, url, text in linked if url and not (href or "").startswith("#"))


def texts_with_images(dom: Dom, nodes: Int64) -> list[str]:
    """Return the text of each of several elements (k,), and of the images in it, white space collapsed.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<a href=b>See <img alt='this  map'></a>")
    >>> texts_with_images(dom, dom.find_tag("a"))
    ['See this map']
    """
    attributes, described = dom.find_attribute("alt")
    is_filled = dom.ask(IS_FILLED, attributes)
    described = described[is_filled]
    alts = [alt or "" for alt in dom.values_of(attributes[is_filled])]
    codes, edges = linkpass.collapsed_texts(
        text_codes(dom),
        np.stack([dom.text_start[nodes], dom.text_start[dom.end[nodes]]]).astype(np.int64),
        code_points("".join(alts)),
        np.array([*accumulate(map(len, alts), initial=0)], np.int64),
        np.searchsorted(described, np.stack([nodes, dom.end[nodes]])),
        letters_table(),
        LONGEST_URL,
    )
    text = text_from(codes)
    return [text[start:stop] for start, stop in pairwise(edges.tolist())]
