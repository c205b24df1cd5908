"""Reading and storing pages: pages a second from folder, zip, WARC and store; size and time of a stored page.

    python benchmarks/bench_io.py [FOLDER]

Without a folder the sample site is read. Medians of five runs over the same pages, repeated up to 200.
"""

from __future__ import annotations

import gzip
import statistics
import sys
import tempfile
import zipfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tests.views import with_lines

from webgrain.io.read import read
from webgrain.io.store import open_store
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 5
PAGES = 200
SAMPLE = Path(__file__).parents[1] / "examples" / "site"


def main(folder: Path) -> None:
    found = [item for item in read([folder]) if isinstance(item, Source)]
    sources = (found * -(-PAGES // len(found)))[: max(PAGES, len(found))]
    size = sum(len(source.body) for source in sources) / len(sources) / 1000
    print(f"{len(sources)} pages, {size:.1f} kB each on average")
    with tempfile.TemporaryDirectory() as place:
        inputs = make_inputs(sources, Path(place))
        laid_out = [lay_out(source) for source in sources]
        store = Path(place) / "pages.parquet"
        write_time = median(lambda: write(store, laid_out))
        for name, path in (*inputs.items(), ("store", store)):
            seconds = median(lambda path=path: sum(1 for _ in read([path])))  # type: ignore[misc]
            each = 1000 * seconds / len(sources)
            print(f"read {name:6} {len(sources) / seconds:8.0f} pages/s {each:7.3f} ms/page")
        print(f"write store {1000 * write_time / len(sources):.3f} ms/page")
        print(f"store {store.stat().st_size / len(sources) / 1000:.1f} kB/page with boxes and styles")


def lay_out(source: Source) -> Page:
    page = parse(source)
    return with_lines(page)


def write(path: Path, pages: list[Page]) -> None:
    with open_store(path) as store:
        for page in pages:
            store.write(page)


def make_inputs(sources: list[Source], place: Path) -> dict[str, Path]:
    inputs = {"folder": place / "folder", "zip": place / "pages.zip", "WARC": place / "pages.warc.gz"}
    inputs["folder"].mkdir()
    with (
        zipfile.ZipFile(inputs["zip"], "w", zipfile.ZIP_DEFLATED) as archive,
        inputs["WARC"].open("wb") as warc,
    ):
        for k, source in enumerate(sources):
            (inputs["folder"] / f"{k}.html").write_bytes(source.body)
            archive.writestr(f"{k}.html", source.body)
            warc.write(gzip.compress(record(k, source.body)))
    return inputs


def record(k: int, body: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/{k}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def median(run: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE)
