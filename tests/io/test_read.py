"""What the inputs are, how pages are called, and which calls are wrong."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.io.read import read
from webgrain.io.store import open_store
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``site`` in the current folder."""
    for name in ("index.html", "news/2.html", "news/10.html", "about/index.html"):
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<title>{name}</title>")
    (tmp_path / "site/main.css").write_text("p { }")
    monkeypatch.chdir(tmp_path)
    return Path("site")


def ids(*inputs: str | Path, **options: Path) -> list[str]:
    return [item.page if isinstance(item, Failure) else item.id for item in read(inputs, **options)]


def sources(*inputs: str | Path, **options: Path) -> list[Source]:
    found = list(read(inputs, **options))
    assert all(isinstance(item, Source) for item in found), found
    return found  # type: ignore[return-value]


def test_a_folder_is_read_in_order_and_names_its_pages_from_below(site: Path) -> None:
    assert ids(site) == ["about/index.html", "index.html", "news/10.html", "news/2.html"]
    assert ids("./site/") == ids(site)


def test_files_keep_the_path_as_typed(site: Path) -> None:
    assert ids("site/index.html", "./site/news/../index.html") == [
        "site/index.html",
        "./site/news/../index.html",
    ]


def test_with_several_inputs_folders_and_zips_go_before_the_names_in_them(
    site: Path, make_zip: Callable[..., Path]
) -> None:
    make_zip({"index.html": "<p>"}, "old.zip")
    assert ids("site/about", "old.zip", "site/news/2.html") == [
        "site/about/index.html",
        "old.zip/index.html",
        "site/news/2.html",
    ]


def test_no_id_is_given_twice(site: Path) -> None:
    page = "site/index.html"
    (site / "index.html (2)").write_text("<html>")
    assert ids(page, "site/index.html (2)", page, page) == [
        page,
        f"{page} (2)",
        f"{page} (3)",
        f"{page} (4)",
    ]


def test_a_page_loads_from_its_folder_or_from_the_root(site: Path) -> None:
    (site / "about/own.css").write_text("own")
    (alone,) = sources("site/about/index.html")
    assert alone.path == "index.html"
    assert alone.assets is not None
    assert alone.assets.read("own.css") == b"own"
    assert alone.assets.read("../main.css") is None
    (rooted,) = sources("site/about/index.html", root=site)
    assert rooted.path == "about/index.html"
    assert rooted.assets is not None
    assert rooted.assets.read("main.css") == b"p { }"
    assert [page.path for page in sources("site/news", root=Path())] == [
        "site/news/10.html",
        "site/news/2.html",
    ]


def test_standard_input_is_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"just words")))
    (page,) = sources("-")
    assert (page.id, page.body, page.assets) == ("-", b"just words", None)


def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"just words"))))
    (page,) = sources("-")
    assert page.body == b"just words"


def test_standard_input_that_is_no_html_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x89PNG\r\n\x1a\n\0\0")))
    (failure,) = read(["-"])
    assert isinstance(failure, Failure)
    assert (failure.page, failure.stage, failure.error) == ("-", "read", "Standard input is not HTML.")


def test_a_store_gives_pages(site: Path) -> None:
    with open_store(Path("pages.parquet")) as store:
        for source in sources(site):
            store.write(parse(source))
    found = list(read(["pages.parquet"]))
    assert all(isinstance(page, Page) for page in found)
    assert ids("pages.parquet") == ids(site)


def test_a_list_of_addresses(server: object, tmp_path: Path) -> None:
    first = server.add("/a", b"<p>a")  # type: ignore[attr-defined]
    (tmp_path / "list").write_text(f"\ufeff# pages\n\n  {first}  \nfile:///etc/passwd\n#{first}\n")
    page, failure = read([], urls=tmp_path / "list")
    assert isinstance(page, Source)
    assert (page.id, page.body) == (first, b"<p>a")
    assert isinstance(failure, Failure)
    assert (failure.page, failure.error) == (
        "file:///etc/passwd",
        "Only http and https addresses are fetched.",
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("", "An input is empty"),
        ("missing.html", "missing.html does not exist"),
        ("ftp://example.org/", "Only http and https"),
        ("file:///etc/passwd", "Only http and https"),
        ("../outside.html", "does not lie below the root"),
    ],
)
def test_a_wrong_input_raises_before_anything_is_read(site: Path, wrong: str, message: str) -> None:
    Path("../outside.html").write_text("")
    with pytest.raises(InputError, match=message):
        read([site, wrong], root=site)


