"""Code with its white space and the name of its language, without the numbers of its lines."""

from __future__ import annotations

import re

import numpy as np

from webgrain.base.arrays import Bool
from webgrain.documents.elements import DROPPED, small_number
from webgrain.documents.parts import Part
from webgrain.page.dom import Dom
from webgrain.page.strings import name_set
from webgrain.page.text import is_inline

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
