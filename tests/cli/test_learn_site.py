"""``webgrain learn site``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webgrain.site.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Webgrain

PAGE = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>" + "Some words on {0}. " * 9


def write(folder: Path, letters: str) -> Path:
    folder.mkdir()
    for letter in letters:
        (folder / f"{letter}.html").write_text(PAGE.format(letter), encoding="utf-8")
    return folder


@pytest.fixture
def model(webgrain: Webgrain, tmp_path: Path) -> Path:
    path = tmp_path / "site.json"
    done = webgrain("learn", "site", write(tmp_path / "old", "abcdefgh"), "-o", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == "8 pages of 1 type."
    return path


def test_a_learnt_site_is_the_one_of_the_library(model: Path, tmp_path: Path) -> None:
    learnt = Site.load(model)
    site = Site.fit(tmp_path / "old")
    assert learnt.model.site == site.model.site == "old"
    assert [(type_.label, type_.name, type_.size) for type_ in learnt.types] == [
        (type_.label, type_.name, type_.size) for type_ in site.types
    ]


def test_new_pages_are_added_to_a_model(webgrain: Webgrain, model: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new", "qrstuvwxyz")
    done = webgrain("learn", "site", new, "--update", model, "-o", model, "--check")
    assert done.code == 0
    first, of_type = done.out.splitlines()
    assert (first, of_type.split()[0]) == ("10 pages added.", "10")
    before, after = Site.fit(tmp_path / "old"), Site.load(model)
    assert [type_.label for type_ in after.types] == [type_.label for type_ in before.types]
    assert len(after.model.texts) == 18


def test_an_alarm_is_printed_and_ends_with_code_1_if_that_is_asked_for(
    webgrain: Webgrain, model: Path, tmp_path: Path
) -> None:
    new = write(tmp_path / "new", "qrstuvwxyz")
    for path in new.iterdir():
        path.write_text(path.read_text().replace("<ul><li>Home<li>News</ul>", "<form><input></form>"))
    target = tmp_path / "new.json"
    command = ("learn", "site", new, "--update", model, "-o", target)
    done = webgrain(*command)
    assert done.code == 0
    assert "\nalarm: Pages in / “Page …”  [page]\n" in done.out
    assert "html > body > ul" in done.out.partition("alarm: ")[2]
    target.unlink()
    assert webgrain(*command, "--check").code == 1
    assert len(Site.load(target).model.texts) == 18


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--check"], "--check needs --update MODEL"),
        (["--update", "{model}", "--sample", "9"], "--sample and --seed do not apply"),
        (["--update", "missing.json"], "missing.json"),
    ],
)
def test_mistakes_are_one_sentence(
    webgrain: Webgrain, model: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    given = [option.format(model=model) for option in options]
    done = webgrain("learn", "site", tmp_path / "old", "-o", tmp_path / "other.json", *given)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "other.json").exists()
