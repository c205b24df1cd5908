"""Train the models that come with webgrain without a group of the bench sites, for each of some groups.

    python experiments/training/left_out.py FOLDER [MODEL ...]

FOLDER gets a folder for each group (`GROUPS`), with the models that have not seen the sites of the group:
``pairs.json``, ``lists.model``, ``acceptance.model``, ``boilerplate.model`` and ``single.model``; MODEL is
one of them without its ending. Sites of one family are in one group. ``experiments/site_benchmark.py`` reads
the models. Those of comments are not trained here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))


from experiments.datasets.bench import bench_names, folds, read_bench
from experiments.training import boilerplate, lists, pagetypes, singlepage, templates
from webgrain.base.trees import write_trees
from webgrain.extraction import boilerplate as noise
from webgrain.pagetypes.traits import page_traits
from webgrain.templates import acceptance

GROUPS = singlepage.FOLDS


def group_of() -> dict[str, int]:
    """Return the group of each site."""
    names = bench_names()
    return dict(zip(names, (folds(names) % GROUPS).tolist(), strict=True))


def learn_pairs(folder: Path, group: Mapping[str, int]) -> None:
    """Write the models of page types."""
    sites = {}
    for site in read_bench():
        if site.trust["types"]:
            pages = list(site.pages())
            sites[site.name] = [page_traits(page) for page in pages], [site.types[page.id] for page in pages]
    for number in range(GROUPS):
        learnt = pagetypes.learn({name: own for name, own in sites.items() if group[name] != number})
        pagetypes.write(folder / str(number) / "pairs.json", *learnt)


def learn_lists(folder: Path, group: Mapping[str, int]) -> None:
    """Write the models of lists."""
    trusted = (site for site in read_bench() if site.trust["list"])
    pages = [rows for site in trusted for rows in lists.rows_of(site, lists.MOST_INDEX)]
    for number in range(GROUPS):
        model = lists.fit([page for page in pages if group[page.site] != number])
        write_trees(folder / str(number) / "lists.model", {"lists": model}, lists.FORMAT)


def learn_acceptance(folder: Path, group: Mapping[str, int]) -> None:
    """Write the models of template matches."""
    found = [one for site in read_bench() if site.trust["types"] for one in templates.examples(site)]
    for number in range(GROUPS):
        model = templates.train([one for one in found if group[one.site] != number])
        write_trees(folder / str(number) / "acceptance.model", {"accepted": model}, acceptance.FORMAT)


def learn_boilerplate(folder: Path, group: Mapping[str, int]) -> None:
    """Write the models of boilerplate, which learn from those of single pages in the same folder."""
    found = boilerplate.all_examples(folder)
    for number in range(GROUPS):
        model = boilerplate.train([one for one in found if group[one.site] != number])
        write_trees(folder / str(number) / "boilerplate.model", {"boilerplate": model}, noise.FORMAT)


def learn_single(folder: Path, group: Mapping[str, int]) -> None:
    """Write the models of single pages, which the training learns for its evaluation; slow.

    That of the page alone is read from ``build/alone``, see ``alone.py``.
    """
    examples = sorted(singlepage.all_examples(), key=lambda one: (not one.site, one.group))
    wholes = singlepage.judge_pages(examples)
    for name in ("title", "article", "good"):
        singlepage.left_out(wholes, name)
    assert all(one.fold == group[one.group] for one in examples if one.site)
    singlepage.write_left_out(folder)


MODELS: dict[str, Callable[[Path, Mapping[str, int]], None]] = {
    "pairs": learn_pairs,
    "lists": learn_lists,
    "acceptance": learn_acceptance,
    "single": learn_single,
    "boilerplate": learn_boilerplate,
}


def main(folder: Path, names: list[str]) -> None:
    """Write the models with these names, or all."""
    for number in range(GROUPS):
        (folder / str(number)).mkdir(parents=True, exist_ok=True)
    for name in names or MODELS:
        MODELS[name](folder, group_of())
        print(name, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
