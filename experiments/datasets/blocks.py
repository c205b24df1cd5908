"""The labelled modern pages: the pages of the data set ``blocks``, and the labels that belong to the project.

The pages are in ``blocks/pages.tar.xz`` of the data folder, as ``<site>/<path>`` with the style sheets that
they load; the folder of a site is its root. The labels are in ``experiments/datasets/labels``, a file per
annotator in the format of `webgrain.evaluation.datasets`, with pages named ``<site>/<path>``. The annotators
are instances of a language model that followed the guidelines of ``docs/labelling.md`` with pictures of the
pages; see the model card.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from experiments.datasets.kreuzer import MemoryAssets
from webgrain.evaluation.datasets import (
    Example,
    LabelledPage,
    LabelledSegment,
    archive_files,
    data_folder,
    render,
    truth_of,
)
from webgrain.page.page import Source

if TYPE_CHECKING:
    from webgrain.pipeline import Layout

LABELS = Path(__file__).parent / "labels"
ARCHIVE = "blocks/pages.tar.xz"


def read_blocks(annotator: str = "a", labels: Path = LABELS) -> list[LabelledPage]:
    """Return the pages that an annotator has labelled, ordered by site; the URL of a page names its site.

    `InputError` if the archive of pages does not exist.
    """
    records = [json.loads(line) for line in (labels / f"blocks-{annotator}.jsonl").read_bytes().splitlines()]
    segments = {
        record["page"]: tuple(
            LabelledSegment(tuple(one["xpath"]), (), one["role"]) for one in record["segments"]
        )
        for record in records
    }
    pages = []
    archive = sorted(archive_files(data_folder() / ARCHIVE), key=lambda file: site_of_name(file[0]))
    for site, group in groupby(archive, lambda file: site_of_name(file[0])):
        files = {PurePosixPath(name).relative_to(site).as_posix(): body for name, body in group}
        assets = MemoryAssets(files)
        for path in sorted(files):
            name = f"{site}/{path}"
            if name in segments:
                source = Source(
                    name, files[path], url=f"https://{site}.example/{path}", assets=assets, path=path
                )
                pages.append(LabelledPage(source, segments[name], annotator))
    return pages


def site_of_name(name: str) -> str:
    """Return the site of a page or file: the first part of its name."""
    return name.split("/", 1)[0]


def block_examples(layout: Layout, annotator: str = "a", labels: Path = LABELS) -> list[Example]:
    """Return the labelled pages as examples, rendered as requested."""
    labelled = read_blocks(annotator, labels)
    pages = render([one.source for one in labelled], layout)
    return [
        Example(page, truth_of(page, own.segments), own.segments)
        for page, own in zip(pages, labelled, strict=True)
    ]
