"""Hostile pages and sites: the name of each is its attack, ``n`` its size.

Nothing here is taken from a real page. A page of size ``n`` has about ``n`` of what it is made of, so that
twice the size should take twice the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.page.page import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[int], bytes]

_ODD_NAMES = (
    "a'b\"c\\d", "]]>", "*/", "{}", "<b>", "a\tb", "1", "-", "--", "😀", "\u202e", "\ufeff", "x" * 3000,
    "a:b", "#", ".", ">", "a,b", "%s", "{0}", "$&", "\\", "é" * 99, "constructor", "__proto__",
)  # fmt: skip

_BASES = (
    "javascript:alert(1)", "//evil.example", "http://[bad", "http://a:99999/", "\\\\host\\share", "data:,x",
    "file:///etc/passwd", "http://" + "a" * 5000, "ht!tp:x", "http://\u2100.example/", "?", "#", "\x00",
)  # fmt: skip


def _text(html: str) -> bytes:
    return html.encode("utf-8", "surrogatepass")


def _random_tags(n: int) -> bytes:
    rng = np.random.default_rng(0)
    parts = (
        "<a>|</a>|<b>|</b>|<p>|</p>|<table>|<tr>|<td>|</table>|<ul>|<li>|<div>|</div>|<svg>|</svg>|x|<select>"
    )
    return _text("".join(rng.choice(parts.split("|"), 4 * n)))


def _staircase(n: int) -> str:
    return "<div><p>step" * min(n, 500) + "<p>low" * n


PAGES: dict[str, Maker] = {
    # nesting
    "deep": lambda n: _text("<div>" * n + "x"),
    "deep formatting": lambda n: _text("<b><i>" * n + "x"),
    "deep formatting broken by paragraphs": lambda n: _text("<font><b><p>x" * n),
    "deep lists": lambda n: _text("<ul><li>x" * n),
    "deep tables": lambda n: _text("<table><tr><td>x" * n),
    "deep svg": lambda n: _text("<svg><g>" * n + "<text>x"),
    "deep templates": lambda n: _text("<template>" * n + "x"),
    "staircase": lambda n: _text(_staircase(n)),
    "nested links": lambda n: _text("<a href=/x><table><tr><td>" * n + "x"),
    "objects in links": lambda n: _text("<a href=/x><object>" * n + "x"),
    "random tags": _random_tags,
    # width
    "siblings": lambda n: _text("<p>x" * n),
    "siblings that differ": lambda n: _text(
        "".join(f"<p id=i{k} class='c{k} d{k % 7}'>x{k}" for k in range(n))
    ),
    "siblings below all depths": lambda n: _text("<div>" * 500 + "<p>x<a href=/>y</a>" * n),
    "classes of letters": lambda n: _text("".join(f"<p class=c{_letters(k)}>x" for k in range(n))),
    "unknown tags": lambda n: _text("".join(f"<t{_letters(k)}>x</t{_letters(k)}>" for k in range(n))),
    "closed comments": lambda n: _text("<!-- -->x" * n),
    "comments in a drawing": lambda n: _text("<svg>" + "<!--" * n),
    "unknown attributes": lambda n: _text("".join(f"<p a{_letters(k)}=b>x" for k in range(n))),
    "endless table": lambda n: _text("<table>" + "<tr><td>a<td>b<td>c" * n),
    "wide table": lambda n: _text("<table><tr>" + "<td>a" * n),
    "spans of cells": lambda n: _text("<table>" + "<tr><td colspan=1000 rowspan=65534>a" * n),
    "text beside table": lambda n: _text("<table>" + "x<b>" * n),
    "definitions": lambda n: _text("<dl>" + "<dt>a<dd>b<dd>c" * n),
    "headings": lambda n: _text("".join(f"<h{k % 6 + 1}>Heading {k}" for k in range(n))),
    "titles": lambda n: _text("<title>a</title>" * n + "<h1>a</h1>"),
    "records": lambda n: _text("<div class=r><a href=/x>One</a><b>2</b><i>3</i></div>" * n),
    "inline blocks": lambda n: _text("<span style='display:inline-block;width:1px'>x</span>" * n),
    "floats": lambda n: _text("<div style='float:left;width:10px'>x</div>" * n),
    "positioned": lambda n: _text("<div style='position:absolute;left:9px;top:9px;width:9px'>x</div>" * n),
    "flex in flex": lambda n: _text("<div style='display:flex'>" * min(n, 400) + "<p>x" * n),
    # all of one kind
    "links only": lambda n: _text("".join(f"<a href=/{k}>{k}</a> " for k in range(n))),
    "links to itself": lambda n: _text("<a href='#x'>x</a>" * n),
    "controls only": lambda n: _text("<input value=x><select><option>a</select><button>b</button>" * n),
    "options": lambda n: _text("<select>" + "<option>a" * n),
    "images only": lambda n: _text("<img src=x alt=y>" * n),
    "scripts only": lambda n: _text("<script>document.write('<p>x')</script>" * n),
    "made by script": lambda n: _text("<div id=root></div><script>" + "x();" * n + "</script>"),
    "hidden": lambda n: _text("<div hidden>" + "<p>x" * n),
    "comments": lambda n: _text("<!-- x -->" * n + "<!--"),
    "noscript": lambda n: _text("<noscript>" + "<p>x" * n),
    # thousands of what a step collects
    "figures": lambda n: _text("<figure><img src=x><figcaption>y</figcaption></figure>" * n),
    "details": lambda n: _text("<details><summary>a</summary>b</details>" * n),
    "forms": lambda n: _text("<form><label>a<input></label></form>" * n),
    "groups of options": lambda n: _text("<select>" + "<optgroup label=a><option>b" * n),
    "captions": lambda n: _text("<table><caption>a</caption><tr><td>b</table>" * n),
    "tables in a list": lambda n: _text("<ul>" + "<li><table><tr><td>a</table>" * n),
    "lists in a table": lambda n: _text("<table>" + "<tr><td><ul><li>a</ul>" * n),
    "definitions in a table": lambda n: _text("<table>" + "<tr><td><dl><dt>a<dd>b</dl>" * n),
    "ruby": lambda n: _text("<ruby>a<rt>b</ruby>" * n),
    "pictures of text": lambda n: _text("<svg><text>x</text></svg>" * n),
    "formulas": lambda n: _text("<math><mi>x</mi></math>" * n),
    "inner frames": lambda n: _text("<iframe src=x></iframe>" * n),
    "code": lambda n: _text("<pre>x</pre>" * n),
    "line breaks": lambda n: _text("x<br>" * n),
    "marks": lambda n: _text("<b>x</b><i>y</i>" * n),
    "quotes": lambda n: _text("<blockquote>x</blockquote>" * n),
    "days": lambda n: _text("<time datetime=2020-01-01>1 May 2020</time>" * n),
    "posts": lambda n: _text(
        "".join(f"<div class=comment id=c{k}><a>b</a> 2020-01-01<p>x</div>" for k in range(n))
    ),
    "articles": lambda n: _text("<article><h2>a</h2><p>b</article>" * n),
    "read also": lambda n: _text("<aside><p>Read also: <a href=x>y</a></aside>" * n),
    "menus": lambda n: _text("<nav><ul><li><a href=x>y</a></ul></nav>" * n),
    "numbered pages": lambda n: _text("".join(f"<a href='?page={k}'>{k}</a>" for k in range(n))),
    "footnotes": lambda n: _text(
        "".join(f"<a href=#f{k} id=r{k}>{k}</a>" for k in range(n))
        + "".join(f"<p><a href=#r{k} id=f{k}>^</a>x" for k in range(n))
    ),
    "meta": lambda n: _text("<meta name=author content=x>" * n),
    "linked data": lambda n: _text(
        "<script type=application/ld+json>{'@type':'Article','author':'x'}</script>".replace("'", '"') * n
    ),
    "text in linked data": lambda n: _text(
        f'<script type=application/ld+json>{{"@type":"Article","articleBody":"{"<p>x" * n}"}}</script>'
    ),
    "microdata": lambda n: _text("<div itemscope itemtype=x itemprop=a><b itemprop=b>c</b></div>" * n),
    "pictures without scripts": lambda n: _text("<img src=x><noscript><img src=y></noscript>" * n),
    "hidden elements": lambda n: _text("<p style=display:none>x" * n),
    "hidden classes": lambda n: _text(
        f"<style>{''.join(f'.a{k}{{display:none}}' for k in range(n))}</style>"
        + "".join(f"<p class=a{k}>x" for k in range(n))
    ),
    # long
    "text": lambda n: _text("word " * 100 * n),
    "text of one word": lambda n: _text("x" * 100 * n),
    "text of letters beyond": lambda n: _text("\U0001f600\u0301" * 20 * n),
    "white space": lambda n: _text(" \n\t" * 100 * n),
    "entities": lambda n: _text("&amp;&#x1F600;&nosuch;&#99999999999;&#0;&#xD800;" * 5 * n),
    "attribute": lambda n: _text(f"<p id='{'x' * 50 * n}' class='{'y' * 50 * n}' title='{'z' * 50 * n}'>x"),
    "classes": lambda n: _text("<p class='" + " ".join(f"c{_letters(k)}" for k in range(10 * n)) + "'>x"),
    "attributes": lambda n: _text("<p " + " ".join(f"a{k}=b" for k in range(n)) + ">x"),
    "style attribute": lambda n: _text("<p style='" + "color:red;margin:1px;" * 5 * n + "'>x"),
    "style sheet": lambda n: _text(
        "<style>" + ".a>b c{color:red}" * n + "</style>" + "<b class=a>x</b>" * 50
    ),
    "selectors": lambda n: _text("<style>" + "a " * n + "{color:red}</style>" + "<a>" * 9 + "x"),
    "not not": lambda n: _text("<style>" + ":not(" * n + "a" + ")" * n + "{color:red}</style><p>x"),
    "sheets in sheets": lambda n: _text("<style>" + "@media all{" * n + "p{color:red}</style><p>x"),
    "title": lambda n: _text(f"<title>{'t ' * 50 * n}</title><h1>{'h ' * 50 * n}</h1><p>x"),
    "tag name": lambda n: _text(f"<{'t' * 50 * n}>x"),
    "data address": lambda n: _text(f"<img src='data:image/png;base64,{'A' * 100 * n}'>x"),
    "unclosed": lambda n: _text("<textarea>" + "<p>x" * n),
    "plain text": lambda n: _text("<plaintext>" + "<p>x" * n),
    "ends of nothing": lambda n: _text("</p></b></table>" * n),
    # names and addresses
    "same id": lambda n: _text("<div id=a><p id=a>x" * min(n, 200) + "<p id=a>y" * n),
    "odd names": lambda n: _text(
        "".join(f'<p id="{name}" class="{name}">x' for name in _ODD_NAMES) * (n // 20)
    ),
    "odd bases": lambda n: _text(
        "".join(f"<base href='{one}'><a href='{one}'>x</a>" for one in _BASES) * (n // 90)
    ),
    "odd sizes": lambda n: _text(
        "<p style='width:1e308px;height:-1px;font-size:1e30em;margin:nan'>x<td width=99999999999>y" * n
    ),
    # characters
    "nul": lambda n: b"<p>a\0b<\0p class='\0'>\0</p>" * n,
    "control characters": lambda n: _text(
        "".join(map(chr, range(1, 160))) * (n // 50) + "<p>\u202e\ufffe\uffff"
    ),
    "lone surrogates": lambda n: _text("<p title='\ud800'>\udfff x" * n),
    "half of utf-16": lambda n: b"\xff\xfe" + "<p>\u00e9".encode("utf-16-le") * n + b"\xd8",
    "wrong charset": lambda n: b"<meta charset=utf-16><p>" + b"\xc3\xa9\xff\x80" * n,
    "unknown charset": lambda n: b"<meta charset='" + b"x" * 500 + b"'><p>" + b"\xe9" * n,
    "utf-7": lambda n: b"<meta charset=utf-7>" + b"+ADw-script+AD4-x()+ADw-/script+AD4-" * n,
    "bytes": lambda n: np.random.default_rng(1).bytes(20 * n),
    "escapes of iso-2022-jp": lambda n: b"<meta charset=iso-2022-jp>" + b"\x1b$B<p>\x1b(B" * n,
    # next to nothing
    "empty": lambda n: b"",
    "a space": lambda n: b" ",
    "a tag that never ends": lambda n: b"<p " + b"x" * n,
    "a mark only": lambda n: b"\xef\xbb\xbf",
    "frames": lambda n: b"<frameset><frame src=x>" * n,
    "html only": lambda n: b"<!doctype html><html></html>",
}
"""Pages by name."""


def grown(name: str, n_bytes: int) -> bytes:
    """Return a hostile page of about a number of bytes; smaller if it does not grow."""
    size = 50
    page = PAGES[name](size)
    for _ in range(10):
        if 0.9 * n_bytes <= len(page) <= 1.1 * n_bytes or not page:
            break
        wanted = size * n_bytes // len(page)
        if wanted == size or not 1 <= wanted <= n_bytes:
            break
        size, page = wanted, PAGES[name](wanted)
    return page[: round(1.1 * n_bytes)]


IDS = (
    "../../../etc/passwd", "/etc/passwd", "C:\\windows\\x.html", "CON", "a\0b.html", "a\nb.html", "-rf", "",
    ".", "x" * 5000, "https://a.example/?a=%00&b=../..", "<script>alert(1)</script>.html",
    "=cmd|' /C calc'!A0", "\u202egpj.html", "a b", "A.html", "a.html", "http://[bad/", "file:///etc/passwd",
)  # fmt: skip
"""Ids of pages that leave a folder, run as code, or are equal on some systems."""


def sources(n: int) -> list[Source]:
    """Return all pages, by their names."""
    return [
        Source(name, make(n), f"https://hostile.example/{k}") for k, (name, make) in enumerate(PAGES.items())
    ]


def _article(k: int, body: str = "") -> str:
    return f"<title>Page {k}</title><nav><a href=/>Home</a></nav><h1>Heading {k}</h1><p>Text of {k}. {body}"


def _site(pages: dict[str, bytes]) -> list[Source]:
    return [
        Source(name, body, f"https://hostile.example/{k}") for k, (name, body) in enumerate(pages.items())
    ]


SITES: dict[str, Callable[[int], list[Source]]] = {
    "empty": lambda n: [],
    "one page": lambda n: _site({"a": _text(_article(1))}),
    "one empty page": lambda n: _site({"a": b""}),
    "identical pages": lambda n: _site({f"{k}": _text(_article(1, "word " * n)) for k in range(30)}),
    "ids that differ": lambda n: _site(
        {
            f"{k}": _text(
                "".join(f"<p id=x{_letters(k * n + j)} class=y{_letters(k + j)}>t{j}" for j in range(n))
            )
            for k in range(12)
        }
    ),
    "odd ids": lambda n: [Source(name, _text(_article(k)), name) for k, name in enumerate(IDS)],
    "the same id": lambda n: [Source("a", _text(_article(k)), "https://hostile.example/") for k in range(20)],
    "nothing in common": lambda n: _site(
        {f"{k}": _text(f"<t{_letters(k)}>{_letters(k) * 9}</t{_letters(k)}>" * n) for k in range(20)}
    ),
    "links to all": lambda n: _site(
        {
            f"{k}": _text(_article(k) + "".join(f"<a href=/{j}>Page {j}</a>" for j in range(n)))
            for k in range(12)
        }
    ),
    "wide pages": lambda n: _site({f"{k}": _text(_article(k) + f"<p>x{k}" * n) for k in range(8)}),
    "deep pages": lambda n: _site({f"{k}": _text(_article(k) + "<div>a" * n) for k in range(8)}),
    "long records": lambda n: _site(
        {
            f"{k}": _text(_article(k) + "<div class=r><a href=/x>One</a><b>2</b><i>3</i></div>" * (n + k))
            for k in range(8)
        }
    ),
    "shuffled": lambda n: _site({f"{k}": _shuffled(n, k) for k in range(8)}),
    "all hostile": sources,
}
"""Sites by name."""


def _shuffled(n: int, seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    return _text("".join(f"<p class=c{_letters(k)}>x" for k in rng.permutation(n)))


def _letters(k: int) -> str:
    """Return a name without digits, which methods take for the same."""
    return np.base_repr(k, 36).translate(str.maketrans("0123456789", "abcdefghij")).lower() + "z" * (k % 3)
