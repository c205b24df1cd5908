"""The kernels of the estimate: compiled and uncompiled ones agree, and small cases by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.uncompiled import load_source

from webgrain.page import addresses
from webgrain.page.kernels.cssselectors import token_hash
from webgrain.page.parsing import parse_html
from webgrain.rendering import estimate as front
from webgrain.rendering.kernels.boxes import measure

PAGES = [
    "", "plain text", "<h1>Title</h1><p>One <b>two</b> three <i>four</i>.<p hidden>No<ul><li>a<li>b</ul>",
    f"<p>{'many words go over lines ' * 40}<br>next<img src=x width=40 height=30>"
    f"<a href=x>{'link text ' * 60}</a></p>",
    "<table width=60%><tr><th>a<td colspan=3>b<td width=20%>c<tr><td>d"
    "<td nowrap>e f g<td valign=top>h</table>",
    "<center><table><tr><td><table><tr><td>inner<td>x</table><td>outer</table>y</center>",
    "<style>.l { float: left; width: 30% } .r { float: right } #m { display: flex } #m > p { flex: 1 }"
    ".g { display: grid; grid-template-columns: repeat(3, 1fr) } ul li.x a { color: red !important }</style>"
    "<div class=l>left</div><div class=r>right</div><p>beside</p><br clear=all><div id=m><p>a<p>b</div>"
    "<div class=g><p>1<p>2<p>3<p>4</div><ul><li class='y x'><a href=x>x</a></ul>",
    "<div style='position: relative; padding: 1em'><p style='position: absolute; right: 0'>abs</p>in</div>"
    "<pre>a\n  b</pre><details><summary>s</summary>no</details><select><option>x</select>"
    "漢字かな <b>Жизнь</b>",
    "<div style='overflow: hidden; height: 20px'><p>seen<p>cut<p>away</div>" + "<div>" * 40 + "deep",
]  # fmt: skip


@pytest.fixture(params=["with Cython", "without Cython"])
def uncompiled(request, monkeypatch):
    """Swap the kernels of the estimate for the same files, run uncompiled."""
    if request.param == "without Cython":
        monkeypatch.setitem(__import__("sys").modules, "cython", None)
    names = (
        "page.kernels.cssselectors",
        *(f"rendering.kernels.{n}" for n in ("cascade", "boxes", "layout")),
    )
    twins = {name.rsplit(".", 1)[1]: load_source(monkeypatch, name) for name in names}
    assert not any(twin.COMPILED for twin in twins.values())

    def swap():
        for module, twin, parts in [
            (front, "cascade", ["cascade"]), (front, "boxes", ["find_visible", "measure"]),
            (front, "layout", ["Flow", "COMPILED"]),
        ]:  # fmt: skip
            for part in parts:
                monkeypatch.setattr(module, part, getattr(twins[twin], part))
        monkeypatch.setattr(addresses, "cssselectors", twins["cssselectors"])
        monkeypatch.setattr(front, "warn_once", lambda compiled: None)

    return swap


@pytest.mark.usefixtures("compiled")
def test_compiled_and_uncompiled_agree(uncompiled):
    doms = [parse_html(f"<!doctype html>{page}".encode()) for page in PAGES]
    fast = [front.estimate(dom) for dom in doms]
    uncompiled()
    slow = [front.estimate(dom) for dom in doms]
    for view, twin in zip(fast, slow, strict=True):
        np.testing.assert_allclose(view.box, twin.box, rtol=1e-5, atol=1e-3)
        for name in ("visible", "display", "color", "background", "painter", "font", "font_weight"):
            np.testing.assert_array_equal(getattr(view, name), getattr(twin, name), name)
        np.testing.assert_allclose(view.font_size, twin.font_size, rtol=1e-6)


def test_tags_classes_and_ids_have_different_hashes():
    names = [mark + name for mark in ("", ".", "#") for name in ("a", "b", "ab", "ba", "é", "漢")]
    assert len({token_hash(name) for name in names}) == len(names)
    assert all(0 < token_hash(name) < 2**40 for name in names)


def measured(text, css=""):
    dom = parse_html(f"<p style='{css}'>{text}</p>".encode())
    table = front.compute_styles(dom, (1366, 768)).table
    node = int(np.flatnonzero(dom.is_text)[0])
    return [column[node].item() for column in measure(dom.text, dom.text_start, dom.tag, table)]


def test_texts_are_measured():
    assert measured("ab") == pytest.approx([16 * 1.12 * 0.91, 16 * 1.12 * 0.91, 0, 0])
    width, word, breaks, ends = measured(" ab \n abc ")
    assert word < width
    assert width == pytest.approx(16 * 0.91 * (1.12 + 0.28 + 1.62))
    assert (breaks, ends) == (0, 3)
    assert measured("ab", "font: 32px monospace")[0] == pytest.approx(2 * 0.6 * 32)
    assert measured("a\nbc", "white-space: pre")[2] == 1
    assert measured("漢字", "font-family: Arial")[:2] == [32, 16]
    assert measured("ab cd", "white-space: nowrap")[1] == measured("ab cd")[0]
    assert measured("ab", "display: none") == [0, 0, 0, 0]
