"""``webgrain data`` against a server on this machine."""

from __future__ import annotations

import hashlib
import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from experiments.datasets import build as building
from tests.experiments.test_build import PAGES, RECIPE, repository

from webgrain.evaluation import datakit, datasets
from webgrain.evaluation.datasets import data_folder

Webgrain = Callable[..., Any]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server of the folder ``served``."""
    (tmp_path / "served").mkdir()
    repository(tmp_path / "served" / "shop.tar.gz", PAGES)
    handler = partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as own:
        thread = threading.Thread(target=own.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{own.server_port}"
        own.shutdown()
        thread.join()


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a catalogue with one set, whose source is at an address."""
    recipe = tmp_path / "recipes" / "bench" / "shop.json"
    recipe.parent.mkdir(parents=True)
    recipe.write_text(json.dumps(RECIPE), encoding="utf-8")
    monkeypatch.setattr(building, "RECIPES", tmp_path / "recipes")
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path / "data"))

    def write(*sources: dict[str, str], **given: Any) -> Path:
        files = ["{name}.tar.xz", "{name}.types.tsv", "{name}.truth.jsonl.xz", "{name}.queries.tsv"]
        group = {
            "figures": "no figure",
            "files": files,
            "compared": ["{name}.tar.xz", "{name}.truth.jsonl.xz"],
        }
        one = {"name": "bench/shop", "about": "shop", "licence": "none", "sources": sources, **given}
        content = {"format": datakit.FORMAT, "groups": {"bench": group}, "sets": [one]}
        path = tmp_path / "catalogue.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def test_a_set_is_fetched_built_and_compared(
    tmp_path: Path, server: str, catalogue: Callable[..., Path], webgrain: Webgrain
) -> None:
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'webgrain[data]'")
    body = (tmp_path / "served" / "shop.tar.gz").read_bytes()
    source = {"url": f"{server}/shop.tar.gz", "revision": "1", "sha256": hashlib.sha256(body).hexdigest()}
    path = catalogue(source)
    assert webgrain("data", "list", "--catalogue", path).out.startswith("missing  bench/shop")
    assert webgrain("data", "fetch", "--catalogue", path).code == 0
    assert (tmp_path / "data" / "downloads" / "shop.tar.gz").read_bytes() == body
    assert webgrain("data", "list", "--catalogue", path).out.startswith("fetched  bench/shop")
    assert webgrain("data", "build", "--catalogue", path).code == 0
    listed = webgrain("data", "list", "bench/shop", "--catalogue", path)
    assert listed.out.splitlines()[0].startswith("built    bench/shop")
    assert listed.out.splitlines()[1] == "bench: no figure"
    assert listed.err.endswith("1 built\n")

    [one] = datakit.read_catalogue(path)[1]
    path = catalogue(source, sha256=one.contents(tmp_path / "data"))
    assert webgrain("data", "list", "--check", "--catalogue", path).code == 0
    path = catalogue(source, sha256="0" * 64)
    checked = webgrain("data", "list", "--check", "--catalogue", path)
    assert (checked.code, checked.out.split()[0]) == (1, "differs")
    done = webgrain("data", "build", "--catalogue", path)
    assert "1 of 1 data sets are built already" in done.err
    (tmp_path / "data" / "bench" / "shop.tar.xz").unlink()
    done = webgrain("data", "build", "--catalogue", path)
    assert done.code == 1
    assert "its contents differ from those behind the figures" in done.err


def test_a_mirror_is_used(
    tmp_path: Path, server: str, catalogue: Callable[..., Path], webgrain: Webgrain
) -> None:
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'webgrain[data]'")
    source = {"url": f"{server}/gone.tar.gz", "mirror": f"{server}/shop.tar.gz", "revision": "1"}
    assert webgrain("data", "fetch", "--catalogue", catalogue(source)).code == 0
    assert (tmp_path / "data" / "downloads" / "gone.tar.gz").is_file()


def test_a_changed_file_is_refused(server: str, catalogue: Callable[..., Path], webgrain: Webgrain) -> None:
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'webgrain[data]'")
    source = {"url": f"{server}/shop.tar.gz", "revision": "1", "sha256": "0" * 64}
    done = webgrain("data", "fetch", "--catalogue", catalogue(source))
    assert done.code == 2
    assert f"{server}/shop.tar.gz is not the expected file (SHA-256)" in done.err


def test_without_a_server_one_sentence_states_what_to_do(
    tmp_path: Path, catalogue: Callable[..., Path], webgrain: Webgrain
) -> None:
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'webgrain[data]'")
    source = {"url": "http://127.0.0.1:9/shop.tar.gz", "revision": "1"}
    done = webgrain("data", "fetch", "--catalogue", catalogue(source))
    place = tmp_path / "data" / "downloads" / "shop.tar.gz"
    assert done.code == 2
    assert done.err == (
        "webgrain: http://127.0.0.1:9/shop.tar.gz is out of reach: connect to the network, or save the file "
        f"as {place}.\n"
    )


