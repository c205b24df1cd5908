"""Tables 3, 4 and 5 of the paper on the sites at hand: key paths, what the topmost refers to, wrapper paths.

The wrapper paths were written by hand for three sites and the sample site in ``examples``: where a scraper
finds the title, on the sample site also the other fields, of pages of the types that it is after. Precision
is over all key paths, and over those of wrapper pages, which are pages of these types.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path as File
from typing import TYPE_CHECKING

sys.path.insert(0, str(File(__file__).parents[1]))

import numpy as np

from experiments.keyclus_common import Labelled, arguments, development_sites
from webgrain.io.queries import read_queries
from webgrain.io.read import read
from webgrain.page.paths import Path, Step
from webgrain.pagetypes.keyclus import KeyClus, wrapper_precision
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pipeline import Layout, pages

if TYPE_CHECKING:
    from webgrain.results import Clustering

EXAMPLES = File(__file__).parents[1] / "examples"
WRAPPERS = {
    "flink-web": {"post": ["html body main.flex section.book-page.container article.markdown h1"]},
    "grass": {"module": ["div#container em b"]},
    "sqlite3": {"c3ref": ["html body div.nosearch h2"]},
    "sample site": {
        "article": [
            "main#content article.post h1.entry-title",
            "main#content article.post p.byline",
            "main#content article.post div.entry-content",
        ],
        "product": [
            "main#content div.product div.product-info h1.product-name",
            "main#content div.product div.product-info p.product-price span.amount",
            "main#content div.product div.description",
        ],
        "person": [
            "main#content div.profile div.profile-text h2.profile-name",
            "main#content div.profile div.profile-text dl.profile-facts",
        ],
    },
}
"""Of a site, by type: the paths as ``tag#id.class`` with spaces between."""


def path_of(text: str) -> Path:
    """Return a path from ``tag#id.class`` and so on, with spaces between."""
    steps = []
    for part in text.split():
        name, *classes = part.split(".")
        tag, _, own = name.partition("#")
        steps.append(Step(tag, own, tuple(sorted(classes))))
    return Path(tuple(steps))


def sample_site() -> Labelled:
    """Return the sample site with its search log."""
    rows = json.loads((EXAMPLES / "truth.json").read_bytes())["pages"]
    types = {page["page"]: page["type"] for page in rows}
    log = read_queries(EXAMPLES / "queries.tsv")
    found = list(pages(read([EXAMPLES / "site"]), Layout(render="none")))
    names, truth = np.unique([types[page.id] for page in found], return_inverse=True)
    queries = {page.id: log.queries_for(page) for page in found}
    return Labelled("sample site", found, truth, queries, tuple(names.tolist()))


def precisions(site: Labelled, found: Clustering) -> tuple[float, float]:
    """Return the precision against the wrapper paths of all key paths, and of those of wrapper pages."""
    by_type = WRAPPERS[site.name]
    wrappers = [path_of(text) for texts in by_type.values() for text in texts]
    labels = zip(site.truth.tolist(), found.labels.tolist(), strict=True)
    numbers = {label for type_, label in labels if site.names[type_] in by_type}
    paths = {kind.key_path for kind in found.types if kind.key_path is not None}
    there = {path for k in numbers if (path := found.types[k].key_path) is not None}
    return wrapper_precision(paths, wrappers), wrapper_precision(there, wrappers)


def main() -> None:
    """Print the key paths of each site, and their precision where wrapper paths are known."""
    arguments(__doc__, 1)
    for site in (*development_sites(), sample_site()):
        for method in (KeyClus, PageTypes):
            found = site.fit(method).clustering_
            kinds = [kind for kind in found.types if kind.key_path is not None]
            paths = list(dict.fromkeys(kind.key_path for kind in kinds))
            tabs = sum(bool(kind.tab) for kind in kinds)
            print(f"{site.name}, {found.method}: {len(paths)} key paths, {tabs} tabs; topmost {paths[0]}")
            print("  it says: " + " | ".join(kinds[0].contents[:3]))
            if site.name in WRAPPERS:
                whole, there = precisions(site, found)
                print(f"  precision {whole:.2f}; on wrapper pages {there:.2f}", flush=True)


if __name__ == "__main__":
    main()
