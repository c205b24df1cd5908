"""Time from bytes to Dom, compared with parsing and traversal by selectolax; the target is a ratio below 1.5.

    python benchmarks/bench_parse.py [FOLDER]

The pages are those of the folder; by default the sample site and, if the development data are available
(``WEBGRAIN_DATA``), 80 front pages. The time of a page is the minimum of nine runs. The table shows medians
over pages, and the median of the ratios to the reference: parsing by selectolax, and reading the tag, the
text and the attributes of every node.
"""

from __future__ import annotations

import os
import statistics
import sys
import tarfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from webgrain.page import parsing as walk
from webgrain.page.parsing import parse_html

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data"))
ROUNDS = 9
NATIVE = walk.native_walk


def main() -> None:
    if len(sys.argv) > 1:
        show(sys.argv[1], read_folder(Path(sys.argv[1])))
        return
    show("sample site", read_folder(ROOT / "examples" / "site"))
    archive = DATA / "segmentation" / "pages.tar.xz"
    if archive.is_file():
        show("front pages", read_archive(archive))
    else:
        print(f"front pages: the file {archive} does not exist")


def read_folder(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*.htm*"))]


def read_archive(archive: Path) -> list[bytes]:
    with tarfile.open(archive) as members:
        files = [members.extractfile(m) for m in members if m.name.endswith("index.blocks.html")]
        return [file.read() for file in files if file]


def parse_only(body: bytes) -> None:
    LexborHTMLParser(body, scripting=True)


def reference(body: bytes) -> None:
    for node in LexborHTMLParser(body, scripting=True).root.traverse(include_text=True):
        _ = node.tag, node.text_content, node.attributes


def native(body: bytes) -> None:
    walk.native_walk = NATIVE
    parse_html(body)


def public(body: bytes) -> None:
    walk.native_walk = None
    parse_html(body)


def show(name: str, pages: list[bytes]) -> None:
    sizes = [len(parse_html(body)) for body in pages]
    print(
        f"{name}: {len(pages)} pages, median {statistics.median(map(len, pages)) / 1000:.0f} kB, "
        f"{statistics.median(sizes):.0f} nodes; the walk in use is {walk.WALK}"
    )
    ways = {
        "selectolax parse": parse_only,
        "selectolax parse + traverse": reference,
        "bytes to Dom, native walk": native,
        "bytes to Dom, public walk": public,
    }
    if NATIVE is None:
        del ways["bytes to Dom, native walk"]
    times = list(zip(*(fastest(body, list(ways.values())) for body in pages), strict=True))
    for way, own in zip(ways, times, strict=True):
        ratio = statistics.median(a / b for a, b in zip(own, times[1], strict=True))
        print(f"  {way:<28} {statistics.median(own) * 1000:6.3f} ms  {ratio:5.2f} x")
    walk.native_walk = NATIVE


def fastest(body: bytes, ways: list[Callable[[bytes], None]]) -> list[float]:
    """Least time of each way, the ways taking turns so that a busy machine is busy for all."""
    least = [float("inf")] * len(ways)
    for _ in range(ROUNDS):
        for i, way in enumerate(ways):
            start = perf_counter()
            way(body)
            least[i] = min(least[i], perf_counter() - start)
    return least


if __name__ == "__main__":
    main()
