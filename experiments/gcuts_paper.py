"""Figures 2 to 5 and tables 1 and 2 of the GCuts paper, in one run.

    python experiments/gcuts_paper.py [--render chromium|none] [--splits 50] [--keep-table-2]
    python experiments/gcuts_paper.py --cues [--render chromium|none] [--splits 50]

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 5.

Section 5.1: labelled pages in parts of 25:25:50 %. The weights are learnt from the first part; lambda is
chosen on the second, by each method and each baseline for itself; the third is scored. The paper has one
split. Here are `--splits` random ones, since a choice on 20 pages is a matter of chance; the scores are means
over them. ± is the standard deviation between the splits: how far one split may be from the mean.

With `--cues`, GCuts and CClus are compared with fewer features of pairs: those that describe boxes, style and
content of the two leaves, as the cues that the paper names, without the tree above them (`LEAF_CUES`). The
table is written to experiments/results/gcuts-cues.json.

Section 5.2: which pairs of pages the published test of duplicates finds in the text of the largest segment.

The data is read from WEBGRAIN_DATA. After each split, results are written to experiments/results/gcuts.json
and pictures to docs/figures; docs/make_agreement.py copies the tables into the manual.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from matplotlib.figure import Figure

from experiments.datasets.duplicates import SETS, load_pairs, read_pages
from experiments.datasets.snapshots import kreuzer_examples
from experiments.gcuts_table2_duplicates import by_paper, largest
from experiments.metrics import score_pairs
from experiments.results import read_results, run, table, write_results
from webgrain.base.metrics import ari, nmi
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.evaluate import leaf_labels
from webgrain.page.page import Page
from webgrain.page.text import visible_text
from webgrain.papers.cclus import CClus, CClusNL
from webgrain.papers.features.pairs import PAIR_FEATURES
from webgrain.papers.gcuts import CertifiedGCuts, GCuts, GCutsNL, GCutsNP
from webgrain.papers.weightlearning import samples_of, weights_from
from webgrain.papers.weights import UNIFORM, Weights
from webgrain.report.pictures import Curve, plot_cumulative
from webgrain.site.pipeline import Layout, pages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.evaluation.datasets import Example
    from webgrain.papers.weightlearning import Sample, WeightedMethod

    Floats = NDArray[np.float64]

FIGURES = Path(__file__).parents[1] / "docs" / "figures"

OURS = "GCuts, certified (ours)"

METHODS: Mapping[str, Callable[[], WeightedMethod]] = {
    "GCuts": GCuts,
    OURS: CertifiedGCuts,
    "GCuts-NP": GCutsNP,
    "GCuts-NL": GCutsNL,
    "CClus": CClus,
    "CClus-NL": CClusNL,
}

REPORTED = {
    "GCuts": (0.60, 0.76, 0.05, 0.50, 0.5),
    "GCuts-NP": (0.53, 0.73, None, None, 1.0),
    "GCuts-NL": (0.52, 0.73, None, None, 1.5),
    "CClus": (0.46, 0.64, 0.27, 0.20, 0.6),
    "CClus-NL": ("fails", "fails", None, None, None),
}
"""The paper: ARI, NMI, shares of the pages with an ARI under .3 and over .6, lambda."""

LEAF_CUES = (
    "gap_x", "gap_y", "gap", "centre", "overlap_x", "overlap_y", "left", "right", "top", "middle",
    "font_size", "bold", "font", "color", "background", "painter",
    "kind", "one_link", "both_links", "both_images", "one_text", "shorter", "longer",
)  # fmt: skip
"""Features of pairs that describe boxes, style and content of the two leaves, not the tree above them."""

ARI, NMI, SEGMENTS = range(3)
SCORES = ("ARI", "±", "NMI", "ARI < .3", "ARI > .6", "lambda")


class Trial(NamedTuple):
    """The result of a method on one split: its lambda, and scores (lambdas, pages, 3) of the tested pages."""

    lam: float
    tested: Floats
    at: int

    @property
    def chosen(self) -> Floats:
        """Scores (pages, 3) at the chosen lambda."""
        return self.tested[self.at]


class Experiment:
    """The labelled pages, and the trials of each method.

    names: of the methods, None for all; cues: names of the features of pairs, None for all.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        names: Sequence[str] | None = None,
        cues: Sequence[str] | None = None,
    ) -> None:
        self.examples = examples
        self.methods = {name: make for name, make in METHODS.items() if names is None or name in names}
        self.pages = [example.page for example in examples]
        truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
        self.samples = samples_of(self.pages, truths)
        if cues is not None:
            self.samples = [with_cues(sample, cues) for sample in self.samples]
        self.unlearnt: dict[str, Floats] = {}
        self.trials: dict[str, list[Trial]] = {name: [] for name in self.methods}

    def run(self, seed: int) -> None:
        """Add a trial of each method, on one random split."""
        order = np.random.default_rng(seed).permutation(len(self.pages))
        training, validation, test = np.split(order, [len(order) // 4, len(order) // 2])
        samples = [self.samples[k] for k in training]
        learnt = weights_from(samples)
        for name, make in self.methods.items():
            method = make()
            scores = self.scores(name, method, learnt, order)
            best = int(scores[:, validation, ARI].mean(axis=1).argmax())
            self.trials[name].append(Trial(method.lams[best], scores[:, test], best))

    def scores(self, name: str, method: WeightedMethod, weights: Weights, order: NDArray[np.intp]) -> Floats:
        """Return the scores (lambdas, pages, 3) of all pages but those of training, which are nan."""
        if method.weights == UNIFORM.name:
            if name not in self.unlearnt:
                self.unlearnt[name] = self._scores(method, UNIFORM, range(len(self.pages)))
            return self.unlearnt[name]
        return self._scores(method, weights, order[len(order) // 4 :].tolist())

    def _scores(self, method: WeightedMethod, weights: Weights, places: Sequence[int]) -> Floats:
        out = np.full((len(method.lams), len(self.pages), 3), np.nan)
        for k in places:
            costs, truth = method.prepare(self.pages[k], weights), self.examples[k].truth
            for row, lam in enumerate(method.lams):
                found = leaf_labels(method.cut(costs, lam).labels, truth)[truth.fine >= 0]
                true = truth.fine[truth.fine >= 0]
                out[row, k] = ari(true, found), nmi(true, found), len(np.unique(found))
        return out

    def row(self, name: str) -> list[Any]:
        """Return a row of a table of scores: means over the splits."""
        trials = self.trials[name]
        means = np.array([trial.chosen.mean(axis=0) for trial in trials])
        each = np.concatenate([trial.chosen[:, ARI] for trial in trials])
        lams = sorted(trial.lam for trial in trials)
        return [
            name,
            len(trials),
            float(means[:, ARI].mean()),
            float(means[:, ARI].std()),
            float(means[:, NMI].mean()),
            float((each < 0.3).mean()),
            float((each > 0.6).mean()),
            f"{median(lams):g} ({lams[0]:g} to {lams[-1]:g})",
        ]

    def table(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the scores of methods, each followed by those in the paper."""
        rows = []
        for name in names:
            rows.append(self.row(name))
            if name in REPORTED:
                index, information, *shares, lam = REPORTED[name]
                rows.append(
                    [f"{name}, in the paper", 1, index, None, information, *shares, lam and f"{lam:g}"]
                )
        return table(["method", "splits", *SCORES], rows)

    def cumulative(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the shares of the tested pages whose ARI is less than x."""
        scores = [np.concatenate([trial.chosen[:, ARI] for trial in self.trials[name]]) for name in names]
        rows = [[f".{x}", *(float((of < x / 10).mean()) for of in scores)] for x in range(1, 10)]
        return table(["ARI less than", *names], rows)

    def sweep(self, name: str) -> dict[str, Any]:
        """Return the mean scores for each lambda."""
        means = self.means(name)
        lams = [f"{lam:g}" for lam in METHODS[name]().lams]
        rows = [[lam, *row] for lam, row in zip(lams, means.tolist(), strict=True)]
        return table(["lambda", "ARI", "NMI", "segments"], rows)

    def means(self, name: str) -> Floats:
        """Return the mean scores (lambdas, 3) over splits and pages."""
        means: Floats = np.mean([trial.tested.mean(axis=1) for trial in self.trials[name]], axis=0)
        return means

    def draw(self, folder: Path) -> None:
        """Draw figures 2 to 5."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, names in ((2, ("GCuts", "CClus")), (4, ("GCuts", "GCuts-NP"))):
            curves = [
                Curve(name, np.concatenate([trial.chosen[:, ARI] for trial in self.trials[name]]).tolist())
                for name in names
            ]
            plot_cumulative({f"Figure {number}": curves}, folder / f"gcuts-figure{number}.png")
        for number, names in ((3, ("GCuts", "CClus")), (5, ("GCuts-NP",))):
            figure = Figure((4.8 * len(names), 4.0), layout="constrained")
            for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
                for column, stroke in ((ARI, "-"), (NMI, "--")):
                    means = self.means(name)[:, column]
                    axes.plot(METHODS[name]().lams, means, stroke, marker="o", label=("ARI", "NMI")[column])
                axes.set(title=name, xlabel="lambda", ylabel="mean", xscale="log", ylim=(0, 1))
                axes.grid(alpha=0.3)
                axes.legend(fontsize="small")
            figure.savefig(folder / f"gcuts-figure{number}.png", dpi=150, metadata={"Software": None})


def with_cues(sample: Sample, cues: Sequence[str]) -> Sample:
    """Return a sample in which other features of pairs are 0: constant features get no weight."""
    chosen = np.array([feature.name in cues for feature in PAIR_FEATURES])
    adjacent, pairs = ((x * chosen, same) for x, same in (sample.adjacent, sample.pairs))
    return sample._replace(adjacent=adjacent, pairs=pairs)


def compare_cues(examples: Sequence[Example], splits: int, render: str) -> Path:
    """Write the scores of GCuts and CClus with `LEAF_CUES` and with all features of pairs."""
    names = ("GCuts", "CClus")
    sets = {f"{len(LEAF_CUES)} of the leaves": LEAF_CUES, f"all {len(PAIR_FEATURES)}": None}
    experiments = {label: Experiment(examples, names, cues) for label, cues in sets.items()}
    for seed in range(splits):
        rows = []
        for label, experiment in experiments.items():
            experiment.run(seed)
            for name in names:
                method, done, *means = experiment.row(name)
                rows.append([method, label, done, *means])
                print(f"split {seed + 1} of {splits}: {rows[-1]}", file=sys.stderr, flush=True)
        columns = ["method", "features of pairs", "splits", *SCORES]
        data = (
            f"{len(examples)} home pages of the Kreuzer data set, laid out by {render}, fine partition; "
            f"{seed + 1} random splits of 25:25:50 %."
        )
        command = f"python experiments/gcuts_paper.py --cues --render {render} --splits {seed + 1}"
        path = write_results("gcuts-cues", data, command, {"cues": table(columns, rows)})
    return path


def section_5_1(experiment: Experiment) -> dict[str, Any]:
    """Return the tables of section 5.1."""
    return {
        "figure-2": experiment.table(("GCuts", OURS, "CClus")),
        "figure-2-pages": experiment.cumulative(("GCuts", "CClus", "GCuts-NP")),
        "figure-3-gcuts": experiment.sweep("GCuts"),
        "figure-3-cclus": experiment.sweep("CClus"),
        "figure-4": experiment.table(("GCuts", "GCuts-NP")),
        "figure-5": experiment.sweep("GCuts-NP"),
        "table-1": experiment.table(("GCuts", "GCuts-NL", "CClus", "CClus-NL")),
    }


def duplicates() -> dict[str, Any]:
    """Return the pairs that the published test reports and does not report, by the compared text."""
    data = data_folder() / "duplicates"
    contents = {
        "GCuts": largest(GCuts().predict),
        "CClus": largest(CClus().predict),
        "full text": visible_text,
    }
    rows: list[list[Any]] = []
    for name in SETS:
        pairs = load_pairs(data, name)
        read = [page for page in pages(read_pages(data, name), Layout("chromium")) if isinstance(page, Page)]
        for label, content in contents.items():
            print(f"table 2: {name}, {label}, {len(read)} pages", file=sys.stderr, flush=True)
            found = score_pairs([pair.duplicate for pair in pairs], by_paper(pairs, read, content))
            shares = found.found / max(found.duplicates, 1), found.kept / max(found.different, 1)
            counts = f"{found.found} of {found.duplicates}", f"{found.kept} of {found.different}"
            rows.append([name, label, counts[0], shares[0], counts[1], shares[1]])
    for label, duplicate, different in (
        ("GCuts", 1056, 1706),
        ("CClus", 587, 1620),
        ("full text", 529, 1515),
    ):
        counts = f"{duplicate} of 1711", f"{different} of 1707"
        rows.append(["Lyrics, in the paper", label, counts[0], duplicate / 1711, counts[1], different / 1707])
    columns = ["pairs", "compared text", "duplicates found", "share", "others kept apart", "share"]
    return table(columns, rows)


def main() -> None:
    """Read the command line, run the experiments, and write results and pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--render", choices=("chromium", "none"), default="chromium")
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--keep-table-2", action="store_true", help="do not measure table 2 again")
    parser.add_argument("--cues", action="store_true", help="compare two sets of features of pairs instead")
    args = parser.parse_args()
    if args.cues:
        print(compare_cues(kreuzer_examples(Layout(args.render)), args.splits, args.render))
        return
    table_2 = read_results("gcuts")["tables"]["table-2"] if args.keep_table_2 else duplicates()
    experiment = Experiment(kreuzer_examples(Layout(args.render)))
    for seed in range(args.splits):
        experiment.run(seed)
        done = {name: trials[-1].chosen for name, trials in experiment.trials.items() if len(trials) > seed}
        means = [f"{name} {scores[:, ARI].mean():.3f}" for name, scores in done.items()]
        print(f"split {seed + 1} of {args.splits}: ARI of {', '.join(means)}", file=sys.stderr, flush=True)
        data = (
            f"{len(experiment.pages)} home pages of the Kreuzer data set, laid out by {args.render}, fine "
            f"partition; {seed + 1} random splits of 25:25:50 %. Table 2: three public sets of pages, with "
            "the built-in weights."
        )
        command = f"python experiments/gcuts_paper.py --render {args.render} --splits {seed + 1}"
        path = write_results("gcuts", data, command, section_5_1(experiment) | {"table-2": table_2})
        experiment.draw(FIGURES)
    print(path)


if __name__ == "__main__":
    run(main)
