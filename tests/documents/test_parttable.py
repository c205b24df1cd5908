"""Tables of parts by the kernel, compiled and not, against parts that are made as objects."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.documents import reference
from tests.uncompiled import load_source, require_compiled

from webgrain.documents import partkernel, parttable, textkernel
from webgrain.documents.article import Article
from webgrain.documents.content import Content, ContentFacts, KnownContent, content
from webgrain.documents.parts import Part, part_text
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.strings import name_set
from webgrain.page.text import text_blocks

LEAVES = ("heading", "paragraph", "term", "caption", "code", "math", "figure")
MATH = "<math alttext=x^2><mi>x</mi><mn>2</mn></math>"
TEX = "<script type='math/tex; mode=display'>y^2</script>"
PAGES = {
    "inline": "<p>a <b>b <i>c</i></b> <a href=d>e</a><a href=#f>g</a><a href='javascript:x()'>h</a>"
    "<br>i<br><br>j",
    "marks across blocks": "<b>a<p>b<p>c <b>d</b></b><h2>e <b>f</b><ul><li><b>g</b></ul></h2>",
    "links in links": "<a href=a>b<table><tr><td><a href=c>d</a><td>e<tr><td>f<td>g</table></a>"
    "<a href='x:y'>b<table><tr><td><a href=c><img src=i></a></table></a>",
    "lists": "<ul>a<li>b<p>c<ul><li>d</ul><li><ul><li>e<li>f</ul><ul><li>g</ul></ul><ol start=3>"
    "<ul><li>h</ul></ol>",
    "definitions": "<dl><dt>a<dd>b<p>c<dt>d<h3>e</h3><dd><dl><dt>f<dd>g</dl></dl><dt>h<dd>i",
    "a table of data": "<table><caption>a<p>b</caption><thead><tr><th>c<th colspan=2 rowspan=3>d<tbody>"
    "<tr><td>e<td><p>f<p>g  h<td><tr><td><td><tr><td>i<td><br>j<ul><li>k</ul></table>",
    "a table that arranges": "<table role=none><tr><td>a<td>b<tr><td>c<td>d</table>"
    "<table><tr><td>e<td><table><tr><td>f<td>g<tr><td>h<td>i</table></table>",
    "parts in a table": "<table>a<tr><td>b<td>c<div>d</div><tr>e<td>f<td>g<p>h</table>",
    "line numbers": "<table><tr><td>1<br>2<td><pre>a\n b</pre></table><table><tr><td>1 x<td><code>b"
    "</code></table>",
    "code": "<pre class='language-py'>a\n\n  b<br>c<p>d</p></pre><pre> </pre><p>e<pre data-lang=c>f</pre>",
    "figures": "<figure><img src=a alt=b><figcaption>c <img src=d></figcaption></figure><figure>"
    "<p>e</figure>"
    "<figure><figure><a href=f><img src=g></a><img src=h></figure></figure><figure><p>i<b>"
    "<img src=j></b></figure>",
    "images": "<p>a<p><img src=b><p><a href=c><img src=d></a> <img src=e width=9><p><a href=f>"
    "<img src=g><img src=h></a>"
    "<p><b><img src=i></b><p>j <img src=k> l<br><img src=m><p>n<img src=data:x data-src=o.png><p>p",
    "images at the edges": "<img src=a><div><img src=b></div><div><p>c<p>d</div><div><p>x"
    "<img src=e></div><img src=f>",
    "formulas": f"<p>a {MATH} b<p>{MATH}<p>{MATH}<br>{MATH}<p><a href=c>{MATH}</a><p>d<span>{MATH}"
    "</span>{TEX}"
    f"<p>e {MATH}<span aria-hidden=true>x2</span> f<p>{TEX}<p>g<img src=h>{MATH}<p>i",
    "a formula without TeX": "<p>a <span><math display=block><mi>x</mi></math></span>" + TEX + "<p>b",
    "ruby": "<p>a <ruby>b<rt>c</rt>d<rt>e f</rt>g</ruby> <ruby><b>h<rt>i</b><rtc>j</rtc></ruby>k<rt>l</rt>",
    "quotes": "<blockquote>a<blockquote>b<p>c</blockquote><li>d</blockquote><tr><td>e<dd>f",
    "permalinks": "<h2>a<a href=#b>#</a></h2><h3>c <a href=d>¶ 🔗</a></h3><p><a href=e> </a>f"
    "<a href=g>#1</a>",
    "hidden": "<p>a<span hidden>b</span> c<p hidden>d<p>e<button>f</button><select><option>g</select>",
    "deep": "<ul><li>" * 30 + "a" + "<table><tr><td>b<td>c<tr><td>d<td>e</table>",
    "deep figures": "<figure>" * 200 + "a<img src=b>",
    "spaces": "<p> a \n b<i> </i>c <i> d</i><br> \u00a0<br>e\u3000f<p>\u2003<p>g<br><p>h \u2028 i",
    "characters": "<p>\U0001f600 &#xd800; \ufeffa<ul><li>\U0001f517 新聞</ul>",
    "soft hyphens": "<p>a&shy;b <b>&shy;</b>c&shy;<i> &shy; d</i><br>&shy;<br>e<p>&shy;"
    "<ul><li>&shy;<li>f&shy;</ul>"
    "<table><tr><td>&shy;<td>g<tr><td>h<td>i</table><pre>j&shy;k</pre><figure><img src=l>&shy;</figure>",
    "links that edit": "<h2><i>a</i> <span class='x mw-editsection'>[<a href=b>c</a>]</span></h2><p>d"
    "<div><h3>e</h3><span class=mw-editsection>[f]</span></div><div class=secedit>g<img src=h></div>i",
    "formulas of MathJax": "<p>a <mjx-container><mjx-math aria-hidden=true><mjx-mi>E</mjx-mi></mjx-math>"
    f"<mjx-assistive-mml>{MATH}</mjx-assistive-mml></mjx-container> b",
    "notes": "<p>a<sup id=r1><a href=#n1>1</a></sup> b<a name=r2 href=#n2>[2]</a> c<a href=#n1>1</a>"
    "<ol><li id=n1>d <a href=#r1>e</a></ol><p><a name=n2 href=#r2>[2]</a> f <a href=#g>h</a>",
    "nothing in rows": "<table><tr><th>a<th>b<tr><td><td><tr><td> <td>c<td><tr><td>d</table>",
}  # fmt: skip


def read(html: str) -> Page:
    return parse(Source("a", html.encode("utf-8", "surrogatepass"), url="https://a.org/b/c"))


def check(page: Page, chosen: Sequence[int], scores: Sequence[float], fill: bool) -> None:
    """Compare all views of the content of some blocks with those of parts that are made as objects."""
    blocks = text_blocks(page)
    expected = reference.content(page, blocks, chosen, scores, fill)
    made = content(page, blocks, chosen, scores, fill)
    assert made.parts == expected
    assert made.text == "\n\n".join(filter(None, map(part_text, expected)))
    parts = [part for block in expected for part in block.walk()]
    assert made.nodes == sorted({part.node for part in parts if part.kind in LEAVES})
    assert made.code == tuple(part.text for part in parts if part.kind == "code")
    assert made.block_nodes == [block.node for block in expected]
    assert len(made) == len(expected)


def check_page(page: Page, seed: int = 0) -> None:
    """Compare the content of all blocks, of one half and of a span."""
    rng = np.random.default_rng(seed)
    b = len(text_blocks(page))
    start, stop = sorted(rng.integers(0, b + 1, 2).tolist())
    for chosen in (range(b), np.flatnonzero(rng.random(b) < 0.5).tolist(), range(start, stop)):
        scores = rng.random(len(chosen)).round(4).tolist()
        check(page, chosen, scores, fill=True)
        check(page, chosen, scores, fill=False)


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        walk, text = (load_source(monkeypatch, f"documents.{name}") for name in ("partkernel", "textkernel"))
        monkeypatch.setattr(parttable, "PartWalk", walk.PartWalk)
        monkeypatch.setattr(parttable, "is_data_table", walk.is_data_table)
        monkeypatch.setattr(parttable, "TextWriter", text.TextWriter)


def test_the_kernels_are_compiled():
    require_compiled()
    assert partkernel.COMPILED
    assert textkernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_pages_made_up(name):
    for seed in range(5):
        check_page(read(PAGES[name]), seed)


@pytest.mark.usefixtures("kernels")
def test_all_pages_made_up_in_one():
    check_page(read("<p>between</p>".join(PAGES[name] for name in PAGES if not name.startswith("deep"))))


@pytest.mark.usefixtures("kernels")
def test_random_trees():
    rng = np.random.default_rng(0)
    names = sorted(
        name_set(
            "div p b i td tr table ul li dl dt dd h2 pre code figure figcaption img br math ruby rt caption "
            "a blockquote span script button th"
        )
    )
    attributes = ["", " href=a", " src=b", " hidden", " href=#c", " type=math/tex", " aria-hidden=true"]
    for _ in range(60):
        pieces = []
        for _ in range(80):
            name = names[rng.integers(len(names))]
            end = f"</{names[rng.integers(len(names))]}>" if rng.random() < 0.6 else ""
            text = ["", " ", "1", "a b ", " c"][rng.integers(5)]
            pieces.append(f"<{name}{attributes[rng.integers(len(attributes))]}>{text}{end}")
        check_page(read("".join(pieces)))


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "crawlwiki", "lpinnova"])
def test_pages_of_sites(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    for item in islice(next(iter(read_bench([site]))).sources(), 10):
        check_page(parse(item))


@pytest.mark.parametrize(
    "html",
    [
        "<p>a" * 100_000,
        "<ul>" + "<li>a" * 100_000,
        "<p>a" + "<br>" * 100_000 + "b",
        "<p>a" + "<br> <b> </b>" * 50_000 + "b",
        "<table>" + "<tr><td>a<td>b<td><img src=c>" * 17_000,
        "<table>" + "<table><tr><td>a<td>b" * 20_000,
        "a" + "<div>" * 100_000,
        "<ruby>" + "<b>a<rt>b</rt>" * 20_000,
        "<figure>" * 400 + "<p>a" * 50_000,
        "<p>a" + "<a href=b><img src=c></a>" * 30_000,
    ],
)
def test_hostile_pages_take_linear_time(html):
    page = read(html)
    blocks = text_blocks(page)
    made = content(page, blocks, np.arange(len(blocks)), np.ones(len(blocks)))
    assert made.text
    assert made.nodes


def test_pickled_content_is_a_tuple_of_parts():
    page = read(PAGES["lists"])
    blocks = text_blocks(page)
    made = content(page, blocks, range(len(blocks)), np.ones(len(blocks)))
    title = Part("title", 3, ("a",))
    around = made.around(title, (Part("comment", 4, ("b",)),))
    assert pickle.loads(pickle.dumps(around)) == around.parts
    assert around[0] == title
    assert around.block_nodes == [part.node for part in around.parts]


def test_no_blocks_have_no_content():
    page = read("")
    made = content(page, text_blocks(page), [], [])
    assert made == Content()
    assert (made.text, made.nodes, list(made)) == ("", [], [])


def test_a_pickled_part_has_all_values():
    part = Part("item", 3, (Part("link", 4, ("a",), {"url": "b"}), "c"), {"level": 2}, 0.5)
    assert pickle.loads(pickle.dumps(part)) == part


def test_known_content_is_as_the_content_and_reads_its_parts_when_they_are_asked_for():
    page = read(PAGES["lists"])
    blocks = text_blocks(page)
    comment = Part("comment", 4, ("b",))
    made = content(page, blocks, range(len(blocks)), np.ones(len(blocks)))
    made = made.around(Part("title", 3, ("a",)), (comment,))
    reads = []

    def read_again() -> Content:
        reads.append(page)
        return made

    facts = pickle.loads(pickle.dumps(ContentFacts.of(made)))
    known = KnownContent(facts, read_again)
    for name in ("titles", "comments", "text", "nodes", "code", "block_nodes"):
        assert getattr(known, name) == getattr(made, name), name
    assert len(known) == len(made)
    assert Article("article", blocks=known).start == 3
    assert not reads
    assert known.main == made.main
    assert known == made
    assert len(reads) == 1
