"""Figure 1 and the text of section 3 of Mehta, Madaan, WWW 2008: noise found with the template of a site.

    python experiments/regextree_paper.py

15 pages of each site are drawn to learn from, at most 65 others are judged. The paper: noisy sections with
precision .91 and recall .82 (judged by three people, 18 sites), and 20 % of a page is noise on the average.
Two groups of sites: five sites of articles, where a text is content if it occurs in the source of the
article; and the sites of the bench, pages of all types together, where it is content if it is in the title,
the main text, the comments or the records of the page. Pages are rendered by Chromium.

Methods: the published noise confidence, and ours, which also compares short texts word by word, identifies
form controls, counts links to places on the page, needs two pages for a feature, and keeps the noise of nodes
that exactly 20 % of the pages have (3 of 15). Sections are cut in the
same way, with the departures of `webgrain.templates.sections`. Nothing is learnt from the truth.

The data is read from WEBGRAIN_DATA. Results are written to experiments/results/regextree.json, the picture to
docs/figures; docs/make_agreement.py copies the tables into the manual.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.articles import NEWS, SITES, read_articles
from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.noise import NoiseScore, noise_score, noise_truths
from experiments.metrics import mean_of
from experiments.results import run, table, write_results
from webgrain.base.errors import ParameterError, require
from webgrain.evaluation.datasets import data_folder
from webgrain.io.write import draw
from webgrain.page.page import Page, Source
from webgrain.papers.regextree import RegexTree
from webgrain.site.pipeline import Layout, pages
from webgrain.templates.sections import Sectioner
from webgrain.templates.sitetemplate import SiteTemplate

LEARN, JUDGE, LEAST_RECORDS = 15, 65, 3
FIGURES = Path(__file__).parents[1] / "docs" / "figures"
DATA = (
    "15 pages of each site to learn from, at most 65 others that are judged, rendered by Chromium. "
    "Articles of five sites, where the content is the source of the article; and pages of all types of the "
    "sites of the bench, where the content is the title, main text, comments and records. No person judged "
    "the sections."
)
METHODS = {"published": RegexTree, "ours": SiteTemplate}


class Drawn(NamedTuple):
    """The pages of a site: those to learn from, those to judge, and what is content on each of these.

    code: whether all code is content, which the truth does not contain.
    """

    learn: list[Page]
    judge: list[Page]
    content: list[list[str]]
    code: bool


def of_articles(folder: Path, name: str, most: int = JUDGE) -> Drawn:
    """Return pages of a site of articles."""
    site = read_articles(folder, name)
    learn, judge = (
        laid_out(draw([site.sources[page] for page in ids if site.truth[page].kind == "article"], n)[""])
        for ids, n in ((site.learn, LEARN), (site.check, most))
    )
    truth = [site.truth[page.id] for page in judge]
    return Drawn(learn, judge, [[one.title, one.body] for one in truth], not truth[0].with_code)


def of_bench(site: BenchSite, most: int = JUDGE) -> Drawn:
    """Return pages of a site of the bench; those that are judged have known content."""
    sources = list(site.sources())
    order = np.random.default_rng(0).permutation(len(sources)).tolist()
    rest = [sources[k] for k in order[LEARN:] if is_known(site, sources[k].id)]
    judge = laid_out(rest[:most])
    content = []
    for page in judge:
        record = site.truth[page.id]
        rows = [str(value) for row in record.get("records") or () for value in row.values()]
        content.append([record.get("title") or "", record.get("text") or "", *(record.get("comments") or ())])
        content[-1] += rows
    return Drawn(laid_out([sources[k] for k in order[:LEARN]]), judge, content, False)


def is_known(site: BenchSite, page: str) -> bool:
    """Return whether the content of a page is known: an article, or a list of several records."""
    record = site.truth.get(page, {})
    if site.roles[page] == "article":
        return bool(record.get("text"))
    records = record.get("records") or ()
    return site.roles[page] == "index" and site.trust["list"] and len(records) >= LEAST_RECORDS


def laid_out(sources: Sequence[Source]) -> list[Page]:
    """Return pages with the boxes of Chromium."""
    return [page for page in pages(sources, Layout("chromium")) if isinstance(page, Page)]


def judge(drawn: Drawn) -> dict[str, dict[str, float]]:
    """Return the mean scores of the pages of a site, by method."""
    truths = noise_truths(drawn.judge, drawn.content, code=drawn.code)
    found = {}
    for name, method in METHODS.items():
        template = method().fit(drawn.learn).template_
        assert template is not None
        cutter = Sectioner(template=template)
        scores = [
            noise_score(truth, cutter.predict(page))
            for truth, page in zip(truths, drawn.judge, strict=True)
            if len(truth.node)
        ]
        found[name] = dict(zip(NoiseScore._fields, np.mean(scores, axis=0).tolist(), strict=True))
    return found


def five_sites() -> Iterator[tuple[str, Drawn]]:
    """Yield the sites of articles."""
    for name in (*NEWS, *SITES):
        yield name, of_articles(data_folder(), name)


def bench_sites() -> Iterator[tuple[str, Drawn]]:
    """Yield the sites of the bench."""
    for site in read_bench():
        if site.trust["text"] and site.trust["title"]:
            yield site.name, of_bench(site)


def measure() -> dict[str, Any]:
    """Return the scores of each site by method, and the means of both groups of sites."""
    out: dict[str, Any] = {}
    for group, sites in (("articles", five_sites()), ("bench", bench_sites())):
        rows = {}
        for name, drawn in sites:
            try:
                rows[name] = {"pages": len(drawn.judge), **judge(drawn)}
            except ParameterError as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            print(name, rows[name], file=sys.stderr, flush=True)
        means = mean_of([{method: row[method] for method in METHODS} for row in rows.values()])
        out[group] = {"sites": rows, "mean": means}
    return out


def tables(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of the result file: of the articles, of the bench, and the means of both."""
    measures = ("words precision", "words recall", "sections precision", "sections recall", "share of noise")
    out, means = {}, []
    for group, own in result.items():
        for method in METHODS:
            rows = [[site, *row[method].values()] for site, row in own["sites"].items()]
            out[f"{group}-{method}"] = table(["site", *measures], rows)
            means.append([f"{group}, mean of {len(rows)} sites, {method}", *own["mean"][method].values()])
    means.append(["the paper, 18 sites, judged by people", None, None, 0.91, 0.82, 0.2])
    return {"means": table(["noise confidence", *measures], means), **out}


def plot(result: Mapping[str, Any], path: Path) -> None:
    """Draw the share of noise of each site, as in figure 1."""
    figure = require("matplotlib.figure", "plot", "plots").Figure((9.6, 3.2), layout="constrained")
    axes = figure.subplots()
    rows = result["bench"]["sites"] | result["articles"]["sites"]
    names = sorted(rows, key=lambda name: rows[name]["published"]["share"])
    for method, colour in (("published", "#0072b2"), ("ours", "#e69f00")):
        axes.plot([rows[name][method]["share"] for name in names], "o", ms=4, color=colour, label=method)
    axes.axhline(0.2, color="#d55e00", linestyle="--", label="the paper's mean")
    axes.set(xlabel="sites, by the published share", ylabel="share of noise, words", ylim=(0, None))
    axes.legend()
    figure.savefig(path, dpi=150, metadata={"Software": None})


def main() -> None:
    """Run the experiment, draw the figure, and write the results."""
    result = measure()
    FIGURES.mkdir(parents=True, exist_ok=True)
    plot(result, FIGURES / "template-figure1.png")
    print(write_results("regextree", DATA, "python experiments/regextree_paper.py", tables(result)))


if __name__ == "__main__":
    run(main)
