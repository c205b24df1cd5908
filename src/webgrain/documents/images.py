"""The address and the alternative text of an image, with its lazy and responsive addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from webgrain.documents.elements import small_number
from webgrain.documents.parts import Part
from webgrain.page.dom import Dom
from webgrain.page.links import resolved
from webgrain.page.parsing import parse_html
from webgrain.page.strings import name_set

IMAGES = name_set("img amp-img amp-anim")
"""Elements that show an image; those of AMP pages have the same attributes."""
_SMALL_IMAGE = 64  # CSS pixels; smaller images without alternative text are icons (hand-set)
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url")
_CANDIDATES = ("srcset", "data-srcset", "data-lazy-srcset")
_MOST_BEFORE = 40  # nodes before an image in a ``<picture>`` that are read (hand-set)
_IS_PICTURE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)\b", re.IGNORECASE)


def image_of(dom: Dom, base: str, node: int) -> Part | None:
    """Return an image; None if it has no address, or if it is an icon. base: resolves its address.

    >>> from webgrain.page.parsing import parse_html
    >>> image_of(parse_html("<img src=a.png alt=A>"), "http://example.org/", 3).attributes
    {'url': 'http://example.org/a.png', 'alt': 'A'}
    """
    values = dom.attributes(node)
    alt = " ".join(values.get("alt", "").split())
    url = ""
    for source in _sources(values):
        if url := resolved(base, source):
            break
    url = url or resolved(base, widest_candidate(_picture_sources(dom, node)))
    if not url or (not alt and (_is_small(values.get("width")) or _is_small(values.get("height")))):
        return None
    return Part("image", node, (), {"url": url, "alt": alt})


def _is_small(side: str | None) -> bool:
    """Whether the width or height of an image is that of an icon."""
    if not side:
        return False
    pixels = small_number(side.removesuffix("px"), 5)
    return pixels is not None and pixels <= _SMALL_IMAGE


def image_without_scripts(dom: Dom, base: str, node: int) -> Part | None:
    """Return the first image in a ``<noscript>``, which the page shows if no script loads it; None for none.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p><noscript><img src=a.png></noscript>")
    >>> image_without_scripts(dom, "http://example.org/", 4).attributes["url"]
    'http://example.org/a.png'
    """
    inside = parse_html(dom.text_of(node))
    images = inside.find_tag("img")
    image = image_of(inside, base, int(images[0])) if len(images) else None
    return replace(image, node=node) if image else None


def _sources(values: Mapping[str, str]) -> Iterator[str]:
    """Yield the addresses that an image may have; what a script loads later comes before a placeholder."""
    lazy = [values[name].strip() for name in _LAZY if name in values]
    yield from filter(_IS_PICTURE_FILE.search, lazy)
    yield values.get("src", "").strip()
    yield from lazy
    for name in _CANDIDATES:
        yield widest_candidate(values.get(name, ""))


def _picture_sources(dom: Dom, image: int) -> str:
    """Return the ``srcset`` of all ``source`` elements beside an image in a ``<picture>``, joined."""
    around = int(dom.parent[image])
    if dom.name(around) != "picture":
        return ""
    before = range(max(around, image - _MOST_BEFORE), image)
    sources = (dom.attributes(node) for node in before if dom.name(node) == "source")
    sets = (values.get(name, "") for values in sources for name in _CANDIDATES)
    return ", ".join(filter(None, sets))


def widest_candidate(srcset: str) -> str:
    """Return the address of the widest candidate of a ``srcset``, or of the one for the densest screen.

    Addresses may contain commas. Of equal candidates the first is returned; one without a width or a density
    counts as 1x.

    >>> [widest_candidate(x) for x in (" a,w_1/b.png 2x, c.png 1x", "a.png, b.png 1x", "a 300w,b 900w", "")]
    ['a,w_1/b.png', 'a.png', 'b', '']
    """
    widest, best = 0.0, ""
    for address, size in _candidates(srcset):
        if size > widest:
            widest, best = size, address
    return best


def _candidates(srcset: str) -> Iterator[tuple[str, float]]:
    """Yield the address of each candidate of a ``srcset``, and its width or density."""
    address, size = "", 1.0
    for word in srcset.split():
        rest = word
        if address:
            descriptor, comma, rest = word.partition(",")
            match = _DESCRIPTOR.fullmatch(descriptor)
            size = float(match[1]) if match else size
            if not comma:
                continue
            yield address, size
        address, size = rest.strip(","), 1.0
        if address and rest.endswith(","):
            yield address, size
            address = ""
    if address:
        yield address, size


_DESCRIPTOR = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)[wx]", re.ASCII)
"""The width or the density of a candidate."""
