"""What single elements of the content state: images, formulas, code and its language, numbers of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape

import numpy as np

from webgrain.base.arrays import Bool
from webgrain.documents.parts import Part
from webgrain.page.dom import Dom
from webgrain.page.links import resolved
from webgrain.page.parsing import parse_html
from webgrain.page.strings import name_set
from webgrain.page.text import is_inline

DROPPED = name_set(
    "script style noscript template iframe frame frameset object embed svg link meta base title head "
    "input button select textarea audio video canvas dialog noembed noframes plaintext xmp datalist rp "
    "mjx-math"
)
"""Elements that are no content, with all in them; ``mjx-math`` is a formula as MathJax draws it."""

_SMALL_IMAGE = 64  # CSS pixels; smaller images without alternative text are icons (hand-set)
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url")
_CANDIDATES = ("srcset", "data-srcset", "data-lazy-srcset")
_MOST_BEFORE = 40  # nodes before an image in a ``<picture>`` that are read (hand-set)
_IS_PICTURE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)\b", re.IGNORECASE)
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
TEX_SCRIPT = re.compile(r"\s*math/tex\s*(;\s*mode\s*=\s*display)?", re.IGNORECASE)
"""Whether the type of a script is that of a formula."""
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*"
    r"|(?:sourceCode|highlight)\s+(?!highlight-|language-|lang-))([\w+#-]+)"
)
_NO_LANGUAGE = name_set("default none text plain plaintext highlight source code notranslate wrapper")
_LANGUAGES = name_set(
    "actionscript ada apache applescript assembly awk bash batch c++ clojure cmake coffeescript cpp csharp "
    "css cuda dart delphi diff dockerfile elixir erlang fortran fsharp glsl golang graphql groovy haskell "
    "haxe html ini java javascript json jsx julia kotlin latex lisp lua makefile markdown matlab mysql nginx "
    "objectivec ocaml pascal perl php plsql postgresql powershell prolog protobuf puppet python ruby rust "
    "sass scala scss shell smalltalk sparql sql swift tcl toml tsx typescript vbnet verilog vhdl xml xslt "
    "yaml"
)
"""Languages whose name is a class of code by itself."""
_SHORT_LANGUAGES = name_set(
    "asm bat c cs d elm go js kt less nim objc pl ps1 py r rb rs sh ts vb vim vue yml zsh"
)
"""Names of languages that are also names of other things: they count beside a class of code."""
_CODE_CLASSES = name_set("hljs code prettyprint sourcecode codeblock syntax highlight")
_LANGUAGE_ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language")


def small_number(text: str, digits: int) -> int | None:
    """Return the number in a text of at most some ASCII digits; None for other texts.

    >>> small_number(" 12 ", 3), small_number("1234", 3), small_number("2em", 3)
    (12, None, None)
    """
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


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


def leads_nowhere(dom: Dom, base: str, node: int) -> bool:
    """Whether a link has no address outside of its page; base: resolves it."""
    return not link_address(dom, base, node)


def link_address(dom: Dom, base: str, node: int) -> str:
    """Return the absolute URL of a link; empty for a place of the page and for other addresses.

    >>> from webgrain.page.parsing import parse_html
    >>> link_address(parse_html("<a href=b>B</a>"), "http://example.org/a", 3)
    'http://example.org/b'
    """
    href = dom.get(node, "href") or ""
    return resolved(base, href) if href and not href.startswith("#") else ""


def formula_of(dom: Dom, node: int) -> Part | None:
    """Return the formula in an element ``math`` or ``script``; None for an empty script.

    >>> from webgrain.page.parsing import parse_html
    >>> formula_of(parse_html("<math alttext=x^2><mi>x</mi><mn>2</mn></math>"), 3).attributes
    {'tex': 'x^2', 'display': False}
    """
    if dom.name(node) == "script":
        match = TEX_SCRIPT.match(dom.get(node, "type") or "")
        tex = dom.text_of(node).strip()
        if match is None or not tex:
            return None
        return Part("math", node, (tex,), {"tex": tex, "display": bool(match[1])})
    annotations = (
        dom.text_of(inner).strip()
        for inner in range(node, int(dom.end[node]))
        if dom.name(inner) == "annotation" and "tex" in (dom.get(inner, "encoding") or "").lower()
    )
    tex = _tex(next(annotations, "") or dom.attributes(node).get("alttext", ""))
    markup, text = _mathml(dom, node)
    source = {"tex": tex} if tex else {"mathml": markup}
    return Part("math", node, (tex or text,), {**source, "display": dom.get(node, "display") == "block"})


def has_line_numbers(dom: Dom, cell: int) -> bool:
    r"""Whether a cell contains the line numbers of the code in the next cell.

    >>> from webgrain.page.parsing import parse_html
    >>> has_line_numbers(parse_html("<table><tr><td>1<br>2<td><pre>a\nb</pre></table>"), 6)
    True
    """
    end = int(dom.end[cell])
    after = dom.tag[end : dom.end[dom.parent[cell]]]
    if not np.isin(after, [dom.tag_number("pre"), dom.tag_number("code")]).any():
        return False
    # of each text, since a <br> between two numbers has none
    lines = [line for k in range(cell, end) if dom.is_text[k] for line in dom.text_of(k).split()]
    return lines[0] == "1" and all(map(str.isdecimal, lines))


def code_of(dom: Dom, pre: int, shown: Bool) -> Part | None:
    r"""Return the code in an element ``pre``; None without text. shown: (n,) the visible nodes.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<pre class=language-c>a<br>  b</pre>")
    >>> code_of(dom, 3, np.ones(len(dom), bool)).text
    'a\n  b'
    """
    text = _code_text(dom, pre, shown)
    if not text:
        return None
    language = _language_of(dom, pre)
    return Part("code", pre, (text,), {"language": language} if language else {})


def _code_text(dom: Dom, pre: int, shown: Bool) -> str:
    """Return code with its white space, without line numbers; a ``<br>`` and a nested block start a line."""
    pieces: list[str] = []
    node, end = pre + 1, int(dom.end[pre])
    line = False  # whether the current line has text
    ends: list[int] = []
    while node < end:
        name = dom.name(node)
        while ends and ends[-1] <= node:
            ends.pop()
            if line:
                pieces.append("\n")
                line = False
        if name == "#text":
            text = dom.text_of(node)
            if shown[node] or not text.strip():
                pieces.append(text)
                tail = text.rpartition("\n")[2]
                line = bool(tail.strip()) or (line and "\n" not in text)
        elif name == "br":
            pieces.append("\n")
            line = False
        elif name in DROPPED:
            node = int(dom.end[node])
            continue
        elif not is_inline(name):
            if line:
                pieces.append("\n")
                line = False
            ends.append(int(dom.end[node]))
        node += 1
    return "".join(_without_line_numbers(pieces)).strip("\n").rstrip()


def _without_line_numbers(pieces: list[str]) -> list[str]:
    r"""Return the texts of code without numbers of lines: each of several lines begins with the next one.

    >>> _without_line_numbers(["1", "a\n", "2", "b"]), _without_line_numbers(["1", "+a\n", "3", "b"])
    (['a\n', 'b'], ['1', '+a\n', '3', 'b'])
    """
    places = [
        k
        for k, piece in enumerate(pieces)
        if small_number(piece, 6) is not None and (k == 0 or pieces[k - 1].endswith("\n"))
    ]
    if len(places) < 2 or len(places) == len(pieces):
        return pieces
    first = int(pieces[places[0]])
    follow = all(int(pieces[k]) == number for number, k in enumerate(places, first))
    lines = 1 + "".join(pieces).strip("\n").count("\n")
    if not follow or len(places) != lines:
        return pieces
    numbers = set(places)
    rest = [piece for k, piece in enumerate(pieces) if k not in numbers]
    return rest if any(piece.strip() for piece in rest) else pieces


def _language_of(dom: Dom, pre: int) -> str:
    """Return the language that code, an element around it or an element in it states; empty for none."""
    inside = [node for node in dom.children(pre) if dom.name(node) == "code"][:1]
    for node in (*inside, pre, *dom.ancestors(pre)[:6]):
        values = dom.attributes(node)
        classes = values.get("class", "")[:200]
        stated = (values.get(name, "") for name in _LANGUAGE_ATTRIBUTES)
        for name in (*stated, *_LANGUAGE.findall(classes)):
            name = name.removeprefix("source-").strip().lower()
            if name and name not in _NO_LANGUAGE and re.fullmatch(r"[\w+#.-]{1,30}", name):
                return str(name)
        if (node == pre or node in inside) and (name := _known_language(classes, values.get("lang", ""))):
            return name
    return ""


def _known_language(classes: str, lang: str) -> str:
    """Return the language whose name is a class of code or its attribute ``lang``; empty for none.

    >>> [_known_language(classes, "") for classes in ("hljs sql", "python code", "js code", "js", "text")]
    ['sql', 'python', 'js', '', '']
    >>> _known_language("", "Ruby"), _known_language("", "cs")  # the latter is Czech
    ('ruby', '')
    """
    words = classes.lower().split()
    is_code = not _CODE_CLASSES.isdisjoint(words)
    for word in (lang.lower(), *words):
        if word in _LANGUAGES:
            return word
    return next((word for word in words if is_code and word in _SHORT_LANGUAGES), "")


def _tex(source: str) -> str:
    r"""Return TeX without the ``\displaystyle`` group that converters put around it.

    >>> _tex(r"{\displaystyle x^{2}}")
    'x^{2}'
    """
    text = source.strip()
    if text.startswith("{\\displaystyle") and text.endswith("}"):
        return text[len("{\\displaystyle") : -1].strip()
    return text


_MATHML = name_set(
    "math maction merror menclose mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom "
    "mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover "
    "none semantics"
)


def _mathml(dom: Dom, top: int) -> tuple[str, str]:
    """Return the markup of a formula, without scripts, and its text."""
    pieces: list[str] = []
    texts: list[str] = []
    open_: list[int] = []
    node, end = top, int(dom.end[top])
    while node < end or open_:
        while open_ and int(dom.end[open_[-1]]) <= node:
            pieces.append(f"</{dom.name(open_.pop())}>")
        if node >= end:
            break
        name = dom.name(node)
        if name == "#text":
            texts += dom.text_of(node).split()
            pieces.append(escape(" ".join(dom.text_of(node).split()), quote=False))
        elif name not in _MATHML:
            node = int(dom.end[node])
            continue
        else:
            display = ' display="block"' if name == "math" and dom.get(node, "display") == "block" else ""
            pieces.append(f"<{name}{display}>")
            open_.append(node)
        node += 1
    return "".join(pieces), "".join(texts)
