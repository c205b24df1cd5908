"""Requests of hostile pages are refused."""

from __future__ import annotations

import os
import pickle
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.io import folderfiles, local
from webgrain.io.local import FolderAssets, ZipAssets, stored_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webgrain.page.page import Assets

FILES = {
    "css/main.css": "main",
    "css/a b.css": "space",
    "css/style.css?v=3": "query",
    "css/font.css?v=4.css": "query and ending",
    "page?id=1.html": "frame",
    "about/index.html": "about",
    "100%25.css": "percent",
    "ü.css": "umlaut",
}


@pytest.fixture(params=["folder", "zip"])
def assets(request: pytest.FixtureRequest, tmp_path: Path, make_zip: Callable[..., Path]) -> Assets:
    if request.param == "zip":
        return ZipAssets(make_zip(FILES))
    for name, content in FILES.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return FolderAssets(tmp_path / "site")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("css/main.css", "main"),
        ("css/main.css?v=9", "main"),
        ("css/a%20b.css", "space"),
        ("css/a b.css", "space"),
        ("css/style.css?v=3", "query"),
        ("css/style.css%3Fv=3", "query"),
        ("css/font.css?v=4", "query and ending"),
        ("page?id=1", "frame"),
        ("about/", "about"),
        ("about", "about"),
        ("100%25.css", "percent"),
        ("%C3%BC.css", "umlaut"),
    ],
)
def test_files_are_found_as_mirrors_store_them(assets: Assets, path: str, content: str) -> None:
    assert assets.read(path) == content.encode()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "missing.css",
        "css",
        "css/",
        "../secret.css",
        "css/../../secret.css",
        "css/../css/main.css",
        "%2e%2e/secret.css",
        "..%2fsecret.css",
        "%2e%2e%2fsecret.css",
        "..%5csecret.css",
        "..\\secret.css",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "C:/secret.css",
        "css/main.css\0",
        "css/main.css%00.png",
        "file:///etc/passwd",
        "a" * 5000,
        "\ud800",
    ],
)
def test_tricks_get_nothing(assets: Assets, path: str, tmp_path: Path) -> None:
    (tmp_path / "secret.css").write_text("secret")
    assert assets.read(path) is None


def test_assets_go_to_another_process(assets: Assets) -> None:
    assert assets.read("css/main.css") == b"main"
    copy: Assets = pickle.loads(pickle.dumps(assets))
    assert copy.read("css/main.css") == b"main"


def test_links_outside_pipes_and_large_files_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "MAX_ASSET", 100)
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "secret.css").write_text("secret")
    (site / "leak.css").symlink_to("../secret.css")
    (site / "folder").symlink_to("..")
    (site / "loop").symlink_to("loop")
    (site / "device").symlink_to("/dev/zero")
    (site / "large").write_bytes(bytes(101))
    (site / "fits").write_bytes(bytes(100))
    (site / "inside").symlink_to("fits")
    os.mkfifo(site / "pipe")
    assets = FolderAssets(site)
    for path in ("leak.css", "folder/secret.css", "loop", "device", "large", "pipe"):
        assert assets.read(path) is None, path
    assert assets.read("fits") == assets.read("inside") == bytes(100)


def test_a_folder_that_is_itself_a_link_is_a_root(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.css").write_text("a")
    (tmp_path / "link").symlink_to("real")
    assert FolderAssets(tmp_path / "link").read("a.css") == b"a"


def test_large_encrypted_or_misdeclared_members_are_not_read(
    make_zip: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "MAX_ASSET", 100)
    path = make_zip({"large": bytes(101), "fits": bytes(100), "lies": bytes(1000), "locked": "secret"})
    data = bytearray(path.read_bytes().replace((1000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
    entry = [k for k in range(len(data)) if data[k : k + 4] == b"PK\x01\x02"][3]
    data[entry + 8] |= 1
    path.write_bytes(data)
    assets = ZipAssets(path)
    assert assets.read("fits") == bytes(100)
    for name in ("large", "lies", "locked"):
        assert assets.read(name) is None, name


def test_no_archive_no_assets(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"no archive")
    assert ZipAssets(tmp_path / "a.zip").read("a.css") is None
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.css", "a")
    assert ZipAssets(tmp_path / "b.zip").read("a.css") is None


def test_whether_a_file_exists_is_known_without_reading_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "sub").mkdir(parents=True)
    (site / "sub" / "a b.html").write_bytes(b"a")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "c.css").write_bytes(b"c")
    (site / "out").symlink_to(tmp_path / "secret")
    (site / "out.css").symlink_to(tmp_path / "secret" / "c.css")
    (site / "in.html").symlink_to(site / "sub" / "a b.html")
    (site / "loop").symlink_to(site / "loop")
    assets = FolderAssets(site)
    exist = ["sub/a%20b.html", "sub/a b", "sub/a%20b.html?x=1", "in.html", "in"]
    missing = [
        "sub",
        "sub/b",
        "out/c.css",
        "out.css",
        "loop",
        "../secret/c.css",
        "/etc/passwd",
        "a\0b",
        "x/y/z",
    ]
    assert [path for path in [*exist, *missing] if assets.exists(path)] == exist
    assert FolderAssets(tmp_path / "nowhere").exists("a") is False


TREE = ("a", "a.css", "b/index.html", "b/.html", "c.html", "d/e f.png", "d/g%20h", ".css", "i/j/k.html")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in TREE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "linked").symlink_to("b")
    (tmp_path / "page.html").symlink_to("c.html")
    return tmp_path


def test_listed_folders_have_the_files_that_a_look_up_finds(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        name[:size] for name in (*TREE, "linked/index.html", "page.html") for size in range(len(name) + 1)
    }
    paths = sorted(
        names | {f"{name}/" for name in names} | {f"b/./{name}" for name in names} | {"b/.", "i//j/k"}
    )
    with_queries = [f"{path}{query}" for path in paths for query in ("", "?q=1", "%20")]

    def is_file(name: str) -> bool:
        return os.path.isfile(f"{tree}/{name}")

    listed = FolderAssets(tree)
    exist = [path for path in with_queries if listed.exists(path)]
    looked_up = [path for path in with_queries if any(map(is_file, stored_names(path)))]
    assert exist == looked_up
    monkeypatch.setattr(folderfiles, "MAX_LISTED", 1)  # large folders are not listed, and lists are forgotten
    unlisted = FolderAssets(tree)
    assert [path for path in with_queries if unlisted.exists(path)] == exist


def test_a_folder_is_listed_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    scan = os.scandir

    def scandir(path: str) -> Any:
        listed.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assets = FolderAssets(tree)
    assert not any(assets.exists(f"d/{number}.png") for number in range(100))
    assert len(listed) <= 2


def test_folders_that_do_not_exist_are_forgotten(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folderfiles, "MAX_LISTED", 50)
    files = folderfiles.FolderFiles(tree)
    assert not any(files.has(f"x{k}/y{k}/z.png") for k in range(500))
    assert len(files._listings) <= 52
