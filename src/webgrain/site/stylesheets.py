"""The references in the style sheets of a site: each sheet in the folder or the archive is read once.

Addresses in a style sheet are resolved against its own address (CSS Values 4), not that of a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from webgrain.io.local import SiteFolder
from webgrain.io.thresholds import MAX_SHEET
from webgrain.page.links import LOCAL_HOST, canonical, joined, target_of
from webgrain.page.references import USES, css_addresses, use_of_file
from webgrain.page.thresholds import LONGEST_URL
from webgrain.site.references import MARKS, Code, mark_of_file, moved_target


class Sheet(NamedTuple):
    """The references of a style sheet.

    Attributes:
        name: its path in the folder or zip archive without a query, or its address.
        is_secure: whether it is sent with HTTPS.
        targets, urls: (k,) the canonical target and the address of each reference; codes: (k,) its place.
    """

    name: str
    is_secure: bool
    targets: tuple[str, ...]
    urls: tuple[str, ...]
    codes: tuple[Code, ...]

    @property
    def content(self) -> tuple[str, tuple[str, ...]]:
        """Equal for a file that has several addresses, such as those with a version in the query."""
        return self.name.partition("?")[0], self.targets


class StoredSheet(NamedTuple):
    """A style sheet in a web archive: its address, and the addresses that it names."""

    url: str
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StyleSheets:
    """The style sheets of a site.

    Attributes:
        stored: the sheets in web archives by canonical address.
        folders: the folders and zip archives of the site.

    >>> sheet = StoredSheet("http://e.org/css/a.css", ("../b.png", "data.css"))
    >>> sheets = StyleSheets({"e.org/css/a.css": sheet})
    >>> sheets.read("http://e.org/css/a.css").urls
    ('http://e.org/b.png', 'http://e.org/css/data.css')
    >>> sheets.read("http://e.org/c.css") is None
    True
    """

    stored: Mapping[str, StoredSheet] = field(default_factory=dict)
    folders: Sequence[SiteFolder] = ()

    def read(self, address: str) -> Sheet | None:
        """Return the references of a sheet; None if the input does not have it.

        address: with its host, or the path of a local file as in addresses.
        """
        if address[:4].lower() == "http":
            stored = self.stored.get(canonical(address))
            return None if stored is None else _sheet(stored.url, stored.url, stored.addresses, None)
        path = unquote(address)
        around = [folder for folder in self.folders if path.startswith(folder.start)]
        if not around:
            return None
        folder = max(around, key=lambda folder: len(folder.start))
        body = folder.read(path[len(folder.start) :])
        if body is None:
            return None
        name = path.partition("?")[0]
        return _sheet(name, f"http://{LOCAL_HOST}{address}", sheet_addresses(body), folder)


def sheet_addresses(body: bytes) -> tuple[str, ...]:
    """Return the addresses that the bytes of a style sheet name; none for a sheet that is too large.

    Behaviours of Internet Explorer (``.htc``) are left out: their addresses are resolved against the page.

    >>> sheet_addresses(b"p { background: url(a.png); behavior: url(b.htc) }")
    ('a.png',)
    """
    if len(body) > MAX_SHEET:
        return ()
    try:
        css = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        css = body.decode("latin-1")
    addresses = dict.fromkeys(css_addresses(css))
    return tuple(name for name in addresses if len(name) <= LONGEST_URL and not name.endswith(".htc"))


def _sheet(name: str, url: str, addresses: tuple[str, ...], folder: SiteFolder | None) -> Sheet:
    """Return a sheet; url: against which its addresses are resolved; folder: None for a sheet with a host."""
    targets = []
    urls = []
    codes = []
    for address in addresses:
        target = target_of(url, address)
        if not target:
            continue
        absolute = joined(url, address)
        mark = 0
        if folder is not None:
            target = moved_target(target, folder)
            mark = mark_of_file(f"{target} {absolute}", folder)
        targets.append(target)
        urls.append(absolute if folder is None else address)
        codes.append(Code("", "", USES[use_of_file(address)], "other", MARKS[mark], False))
    return Sheet(name, url[:8].lower() == "https://", tuple(targets), tuple(urls), tuple(codes))
