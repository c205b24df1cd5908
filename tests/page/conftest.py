"""A Chromium that shows a page given as markup."""

from __future__ import annotations

import re
import tarfile

import pytest

from webgrain.page.parsing import decode, find_charset

ADDRESS = "http://page.invalid/"
POLICY = "script-src 'none'; frame-src 'none'; img-src 'none'; style-src 'none'"


class Chromium:
    """One tab that is given its pages from here and reaches nothing else."""

    def __init__(self, tab):
        self.tab, self.body = tab, b""
        tab.route("**/*", self.answer)

    def answer(self, route):
        if route.request.url != ADDRESS:
            return route.abort()
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY}
        return route.fulfill(body=self.body, headers=headers)

    def evaluate(self, html, script, argument=None):
        """Show a page and return the result of a script."""
        self.body = html.encode("utf-8", "replace")
        self.tab.goto(ADDRESS, wait_until="domcontentloaded")
        return self.tab.evaluate(script, argument)


@pytest.fixture(scope="session")
def chromium(driven_browser) -> Chromium:
    """A Chromium to compare with."""
    return Chromium(driven_browser.new_page())


SAMPLES = [pytest.param(10, id="sample"), pytest.param(80, id="all", marks=pytest.mark.full)]


@pytest.fixture(scope="session", params=SAMPLES)
def real_pages(request, data_dir) -> dict[str, str]:
    """Front pages of real sites, by name, decoded and without redirects."""
    archive = data_dir / "segmentation" / "pages.tar.xz"
    if not archive.is_file():
        pytest.skip(f"no development data: the file {archive} does not exist")
    pages = {}
    with tarfile.open(archive, "r|xz") as members:
        for member in members:
            if len(pages) == request.param:
                break
            if member.name.endswith("index.blocks.html"):
                body = members.extractfile(member).read()
                html = decode(body, find_charset(body))[0]
                pages[member.name] = re.sub(r"(?i)http-equiv=.?refresh", "data-was=refresh", html)
    return pages
