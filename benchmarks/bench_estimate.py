"""Estimates of real pages: time against bytes to Dom, and agreement with what a browser rendered.

The pages are the 80 of the development data (``WEBGRAIN_DATA``), whose rendered snapshots lie beside them;
without them, the sample site is timed. Agreement is the mean over pages, on the leaves (texts, images,
controls, embeds) that both see: precision and recall of visible leaves, Spearman's rank correlation of their
middles, font sizes and areas, and of the areas of visible inner nodes, the share of neighbours in the text
that stand on one line in both or in neither, and of texts that are bold in both or in neither.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import tarfile
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import spearmanr

from webgrain.io.local import FolderAssets
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse_html
from webgrain.rendering.css import attribute_style, parse_sheet
from webgrain.rendering.declarations import declarations, parse_color
from webgrain.rendering.estimate import estimate
from webgrain.site.pipeline import linked_sheets

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.page import View

ROOT = Path(__file__).parents[1]
TRACES = re.compile(rb'\sdata-block[\w-]*="[^"]*"')
MEASURES = ("precision", "recall", "y", "x", "font size", "area", "inner area", "same line", "bold")


@dataclass(frozen=True)
class Rendered:
    """A page and its snapshot, with the node of the Dom of every node of the snapshot (-1: not found)."""

    source: Source
    snapshot: dict[str, Any]
    node: NDArray[np.int64]


def main() -> None:
    data = Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data")) / "segmentation"
    with tempfile.TemporaryDirectory() as folder:
        if not data.is_dir():
            print(f"no folder {data}: the sample site is timed, nothing is compared")
            timing([path.read_bytes() for path in sorted((ROOT / "examples").rglob("*.html"))])
            return
        for name in ("pages", "snapshots"):
            with tarfile.open(data / f"{name}.tar.xz") as archive:
                archive.extractall(folder, filter="data")
        pages = [rendered(path, Path(folder)) for path in sorted(Path(folder, "inputs").glob("*/*.json"))]
        timing([page.source.body for page in pages])
        print(f"\n{'agreement':24}" + "".join(f"{name:>11}" for name in MEASURES))
        for name, view_of in [
            ("document order", lambda page, dom: document_order(dom)),
            ("estimate", lambda page, dom: estimate(dom)),
            ("with sheets beside it", lambda page, dom: estimate(dom, sheets=linked_sheets(page.source))),
        ]:
            scores = np.nanmean([score(page, view_of) for page in pages], axis=0)
            print(f"{name:24}" + "".join(f"{value:11.3f}" for value in scores))


def timing(bodies: list[bytes]) -> None:
    """Print medians per page: in one pass that begins with empty memories, then page by page, repeated."""
    doms = [parse_html(body) for body in bodies]
    passes = np.median([first_looks(bodies) for _ in range(5)], axis=0)
    repeated = [[median(lambda b=body: parse_html(b)) for body in bodies]]
    repeated.append([median(lambda d=dom: estimate(d)) for dom in doms])
    nodes = statistics.median(map(len, doms))
    print(f"{len(bodies)} pages, median {nodes:.0f} nodes; ratios are medians (and of the sums)")
    for name, (parsing, laying_out) in [("first time", passes), ("again", np.array(repeated))]:
        print(
            f"{name:11} bytes to Dom {1000 * np.median(parsing):.3f} ms,"
            f" estimate {1000 * np.median(laying_out):.3f} ms,"
            f" {np.median(laying_out / parsing):.2f} x ({laying_out.sum() / parsing.sum():.2f} x)"
        )


def first_looks(bodies: list[bytes]) -> tuple[list[float], list[float]]:
    """Time parsing and layout of page after page, starting with empty caches."""
    for memo in (declarations, parse_color, attribute_style, parse_sheet):
        memo.cache_clear()
    parsing, laying_out = [], []
    for body in bodies:
        parsing.append(seconds(lambda b=body: parse_html(b)))
        dom = parse_html(body)
        laying_out.append(seconds(lambda d=dom: estimate(d)))
    return parsing, laying_out


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def median(call: Callable[[], object], repeats: int = 7) -> float:
    return statistics.median(seconds(call) for _ in range(repeats))


def rendered(path: Path, folder: Path) -> Rendered:
    snapshot = json.loads(path.read_text("utf-8"))
    root = folder / path.parent.name
    body = TRACES.sub(b"", (root / snapshot["rel"]).read_bytes())
    source = Source(path.stem, body, assets=FolderAssets(root), path=snapshot["rel"])
    dom = parse_html(body)
    columns = {name: np.array(snapshot[name]) for name in ("parent", "x", "y", "w", "h", "vis", "kind", "fs")}
    columns["fw"] = np.array([int(weight or 400) for weight in snapshot["fw"]])
    return Rendered(source, columns, align(dom, snapshot))


def align(dom: Dom, snapshot: dict[str, Any]) -> NDArray[np.int64]:
    """Match nodes from the root down: the children of a node are in order, some left out by the snapshot."""
    keys = [key(*row) for row in zip(*(snapshot[name] for name in ("tag", "id", "cls", "text")), strict=True)]
    ids, classes = dom.column("id"), dom.column("class")
    texts = [dom.text_of(i) if dom.tag[i] == 0 else "" for i in range(len(dom))]
    wanted = [key(dom.name(i), ids[i] or "", classes[i] or "", texts[i]) for i in range(len(dom))]
    found = np.full(len(keys), -1)
    found[0] = 0
    children: dict[int, Any] = {}
    for i in range(1, len(keys)):
        parent = found[snapshot["parent"][i]]
        if parent >= 0:
            rest = children.setdefault(int(parent), list(dom.children(int(parent))))
            place = next((k for k, child in enumerate(rest) if wanted[child] == keys[i]), None)
            if place is not None:
                found[i] = rest[place]
                del rest[: place + 1]
    return found


def key(tag: str, identity: str, classes: str, text: str) -> tuple[str, ...]:
    if tag == "#text":
        return tag, " ".join(text.split())[:60]
    left = [name for name in classes.split() if name not in ("highlight", "ui-resizable")]
    return tag, identity, *left


def document_order(dom: Dom) -> View:
    """Return the baseline: one line per node, as wide as its text."""
    view = estimate(dom)
    n = len(dom)
    length = dom.subtree_sum(np.where(dom.is_text, np.diff(dom.text_start), 0)) + 1
    never = [tag in ("head", "script", "style", "template", "noscript") for tag in dom.tags]
    hidden = np.array(never)[dom.tag]
    for i in range(1, n):
        hidden[i] |= hidden[dom.parent[i]]
    box = np.stack([np.zeros(n), np.arange(n), length, np.ones(n)], axis=1).astype(np.float32)
    weight = np.full(n, 400, np.int16)
    return replace(view, box=box, visible=~hidden, font_size=np.full(n, 16, np.float32), font_weight=weight)


def score(page: Rendered, view_of: Callable[[Rendered, Dom], View]) -> list[float]:
    dom = parse_html(page.source.body)
    view = view_of(page, dom)
    kind = leaf_kinds(Page("page", dom, view))
    given = (kind > 0) & (kind < 5)
    real, node = page.snapshot, page.node
    leaf = (node >= 0) & (real["kind"] > 0) & (real["kind"] < 5) & (real["vis"] == 1)
    true = np.zeros(len(dom), bool)
    true[node[leaf]] = True
    both = leaf & given[np.maximum(node, 0)]
    box = view.box[node[both]]
    x, y, w, h = (real[name][both] for name in "xywh")
    inner = (node >= 0) & (real["kind"] == 0) & (real["vis"] == 1) & (real["w"] * real["h"] > 0)
    inner_box = view.box[node[inner]]
    same = on_line(y, h) == on_line(box[:, 1], box[:, 3])
    return [
        (given & true).sum() / max(given.sum(), 1),
        (given & true).sum() / max(true.sum(), 1),
        rank(y + h / 2, box[:, 1] + box[:, 3] / 2),
        rank(x + w / 2, box[:, 0] + box[:, 2] / 2),
        rank(real["fs"][both], view.font_size[node[both]]),
        rank(w * h, box[:, 2] * box[:, 3]),
        rank((real["w"] * real["h"])[inner], inner_box[:, 2] * inner_box[:, 3]),
        float(np.mean(same)) if len(same) else np.nan,
        float(np.mean((real["fw"][both] >= 600) == (view.font_weight[node[both]] >= 600))),
    ]


def on_line(y: NDArray[np.floating], h: NDArray[np.floating]) -> NDArray[np.bool_]:
    overlap = np.minimum(y[1:] + h[1:], y[:-1] + h[:-1]) - np.maximum(y[1:], y[:-1])
    return overlap > 0.3 * np.minimum(h[1:], h[:-1])


def rank(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """Rank correlation; NaN where one side is constant."""
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return np.nan
    return float(spearmanr(a, b)[0])


if __name__ == "__main__":
    main()
