from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.site.sites import shop

from webgrain.base.failures import Failure
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site import thresholds
from webgrain.site.shards import shard_ids
from webgrain.site.stages.reading import Intake, take_in
from webgrain.site.workspace import host_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webgrain.io.read import Item


def ids(folder: Path, done: Intake) -> dict[str, list[str]]:
    return {
        site: [name for shard in shards for name in shard_ids(folder / shard)]
        for site, shards in done.shards.items()
    }


def test_pages_are_sorted_by_site(tmp_path: Path) -> None:
    failed = Failure("broken", "read", "It is broken.")
    items: list[Item] = [*shop(2, "a.org"), failed, *shop(1, "www.b.org"), *shop(1)]
    done = take_in(lambda first: items[first:], tmp_path)
    assert ids(tmp_path, done) == {
        "a.org": ["a.orgpage-0.html", "a.orgpage-1.html"],
        "b.org": ["www.b.orgpage-0.html"],
        "": ["page-0.html"],
    }
    assert (done.items, done.failures, done.complete) == (5, [failed], True)


def test_sources_and_stored_pages_of_a_site_do_not_mix(tmp_path: Path) -> None:
    items = [Source("a", b"<p>a"), parse(Source("b", b"<p>b")), Source("c", b"<p>c")]
    done = take_in(lambda first: items[first:], tmp_path)
    assert sorted(ids(tmp_path, done)[""]) == ["a", "b", "c"]
    assert len(done.shards[""]) == 2


@pytest.mark.parametrize("stop", range(12))
def test_reading_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    monkeypatch.setattr(thresholds, "WAITING_PAGES", 5)
    monkeypatch.setattr(thresholds, "SHARD_PAGES", 2)
    pages, asked = shop(12), []

    def read(first: int) -> Iterator[Item]:
        asked.append(first)
        for k, page in enumerate(pages[first:]):
            if len(asked) == 1 and k == stop:
                raise KeyboardInterrupt
            yield page

    with pytest.raises(KeyboardInterrupt):
        take_in(read, tmp_path)
    done = take_in(read, tmp_path)
    assert asked == [0, stop - stop % 5]
    assert ids(tmp_path, done)[""] == [page.id for page in pages]
    assert take_in(read, tmp_path) == done  # nothing is asked for again
    assert len(asked) == 2


def test_half_a_line_and_unknown_shards_do_not_count(tmp_path: Path) -> None:
    pages = shop(3)
    done = take_in(lambda first: pages[first:], tmp_path)
    journal = tmp_path / "read.jsonl"
    journal.write_bytes(journal.read_bytes()[:-10])
    stray = (tmp_path / done.shards[""][0]).with_name("999999999.raw.arrow")
    stray.write_bytes(b"half")
    again = take_in(lambda first: pages[first:], tmp_path)
    assert again == done
    assert not stray.exists()


@pytest.mark.parametrize("url", ["http://[::1", "", None, "mailto:a@b", "///"])
def test_what_is_no_address_is_of_no_site(url: str | None) -> None:
    assert host_site(url) == ""
