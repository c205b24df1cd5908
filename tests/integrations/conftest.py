"""A small site, and the model of it."""

from __future__ import annotations

import pytest

from webgrain.page.page import Source
from webgrain.site.learning import learn_site

MENU = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"
THINGS = ("boat", "harbour", "river", "garden", "kitchen", "market", "school", "bridge", "winter", "story")
TEXT = "".join(
    f"<p>Some words about {{0}} and the {one}, and then some more. " + f"The {one} of {{0}} is old. " * 4
    for one in THINGS
)
PAGE = f"<title>Number {{0}} - Example</title>{MENU}<h1>Number {{0}}</h1>{TEXT}"
"""The HTML of all its pages, to be formatted with a name."""


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Path of the model of the site."""
    site = [Source(f"{name}.html", PAGE.format(name).encode()) for name in "abcdefgh"]
    path = tmp_path_factory.mktemp("model") / "site-model.json"
    learn_site(lambda: site, "example.org").save(path)
    return str(path)
