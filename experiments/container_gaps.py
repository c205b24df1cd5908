"""Share of the containers of a page whose extracted text has a gap, per site of the bench.

    python experiments/container_gaps.py [PAGES]

A container is a table of data, a definition list, or an element with code in it. Its members are the rows,
the terms and definitions, or the children. It has a gap if a member with text is missing in the text of the
page between two members that are in it. Whether a member is there is decided by the letters and digits of its
text alone, so that nothing of the extraction is used. Containers with at least two members in the text count.

At most PAGES articles of each site are read, each by itself and with the texts of the site. The models that
come with webgrain have seen these sites, but a gap does not depend on them: whatever blocks they choose,
`webgrain.documents.gaps.without_gaps` closes it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.datasets.bench import read_bench
from webgrain.documents.parttable import is_data
from webgrain.extraction.document import Document, article_text
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.page.page import Page
from webgrain.page.text import text_blocks

_LEARNT = 60  # pages from which the texts of a site are learnt


def squeezed(text: str) -> str:
    """Return the letters and digits of a text.

    >>> squeezed("A | b, 1")
    'Ab1'
    """
    return re.sub(r"[\W_]+", "", text)


def containers(page: Page) -> Iterator[tuple[str, list[str]]]:
    """Yield the kind of each container of a page with the texts of its members.

    >>> from webgrain.page.parsing import parse
    >>> [*containers(parse("<dl><dt>a<dd>b c</dl>"))]
    [('definitions', ['a', 'bc'])]
    """
    dom, blocks = page.dom, text_blocks(page)
    starts, texts = blocks.first.tolist(), [squeezed(text) for text in blocks.texts]

    def text_of(node: int) -> str:
        return "".join(texts[bisect_left(starts, node) : bisect_left(starts, int(dom.end[node]))])

    for node in range(len(dom)):
        name = dom.name(node)
        if name == "dl":
            members = [n for n in dom.children(node) if dom.name(n) in ("dt", "dd")]
            yield "definitions", [text_of(member) for member in members]
        elif name == "table" and is_data(page, blocks, node):
            rows = [n for n in range(node, int(dom.end[node])) if dom.name(n) == "tr"]
            yield "table", [text_of(row) for row in rows]
        elif name == "pre":
            around = list(dom.children(int(dom.parent[node])))
            at = around.index(node)
            before = [text for n in around[:at] if (text := text_of(n))]
            behind = [text for n in around[at + 1 :] if (text := text_of(n))]
            yield "code", [*before[-1:], text_of(node), *behind[:1]]


def gaps(page: Page, text: str) -> Iterator[tuple[str, bool]]:
    """Yield for each container that is in a text, its kind and whether it has a gap; text: of the page.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<dl><dt>a<dd>b<dt>c<dd>d</dl>")
    >>> [*gaps(page, "a d")], [*gaps(page, "a b")], [*gaps(page, "a")]
    ([('definitions', True)], [('definitions', False)], [])
    """
    whole = squeezed(text)
    for kind, members in containers(page):
        there = [member in whole for member in members if member]
        if sum(there) > 1:
            first, last = there.index(True), len(there) - there[::-1].index(True)
            yield kind, not all(there[first:last])


def main(most: int = 20) -> None:
    """Print the number of containers and the share with a gap, per site and kind."""
    shares, total = list[float](), dict[str, list[bool]]()
    print("| site | containers | share with a gap |\n|---|---|---|")
    for site in read_bench():
        pages = list(site.pages())
        texts = site_texts(pages[:_LEARNT])
        found = list[bool]()
        for page in islice((page for page in pages if site.roles[page.id] == "article"), most):
            for known in (None, texts):
                article = SinglePage().predict(page, known)
                for kind, gap in gaps(page, article_text(Document(page, article).article, comments=True)):
                    found.append(gap)
                    total.setdefault(kind, []).append(gap)
        if found:
            shares.append(mean(found))
            print(f"| {site.name} | {len(found)} | {mean(found):.4f} |", flush=True)
    for kind, every in total.items():
        print(f"| all {kind} | {len(every)} | {mean(every):.4f} |")
    print(f"| **mean of sites** | | {mean(shares):.4f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
