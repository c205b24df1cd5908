"""``webgrain review``: let a person judge what was found, and keep the verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from webgrain.cli.options import Inputs, Queries, grouped

if TYPE_CHECKING:
    from webgrain.page.page import Page
    from webgrain.results import PageType


review = typer.Typer(
    name="review",
    help="Judge what was found, and keep the verdicts.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

VERDICTS = {"h": "homogeneous", "m": "merge", "s": "split", "u": "unsure"}
QUESTION = "[h]omogeneous, [m]erge with another, [s]plit, [u]nsure, [q]uit"


@review.command("types", no_args_is_help=True)
@grouped
def review_types(
    *,
    inputs: Inputs,
    output: Annotated[
        Path,
        Option(
            "-o",
            "--output",
            metavar="FILE",
            show_default=False,
            help="Add the verdicts to FILE (JSON lines).",
        ),
    ],
    queries: Queries = None,
    seed: Annotated[int, Option("--seed", metavar="N", help="Seed of the random pages.")] = 0,
) -> None:
    """Judge the types of a site's pages: shows 10 random pages of each, and the 10 least like the others.

    A verdict is a line of FILE: type, key_path, verdict (homogeneous, merge, split, unsure), with (the other
    type of a merge), random and dissimilar (the pages that were shown). Types that FILE has are passed over.

    Example: webgrain review types site/ -o verdicts.jsonl
    """
    from webgrain.cli.output import check_target
    from webgrain.cli.types import learn
    from webgrain.pagetypes.keyclus import pages_to_review
    from webgrain.pagetypes.sitepaths import site_paths
    from webgrain.site.types import select_pages

    check_target(output)
    known = _known(output)
    learnt = learn(inputs, queries, tabs=False, seed=0, previous=None)
    site, found = site_paths(learnt.counts), learnt.clustering
    for number, kind in enumerate(found.types):
        if kind.label in known or kind.key_path is None:
            continue
        random, strange = pages_to_review(site, found.labels, number, random_state=seed)
        pages = {page.id: page for page in select_pages(inputs.read(), [*random, *strange])}
        print("\n".join(_lines(kind, random, strange, pages)))
        verdict = _ask([kind.label for kind in found.types])
        if verdict is None:
            return
        about = {"type": kind.label, "key_path": kind.key_path.css}
        _add(output, about | verdict | {"random": random, "dissimilar": strange})


def _add(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        print(json.dumps(record, ensure_ascii=False), file=file)


def _known(path: Path) -> set[str]:
    """Return the types that were judged already."""
    from webgrain.errors import InputError

    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return {str(json.loads(line)["type"]) for line in lines if line.strip()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} holds no verdicts: {type(error).__name__}: {error}.") from error


def _lines(kind: PageType, random: list[str], strange: list[str], pages: dict[str, Page]) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    yield f"\n{kind.label}  {count(kind.size, 'page')}  {plain(str(kind.key_path))}"
    for name, ids in (("random pages", random), ("least like the others", strange)):
        yield f" {name}"
        yield from (f"  {plain(page, 70):70} {_said(pages.get(page))}" for page in ids)


def _said(page: Page | None) -> str:
    """Return how the text of a page begins, after its first words, which are those of the frame as a rule."""
    from webgrain.page.text import visible_text
    from webgrain.report.terminal import count, plain

    return "" if page is None else f"{count(len(page.dom), 'node')}: {plain(visible_text(page), 60)}"


def _ask(names: list[str]) -> dict[str, Any] | None:
    """Return what a person says of a type; None to end, as where the input ends."""
    with suppress(EOFError):
        while (answer := input(f"{QUESTION}: ").strip().lower()[:1]) != "q":
            if answer == "m":
                other = input("  with which type? ").strip()
                if other in names:
                    return {"verdict": VERDICTS[answer], "with": other}
                print(f"  there is no type {other!r}")
            elif answer in VERDICTS:
                return {"verdict": VERDICTS[answer]}
    return None
