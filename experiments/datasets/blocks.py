"""The labelled modern pages: the data sets ``blocks`` and ``pages-2``, and their labels.

The pages are in ``blocks/pages.tar.xz`` and ``pages-2/pages.tar.xz`` of the data folder, as ``<site>/<path>``
with the style sheets that they load; the folder of a site is its root. The labels are in
``experiments/datasets/labels``, a file per set and annotator in the format of `webgrain.evaluation.datasets`,
with pages named ``<site>/<path>``. Those of ``pages-2`` have marks of content, too. The annotators are
instances of a language model that followed the guidelines of ``docs/labelling.md`` with pictures of the
pages; see the model card.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from experiments.datasets.kreuzer import MemoryAssets
from webgrain.evaluation.datasets import Example, archive_files, data_folder, example_of, render
from webgrain.evaluation.extraction import ReferencePage
from webgrain.io.contentmarks import content_of, leaves_of, truths_of
from webgrain.io.labels import LabelledPage, LabelledSegment
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

LABELS = Path(__file__).parent / "labels"
ARCHIVES = {"blocks": "blocks/pages.tar.xz", "pages-2": "pages-2/pages.tar.xz"}
"""Archive of the pages of each set in the data folder."""


def read_blocks(annotator: str = "a", data: str = "blocks", labels: Path = LABELS) -> list[LabelledPage]:
    """Return the pages that an annotator has labelled, ordered by site; the URL of a page names its site.

    data: a name of `ARCHIVES`. `InputError` if the archive of pages does not exist.
    """
    records = read_records(annotator, data, labels)
    pages = []
    for source in block_sources(records, data):
        record = records[source.id]
        segments = tuple(
            LabelledSegment(tuple(segment["xpath"]), (), segment["role"]) for segment in record["segments"]
        )
        known = (record.get("kind"), record.get("text"), *content_of(record))
        pages.append(LabelledPage(source, segments, annotator, *known))
    return pages


def read_records(
    annotator: str = "a", data: str = "blocks", labels: Path = LABELS
) -> dict[str, dict[str, Any]]:
    """Return the records of a file of labels by the names of their pages."""
    lines = (labels / f"{data}-{annotator}.jsonl").read_bytes().splitlines()
    return {record["page"]: record for record in map(json.loads, lines)}


def block_sources(names: Container[str], data: str = "blocks") -> Iterator[Source]:
    """Yield the pages of a set with these names, ordered by site, with the files that they load."""
    archive = sorted(archive_files(data_folder() / ARCHIVES[data]), key=lambda file: site_of_name(file[0]))
    for site, group in groupby(archive, lambda file: site_of_name(file[0])):
        files = {PurePosixPath(name).relative_to(site).as_posix(): body for name, body in group}
        assets = MemoryAssets(files)
        for path in sorted(files):
            name = f"{site}/{path}"
            if name in names:
                url = f"https://{site}.example/{path}"
                yield Source(name, files[path], url=url, assets=assets, path=path)


def reference_pages(data: str = "pages-2", annotator: str = "a") -> Iterator[ReferencePage]:
    """Yield the pages of a set whose content is labelled, with what the labels state about them.

    The texts are those of the leaves that Chromium shows; of a page of which it shows nothing, all leaves.
    """
    labelled = read_blocks(annotator, data)
    pages = render([page.source for page in labelled], Layout("chromium"))
    for page, label in zip(pages, labelled, strict=True):
        if label.content is not None:
            shown = page if len(leaves_of(page)) else parse(label.source)
            truths = truths_of(shown, label.content, label.absent, label.kind)
            yield ReferencePage(label.source, group=data, **truths)


def site_of_name(name: str) -> str:
    """Return the site of a page or file: the first part of its name."""
    return name.split("/", 1)[0]


FAMILIES = {
    "debian-handbook-fa": "debian-handbook-ar",
    "dpd-rus": "haue-wiki",
    "transitoargentina": "transito-ar",
}
"""Sites that count as another site in folds, since they share a book, a theme or a publisher."""


def family_of(example: Example) -> str:
    """Return the site of a labelled page, the first one of a family."""
    site = site_of_name(example.page.id)
    return FAMILIES.get(site, site)


def block_examples(
    layout: Layout, annotator: str = "a", data: str = "blocks", labels: Path = LABELS
) -> list[Example]:
    """Return the labelled pages of a set as examples, rendered as requested."""
    labelled = read_blocks(annotator, data, labels)
    pages = render([page.source for page in labelled], layout)
    return [example_of(page, label) for page, label in zip(pages, labelled, strict=True)]
