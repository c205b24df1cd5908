"""Templates in files and folders: learnt and read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from webgrain import pipeline
from webgrain.cli.run import passed
from webgrain.errors import InputError
from webgrain.io.local import safe_name
from webgrain.report.outline import plain
from webgrain.template.regextree import RegexTree
from webgrain.template.sections import BestSectioner, Sectioner
from webgrain.template.templatefile import read_template, write_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from webgrain.page.page import Page, Source
    from webgrain.pipeline import Layout
    from webgrain.template.expression import Template


def read_templates(path: Path) -> dict[str, Template]:
    """Return the template in a file, or all in the ``.json`` files of a folder, by the name of the file.

    `InputError` where there is none.

    >>> from pathlib import Path
    >>> read_templates(Path("nowhere.json"))
    Traceback (most recent call last):
    webgrain.errors.InputError: Cannot read a model from nowhere.json: No such file or directory.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"The folder {path} holds no template (.json).")
    return {file.stem: read_template(file) for file in files}


def best_sectioner(path: Path, area: float = 0.15, threshold: float = 0.25) -> BestSectioner:
    """Return what cuts pages with the template in a file, or with the best of those in a folder."""
    templates = read_templates(path).items()
    return BestSectioner(
        {name: Sectioner(template=one, area=area, threshold=threshold) for name, one in templates}
    )


def learn_templates(
    drawn: Mapping[str, Iterable[Source | Page]], layout: Layout, path: Path, one_each: bool
) -> None:
    """Learn a template from the pages of each type, write it, and print it.

    one_each: write each to a file of its own in the folder ``path``, else the only one to the file ``path``.
    """
    if not drawn:
        raise InputError("There is no page to learn a template from.")
    for kind, items in drawn.items():
        template = _learn(kind, items, layout)
        write_template(path / f"{safe_name(kind)}.json" if one_each else path, template)
        print(f"{plain(kind, 80)}: {template}" if one_each else template)


def _learn(kind: str, items: Iterable[Source | Page], layout: Layout) -> Template:
    pages = list(passed(pipeline.pages(items, layout)))
    if not pages:
        of_type = f" of type {plain(kind, 80)}" if kind else ""
        raise InputError(f"There is no page{of_type} to learn a template from.")
    learnt = RegexTree()
    try:
        learnt.fit(pages)
    finally:  # where all are left out, too
        for page_id, reason in learnt.rejected_.items():
            print(f"webgrain: {plain(page_id, 200)} is left out: {reason}", file=sys.stderr)
    assert learnt.template_ is not None
    return learnt.template_
