"""Time of rendering with Chromium: medians per page, with and without a screenshot, and of each step.

The pages are those of the development data (``WEBGRAIN_DATA``), or those of the sample site.
"""

from __future__ import annotations

import os
import statistics
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain.io.local import FolderAssets
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.rendering import chromium
from webgrain.rendering.boxes import Snapshot, view_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        sources = list(pages(Path(folder)))
        raws: list[dict[str, Any]] = []
        plain, rendered = render(sources, screenshot=False, raws=raws)
        pictured, _ = render(sources, screenshot=True, raws=[])
        report(sources, rendered, raws, plain, pictured)


def report(
    sources: list[Source],
    rendered: list[Page],
    raws: list[dict[str, Any]],
    plain: list[float],
    pictured: list[float],
) -> None:
    parsing = [seconds(lambda s=source: parse(s)) for source in sources]
    converting = [
        seconds(lambda p=page, r=raw: convert(p, r)) for page, raw in zip(rendered, raws, strict=True)
    ]
    nodes = statistics.median(len(page.dom) for page in rendered)
    print(f"{len(sources)} pages, median {nodes:.0f} nodes, median per page:")
    for name, times in [
        ("render", plain), ("render with a picture", pictured),
        ("of it: snapshot to view", converting), ("of it: parse", parsing),
    ]:  # fmt: skip
        median = statistics.median(times)
        ratio = median / statistics.median(plain)
        print(f"{name:24} {1000 * median:8.2f} ms  {ratio:6.3f} x  max {1000 * max(times):.0f} ms")


def render(
    sources: list[Source], screenshot: bool, raws: list[dict[str, Any]]
) -> tuple[list[float], list[Page]]:
    """Seconds and pages; the snapshots go to ``raws``."""

    class Keeper(Snapshot):
        def __init__(self, raw: dict[str, Any], limit: int) -> None:
            raws.append(raw)
            super().__init__(raw, limit)

    chromium.Snapshot = Keeper  # type: ignore[misc]
    times, rendered = [], []
    with chromium.Chromium(timeout=60) as browser:
        for source in sources:
            start = time.perf_counter()
            rendered.append(browser.render(source, screenshot=screenshot))
            times.append(time.perf_counter() - start)
    return times, rendered


def convert(page: Page, raw: dict[str, Any]) -> None:
    snapshot = Snapshot(raw, 500_000)
    if not snapshot.matches(page.dom):
        sys.exit(f"{page.id}: rendered and parsed nodes differ")
    view_of(snapshot, page.dom, (1366, 768))


def seconds(work: Callable[[], object]) -> float:
    """Median of five."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def pages(folder: Path) -> Iterator[Source]:
    archive = (
        Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data"))
        / "segmentation"
        / "pages.tar.xz"
    )
    sites = [ROOT / "examples" / "site"]
    pattern = "*.html"
    if archive.is_file():
        with tarfile.open(archive) as members:
            members.extractall(folder, filter="data")
        sites, pattern = sorted(folder.glob("*/*/")), "index.blocks.html"
    for site in sites:
        for file in sorted(site.rglob(pattern)):
            path = file.relative_to(site).as_posix()
            yield Source(f"{site.name}/{path}", file.read_bytes(), assets=FolderAssets(site), path=path)


if __name__ == "__main__":
    main()
