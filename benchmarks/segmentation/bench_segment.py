"""Time `webgrain segment` without a browser, stage by stage: from the bytes of a page to its record.

    python benchmarks/segmentation/bench_segment.py [--method learntcut] [--passes 5]

The pages are the 80 of the development data (``WEBGRAIN_DATA``), each of another site, with the style sheets
beside them; without these data, the sample site. Each pass begins with empty memories, so the sheets of every
page are read for the first time. Figures are CPU times of one core, medians over the passes. Roles: what
segments are for and how sure they are. The peer is the least that any program must do: selectolax parses the
same bytes and visits every node, in the same pass.
"""

from __future__ import annotations

import argparse
import os
import tarfile
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from experiments.datasets.kreuzer import read_kreuzer
from selectolax.lexbor import LexborHTMLParser

from webgrain import Source, read
from webgrain.page.parsing import parse
from webgrain.page.segmentation import segmentation_record
from webgrain.rendering.hiding import hidden_nodes, hiding_rules
from webgrain.segmentation.segmenter import DEFAULT, segmenter, trained
from webgrain.site.pipeline import linked_sheets

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
STAGES = ("peer", "parse", "sheets", "hiding", "method", "roles", "record")


def main() -> None:
    """Print medians, sums and the worst page of each stage, and of all of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", default=DEFAULT)
    parser.add_argument("--passes", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = list(labelled(Path(folder)) or read([ROOT / "examples" / "site"]))
        method = segmenter(args.method)
        one_pass(sources[:3], method)  # what is imported at the first use
        ms = np.median([one_pass(sources, method) for _ in range(args.passes)], axis=0)
    total = ms[:, 1:].sum(axis=1)
    print(f"{len(sources)} pages, {args.method}; ms{'median':>13} {'90 %':>8} {'worst':>8} {'sum':>9}")
    for name, column in [*zip(STAGES, ms.T, strict=True), ("bytes to record", total)]:
        median, high = np.percentile(column, [50, 90])
        print(f"{name:20} {median:10.2f} {high:8.2f} {column.max():8.1f} {column.sum():9.0f}")
    print(f"bytes to record over the peer: {np.median(total / ms[:, 0]):.1f} x")


def labelled(folder: Path) -> list[Source]:
    """Unpack the labelled pages, so that style sheets are read from files; none without the data."""
    data = Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data")) / "segmentation"
    if not data.is_dir():
        return []
    with tarfile.open(data / "pages.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return [page.source for page in read_kreuzer(folder)]


def one_pass(sources: list[Source], method: Any) -> list[list[float]]:
    """Ms of each stage of each page, nothing remembered from before."""
    hiding_rules.cache_clear()
    return [stages(source, method) for source in sources]


def stages(source: Source, method: Any) -> list[float]:
    peer, _ = timed(lambda: sum(1 for _ in LexborHTMLParser(source.body).root.traverse(include_text=True)))
    parsing, page = timed(lambda: parse(source))
    linked, reading = linked_sheets(source), [0.0]

    def reader(href: str) -> str | None:
        ms, text = timed(lambda: linked(href))
        reading.append(ms)
        return text

    hiding, hidden = timed(lambda: hidden_nodes(page.dom, reader))
    page = replace(page, hidden=hidden)
    cutting, cut = timed(lambda: method.method.predict(page))
    naming, found = timed(lambda: (method.classifier or trained(page)).classify(page, cut))
    telling, _ = timed(lambda: segmentation_record(page, found))
    return [peer, parsing, sum(reading), hiding - sum(reading), cutting, naming, telling]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return 1e3 * (time.process_time() - start), result


if __name__ == "__main__":
    main()
