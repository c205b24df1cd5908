"""Next pages of lists on the bench: ``python -m experiments.next_pages [SITE ...]``.

A page ``.../page/3/`` of a site whose page ``.../page/4/`` exists must lead to it, a page that has no such
number to ``.../page/2/``. Columns: pages with a next page, and of how many it is found; articles (40 of a
site, at most), and of how many a next page is named, which is wrong unless the article has several pages.
Nothing is learnt; the rules were made with these sites in view.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from dataclasses import replace

from experiments.datasets.bench import BenchSite, bench_names, read_bench
from webgrain.lists.paging import next_page
from webgrain.page.links import canonical
from webgrain.page.parsing import parse

ARTICLES = 40
_NUMBERED = re.compile(r"(.*?)/?page/(\d+)/index\.html")


def place(path: str) -> tuple[str, int]:
    """Return the folder of a list, and the number of its page.

    >>> place("news/page/3/index.html"), place("news/index.html")
    (('news', 3), ('news', 1))
    """
    match = _NUMBERED.fullmatch(path)
    return (match[1], int(match[2])) if match else (re.sub(r"/?index\.html$", "", path), 1)


def counts(site: BenchSite) -> Counter[str]:
    """Return the counts of a site by the name of the column."""
    sources = [replace(source, url=f"https://{site.host}/{source.id}") for source in site.sources()]
    numbers = defaultdict[str, set[int]](set)
    for folder, number in map(place, (source.id for source in sources)):
        numbers[folder].add(number)
    row = Counter[str]()
    for source in sources:
        folder, number = place(source.id)
        if number + 1 in numbers[folder]:
            expected = canonical(
                f"https://{site.host}/{folder}/page/{number + 1}/".replace("//page", "/page")
            )
            row["lists"] += 1
            row["found"] += canonical(next_page(parse(source)) or "") == expected
        elif site.roles[source.id] == "article" and row["articles"] < ARTICLES:
            row["articles"] += 1
            row["with next"] += next_page(parse(source)) is not None
    return row


def main() -> None:
    """Print a row for each site, and the sums."""
    total = Counter[str]()
    for site in read_bench(sys.argv[1:] or bench_names()):
        row = counts(site)
        total += row
        print(site.name, dict(row), flush=True)
    print("all sites", dict(total))


if __name__ == "__main__":
    main()
