"""The kernel of titles, compiled and not, against array operations."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.extraction import titlereference as reference
from tests.uncompiled import load_source, require_compiled

from webgrain.columns.blocks import page_facts
from webgrain.extraction import titlekernel, titles
from webgrain.extraction.single import page_reading, readable, site_texts, trained_models
from webgrain.extraction.titles import candidates, title_features, title_names
from webgrain.page.page import Source
from webgrain.page.parsing import parse

TEXT = "<p>The lamp of the north mole is lit at dusk, and the keeper writes it down.</p>"
PAGES = {
    "an article": "<title>The lamp | Harbour: news</title><meta property=og:title content='The lamp'>"
    "<meta property=og:site_name content=Harbour><nav>The Lamp</nav><h1>The lamp #</h1><h2>NEWS</h2>"
    + TEXT
    * 5,
    "signs": "<title>Boat.came_back – Docs</title><h1><a href=b>Boat</a><b>came_back</b></h1><h2>boat</h2>"
    + TEXT,
    "buttons": f"<title>A</title><h1><button>Share</button> The boat <button>Copy</button></h1>{TEXT}",
    "many headings": "<title>B</title>" + "".join(f"<h2>Part {k % 30}</h2>" for k in range(60)) + TEXT,
    "many short blocks": "<title>B</title>" + "".join(f"<div>Part {k % 30}</div>" for k in range(60)) + TEXT,
    "no spaces": f"<title>新聞・・の 々 - ΟΔΟΣ</title><h1>新聞の</h1><h2>ΟΔΟΣ Straße İ</h2>{TEXT}",
    "no words": f"<title>--- | ...</title><h1>...</h1><h2>_</h2>{TEXT}",
    "planes": f"<title>𠀀a 󠄀b 𝔸c</title><h1>𠀀a</h1><h2>𝔸C</h2><h3>󠄀b</h3>{TEXT}",
    "no title": f"<h1>A b</h1><h1>A b</h1><p>a B{TEXT}",
    "nothing": "<p>.",
    "hints": f"<title>A</title><aside class=comment><h3>Ann</h3></aside><div class=title>B</div>{TEXT}",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        load_source(monkeypatch, "page.kernels.keytable")
        load_source(monkeypatch, "columns.factkernel")
        monkeypatch.setattr(titles, "titlekernel", load_source(monkeypatch, "extraction.titlekernel"))


def check(page, main, site=None, of_site=None):
    """Compare candidates and features with those by array operations."""
    facts = page_facts(page)
    start = titles.main_start(facts, main)
    found, expected = candidates(facts, start), reference.candidates(facts, start)
    assert found.texts == tuple(candidate.text for candidate in expected)
    assert found.block.tolist() == [candidate.block for candidate in expected]
    x = title_features(page, facts, found, main, site, of_site)
    assert x.dtype == np.float32
    assert x.shape == (len(expected), len(title_names()))
    if expected:
        expected_x = reference.title_features(page, facts, expected, main, site, of_site)
        for k, name in enumerate(title_names()):
            np.testing.assert_array_equal(x[:, k], expected_x[:, k], name)


def test_the_kernel_is_compiled():
    require_compiled()
    assert titlekernel.COMPILED


def test_the_names_are_those_of_the_reference():
    assert title_names() == reference.title_names()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_titles_of_pages_made_up(name):
    page = parse(Source("a/the-lamp_of%0Aharbour.html", PAGES[name].encode()))
    for seed in range(3):
        check(page, np.random.default_rng(seed).random(len(page_facts(page).letters)))


@pytest.mark.usefixtures("kernels")
def test_titles_with_a_site():
    html = "<title>{0} - Harbour</title><nav>Harbour</nav><h1>{0}</h1>" + TEXT
    pages = [
        parse(Source(f"{k}", html.format(name).encode())) for k, name in enumerate(("Red", "Old", "New"))
    ]
    site = site_texts(pages)
    for page in pages:
        reading = page_reading(readable(page)[0], site, trained_models())
        assert reading.of_site is not None
        check(reading.page, reading.main, reading.site, reading.of_site)


@pytest.mark.usefixtures("kernels")
def test_random_texts():
    rng = np.random.default_rng(0)
    signs = list("aAbB1_ .-|:»#ßİΣ新・々\u0301𠀀")
    for _ in range(30):
        texts = ["".join(rng.choice(signs, rng.integers(1, 12))) for _ in range(12)]
        html = f"<title>{texts[0]} | {texts[1]}</title>" + "".join(f"<h2>{text}</h2>" for text in texts)
        page = parse(Source(texts[2], html.encode()))
        check(page, rng.random(len(page_facts(page).letters)))


@pytest.mark.parametrize(
    "html", ["<h2>a b" * 100_000, "<h1>" + "a " * 100_000, f"<title>{'a | ' * 100_000}</title>"]
)
def test_large_pages_end(html):
    page = parse(html)
    facts = page_facts(page)
    x = title_features(page, facts, candidates(facts, 0), np.ones(len(facts.letters)), None, None)
    assert x.shape[1] == len(title_names())


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "lpinnova", "crawlwiki"])
def test_titles_of_real_pages(name, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([name])
    sources = list(islice(pages.sources(), 10))
    texts = site_texts(map(parse, sources))
    for source in sources:
        page = readable(parse(source))[0]
        for site in (None, texts):
            reading = page_reading(page, site, trained_models())
            check(page, reading.main, reading.site, reading.of_site)
