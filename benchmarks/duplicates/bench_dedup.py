"""Near-duplicates: time of a sketch, of an index and of all pairs, compared with other tools.

    python benchmarks/duplicates/bench_dedup.py [--documents 100000] [--peers 5000]

Documents are synthetic: 1 000 words by Zipf's law, a tenth of them copies with half a percent of their words
replaced, a twentieth with a half of another text. They are streamed: memory is that of the index alone. The
peers, datasketch and rensa, come with the extra ``bench``; all get the same texts in the same process, in
turn; the peers have 128 hash functions and a threshold of .8. Times of sketches are medians of CPU time; the
others are of one run, of the wall clock and of the CPU. The texts belong to no site: the count of shingles
within sites is not part of the pairs, but of the time.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.synthetic_texts import make_texts

from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import DUPLICATE, Pairs, Search, find_pairs
from webgrain.duplicates.shingles import shingles
from webgrain.duplicates.sketches import PageText, make_sketch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from experiments.datasets.synthetic_texts import MadeText

    Pair = tuple[str, str]

THRESHOLD, HASHES, WIDTH = 0.8, 128, 6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    parser.add_argument("--peers", type=int, default=5000, help="documents for the comparison; 0: none")
    asked = parser.parse_args()
    signatures(list(make_texts(500)))
    if asked.peers:
        side_by_side(list(make_texts(asked.peers)))
    print(
        f"\n{'documents':>10}{'index s':>9}{'CPU s':>8}{'made up s':>11}{'pairs s':>9}{'CPU s':>8}"
        f"{'MB on disk':>12}{'peak MB':>9}{'recall':>8}{'precision':>11}"
    )
    for n in asked.documents:
        stream(n)


def signatures(made: Sequence[MadeText]) -> None:
    """Time a sketch of a document, in parts and as a whole, and a signature of the peers."""
    texts = [text.text for text in made]
    rows: dict[str, Callable[[], object]] = {
        "words and shingles": lambda: [shingles(text) for text in texts],
        "webgrain, text to sketch": lambda: [make_sketch(PageText("", text)) for text in texts],
    }
    rows |= {f"{name}, text to signature": sign for name, sign in peer_signatures(texts).items()}
    times = {name: each(run) / len(texts) for name, run in rows.items()}
    own = times["webgrain, text to sketch"]
    for name, seconds in times.items():
        print(f"{name:34}{1000 * seconds:9.3f} ms/document{seconds / own:9.1f} x")


def each(run: Callable[[], object], repeats: int = 5) -> float:
    """Return the median CPU seconds of a call: other programs may be running."""
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return median(seconds)


def grams(text: str) -> list[str]:
    """Return the shingles of a text as the peers want them."""
    words = text.split()
    return [" ".join(words[k : k + WIDTH]) for k in range(len(words) - WIDTH + 1)]


def peer_signatures(texts: Sequence[str]) -> dict[str, Callable[[], object]]:
    """Return what signs all texts with each peer that is installed."""
    return {
        name: lambda sign=sign: [sign(grams(text)) for text in texts] for name, (sign, _) in peers().items()
    }


def peers() -> dict[str, tuple[Callable[[list[str]], object], Callable[[], object]]]:
    """Return by name of a peer: what signs shingles, what makes an index."""
    found: dict[str, tuple[Callable[[list[str]], object], Callable[[], object]]] = {}
    try:
        import datasketch
        import rensa
    except ImportError as error:
        print(f"{error.name} is not installed: pip install 'webgrain[bench]'", file=sys.stderr)
        return found

    def by_datasketch(shingled: list[str]) -> object:
        signature = datasketch.MinHash(num_perm=HASHES)
        signature.update_batch([shingle.encode() for shingle in shingled])
        return signature

    def by_rensa(shingled: list[str]) -> object:
        signature = rensa.RMinHash(num_perm=HASHES, seed=1)
        signature.update(shingled)
        return signature

    found["datasketch"] = by_datasketch, lambda: datasketch.MinHashLSH(threshold=THRESHOLD, num_perm=HASHES)
    found["rensa"] = by_rensa, lambda: rensa.RMinHashLSH(threshold=THRESHOLD, num_perm=HASHES, num_bands=16)
    return found


def side_by_side(made: Sequence[MadeText]) -> None:
    """Find all pairs with webgrain and with the peers."""
    truth = planted(made)
    title = f"{len(made)} documents, {len(truth)} planted pairs"
    print(f"\n{title:34}{'s':>9}{'CPU s':>8}{'recall':>8}{'precision':>11}")
    rows: dict[str, Callable[[], set[Pair]]] = {"webgrain, index on disk": lambda: own_pairs(made)}
    for name, tools in peers().items():
        rows[name] = lambda tools=tools: peer_pairs(made, *tools)
    for name, run in rows.items():
        begin, cpu = time.perf_counter(), time.process_time()
        found = run()
        seconds, used = time.perf_counter() - begin, time.process_time() - cpu
        right = found & truth
        print(f"{name:34}{seconds:9.2f}{used:8.2f}{share(right, truth):8.3f}{share(right, found):11.3f}")


def planted(made: Sequence[MadeText]) -> set[Pair]:
    """Return the pairs of copies of one text."""
    families: dict[str, list[str]] = {}
    for text in made:
        families.setdefault(text.copy_of or text.id, []).append(text.id)
    return {(a, b) for family in families.values() for k, b in enumerate(family) for a in family[:k]}


def own_pairs(made: Sequence[MadeText]) -> set[Pair]:
    with tempfile.TemporaryDirectory() as folder, DuplicateIndex(Path(folder) / "a.db") as index:
        for text in made:
            index.add(PageText(text.id, text.text))
        pairs = find_pairs([index], search=Search(THRESHOLD))
        return near(pairs)


def near(pairs: Pairs) -> set[Pair]:
    """Return the pairs that are duplicates, without those of which one contains the other."""
    same = pairs.take(pairs.verdict <= DUPLICATE)
    return {(str(a), str(b)) for a, b in zip(same.a, same.b, strict=True)}


def peer_pairs(made: Sequence[MadeText], sign: Callable, open_index: Callable) -> set[Pair]:
    """Query each document before its insertion; candidates are compared by signatures, as in webgrain."""
    index, signed, found = open_index(), {}, set()
    for k, text in enumerate(made):
        signature = sign(grams(text.text))
        for other in index.query(signature):
            if signature.jaccard(signed[int(other)]) >= THRESHOLD:
                found.add((str(other), text.id))
        index.insert(k, signature)
        signed[k] = signature
    return found


def share(part: set[Pair], whole: set[Pair]) -> float:
    return len(part) / len(whole) if whole else 1.0


def stream(n: int) -> None:
    """Index n documents while they are generated and find all pairs; generation is timed separately."""
    families: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder, DuplicateIndex(Path(folder) / "a.db") as index:
        begin, cpu, made_up = time.perf_counter(), time.process_time(), 0.0
        texts = make_texts(n)
        for _ in range(n):
            before = time.process_time()
            text = next(texts)
            made_up += time.process_time() - before
            if text.copy_of:
                families.setdefault(text.copy_of, [text.copy_of]).append(text.id)
            index.add(PageText(text.id, text.text))
        index.commit()
        indexed, indexed_cpu = time.perf_counter(), time.process_time()
        pairs = find_pairs([index], search=Search(THRESHOLD))
        done, done_cpu = time.perf_counter(), time.process_time()
        size = (Path(folder) / "a.db").stat().st_size / 1e6
    truth = {(a, b) for family in families.values() for k, b in enumerate(family) for a in family[:k]}
    found = near(pairs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"{n:10}{indexed - begin:9.1f}{indexed_cpu - cpu:8.1f}{made_up:11.1f}{done - indexed:9.1f}"
        f"{done_cpu - indexed_cpu:8.1f}{size:12.0f}{peak:9.0f}{share(found & truth, truth):8.4f}"
        f"{share(found & truth, found):11.4f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
