"""What a page costs at each stage, what engines and the guard add, and duplicates in parts.

    python benchmarks/engines/bench_engines.py [FOLDER] [--workers 2] [--documents 50000] [--ray]

FOLDER: the pages of one site; without it those of a public project (``WEBGRAIN_DATA``), else the sample site.
Stages: CPU ms a page, the least of three rounds over the same pages; the model is learnt from every second
page and applied to the others. Engines: one run each, in seconds of the clock and, for local ones, of the CPU
time of all workers; all read the same shards. Duplicates: made-up texts, as in
``benchmarks/duplicates/bench_dedup.py``, in indexes of ten thousand; CPU seconds of all tasks of a stage,
done in this process. The figures of docs/scale.md are from here.
"""

from __future__ import annotations

import argparse
import os
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.synthetic_texts import make_texts

from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.partition import judge_index, make_plan, meet_part, run_plan, spread
from webgrain.duplicates.search import find_pairs
from webgrain.duplicates.sketches import PageText, make_sketch
from webgrain.engines import engine
from webgrain.engines.guard import Guard, SharedStep, Watch, under
from webgrain.io.read import read
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.turns import alone
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.site.duplicates import text_to_compare
from webgrain.site.learning import learn_site
from webgrain.site.shards import write_shard
from webgrain.site.stages.extraction import extract_shard
from webgrain.site.workspace import SiteFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from webgrain.duplicates.partition import SearchPlan
    from webgrain.site.model import SiteModel

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data"))
ROUNDS = 3
SHARD = 64
"""Pages of a shard."""
ARGUMENTS = 60
"""Arguments with which nothing is done: few enough for one worker."""
INDEX = 10_000
"""Documents of an index."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--ray", action="store_true", help="also on a Ray cluster, started here")
    asked = parser.parse_args()
    sources = read_folder(asked.folder) if asked.folder else project()
    model = learn_site(lambda: sources[::2], "a site")
    stages(sources[1::2], model)
    guards()
    with tempfile.TemporaryDirectory() as folder:
        engines(sources, model, Path(folder), asked.workers, asked.ray)
    with tempfile.TemporaryDirectory() as folder:
        duplicates(Path(folder), asked.documents)


def read_folder(folder: Path) -> list[Source]:
    return [item for item in read([folder]) if isinstance(item, Source)]


def project() -> list[Source]:
    archive = DATA / "sites" / "flink-web.tar.xz"
    if not archive.is_file():
        return read_folder(ROOT / "examples" / "site")
    with tarfile.open(archive) as members:
        files = [(m.name, members.extractfile(m)) for m in members if m.name.endswith(".html")]
        return [Source(name, file.read()) for name, file in files if file]


def stages(sources: Sequence[Source], model: SiteModel) -> None:
    """Print what a page costs at each stage."""
    pages = [parse(source) for source in sources]
    nodes = sum(len(page.dom) for page in pages) / len(pages)
    size = sum(len(source.body) for source in sources) / len(pages)
    print(f"{len(pages)} pages of {nodes:.0f} nodes and {size / 1000:.0f} kB on average; CPU ms a page")
    runs = [stage_seconds(sources, model) for _ in range(ROUNDS)]
    least = {stage: min(run[stage] for run in runs) for stage in runs[0]}
    for stage, seconds in least.items():
        print(
            f"  {stage:20}{1000 * seconds / len(pages):8.2f}{1e6 * seconds / len(pages) / nodes:8.2f} us/node"
        )
    whole = sum(seconds for stage, seconds in least.items() if stage != "count")
    print(f"  {'all but count':20}{1000 * whole / len(pages):8.2f}")


def stage_seconds(sources: Sequence[Source], model: SiteModel) -> dict[str, float]:
    """Return the CPU seconds that all pages take at each stage."""
    seconds: defaultdict[str, float] = defaultdict(float)
    last = time.process_time()

    def lap(stage: str) -> None:
        nonlocal last
        now = time.process_time()
        seconds[stage] += now - last
        last = now

    counts = PathCounts()
    for source in sources:
        last = time.process_time()
        parsed = parse(source)
        lap("parse")
        found = model.predict(parsed)
        lap("text")
        alone(found.steps(), lap)
        make_sketch(text_to_compare(found.page))
        lap("sketches")
        counts.add(found.page)
        lap("count")
    return seconds


def guards() -> None:
    """Print what a guard costs."""
    page, many = Source("a.html", b""), 20_000

    def each(call: Callable[[], object]) -> float:
        rounds = []
        for _ in range(ROUNDS):
            begin = time.process_time()
            for _ in range(many):
                call()
            rounds.append(time.process_time() - begin)
        return 1e6 * median(rounds) / many

    call = partial(Guard().call, page, "nothing", len_of_body)
    print(f"guard: {each(call):.0f} us a step", end="")
    with under(Watch(SharedStep())):
        print(f", {each(call):.0f} us in a worker that is watched")


def len_of_body(page: Source) -> int:
    return len(page.body)


def engines(sources: Sequence[Source], model: SiteModel, folder: Path, workers: int, ray: bool) -> None:
    """Print how long engines take to do nothing, and to read the shards of a site."""
    cuts = range(0, len(sources), SHARD)
    shards = [write_shard(folder / f"{k:05}", sources[k : k + SHARD]) for k in cuts]
    print(f"engines: {len(shards)} shards of {SHARD} pages")
    print(f"  {'':14}{'start s':>9}{'ms/argument':>13}{'all shards s':>14}{'CPU s':>8}")
    kinds = [("local", 1), ("local", workers), *([("ray", workers)] if ray else [])]
    for name, many in kinds:
        run = engine(name, many)
        start, _ = timed(run.map(abs, range(many)))
        nothing, _ = timed(run.map(abs, range(ARGUMENTS)))
        place = SiteFiles("", tuple(shards), folder / f"{name}-{many}", folder)
        (place.work / "parts").mkdir(parents=True)
        model.save(place.model)
        whole, cpu = timed(run.map(partial(extract_shard, Guard()), [(place, k) for k in range(len(shards))]))
        each = 1000 * max(0.0, nothing - (start if name == "local" else 0)) / ARGUMENTS
        used = f"{cpu:8.2f}" if name == "local" else ""
        print(f"  {name:8}{many:6}{start:9.2f}{each:13.2f}{whole:14.2f}{used}", flush=True)


def timed(results: Iterable[object]) -> tuple[float, float]:
    """Return the seconds that results take to come, and the CPU seconds of processes that ended meanwhile."""
    begin, before = time.perf_counter(), os.times()
    for _ in results:
        pass
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - begin, cpu


def duplicates(folder: Path, documents: int) -> None:
    """Print time and traffic of a search in parts, compared with a single search."""
    paths = []
    texts = make_texts(documents, words=300)
    for first in range(0, documents, INDEX):
        paths.append(folder / f"{first}.db")
        with DuplicateIndex(paths[-1]) as index:
            for _, text in zip(range(INDEX), texts, strict=False):
                index.add(PageText(text.id, text.text))
    begin = time.process_time()
    opened = [DuplicateIndex(path, read_only=True) for path in paths]
    expected = len(find_pairs(opened))
    print(f"duplicates: {documents} documents in {len(paths)} indexes, {expected} pairs; CPU seconds")
    print(f"  in one search{time.process_time() - begin:8.1f}")
    plan = make_plan(paths, folder, keys=64 * documents)
    for step, count in ((spread, len(paths)), (meet_part, plan.parts), (judge_index, len(paths))):
        print(f"  {describe(plan, step, count)}")
    assert sum(map(len, run_plan(plan, engine()))) == expected


def describe(plan: SearchPlan, step: Callable[[SearchPlan, int], None], count: int) -> str:
    """Do a stage, and return what it took and wrote."""
    begin = time.process_time()
    for number in range(count):
        step(plan, number)
    seconds = time.process_time() - begin
    size = sum(path.stat().st_size for path in plan.folder.glob(f"{step.__name__.partition('_')[0]}-*"))
    return f"{step.__name__:8}{count:5} tasks{seconds:8.1f} s{size / plan.first[-1]:10.1f} bytes a document"


if __name__ == "__main__":
    main()
