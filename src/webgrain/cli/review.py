"""``webgrain review``: review page types and save the verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain.cli.options import QUERIES, Inputs, option, with_options
from webgrain.errors import InputError

if TYPE_CHECKING:
    from webgrain.page.page import Page
    from webgrain.results import PageType

VERDICTS = {"h": "homogeneous", "m": "merge", "s": "split", "u": "unsure"}
QUESTION = "[h]omogeneous, [m]erge with another type, [s]plit, [u]nsure, [q]uit"


@with_options
def review_types(
    *,
    inputs: Inputs,
    output: Path = option(..., "-o --output FILE"),
    queries: Path | None = QUERIES,
    seed: int = option(0, "--seed N"),
) -> None:
    """Review the page types of a site.

    Shows ten random pages of each type and the ten pages that differ most from the others, and asks for a
    verdict. Each line of FILE is a verdict: type, key_path, verdict (homogeneous, merge, split, unsure), with
    (the other type of a merge), random and dissimilar (the pages shown). Types that are in FILE are skipped.

    Example: webgrain review types site/ -o verdicts.jsonl

    Options:
        output: File of verdicts (JSON lines); new verdicts are appended.
        seed: Seed of the random choice of pages.
    """
    from webgrain.cli.output import check_target
    from webgrain.cli.types import learn
    from webgrain.pagetypes.keyclus import pages_to_review
    from webgrain.pagetypes.sitepaths import site_paths
    from webgrain.site.learning import select_pages

    check_target(output)
    reviewed = _reviewed(output)
    learnt = learn(inputs, queries, tabs=False, seed=0, previous=None)
    site, found = site_paths(learnt.counts), learnt.clustering
    for number, kind in enumerate(found.types):
        if kind.label in reviewed or kind.key_path is None:
            continue
        random, dissimilar = pages_to_review(site, found.labels, number, random_state=seed)
        pages = {page.id: page for page in select_pages(inputs.read(), [*random, *dissimilar])}
        print("\n".join(_lines(kind, random, dissimilar, pages)))
        verdict = _ask([kind.label for kind in found.types])
        if verdict is None:
            return
        record = {"type": kind.label, "key_path": kind.key_path.css, **verdict}
        record |= {"random": random, "dissimilar": dissimilar}
        with output.open("a", encoding="utf-8") as file:
            print(json.dumps(record, ensure_ascii=False), file=file)


def _reviewed(path: Path) -> set[str]:
    """Return the types that have a verdict already."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return {str(json.loads(line)["type"]) for line in lines if line.strip()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a file of verdicts: {type(error).__name__}: {error}.") from error


def _lines(kind: PageType, random: list[str], dissimilar: list[str], pages: dict[str, Page]) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    yield f"\n{kind.label}  {count(kind.size, 'page')}  {plain(str(kind.key_path))}"
    for heading, ids in (("random pages", random), ("least similar to the others", dissimilar)):
        yield f" {heading}"
        yield from (f"  {plain(page, 70):70} {_beginning(pages.get(page))}" for page in ids)


def _beginning(page: Page | None) -> str:
    """Return the size of a page and the beginning of its text."""
    from webgrain.page.text import visible_text
    from webgrain.report.terminal import count, plain

    return "" if page is None else f"{count(len(page.dom), 'node')}: {plain(visible_text(page), 60)}"


def _ask(labels: list[str]) -> dict[str, Any] | None:
    """Ask for the verdict on a type; None ends the review, also at the end of the input."""
    with suppress(EOFError):
        while (answer := input(f"{QUESTION}: ").strip().lower()[:1]) != "q":
            if answer == "m":
                other = input("  with which type? ").strip()
                if other in labels:
                    return {"verdict": VERDICTS[answer], "with": other}
                print(f"  there is no type {other!r}")
            elif answer in VERDICTS:
                return {"verdict": VERDICTS[answer]}
    return None
