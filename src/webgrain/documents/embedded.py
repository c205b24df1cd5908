"""Embedded objects: videos, recordings, maps, posts and code snippets from other addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from webgrain.documents.parts import Part
from webgrain.page.dom import Dom
from webgrain.page.links import resolved
from webgrain.page.strings import name_set

EMBEDDED = name_set("iframe embed object video audio lite-youtube lite-vimeo")
"""Elements that show something from another address: videos, recordings, maps, documents and posts."""
_PLAYER_OF_VIDEO = {
    "lite-youtube": "https://www.youtube.com/embed/", "lite-vimeo": "https://player.vimeo.com/video/",
}  # fmt: skip
"""The address before the id of a video, by the element that loads its player when a reader clicks on it."""
_IS_EMBEDDED = re.compile(
    r"[/.](?:embed|embedded|player|videos?)(?:[/.?]|$)|youtube(?:-nocookie)?\.com/v/|\.(?:pdf|swf)$",
    re.IGNORECASE,
)
"""Whether an address is that of a player, a map, a post or a document; others are advertisements or parts of
the site."""
_GIST = re.compile(r"(?:https?:)?//gist\.github\.com/[\w/.-]{1,200}\.js(?:\?|$)")
_VIDEO_ID = re.compile(r"[\w-]{1,40}")
_ADDRESS_NAMES = name_set("movie src filename url")
"""Names of the ``param`` elements with the address of an ``object``."""


def embedded_of(dom: Dom, base: str, node: int) -> Part | None:
    """Return a video, a recording, a map or a post from another address; None for other embedded pages.

    base: resolves its address.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<video title=V><source src=a.mp4></video>")
    >>> embedded_of(dom, "http://example.org/", 3).attributes
    {'url': 'http://example.org/a.mp4', 'title': 'V'}
    """
    values = dom.attributes(node)
    name = dom.name(node)
    is_file = name in ("video", "audio")
    sources = (source.strip() for source in _embedded_sources(dom, node, name, values))
    urls = (resolved(base, source) for source in sources if source)
    url = next((url for url in urls if url and (is_file or _IS_EMBEDDED.search(url.partition("?")[0]))), "")
    return (
        Part("embed", node, (), {"url": url, "title": " ".join(values.get("title", "").split())})
        if url
        else None
    )


def _embedded_sources(dom: Dom, node: int, name: str, values: Mapping[str, str]) -> Iterator[str]:
    """Yield the addresses that an embedded object may have. name, values: its tag and its attributes."""
    if name in _PLAYER_OF_VIDEO:
        video = values.get("videoid", "").strip()
        if _VIDEO_ID.fullmatch(video):
            yield _PLAYER_OF_VIDEO[name] + video
        return
    for attribute in ("src", "data", "data-src"):
        yield values.get(attribute, "")
    for inner in range(node, int(dom.end[node])):
        tag = dom.name(inner)
        if tag in ("source", "embed"):
            yield dom.get(inner, "src") or ""
        elif tag == "param" and (dom.get(inner, "name") or "").lower() in _ADDRESS_NAMES:
            yield dom.get(inner, "value") or ""


def is_gist(address: str) -> bool:
    """Whether an address is that of a script that writes a code snippet of GitHub into the page.

    >>> is_gist("https://gist.github.com/ada/1a2b.js?file=a.py"), is_gist("https://example.org/a.js")
    (True, False)
    """
    return _GIST.match(address.strip()) is not None


def gist_of(dom: Dom, base: str, node: int) -> Part | None:
    """Return the code snippet that a script writes into the page, as an embedded object; None for others.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p><script src=//gist.github.com/ada/1a2b.js></script>")
    >>> gist_of(dom, "https://example.org/", 4).attributes["url"]
    'https://gist.github.com/ada/1a2b'
    """
    address = (dom.get(node, "src") or "").strip()
    if not is_gist(address):
        return None
    url = resolved(base, address.partition("?")[0].removesuffix(".js"))
    return Part("embed", node, (), {"url": url, "title": ""}) if url else None
