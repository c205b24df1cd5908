"""Broken links that are inserted into a real site are found, and no link to an existing file is reported."""

from __future__ import annotations

import random
import re
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from tests.site.sites import Here, plan

from webgrain.base.errors import InputError
from webgrain.io.read import read
from webgrain.site.audit import audit
from webgrain.site.tables import read_rows

PLACES = re.compile(rb"</(?:p|div|li|td)>")
COMMENT = re.compile(rb"<!--.*?-->", re.S)
HREFS = ("gone-{}.html", "../lost/{}/", "/nowhere/{}.php?x=1", "sub/{}#part", "{} x.html")


@pytest.mark.full
@pytest.mark.parametrize("name", ["nbn", "gtkdoc"])
def test_two_thousand_broken_links_are_found_and_none_reported_falsely(name: str, tmp_path: Path) -> None:
    bench = pytest.importorskip("experiments.datasets.bench")
    try:
        [site] = bench.read_bench([name])
    except InputError as error:
        pytest.skip(f"the bench is absent: {error}")
    rng = random.Random(1)
    pages = {source.id: bytearray(COMMENT.sub(b"", source.body)) for source in site.sources()}
    inserted = set()
    while len(inserted) < 2000:
        page, k = rng.choice(list(pages)), len(inserted)
        if places := [match.end() for match in PLACES.finditer(bytes(pages[page]))]:
            at, href = rng.choice(places), rng.choice(HREFS).format(k)
            pages[page][at:at] = f'<a href="{href}">lost {k}</a>'.encode()
            inserted.add((page, f"lost {k}"))
    root, out = tmp_path / "site", tmp_path / "out"
    for page, body in pages.items():
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        (root / page).write_bytes(bytes(body))
    items = list(read(str(root)))
    audit(lambda first: items[first:], out, plan(samples=0), Here())
    links = list(read_rows(out / "links.parquet", where=("outcome", ("broken",))))
    assert inserted <= {(link["source"], link["text"]) for link in links}
    for link in links:
        path = unquote(urlsplit(urljoin(f"http://h/{link['source']}", link["target"])).path).lstrip("/")
        assert not (root / path).is_file(), link
        assert not (root / path / "index.html").is_file(), link
