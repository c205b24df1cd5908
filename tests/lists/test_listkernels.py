"""Candidates and features of lists by the kernels: the same as by array operations, and uncompiled."""

from __future__ import annotations

from csv import DictReader
from itertools import groupby, islice
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.lists import reference
from tests.uncompiled import uncompiled

from webgrain.columns.blocks import beginnings
from webgrain.columns.sitetable import SiteTable
from webgrain.lists import candidatekernel, candidates, featurekernel, features
from webgrain.lists.candidates import Candidates, find_candidates
from webgrain.lists.features import list_features, list_names, node_texts
from webgrain.page.kernels import keytable
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.strings import code_points

ITEM = (
    "<div class='item odd-{0}' itemtype=x><a href='/thing-{0}'><img src=/{0}.png></a>"
    "<h3><a href='/thing-{0}'>A thing {0}</a></h3><p>It is the best thing, of its kind, that {0} people. "
    "have bought.<time>{0}:00</time><p>Buy</p><input><i>$ {0}9</i> <a href=http://other.org/{0}>more</a>"
    "<ul><li><a href=/a>a<li><a href=/b>b</ul></div>"
)
MADE_UP = {
    "empty": "",
    "text": "one",
    "a list": "<ul><li>One<li>Two<li>Three</ul>",
    "definitions": "<dl><dt>a<dd>1<dd>2<dt>b<dd>3</dl><dl><dt>c<dd>4<dd>5<dd>6</dl>",
    "lines": "<p><b>One</b><br>first<br><br><b>Two</b><br>second<br><br><br>Three"
    "<p>x<br>y<button>a<br>b</button>",
    "several parents": "<div><div><p>a</p><p>b</p></div><div><p>c</p><i>d</i></div></div><div><p>e</div>",
    "classes": "<p class='a b-1 b-2'>x<p class='b-3 a'>y<p class=a>z" + "<p class='" + "c " * 40 + "'>w",
    "nested": "<div class=a>" * 60 + "x" + "</div><i>y</i>" * 60,
    "table": "<table>" + "<tr><th>a<td>b<td><a href=/x>c</a>" * 9 + "</table>",
    "hidden": "<ul hidden><li>a<li>b</ul><ul><li hidden>a<li>b<li>c<li><script>1</script></ul>",
    "shop": "<title>Things</title><nav><a href=/>Home</a><a href=/news>News</a></nav><main class=list>"
    + "".join(ITEM.format(k) for k in range(12))
    + "</main><footer>The end of it. The end of it.</footer>",
}


def parsed(name: str) -> Page:
    return parse(Source(name, MADE_UP[name].encode(), url="http://example.org/"))


def assert_same_candidates(page: Page, star: np.ndarray | None) -> Candidates:
    found, expected = find_candidates(page, star), reference.find_candidates(page, star)
    for name in ("start", "stop", "offset", "kind"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name
    return found


def assert_same_features(page: Page, found: Candidates, repeated: SiteTable | None) -> None:
    if not len(found):
        assert list_features(page, found, repeated).shape == (0, len(list_names()))
        return
    expected = reference.list_features(page, found, repeated)
    assert list_names() == tuple(expected)
    for name, column in zip(list_names(), list_features(page, found, repeated).T, strict=True):
        assert column.tolist() == expected[name].astype(np.float32).tolist(), name


def assert_same(page: Page, repeated: SiteTable) -> None:
    random = np.random.default_rng(len(page.dom))
    star = np.where(random.random(len(page.dom)) < 0.3, random.integers(0, 4, len(page.dom)), -1)
    found = assert_same_candidates(page, star)
    assert_same_features(page, found, repeated)
    assert_same_features(page, assert_same_candidates(page, None), None)


@pytest.mark.parametrize("name", MADE_UP)
def test_the_kernels_agree_with_array_operations(name: str) -> None:
    half = [parsed("shop"), parsed("shop"), parsed("text"), parsed("definitions")]
    assert_same(parsed(name), node_texts(half))


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "lpinnova", "crawlwiki"])
def test_the_kernels_agree_with_array_operations_on_real_pages(name: str, data_dir: Path) -> None:
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [site] = read_bench([name])
    pages = [parse(source) for source in islice(site.sources(), 12)]
    repeated = node_texts(pages)
    for page in pages:
        assert_same(page, repeated)