def test_an_unreachable_source_does_not_end_a_download(
    tmp_path: Path, server: str, catalogue: Callable[..., Path], webgrain: Webgrain
) -> None:
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'webgrain[data]'")
    path = catalogue({"url": f"{server}/shop.tar.gz", "revision": "1"})
    content = json.loads(path.read_text())
    [shop] = content["sets"]
    gone = {**shop, "name": "bench/gone", "sources": [{"url": f"{server}/gone.tar.gz", "revision": "1"}]}
    content["sets"] = [shop, gone, {**shop, "name": "bench/again"}]
    path.write_text(json.dumps(content))
    done = webgrain("data", "fetch", "--catalogue", path)
    assert done.code == 1
    assert f"{server}/gone.tar.gz is out of reach" in done.err
    assert "bench/again: " in done.err
    assert webgrain("data", "fetch", "bench/gone", "--catalogue", path).code == 2


def test_a_saved_file_needs_no_network(
    tmp_path: Path, catalogue: Callable[..., Path], webgrain: Webgrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    path = catalogue({"url": "http://127.0.0.1:9/shop.tar.gz", "revision": "1"})
    done = webgrain("data", "fetch", "--catalogue", path)
    assert (done.code, "pip install 'webgrain[data]'" in done.err) == (2, True)
    done = webgrain("data", "build", "--catalogue", path)
    assert done.code == 2
    assert "needs http://127.0.0.1:9/shop.tar.gz: run webgrain data fetch bench/shop, or save" in done.err
    (tmp_path / "data" / "downloads").mkdir(parents=True)
    repository(tmp_path / "data" / "downloads" / "shop.tar.gz", PAGES)
    assert webgrain("data", "fetch", "--catalogue", path).code == 0
    assert webgrain("data", "build", "--catalogue", path).code == 0


def test_building_needs_a_checkout(
    tmp_path: Path, catalogue: Callable[..., Path], webgrain: Webgrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = catalogue({"url": "http://127.0.0.1:9/shop.tar.gz", "revision": "1"})
    (tmp_path / "data" / "downloads").mkdir(parents=True)
    repository(tmp_path / "data" / "downloads" / "shop.tar.gz", PAGES)
    monkeypatch.setattr(datasets.webgrain, "__file__", str(tmp_path / "a" / "b" / "c" / "__init__.py"))
    done = webgrain("data", "build", "--catalogue", path)
    assert (done.code, "needs a checkout of webgrain" in done.err) == (2, True)


def test_unknown_names_and_catalogues_give_one_sentence(tmp_path: Path, webgrain: Webgrain) -> None:
    done = webgrain("data", "list", "benches")
    assert (done.code, "There is no data set benches" in done.err) == (2, True)
    for text in ("", "[]", '{"format": "other"}', '{"format": "webgrain data catalogue 1", "groups": {}}'):
        (tmp_path / "c.json").write_text(text)
        done = webgrain("data", "list", "--catalogue", tmp_path / "c.json")
        assert (done.code, "is not a catalogue of data sets" in done.err) == (2, True)


def test_every_set_of_the_catalogue_has_sources_a_recipe_and_recorded_contents() -> None:
    _, sets = datakit.read_catalogue()
    recipes = Path(building.__file__).parent / "recipes"
    names = {path.relative_to(recipes).with_suffix("").as_posix() for path in recipes.rglob("*.json")}
    assert {one.name for one in sets} == names
    for one in sets:
        folders = json.loads((recipes / f"{one.name}.json").read_text(encoding="utf-8"))["folders"]
        assert len(folders) == len(one.sources) > 0
        assert len(one.sha256 or "") == 64
        assert all(source.url.startswith("https://") and source.revision for source in one.sources)
        assert all(source.sha256 for source in one.sources if source.url.endswith(".deb"))


def test_the_folder_of_the_cache_is_the_last_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.delenv("WEBGRAIN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folder() == tmp_path / "cache" / "webgrain" / "data"
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert data_folder().resolve() == tmp_path / "shared" / "data"
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path))
    assert data_folder() == tmp_path


@pytest.mark.data
@pytest.mark.full  # checks files that no change of the code changes
def test_the_development_data_are_as_recorded(data_dir: Path) -> None:
    _, sets = datakit.read_catalogue()
    for one in datakit.select(sets, ["news", "duplicates/grafted", "bench/voc", "pages-2"]):
        assert one.is_built(data_dir)
        assert one.contents(data_dir) == one.sha256
