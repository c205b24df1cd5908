"""The report of a site: seconds to write it, and until a browser has loaded and drawn it, as medians.

The pages are made up, with texts as long as the report shows, 20 types of 5 pages each with a screenshot of
5 000 px. "Filtered" is the time from the last key of a search until the list shows what was found.
"""

from __future__ import annotations

import io
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright

from webgrain.rendering.chromium import find_browser
from webgrain.report.site import (
    DuplicateRow,
    PageRow,
    SamplePage,
    SiteReport,
    TypeCard,
    write_site_report,
)

SIZES = (50, 500, 5_000, 20_000)
TYPES, SAMPLES, SEGMENTS, RUNS = 20, 5, 30, 5
WORDS = [
    "harbour",
    "keeper",
    "lantern",
    "ferry",
    "market",
    "bread",
    "mole",
    "tide",
    "rope",
    "tea",
    "salt",
    "chart",
]

LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
FILTERED = """async () => {
  const words = document.querySelector("#words"), count = document.querySelector("#page-count");
  const start = performance.now();
  words.value = "number 42";
  words.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((done) => new MutationObserver(done).observe(count, { childList: true }));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"


def main() -> None:
    print(f"{TYPES} types, {TYPES * SAMPLES} screenshots; medians of {RUNS}")
    print(f"{'pages':>7} {'MB':>6} {'write s':>8} {'loaded s':>9} {'drawn s':>8} {'filtered s':>11}")
    picture = screenshot(random.Random(0))
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        for n in SIZES:
            path = Path(folder) / f"{n}.html"
            start = time.perf_counter()
            write_site_report(path, report(n, picture))
            wrote = time.perf_counter() - start
            times = [load(browser, path) for _ in range(RUNS)]
            loaded, drawn, filtered = (statistics.median(each) / 1000 for each in zip(*times, strict=True))
            size = path.stat().st_size / 1e6
            print(f"{n:7,} {size:6.1f} {wrote:8.2f} {loaded:9.2f} {drawn:8.2f} {filtered:11.2f}")
        browser.close()


def load(browser: Any, path: Path) -> tuple[float, float, float]:
    """Return milliseconds until a new tab has loaded the file, has drawn it, and for one search."""
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.goto(path.as_uri(), wait_until="load")
    drawn = tab.evaluate(DRAWN)
    found = tab.evaluate(LOADED), drawn, tab.evaluate(FILTERED)
    tab.context.close()
    return found


def report(n: int, picture: bytes) -> SiteReport:
    chance = random.Random(n)
    pages = (row(k, chance) for k in range(n))
    pairs = [
        DuplicateRow(f"news/{k}.html", f"news/{k + 1}.html", "identical", 1.0, k) for k in range(n // 10)
    ]
    return SiteReport(
        "example.org", f"{n} pages", pages, [card(k, n, picture, chance) for k in range(TYPES)], pairs,
    )  # fmt: skip


def row(k: int, chance: random.Random) -> PageRow:
    return PageRow(
        f"news/{k}.html",
        f"https://example.org/news/{k}.html",
        f"type-{k % TYPES}",
        "article",
        f"Headline number {k}: {words(8, chance)}",
        words(60, chance),
        chance.random(),
        chance.random(),
        k % 50 > 0,
        chance.random(),
        k // 10 if k % 10 < 2 else None,
        1000,
    )


def card(k: int, n: int, picture: bytes, chance: random.Random) -> TypeCard:
    samples = [
        SamplePage({"id": f"news/{k + TYPES * j}.html", "url": None, "more": 0} | segments(chance), picture)
        for j in range(SAMPLES)
    ]
    return TypeCard(f"type-{k}", n // TYPES, 1 / TYPES, "main > article", samples=tuple(samples))


def segments(chance: random.Random) -> dict[str, Any]:
    """Return the size and the segments of a sample."""
    path = ["/html[1]/body[1]/div[2]/main[1]/article[1]/p[3]"]
    rest = {"css": path, "xpath": path, "more": 0, "role": None, "importance": 0.9, "confidence": None}
    found = [
        {"boxes": [[100.0, 160.0 * k, 900.0, 150.0]], "text": words(40, chance), "tone": 0, **rest}
        for k in range(SEGMENTS)
    ]
    return {"width": 1280, "height": 5000, "segments": found}


def words(n: int, chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=n))


def screenshot(chance: random.Random) -> bytes:
    """Return a page full of lines of text."""
    image = Image.new("RGB", (1280, 5000), "white")
    pen = ImageDraw.Draw(image)
    for y in range(20, 4980, 22):
        pen.text((100, y), words(20, chance), fill="black")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


if __name__ == "__main__":
    main()
