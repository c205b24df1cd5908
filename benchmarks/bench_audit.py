"""Audit of 1 000 pages on one core: milliseconds a page by stage, beside parsing alone.

Pages are made up (`make_site_pages`), about 1 000 nodes each, unless a folder of real ones is named.

    python benchmarks/bench_audit.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.datasets.synthetic_sites import make_site_pages

from webgrain.io.read import read
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.turns import alone
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.audit import audit
from webgrain.site.auditrun import AuditPlan, Clock
from webgrain.site.model import SiteModel, load_model

PAGES, SIZE, RUNS = 1000, 90, 3


class Here:
    """An engine that does everything in this process."""

    def map(self, task, arguments):  # noqa: D102
        for argument in arguments:
            yield argument, task(argument)


def sources(folder: str | None, pages: int) -> list[Source]:
    if folder:
        return [item for item in read([folder]) if isinstance(item, Source)]
    return [source for source, _, _ in make_site_pages(pages, size=SIZE)]


def stages(model: SiteModel, pages: list[Source]) -> dict[str, float]:
    """Return the seconds of each stage of reading pages; of each page the best of `RUNS`."""
    best: list[dict[str, float]] = [{} for _ in pages]
    for _ in range(RUNS):
        for page, least in zip(pages, best, strict=True):
            clock = Clock()
            parsed = parse(page)
            clock.lap("parse")
            prediction = model.predict(parsed)
            clock.lap("text")
            alone(prediction.steps(), clock.lap)
            for stage, seconds in clock.seconds.items():
                least[stage] = min(least.get(stage, seconds), seconds)
    return {stage: sum(least[stage] for least in best) for stage in best[0]}


def main(folder: str | None = None) -> None:
    pages = sources(folder, PAGES)
    start = time.process_time()
    nodes = [len(parse(page).dom) for page in pages]
    parsing = time.process_time() - start
    with tempfile.TemporaryDirectory() as out:
        plan = AuditPlan(made_of="a benchmark", method=segmenter())
        start = time.process_time()
        [outcome] = audit(lambda first: iter(pages[first:]), Path(out), plan, Here())
        whole = time.process_time() - start
        model = load_model(Path(out) / "site-model.json")
        reading = stages(model, pages)
        sizes = {path.name: path.stat().st_size for path in Path(out).iterdir() if path.is_file()}
    each = 1000 / len(pages)
    print(f"{len(pages)} pages of {median(nodes):.0f} nodes, {len(outcome.types)} types")
    print(f"parsing alone {parsing * each:6.2f} ms a page")
    print(f"whole audit   {whole * each:6.2f} ms a page, {whole / parsing:.1f} times parsing")
    for stage, seconds in sorted(outcome.seconds.items(), key=lambda pair: -pair[1]):
        print(f"  {stage:12}{seconds * each:6.2f} ms  {seconds / whole:4.0%}")
    print(f"extraction    {sum(reading.values()) * each:6.2f} ms a page with the model")
    for stage, seconds in reading.items():
        print(f"  {stage:12}{seconds * each:6.2f} ms")
    print("bytes:", ", ".join(f"{name} {size:,}" for name, size in sorted(sizes.items())))


if __name__ == "__main__":
    main(*sys.argv[1:2])
