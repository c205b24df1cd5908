"""Draw the screenshots of the tutorial from the sample site; extras ``render``, ``store``.

``report.png``: the page types of an audit; ``report-summary.png``: the top of its report; ``segments.png``: a
page with its segments.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

from webgrain.rendering.chromium import find_browser

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SIZE = {"width": 1180, "height": 780}


def main() -> None:
    """Audit and segment the sample site, open the results in Chromium, and take screenshots."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        webgrain(
            "audit", "site", "--queries", "queries.tsv", "--render", "chromium", "-o", str(folder / "audit")
        )
        page = "site/en/harbour/the-boat-that-came-back.html"
        rendered = ("--root", "site", "--render", "chromium", "--overlay")
        webgrain("segment", page, *rendered, "-o", str(folder / "blocks"))
        save(screenshot(folder / "audit" / "report.html", "#types"), "report")
        save(screenshot(folder / "audit" / "report.html", "body"), "report-summary")
        [overlay] = (folder / "blocks" / "overlays").iterdir()
        save(overlay.read_bytes(), "segments")


def webgrain(*arguments: str) -> None:
    """Run a command in the folder of the examples."""
    subprocess.run([sys.executable, "-m", "webgrain", *arguments], cwd=EXAMPLES, check=True)


def save(picture: bytes, name: str) -> None:
    """Write a picture with few colours, at most as large as the window."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.crop((0, 0, min(image.width, SIZE["width"]), min(image.height, SIZE["height"])))
    image.quantize(128).save(HERE / f"{name}.png", optimize=True)


def screenshot(report: Path, selector: str) -> bytes:
    """Return a picture of the window, scrolled to an element."""
    switches = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=switches)
        page = browser.new_page(viewport=SIZE)
        page.goto(report.as_uri())
        page.locator(selector).evaluate("element => element.scrollIntoView()")
        page.wait_for_timeout(1000)  # pictures load when they become visible
        picture: bytes = page.screenshot()
        browser.close()
    return picture


if __name__ == "__main__":
    main()