def use_uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let lists use the Python files of the kernels."""
    table = uncompiled("page.kernels.keytable")
    for user, kernel in ((candidates, candidatekernel), (features, featurekernel)):
        twin = uncompiled(kernel.__name__.removeprefix("webgrain."))
        monkeypatch.setattr(twin, "numbered", table.numbered)
        for name in vars(kernel):
            if name in vars(user) and not name.startswith("_") and name not in ("np", "annotations"):
                monkeypatch.setattr(user, name, getattr(twin, name))


@pytest.mark.parametrize("name", MADE_UP)
def test_compiled_and_uncompiled_kernels_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = parsed(name)
    repeated = node_texts([page, page, parsed("text")])
    found = find_candidates(page)
    values = list_features(page, found, repeated)
    use_uncompiled(monkeypatch)
    again = find_candidates(page)
    assert again.start.tolist() == found.start.tolist()
    assert again.stop.tolist() == found.stop.tolist()
    assert again.offset.tolist() == found.offset.tolist()
    assert list_features(page, found, repeated).tolist() == values.tolist()


@pytest.mark.parametrize(
    "kernel", [keytable, uncompiled("page.kernels.keytable")], ids=["compiled", "uncompiled"]
)
def test_equal_keys_have_equal_numbers(kernel: ModuleType) -> None:
    keys = np.random.default_rng(0).integers(0, 2**64, 50, np.uint64)[np.arange(400) ** 2 % 50]
    number, first, count = kernel.numbered(keys)
    assert keys[first][number].tolist() == keys.tolist()
    assert np.bincount(number).tolist() == count.tolist()
    assert first.tolist() == sorted(set(first.tolist()))
    assert len(set(keys.tolist())) == len(first)


def test_features_are_described() -> None:
    path = Path(features.__file__).with_name("features.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(DictReader(file))
    assert all(row["unit"] and row["meaning"] for row in rows)
    assert len({row["name"] for row in rows}) == len(rows)
    groups = [row["group"] for row in rows]
    assert [group for group, _ in groupby(groups)] == list(dict.fromkeys(groups))  # each is a range of rows


def test_function_words_are_counted_for_each_text() -> None:
    texts = [
        "The cup of tea",
        "",
        "x" * 200 + " the",
        "IS it?",
        "",
        "theirs is\u2003their\xa0own",
        "İs\x1eis",
    ]
    shares = featurekernel.function_words(beginnings(texts, "the"), features._FUNCTION_WORDS, len(texts))
    assert shares.tolist() == list(map(reference._function_words, texts))
    assert not len(featurekernel.function_words(beginnings([]), features._FUNCTION_WORDS, 0))


def test_white_space_is_that_of_python() -> None:
    codes = [code for code in range(0x20000) if chr(code) != "\n" and not 0xD800 <= code < 0xE000]
    text = " ".join(f"the{chr(code)}cup" for code in codes)
    kernel = uncompiled("lists.featurekernel")
    assert [code for code in codes if kernel.is_space(code)] == [
        code for code in codes if chr(code).isspace()
    ]
    words = text.lower().split()
    share = featurekernel.function_words(code_points(text.lower()), features._FUNCTION_WORDS, 1)
    assert share.tolist() == [words.count("the") / len(words)]


HOSTILE = {
    "siblings": "<ul>" + "<li>x" * 100_000 + "</ul>",
    "siblings with links": "<div>" + "<a href=/a>x</a>" * 50_000 + "</div>",
    "cells": "<table>" + ("<tr>" + "<td class='a b'>x" * 50) * 1_000 + "</table>",
    "lines": "<p>" + "x<br>" * 50_000,
    "classes twice": "<div>"
    + "".join(f"<i class=c{chr(97 + k % 26)}{k}>x</i>" for k in [*range(9_000)] * 2)
    + "</div>"
    "<div>" + "".join(f"<i class=c{chr(97 + k % 26)}{k}>x</i>" for k in range(9_000)) + "</div>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_end(name: str) -> None:
    page = parse(HOSTILE[name])
    found = find_candidates(page)
    assert len(found)
    assert np.isfinite(list_features(page, found)).all()
