"""Figure 1 and the text of section 3 of Mehta, Madaan, WWW 2008: noise found with the template of a site.

    python experiments/template_figure1.py [FIGURES]

15 articles of each site are drawn to learn from, at most 65 others are judged. The paper: noisy sections with
precision .91 and recall .82 (judged by three people, 18 sites), and 20 % of a page is noise on the average.
Here the truth of a text is whether it occurs in the source of the article.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.articles import NEWS, SITES, read_articles
from experiments.datasets.noise import NoiseScore, noise_score, noise_truths
from webgrain.errors import require
from webgrain.evaluation.datasets import data_folder
from webgrain.io.write import draw
from webgrain.pipeline import Layout, pages
from webgrain.templates.regextree import RegexTree
from webgrain.templates.sections import Sectioner

LEARN, JUDGE = 15, 65


def judge(folder: Path, name: str, n_pages: int = JUDGE) -> np.ndarray:
    """Return the scores (p, 5) of the pages of a site, columns as in `NoiseScore`."""
    site = read_articles(folder, name)
    parts = (
        draw([site.sources[page] for page in ids if site.truth[page].kind == "article"], n)[""]
        for ids, n in ((site.learn, LEARN), (site.check, n_pages))
    )
    learn, check = (list(pages(part, Layout(sheets=False))) for part in parts)
    template = RegexTree().fit(learn).template_
    assert template is not None
    cutter = Sectioner(template=template)
    truth = [site.truth[page.id] for page in check]
    sources = [[one.title, one.body] for one in truth]
    truths = noise_truths(check, sources, code=not truth[0].with_code)
    found = [cutter.predict(page) for page in check]
    return np.array([noise_score(one, cut) for one, cut in zip(truths, found, strict=True)])


def main() -> None:
    """Print a row per site and draw the share of boilerplate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figures", nargs="?", type=Path, default=Path("docs/figures"), metavar="FIGURES")
    figures = parser.parse_args().figures
    print(f"{'site':12}", *(f"{name:>18}" for name in NoiseScore._fields))
    means = {}
    for name in (*NEWS, *SITES):
        means[name] = judge(data_folder(), name).mean(axis=0)
        print(f"{name:12}", *(f"{value:18.3f}" for value in means[name]), flush=True)
    print(f"{'mean':12}", *(f"{value:18.3f}" for value in np.mean(list(means.values()), axis=0)))
    figure = require("matplotlib.figure", "plot", "plots").Figure((4.8, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.bar(list(means), [mean[-1] for mean in means.values()], color="#0072b2")
    axes.axhline(0.2, color="#d55e00", linestyle="--", label="the paper's mean")
    axes.set_ylabel("share of noise, words")
    axes.legend()
    figure.savefig(figures / "template-figure1.png", dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
