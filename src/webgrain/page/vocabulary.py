"""Numbers of the usual tags and attributes, which are the same on all parsed pages.

A page numbers its other tags and attributes after these, by their first appearance.
"""

from __future__ import annotations

from functools import lru_cache

from webgrain.page.thresholds import LONGEST_KEY

_HTML = """
html head body title meta link base style script noscript template slot
header footer nav main section article aside address hgroup search h1 h2 h3 h4 h5 h6
div p span a ul ol li dl dt dd menu dir pre blockquote figure figcaption hr br wbr center
b i u s em strong small big mark del ins sub sup code kbd samp var tt cite q dfn abbr acronym time data
font strike nobr bdi bdo ruby rb rt rp rtc
img picture source map area svg math canvas video audio track iframe embed object param applet
table caption colgroup col thead tbody tfoot tr td th
form fieldset legend label input button select optgroup option datalist textarea output progress meter
details summary dialog noframes noembed frameset frame marquee blink basefont bgsound xmp plaintext listing
"""
_SVG = """
g path rect circle ellipse line polyline polygon text tspan use defs symbol lineargradient radialgradient stop
clippath mask pattern filter desc
"""

TAGS = tuple(dict.fromkeys(["#text", *_HTML.split(), *_SVG.split()]))
"""Names of the usual tags by number; 0 is a text node."""

_ATTRIBUTES = """
id class href src alt title style rel type name content property itemprop itemtype itemscope itemid role
lang dir hidden width height target value action method for placeholder srcset sizes media charset
http-equiv loading decoding data-src data-srcset data-id data-url data-href data-target data-toggle
data-bs-toggle data-bs-target aria-hidden aria-label aria-labelledby aria-controls aria-expanded
aria-current aria-haspopup aria-describedby tabindex datetime pubdate colspan rowspan scope headers align
valign bgcolor background border cellpadding cellspacing color face size onclick onload async defer
integrity crossorigin nonce checked selected disabled readonly required maxlength minlength min max step
pattern autocomplete rows cols start reversed open download hreflang usemap shape coords poster controls
autoplay loop muted preload viewbox fill stroke d xmlns x y cx cy r rx ry x1 y1 x2 y2 points transform
stroke-width stroke-linecap stroke-linejoin fill-rule clip-rule xlink:href focusable vocab typeof about
resource datatype
"""

NAMES = tuple(dict.fromkeys(_ATTRIBUTES.split()))
"""Names of the usual attributes by number."""

NUMBER_OF_TAG = {tag: number for number, tag in enumerate(TAGS)}
NUMBER_OF_NAME = {name: number for number, name in enumerate(NAMES)}


def with_others(usual: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a page: usual ones and others; pages with the same names share the result.

    usual: `TAGS` or `NAMES`.

    >>> with_others(TAGS, ()) is TAGS, with_others(TAGS, ("my-tag",)) is with_others(TAGS, ("my-tag",))
    (True, True)
    """
    if not others:
        return usual
    is_short = sum(map(len, others)) <= LONGEST_KEY
    return _joined(usual is TAGS, others) if is_short else usual + others


def without_usual(usual: tuple[str, ...], names: tuple[str, ...]) -> tuple[bool, tuple[str, ...]]:
    """Return whether the names of a page begin with the usual ones, and the others; if not, all names.

    >>> without_usual(TAGS, (*TAGS, "my-tag")), without_usual(TAGS, ("#text", "p"))
    ((True, ('my-tag',)), (False, ('#text', 'p')))
    """
    begins = names[: len(usual)] == usual
    return begins, names[len(usual) :] if begins else names


def with_usual(usual: tuple[str, ...], names: tuple[bool, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the names of a page from the result of `without_usual`; see `with_others`.

    >>> with_usual(TAGS, (True, ("my-tag",))) is with_others(TAGS, ("my-tag",))
    True
    """
    begins, others = names
    return with_others(usual, others) if begins else others


@lru_cache(maxsize=256)
def _joined(are_tags: bool, others: tuple[str, ...]) -> tuple[str, ...]:
    # Python computes the hash of a tuple again for each look-up: that of the usual names takes long.
    return (TAGS if are_tags else NAMES) + others
