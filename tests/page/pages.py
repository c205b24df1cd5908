"""Pages that parsers stumble over, by hand and at random, and what must hold for the Dom of any page."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import strategies as st

DEEP = {
    "deep": "<div>" * 600 + "x<br>y<!-- c -->z<p>q",
    "deep and back": "<div>a" * 700 + "</div>b" * 700,
    "deep inline": "".join(f"<span id={i}>t{i}" for i in range(600)) + "</span>e" * 600,
    "deep tables": "<table><tr><td>" * 250 + "x" + "</table>y" * 250,
    "deep lists": "<ul><li>x" * 400 + "</li><li>y</ul>z" * 400,
    "deep formatting": "<div><p><b>x" * 600,
    "very deep": "<div>" * 5000 + "x",
}
PAGES = {
    "empty": "",
    "text": "x",
    "nul": "a\0b<p a\0=\0>x\0<svg>\0<title>\0",
    "line ends": "a\r\nb\rc<pre>\r\n\r\nx</pre><p a='\r\n'><textarea>\n\ny",
    "white space": " \n <html> \n <head> \n </head> \n <body> \n x \n </body> \n </html> \n ",
    "long text": "<p>" + "abc def " * 20000 + "<script>" + "abc def " * 20000 + "</script>",
    "foreign": "<svg viewBox='0 0 1 1'><linearGradient xlink:href=a /><foreignObject><DIV>x<svg><title>q"
    "<b>i</b></title></svg></div></foreignObject><![CDATA[a<b]]></svg><math><mi>x<b>y</b><mglyph></mglyph></mi>"
    "<annotation-xml encoding='text/html'><p>t</p></annotation-xml><annotation-xml><svg><g/></svg>",
    "template": "<template><b>t</b><template>x</template></template><table><template><tr></template><td>x",
    "noscript": "<head><noscript><img><link></noscript><title>x</title><body><noscript><p>b</noscript>c",
    "comments": "<!doctype html><!-- a --><p>a<!-- x -->b<?pi x?>c<![CDATA[x]]>d</foo>e</p></html><!-- z -->",
    "select": "<select><button>x</button><option>a</option><hr><div>s</div></select><select>"
    "<optgroup label=x><option>a<option>b<optgroup><input><textarea>",
    "foster parents": "<table>text<tr>x<td>y</td>z<b>b</table>w<table><p>p</table>",
    "adoption": "<p><b>1<i>2<p>3</b>4</i>5<a href=1>x<a href=2>y<div>z</a>q",
    "frames": "<frameset><frame><noframes><p>x</noframes></frameset>",
    "forms": "<form><form><input><p></form>x<form>y",
    "references": "&amp&ampx&notit;&#x80;&#xD800;"
    "&#0;&#x110000;&nGt;&NotEqualTilde;<a href='?a&copy=1&amp;b'>",
    "odd names": '<a:b c:d=e><x y=\'z"\' "q"=1 =3 a=1 A=2><p<b>x</p</b><q\'r><s"t><u[1]><v.w-x>z<é><yÉ>',
    "late attributes": "<html a=1><body b=1>x<html a=2 c=3><body b=2 d=4>y</body></html>z<!-- c --> w",
    "plain text": "x<plaintext>y</plaintext><b>",
    "old elements": "<image src=x><isindex><listing>\nx</listing><xmp><b></xmp>"
    "<nobr>a<nobr>b<marquee>c</nobr>",
    "astral": "\U0001f600<p a=\U0001f600>\ufffd\ufeff",
    "fallbacks": "<iframe><p>x</iframe><object><p>y</object><embed>z<noembed><b>x</noembed>",
    "many attributes": "<p " + " ".join(f"a{i}={i}" for i in range(3000)) + ">x",
    **DEEP,
}

_NAMES = [
    *(
        "div",
        "p",
        "span",
        "b",
        "a",
        "i",
        "table",
        "tr",
        "td",
        "ul",
        "li",
        "svg",
        "math",
        "mi",
        "desc",
        "title",
    ),
    *("template", "noscript", "script", "select", "option", "form", "input", "br", "linearGradient", "body"),
    *(
        "foreignObject",
        "annotation-xml",
        "my-tag",
        "x:y",
        "q'r",
        "html",
        "head",
        "textarea",
        "button",
        "font",
    ),
]
_PIECES = [
    *(f"<{name}>" for name in _NAMES),
    *(f"</{name}>" for name in _NAMES),
    *("text", " ", "\n", "\0", "é", "\U0001f600", "&amp;", "<!-- c -->", "<![CDATA[x]]>", "<", ">", "<br/>"),
    *(
        "<p id=one>",
        "<b id='1 x'>",
        "<i id=ONE>",
        "<u id=-2>",
        "<div id='a\"]\\b'>",
        "<a CLASS=x>",
        "<p id=>",
    ),
]
markup = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)


def random_page(seed):
    """Return the same markup for the same seed."""
    chance = random.Random(seed)
    return "".join(chance.choices(_PIECES, k=chance.randint(5, 80)))


def assert_is_a_tree(dom):
    """All that the docstring of Dom promises, by the slow way."""
    n, m = len(dom), len(dom.attr_name)
    parent, end = dom.parent.tolist(), dom.end.tolist()
    assert parent[0] == -1
    assert all(0 <= parent[i] < i < end[i] <= end[parent[i]] for i in range(1, n))
    closed = list(range(1, n + 1))
    for i in range(n - 1, 0, -1):
        closed[parent[i]] = max(closed[parent[i]], closed[i])
    assert closed == end
    assert dom.tags[0] == "#text"
    assert "#text" not in dom.tags[1:]
    assert len(set(dom.tags)) == len(dom.tags)
    assert len(set(dom.names)) == len(dom.names)
    for starts, length, count in (
        (dom.text_start, len(dom.text), n),
        (dom.attr_start, m, n),
    ):
        assert len(starts) == count + 1
        assert starts[0] == 0
        assert starts[-1] == length
        assert (np.diff(starts) >= 0).all()
    assert len(dom.value) == m
    assert ((dom.value >= 0) & (dom.value < len(dom.values))).all()
    assert not np.diff(dom.text_start)[~dom.is_text].any()
    assert np.diff(dom.text_start)[dom.is_text].all()
    assert not np.diff(dom.attr_start)[dom.is_text].any()
    assert dom.is_leaf[dom.is_text].all()
    arrays = [value for name in dom.__slots__ if isinstance(value := getattr(dom, name), np.ndarray)]
    assert all(array.dtype == np.int32 and not array.flags.writeable for array in arrays)


def nodes_of(dom):
    """The tree as plain lists: name, parent, text, attributes."""
    return [
        [
            dom.name(i),
            int(dom.parent[i]),
            dom.text_of(i) if dom.is_text[i] else None,
            list(dom.attributes(i).items()),
        ]
        for i in range(len(dom))
    ]
