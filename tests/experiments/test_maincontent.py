"""Pages of all kinds with their main texts, from an archive made here and from the real one."""

from __future__ import annotations

import io
import json
import tarfile
from collections import Counter

import pytest
from experiments.datasets.maincontent import ARCHIVE, KINDS, domain_of, read_main_pages

from webgrain.base.errors import InputError
from webgrain.base.metrics import word_score

TRUTH = {
    "url": "https://www.example.com/a",
    "_internal": {"page_type": {"primary": "category"}},
    "ground_truth": {"title": "A", "main_content": "One two"},
}


def write(folder, files):
    with tarfile.open(folder / ARCHIVE, "w:xz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def test_pages_with_their_truth_are_read(tmp_path):
    write(
        tmp_path,
        {
            "dev/html/7.html": b"<p>One",
            "dev/ground-truth/7.json": json.dumps(TRUTH).encode(),
        },
    )
    (page,) = read_main_pages(tmp_path)
    assert (page.source.id, page.source.body, page.source.url) == ("7", b"<p>One", TRUTH["url"])
    assert (page.kind, page.title, page.text, page.domain) == ("collection", "A", "One two", "example.com")


@pytest.mark.parametrize(
    "files",
    [
        {"dev/ground-truth/7.json": b"{}"},
        {"dev/ground-truth/7.json": b"no"},
    ],
    ids=["no page", "no JSON"],
)
def test_a_damaged_archive_is_an_error(files, tmp_path):
    write(tmp_path, files)
    with pytest.raises(InputError, match="cannot be read"):
        read_main_pages(tmp_path)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("http://a.b.example.org:8/x", "example.org"),
        ("https://news.example.com.au", "example.com.au"),
        ("", ""),
    ],
)
def test_domains(url, domain):
    assert domain_of(url) == domain


def test_word_f1_counts_words_as_often_as_they_stand():
    assert word_score("a a b", "a b b").f1 == pytest.approx(2 / 3)
    assert (word_score("", "").f1, word_score("", "a").f1, word_score("a", "").f1) == (1.0, 0.0, 0.0)


@pytest.mark.data
@pytest.mark.full  # checks files that no change of the code changes
def test_the_real_archive(data_dir):
    folder = data_dir / "main-content"
    if not folder.is_dir():
        pytest.skip(f"no pages with main texts: the folder {folder} does not exist")
    pages = read_main_pages(folder)
    kinds = Counter(page.kind for page in pages)
    assert set(kinds) == set(KINDS)
    assert (len(pages), kinds["article"], kinds["product"]) == (1249, 668, 87)
    assert all(page.source.body and page.domain for page in pages)
