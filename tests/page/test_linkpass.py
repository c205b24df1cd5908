"""The kernel of links, compiled and not."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from tests.page.test_links import check_links, read
from tests.uncompiled import load_source, require_compiled, uncompiled

from webgrain.page import links
from webgrain.page.kernels import linkpass
from webgrain.page.links import link_table, numbered_targets, site_links

HREFS = ("b", "../b", "/b", "/b?q", "?q", "", "#x", "//h.org/z", "http://h.org/a", "mailto:x", "/?q", "b")
URLS = (None, "http://h.org", "http://h.org/a/b?q=/d/e", "file:///a/b", "http://g.org/" + "a/" * 600)


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        load_source(monkeypatch, "page.kernels.keytable")
        monkeypatch.setattr(links, "linkpass", load_source(monkeypatch, "page.kernels.linkpass"))


def test_the_kernel_is_compiled():
    require_compiled()
    assert linkpass.COMPILED


@pytest.mark.parametrize("url", URLS)
@pytest.mark.usefixtures("kernels")
def test_links_of_pages_made_up(url):
    for first, second in product(HREFS, repeat=2):
        html = f"<a href='{first}'>x</a><area href='{second}'><a href='{second}'>y</a><a hidden href=b>z</a>"
        check_links(read("a/b.html", html, url))
        check_links(read("a", f"<link rel=canonical href=http://h.org/a>{html}", url))


def test_keys_are_the_same_in_compiled_and_uncompiled_code():
    keys = np.random.default_rng(0).integers(0, 2**64, (50, 4), np.uint64)
    keys[::5, 3] = 0
    number, node = np.arange(50, dtype=np.int32) % 3 - 1, np.arange(50)
    arguments = keys, number, keys[:2, :3].copy(), 5, node, np.arange(50, dtype=np.int32) % 4, 2
    plain, of_plain = uncompiled("page.kernels.linkpass").link_keys(*arguments)
    table, is_filled = linkpass.link_keys(*arguments)
    assert table.tolist() == plain.tolist()
    assert is_filled.tolist() == of_plain.tolist() == [k % 4 == 2 and k % 5 > 0 for k in range(50)]


@pytest.mark.parametrize(
    "html", ["<a href=b>x</a>" * 100_000, "".join(f"<a href={k}>x</a>" for k in range(50_000))]
)
def test_large_pages_end(html):
    page = read("a/b.html", html)
    assert (
        len(site_links(page).node)
        == link_table(page).keys.shape[1]
        == np.count_nonzero(numbered_targets(page).number)
    )


PIECES = ("", " ", "\n", "\u2003a", "b c", "é", "\x85", "x" * 1_000, "\ufffd", "𝒳 ")


@pytest.mark.usefixtures("kernels")
def test_texts_of_links_with_images():
    rng = random.Random(0)

    def text() -> str:
        return "".join(rng.choices(PIECES, k=4))

    links_of_page = [
        f'<a href=b>{text()}<img alt="{text()}">{text()}<b>{text()}<img alt><img alt="{text()}"></b></a>'
        for _ in range(200)
    ]
    check_links(read("a", "".join(links_of_page)))