def test_a_single_path_needs_no_list(site: Path) -> None:
    expected = ids(site)
    assert [item.id for item in read("site")] == expected  # type: ignore[union-attr]
    assert [item.id for item in read(site)] == expected  # type: ignore[union-attr]


def test_html_and_pages_in_a_list(site: Path) -> None:
    page = parse(Source("parsed", b"<p>parsed"))
    failure = Failure("gone", "read", "it is gone.")
    inputs = [
        "<p>caf\u00e9",
        b"<p>caf\xe9",
        ("named", "<p>named"),
        ("bytes", b"<p>"),
        Source("s", b""),
        page,
        failure,
    ]
    found = list(read([*inputs, Path("site/index.html"), "site/news"]))
    assert [item.page if isinstance(item, Failure) else item.id for item in found] == [
        *("page-1", "page-2", "named", "bytes", "s", "parsed", "gone", "site/index.html"),
        *("site/news/10.html", "site/news/2.html"),
    ]
    assert found[5:7] == [page, failure]
    texts = [item for item in found[:3] if isinstance(item, Source)]
    assert [(text.body, text.charset) for text in texts] == [
        ("<p>caf\u00e9".encode(), "utf-8"),
        (b"<p>caf\xe9", None),
        (b"<p>named", "utf-8"),
    ]


def test_iterators_and_mappings_are_inputs(site: Path) -> None:
    assert [item.id for item in read(iter(["<p>a", "<p>b"]))] == ["page-1", "page-2"]  # type: ignore[union-attr]
    assert [item.id for item in read({"a": "<p>a", "b": b"<p>b"})] == ["a", "b"]  # type: ignore[union-attr]
    with pytest.raises(InputError, match=r"missing\.html does not exist"):
        list(read(iter(["missing.html"])))


def test_a_file_whose_name_contains_a_tag_is_a_file(site: Path) -> None:
    (site / "<b>.html").write_text("<p>file")
    (found,) = sources(site / "<b>.html")
    assert found.body == b"<p>file"
    (found,) = sources(str(site / "<b>.html"))
    assert found.body == b"<p>file"
    with pytest.raises(InputError, match="does not exist"):
        read(Path("<p>missing"))


@pytest.mark.parametrize("wrong", [3, None, [3], [None], [("a",)], [("a", 3)], [("a", "b", "c")], [["<p>"]]])
def test_inputs_of_another_type_are_refused(wrong: object) -> None:
    with pytest.raises(ParameterError, match="Expected a path, a URL, or a list"):
        read(wrong)  # type: ignore[arg-type]


def test_other_wrong_calls_raise(site: Path) -> None:
    with pytest.raises(ParameterError, match="at least one"):
        read([])
    with pytest.raises(InputError, match="only once"):
        read(["-", "-"])
    with pytest.raises(InputError, match="is not a file"):
        read([], urls=site)
    Path("not.parquet").write_bytes(b"PAR1 and so on")
    with pytest.raises(InputError, match="not a page store"):
        read([site, "not.parquet"])


def test_a_body_is_read_to_one_byte_more_than_the_limit(
    site: Path, make_zip: Callable[..., Path], warc: Callable[..., Path], record: Callable[..., bytes]
) -> None:
    text = b"<p>" + os.urandom(3000).hex().encode()
    (site / "index.html").write_bytes(text)
    inputs = [
        site / "index.html",
        make_zip({"a.html": text}),
        warc(record("http://example.org/", text)),
    ]
    bodies = [item.body for item in read(inputs, limits=Limits(bytes=100)) if isinstance(item, Source)]
    assert bodies == [text[:101]] * 3


@pytest.mark.parametrize("kind", ["folder", "zip", "warc"])
def test_memory_does_not_grow_with_the_number_of_pages(
    kind: str,
    tmp_path: Path,
    make_zip: Callable[..., Path],
    warc: Callable[..., Path],
    record: Callable[..., bytes],
) -> None:
    count, text = 400, b"<p>" + b"x" * 20_000
    if kind == "folder":
        given = tmp_path / "folder"
        given.mkdir()
        for k in range(count):
            (given / f"{k}.html").write_bytes(text)
    elif kind == "zip":
        given = make_zip({f"{k}.html": text for k in range(count)})
    else:
        given = warc(*(record(f"http://example.org/{k}", text) for k in range(count)))
    pages = read([given])
    next(pages)
    tracemalloc.start()
    seen = sum(1 for _ in pages)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == count - 1
    # All bodies together are 8 MB; an id that is remembered takes 100 to 200 bytes, depending on Python.
    assert peak < 3 * 2**20
