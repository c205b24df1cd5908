"""The host of a site whose pages are local files with absolute links."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.site.test_findings import article, audited, found_in, write_site

from webgrain.page.links import LOCAL_HOST
from webgrain.site.links import LinkResolver
from webgrain.site.tables import read_rows


def absolute_links(folder: Path, host: str = "https://www.example.org/") -> None:
    """Make the links of all pages of a folder absolute."""
    for path in folder.glob("*.html"):
        html = path.read_text(encoding="utf-8").replace("<a href=", f"<a href={host}")
        path.write_text(html, encoding="utf-8")


def test_absolute_links_to_local_files_lead_to_pages(tmp_path: Path) -> None:
    pages = {f"page-{k}.html": article(f"Place {k}") for k in range(9)}
    pages["lost.html"] = article("Lost", body="<a href=nowhere.html>Away</a>")
    write_site(tmp_path / "site", pages)
    absolute_links(tmp_path / "site")
    audited(tmp_path / "site", tmp_path / "out")
    assert "orphan-pages" not in found_in(tmp_path / "out")
    links = [row for row in read_rows(tmp_path / "out" / "links.parquet") if row["element"] == "a"]
    assert {row["outcome"] for row in links if "nowhere" not in row["target"]} == {"page"}
    assert {row["outcome"] for row in links if "nowhere" in row["target"]} == {"unknown"}


def resolver(addresses: list[list[str]]) -> LinkResolver:
    return LinkResolver(
        [{"page": str(k), "addresses": row, "refresh": None} for k, row in enumerate(addresses)], {}
    )


LOCAL = [[f"{LOCAL_HOST}{k}.html"] for k in range(20)]


@pytest.mark.parametrize(
    ("addresses", "targets", "expected"),
    [
        (LOCAL, [f"e.org/{k}.html" for k in range(5)], "page"),
        (LOCAL, [f"www.e.org/{k}.html" for k in range(5)], "page"),
        (LOCAL, [f"e.org/{k}.html" for k in range(4)], "external"),  # too few
        (LOCAL, [f"e.org/other/{k}.html" for k in range(20)], "external"),  # other paths
        ([[*row, f"named.org/{k}"] for k, row in enumerate(LOCAL)], ["e.org/1.html"] * 9, "external"),
    ],
)
def test_the_host_is_that_of_many_pages(
    addresses: list[list[str]], targets: list[str], expected: str
) -> None:
    links = resolver(addresses)
    links.find_host([targets])
    assert links.resolve("e.org/1.html", "http://e.org/1.html", "").outcome == expected


def test_a_site_with_addresses_keeps_its_host() -> None:
    links = resolver([[f"here.org/{k}.html"] for k in range(20)])
    links.find_host([[f"e.org/{k}.html" for k in range(20)]])
    assert links.resolve("e.org/1.html", "http://e.org/1.html", "").outcome == "external"
