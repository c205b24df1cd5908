"""Memory and processor time of an audit as the site grows: small made-up pages, produced one at a time.

Each page has about 40 nodes: a menu, a heading, some sentences, and links to three others. Every number of
pages is audited in a separate process, which prints the memory at the end of each stage and its peak.

    python benchmarks/bench_audit_scale.py [PAGES...]
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from experiments.datasets.synthetic_pages import WORDS

from bench_audit import Here
from webgrain.engines.guard import memory_of
from webgrain.page.page import Source
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.audit import audit
from webgrain.site.auditrun import AuditPlan

PAGES = (1_000, 10_000)
KINDS = {
    "news": "<article><h1>{title}</h1><time>2024</time><p>{text}</p><p>{more}</p></article>",
    "shop": "<div class=product><h1>{title}</h1><b class=price>{k}</b><p>{text}</p></div>",
    "people": "<dl class=vcard><dt>{title}<dd>{text}<dd class=tel>{k}</dl>",
}
MENU = "".join(f"<li><a href=/{kind}-{k}.html>{kind} {k}</a>" for k, kind in enumerate(KINDS))


def small_pages(n: int) -> Iterator[Source]:
    """Yield ``n`` small pages of three types, the same ones each time."""
    names = list(KINDS)
    for k in range(n):
        rng = random.Random(k)
        title, text, more = (" ".join(rng.choices(WORDS, k=words)) for words in (4, 25, 25))
        others = (k * 7 % n, k + 1, rng.randrange(n))
        links = "".join(f"<a href=/{names[i % 3]}-{i}.html>{rng.choice(WORDS)} {i}</a> " for i in others)
        kind = names[k % 3]
        body = KINDS[kind].format(title=f"{title} {k}", text=text, more=more, k=k)
        html = (
            f"<!doctype html><html lang=en><title>{title} {k}</title><ul class=menu>{MENU}</ul>{body}"
            f"<p class=more>{links}</p><footer><p>All rights reserved</footer>"
        )
        yield Source(f"{kind}-{k}.html", html.encode())


def run(n: int) -> None:
    """Audit ``n`` small pages, and print time and memory."""
    most: dict[str, int] = {}

    def note(stage: str, _: int) -> None:
        memory = memory_of()
        most[stage] = max(most.get(stage, 0), memory.resident if memory else 0)

    start = time.process_time()
    with tempfile.TemporaryDirectory() as out:
        plan = AuditPlan(made_of="a benchmark", method=segmenter())
        [outcome] = audit(lambda first: islice(small_pages(n), first, None), Path(out), plan, Here(), note)
        size = sum(path.stat().st_size for path in Path(out).rglob("*") if path.is_file())
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n:8,} pages: {1000 * taken / n:6.2f} ms and {size / n:6.0f} bytes a page, peak {peak:5.0f} MB")
    print(" " * 10 + ", ".join(f"{stage} {mb / 2**20:.0f} MB" for stage, mb in most.items()))
    stages = sorted(outcome.seconds.items(), key=lambda pair: -pair[1])
    print(" " * 10 + ", ".join(f"{stage} {1000 * s / n:.2f} ms" for stage, s in stages[:8]), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        run(int(sys.argv[2]))
    else:
        for pages in list(map(int, sys.argv[1:])) or PAGES:
            subprocess.run([sys.executable, __file__, "one", str(pages)], check=True)
