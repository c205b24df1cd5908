"""Draw docs/figures/report.png: the report of an audit of the sample site; extras ``render``, ``store``."""

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
    """Audit the site, open the report, and take a picture of the first type."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "webgrain", "audit", "site", "--queries", "queries.tsv"]
        subprocess.run([*command, "--render", "chromium", "-o", folder], cwd=EXAMPLES, check=True)
        picture = shown(Path(folder) / "report.html")
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(128).save(HERE / "report.png", optimize=True)


def shown(report: Path) -> bytes:
    """Return a picture of the window with the report."""
    switches = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=switches)
        page = browser.new_page(viewport=SIZE)
        page.goto(report.as_uri())
        page.locator("#types").evaluate("section => section.scrollIntoView()")
        page.wait_for_timeout(1000)  # pictures are loaded when they come into view
        picture: bytes = page.screenshot()
        browser.close()
    return picture


if __name__ == "__main__":
    main()
