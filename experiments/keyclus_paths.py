"""Tables 3, 4 and 5 of Chakrabarti, Mehta, WWW 2010: independent paths, tabs, and wrapper paths.

The wrapper paths are those of the rules with which people marked the content of the bench: the paths of the
elements that the selectors for title, main text, date and author select on pages of the types with the role
article. These are the wrapper pages. A key path matches a wrapper path if their common prefix is at least
90 % of the wrapper path. Precision is over all independent paths, and over those that are on a wrapper page.
For table 4, the topmost independent path is compared with the rules of all types. The logs are pseudo-queries
made of anchor texts.

KeyClus as published, without the paths of nearly all pages (`max_presence`), and that on the paths of the
site.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path as File
from typing import Any

sys.path.insert(0, str(File(__file__).parents[1]))

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from experiments.datasets.bench import BenchSite, read_bench
from experiments.keyclus_accuracy import WITHOUT_FRAME
from experiments.keyclus_common import labelled, path_sets, with_site_paths
from experiments.metrics import mean_of
from experiments.results import table
from webgrain.evaluation.datasets import data_folder
from webgrain.page.paths import Path, Step, path_matches
from webgrain.papers.keyclus import KeyClus, RawCounts, RawPaths

CONTENT = ("title", "main", "date", "author")
"""Rules of articles that a wrapper would extract."""

Wrappers = dict[str, set[Path]]
"""The paths of the elements that rules select, by the name of the rule."""


def selectors(type_: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the rules of a type: name and CSS selector."""
    for name in (*CONTENT, "comments"):
        for css in [type_[name]] if isinstance(type_.get(name), str) else type_.get(name) or ():
            yield name, css
    for name, css in (type_["list"]["fields"] if "list" in type_ else {}).items():
        yield f"{name} in a list", f"{type_['list']['items']} {css}"


def path_of(node: LexborNode) -> Path:
    """Return the path of an element.

    >>> path_of(LexborHTMLParser("<p class='b a'><b id=x>").css_first("b")).css
    'html > body > p.a.b > b#x'
    """
    steps = []
    above: LexborNode | None = node
    while above is not None and above.tag and not above.tag.startswith("-"):
        own = above.attributes
        names = tuple(sorted(set((own.get("class") or "").split())))
        steps.append(Step(above.tag, "".join((own.get("id") or "").split()), names))
        above = above.parent
    return Path(tuple(reversed(steps)))


def wrapper_precision(paths: Iterable[Path], wrappers: Sequence[Path]) -> float:
    """Return the share of paths that match a wrapper path; nan for no path.

    >>> title = Path((Step("html"), Step("body"), Step("h1")))
    >>> wrapper_precision([title, Path((Step("html"), Step("body"), Step("p")))], [title])
    0.5
    """
    found = [any(path_matches(path, wrapper) for wrapper in wrappers) for path in paths]
    return sum(found) / len(found) if found else float("nan")


def wrappers_of(site: BenchSite) -> tuple[Wrappers, Wrappers, set[str]]:
    """Return the paths of the rules of all types, of the content of articles, and the wrapper pages."""
    about = json.loads((data_folder() / "bench" / f"{site.name}.json").read_text(encoding="utf-8"))
    rules = {type_["type"]: type_ for type_ in about["types"]}
    every, articles, pages = defaultdict[str, set[Path]](set), defaultdict[str, set[Path]](set), set[str]()
    for source in site.sources():
        type_ = rules.get(site.types[source.id])
        if type_ is None:
            continue
        tree = LexborHTMLParser(source.body)
        for name, css in selectors(type_):
            if css.startswith("attr:"):
                continue
            try:
                nodes = tree.css(css)[:10]
            except ValueError:  # a selector of another parser
                continue
            found = {path_of(node) for node in nodes}
            every[name] |= found
            if site.roles[source.id] == "article" and name in CONTENT and found:
                articles[name] |= found
                pages.add(source.id)
    return every, articles, pages


def meaning(path: Path, rules: Wrappers) -> str:
    """Return what a path refers to: the name of a rule that it matches, ``head`` or ``other``."""
    if any(step.tag == "head" for step in path.steps):
        return "head"
    found = (name for name, paths in rules.items() if any(path_matches(path, own) for own in paths))
    return next(found, "other")


def figures(
    counts: RawCounts, rules: Wrappers, wrappers: Wrappers, pages: set[str], **params: Any
) -> dict[str, Any]:
    """Return the figures of a site."""
    site, model = RawPaths.of(counts), KeyClus(**params).fit_counts(counts).model_
    keys = np.array(model.ranked, np.uint64)
    paths = [site.describe(int(k)) for k in np.searchsorted(site.key, keys)]
    here = {
        key for page, own in zip(counts.ids, path_sets(counts), strict=True) if page in pages for key in own
    }
    there = [path for path, key in zip(paths, keys, strict=True) if key in here]
    known = set().union(*wrappers.values())
    precision = {"precision": wrapper_precision(paths, list(known))} if paths else {}
    if there:
        precision["precision on wrapper pages"] = wrapper_precision(there, list(known))
    return {
        "paths": len(paths),
        "tabs": len(model.tabs),
        "topmost": meaning(paths[0], rules) if paths else "no path",
        **precision,
    }


def measure() -> dict[str, Any]:
    """Return the figures of each site of the bench by method, and their means."""
    sites: dict[str, Any] = {}
    for bench in read_bench():
        if not bench.trust["types"] or not bench.trust["text"]:
            continue
        rules, wrappers, pages = wrappers_of(bench)
        counts = labelled(bench).counts()
        if not pages:
            continue
        given = rules, wrappers, pages
        sites[bench.name] = {
            "KeyClus": figures(counts, *given),
            "KeyClus, max_presence": figures(counts, *given, max_presence=WITHOUT_FRAME),
            "KeyClus, site paths": figures(with_site_paths(counts), *given, max_presence=WITHOUT_FRAME),
        }
        print(bench.name, sites[bench.name], file=sys.stderr, flush=True)
    return {"sites": sites, "mean": {name: summary(sites, name) for name in next(iter(sites.values()))}}


def summary(sites: Mapping[str, Any], method: str) -> dict[str, Any]:
    """Return the means over the sites that have a figure, and how often the topmost path is what."""
    rows = [own[method] for own in sites.values()]
    names = ("paths", "tabs", "precision", "precision on wrapper pages")
    means = {name: mean_of([row[name] for row in rows if name in row]) for name in names}
    return means | {"topmost": dict(Counter(row["topmost"] for row in rows).most_common())}


def tables(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of the result file."""
    means: Mapping[str, Any] = result["mean"]
    names = ("paths", "tabs", "precision", "precision on wrapper pages")
    counts = Counter[str]()
    for own in means.values():
        counts.update(own["topmost"])
    return {
        "paths": table(["method", *names], [[name, *map(own.get, names)] for name, own in means.items()]),
        "topmost": table(
            ["the topmost path leads to", *means],
            [
                [what, *(own["topmost"].get(what, 0) for own in means.values())]
                for what, _ in counts.most_common()
            ],
        ),
    }
