from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from tests.site.sites import shop
from tests.site.test_model import post

from webgrain.cli import progress
from webgrain.crawler.spider import probe_address
from webgrain.io.read import read
from webgrain.io.store import open_store
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site.learning import learn_site
from webgrain.site.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Webgrain = Callable[..., Any]

PAGES = 30


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of a shop."""
    folder = tmp_path_factory.mktemp("shop")
    for source in shop(PAGES):
        (folder / source.id).write_bytes(source.body)
    return folder


def rows(folder: Path) -> list[dict[str, Any]]:
    return list(read_rows(folder / "pages.parquet"))


@pytest.mark.usefixtures("forked")
def test_an_audit_is_one_command(
    webgrain: Webgrain, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", inf)  # a slow machine prints no progress either
    done = webgrain("audit", pages, "-o", tmp_path / "out", "--examples", 1, "--workers", 2, "--sample", 20)
    assert (done.code, done.err) == (0, "")
    result = done.out
    assert f"{PAGES} pages of " in result
    assert "learnt from 20 pages" in result
    assert f"report: {tmp_path / 'out' / 'report.html'}" in done.out
    model = tmp_path / "out" / "site-model.json"
    done = webgrain("extract", "--model", model, pages / "page-7.html", "--format", "jsonl")
    [record] = done.records
    [row] = (row for row in rows(tmp_path / "out") if row["page"] == "page-7.html")
    assert all(record[name] == row[name] for name in ("type_name", "type", "title", "text"))
    assert f"{row['type_name']}  [{row['type']}]" in result
    assert {"template_match", "fits", "boilerplate_share", "lists", "verdict", "content"} <= set(record)


@pytest.mark.usefixtures("here")
@pytest.mark.usefixtures("forked")
def test_an_audit_of_a_selection(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    call = ("audit", pages, "-o", tmp_path / "out", "--examples", 0, "--workers", 1, "--skip", "page-1")
    done = webgrain(*call)
    assert done.code == 0
    names = {row["page"] for row in rows(tmp_path / "out")}
    assert names == {path.name for path in pages.iterdir() if not path.name.startswith("page-1")}
    wrong = webgrain(*call, "--only", "page")
    assert (wrong.code, "contains a different audit (input was" in wrong.err) == (2, True)


def test_pages_that_cannot_be_read_are_no_site(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_bytes(b"%PDF-1.4")
    done = webgrain("audit", tmp_path / "site", "-o", tmp_path / "out")
    why = tmp_path / "out" / "failures.jsonl"
    assert (done.code, done.out) == (2, "")
    assert done.err == f"webgrain: No page could be read, so there is nothing to audit: see {why}.\n"
    assert "a.html is not HTML" in why.read_text("utf-8")
    (tmp_path / "site" / "b.html").write_bytes(b"<p>One page")
    done = webgrain("audit", tmp_path / "site", "-o", tmp_path / "out")
    assert (done.code, "1 page of" in done.out) == (0, True)
    assert "learnt from few pages (1 of 1 pages)" in done.err


@pytest.mark.usefixtures("here")
def test_an_audit_that_learnt_nothing_fails(
    webgrain: Webgrain, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webgrain.site.thresholds.LEARNT_NODES", (1,))
    page = pages / "page-7.html"
    done = webgrain("audit", page, "-o", tmp_path / "out", "--examples", 0)
    assert done.code == 1
    assert "Nothing could be learnt of the site" in done.err


@pytest.mark.full
def test_a_killed_audit_resumes(pages: Path, tmp_path: Path) -> None:
    out, command = tmp_path / "out", [sys.executable, "-m", "webgrain", "audit", str(pages)]
    command += ["-o", str(out), "--examples", "1", "--sample", "20", "--workers", "1"]
    for stage in ("site-model.json", "parts/000000000.arrow", "duplicates.db"):
        wanted = f"work/sites/_/{stage}"
        with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as process:
            while not (out / wanted).exists() and process.poll() is None:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
    result = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"{PAGES} pages of " in result
    assert sorted(row["page"] for row in rows(out)) == sorted(path.name for path in pages.iterdir())


@pytest.mark.usefixtures("here")
def test_archives_stores_and_lists(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    some = sorted(pages.iterdir())[:12]
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for path in some:
            archive.write(path, path.name)
    with open_store(tmp_path / "site.parquet") as store:
        for page in read(some):
            assert isinstance(page, Source)
            store.write(parse(page))
    for name in ("site.zip", "site.parquet"):
        out = tmp_path / f"out-{name}"
        done = webgrain("audit", tmp_path / name, "-o", out, "--examples", 1)
        assert done.code == 0, done.err
        assert len(rows(out)) == len(some)


@pytest.mark.usefixtures("here")
def test_a_folder_of_archives_is_audited_host_by_host(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    for host in ("a.org", "b.org"):
        records = [_record(f"http://{host}/{source.id}", source.body) for source in shop(6)]
        (tmp_path / "crawl" / f"{host}.warc").write_bytes(b"".join(records))
    done = webgrain("audit", tmp_path / "crawl", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert [line.split(":")[0] for line in done.out.splitlines() if " pages of " in line] == [
        "a.org",
        "b.org",
    ]
    assert len(rows(tmp_path / "out" / "a.org")) == 6


@pytest.mark.usefixtures("here")
def test_answers_in_an_archive_are_those_of_links_from_other_hosts(
    webgrain: Webgrain, tmp_path: Path
) -> None:
    link = b"<a href=http://b.org/gone>Link</a>"
    records = [
        _record(f"http://{host}/{source.id}", source.body + link)
        for host in ("a.org", "b.org")
        for source in shop(6)
    ]
    (tmp_path / "crawl.warc").write_bytes(b"".join([*records, _record("http://b.org/gone", b"", "404 No")]))
    done = webgrain("audit", tmp_path / "crawl.warc", "-o", tmp_path / "out", "--external", 1)
    assert done.code == 0, done.err
    for host in ("a.org", "b.org"):
        text = (tmp_path / "out" / host / "findings" / "broken-links.csv").read_text("utf-8")
        assert "http://b.org/gone (“Link”): The server answered 404." in text


def _record(url: str, body: bytes, status: str = "200 OK") -> bytes:
    """Return the record of a response in a web archive."""
    answer = f"HTTP/1.1 {status}\r\n".encode() + b"Content-Type: text/html\r\n\r\n" + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(answer)}\r\n"
    return head.encode() + b"Content-Type: application/http; msgtype=response\r\n\r\n" + answer + b"\r\n\r\n"


@pytest.mark.usefixtures("forked", "here")
def test_an_address_is_crawled_and_its_answers_are_findings(webgrain: Webgrain, tmp_path: Path) -> None:
    links = b"".join(b"<a href=/%s>%s</a>" % (name, name) for name in (b"a", b"gone", b"secret", b"moved"))
    links += b"<img src=/page.png alt=x><script src=/typed.js></script><embed src=/embedded>"
    links += b"<img src=/a.png alt=x><img src=/lost.png alt=x><script src=/secret/a.js></script>"
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            sent = ["/", "/a", "/a.png", "/robots.txt", "/page.png", "/typed.js", "/embedded"]
            status = dict.fromkeys(sent, 200) | {"/moved": 301}
            self.send_response(status.get(self.path, 404))
            robots = self.path == "/robots.txt"
            self.send_header("Content-Type", "text/plain" if robots else "text/html")
            self.send_header("Location", "/a")
            self.end_headers()
            answers = {
                "/robots.txt": b"User-agent: *\nDisallow: /secret",
                "/a.png": b"\x89PNG\r\n\x1a\n\0",
                "/typed.js": b"let name = 1",
            }
            page = b"<!doctype html><h1>Page</h1><p>Some text." + links
            self.wfile.write(answers.get(self.path, page))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        address = f"http://127.0.0.1:{http.server_port}/"
        arguments = ("audit", address, "-o", tmp_path / "out", "--delay", 0)
        assert webgrain(*arguments, "--allow-private").code == 0
        http.shutdown()
    assert (
        Counter(asked)
        == {
            **dict.fromkeys(["/", "/a", "/gone", "/moved", "/a.png", "/lost.png"], 1),
            **dict.fromkeys(["/page.png", "/typed.js", "/embedded"], 1),
            "/robots.txt": 2,  # before the pages, and before the files
            probe_address(address).removeprefix(address[:-1]): 1,
        }
    )
    images = csv.DictReader((tmp_path / "out" / "findings" / "broken-images.csv").read_text().splitlines())
    assert {row["detail"].removeprefix(address) for row in images} == {
        "lost.png (img src): The server answered 404 Not Found.",
        "page.png (img src): The server sends a page instead of the file.",
    }
    assert not (tmp_path / "out" / "findings" / "broken-files.csv").exists()
    assert [row["page"] for row in rows(tmp_path / "out")] == [address, address + "a"]
    outcomes = {
        (link["target"].removeprefix(address), link["outcome"])
        for link in read_rows(tmp_path / "out" / "links.parquet")
        if link["use"] == "link"
    }
    assert outcomes == {("a", "page"), ("gone", "broken"), ("secret", "unknown"), ("moved", "redirect")}
    failures = [json.loads(line) for line in (tmp_path / "out" / "failures.jsonl").read_text().splitlines()]
    assert {(failure["page"].removeprefix(address), failure["error"]) for failure in failures} == {
        ("gone", "The server answered 404."),
        ("secret", "The host's robots.txt does not allow it."),
    }
    excluded = (tmp_path / "out" / "findings" / "excluded-addresses.csv").read_text()
    assert 'secret","The host\'s robots.txt does not allow it.",' in excluded
    findings = {path.stem for path in (tmp_path / "out" / "findings").iterdir()}
    assert {"broken-links", "redirected-links", "excluded-addresses"} <= findings
    assert "failed-pages" not in findings  # a broken link is not a second fault
    assert webgrain(*arguments).code == 0  # nothing is asked for again
    done = webgrain("audit", address, "-o", tmp_path / "no", "--delay", 0, "--allow-private")
    assert done.code == 2
    assert done.err.splitlines()[0].endswith("The server cannot be reached.")


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (["-"], "stdin holds only one page"),
        (["missing"], "does not exist"),
        ([".", "-o", "./out"], "must not be inside the input"),
        (["tests", "--queries", "missing.csv"], "missing.csv"),
    ],
)
def test_wrong_arguments_give_one_sentence(
    webgrain: Webgrain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], result: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    done = webgrain("audit", *arguments, *([] if "-o" in arguments else ["-o", tmp_path / "out"]))
    assert done.code == 2
    assert result in done.err
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("here")
def test_findings_of_a_level_end_the_command_with_code_1(webgrain: Webgrain, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    links = "".join(f"<li><a href={number}.html>Page {number}</a>" for number in range(12))
    for number in range(12):
        html = f"<title>Page {number}</title><ul>{links}</ul><h1>Page {number}</h1><p>Some text."
        (site / f"{number}.html").write_text(html)
    fast = ("--examples", 0)
    (site / "first.html").write_bytes(b"<title>First</title><h1>First</h1><a href=gone.html>Link</a>")
    done = webgrain("audit", site, "-o", tmp_path / "one", *fast, "--fail-on", "error")
    assert (done.code, "error: Broken links: 1 row" in done.err) == (1, True)
    assert "warning" not in done.err
    done = webgrain(
        "audit", site, "-o", tmp_path / "same", *fast, "--since", tmp_path / "one", "--fail-on", "error"
    )
    assert (done.code, done.err) == (0, "")
    (site / "second.html").write_bytes(b"<title>Second</title><h1>Second</h1><a href=lost.html>Link</a>")
    done = webgrain(
        "audit", site, "-o", tmp_path / "two", *fast, "--since", tmp_path / "one", "--fail-on", "error"
    )
    assert (done.code, "error: Broken links: 1 new row" in done.err) == (1, True)


@pytest.mark.full
@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_a_cluster_finds_the_same(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    for source in shop(140):
        (tmp_path / "shop" / source.id).write_bytes(source.body)
    for engine in ("local", "ray"):
        arguments = (
            "-o",
            tmp_path / engine,
            "--engine",
            engine,
            "--workers",
            2,
            "--examples",
            1,
            "--sample",
            50,
        )
        done = webgrain("audit", tmp_path / "shop", *arguments)
        assert done.code == 0, done.err
    assert rows(tmp_path / "ray") == rows(tmp_path / "local")
    models = [(tmp_path / engine / "site-model.json").read_bytes() for engine in ("local", "ray")]
    assert models[0] == models[1]


def test_changed_types_are_listed_by_name(
    webgrain: Webgrain, model: tuple[Path, str], tmp_path: Path
) -> None:
    path, label = model
    (tmp_path / "new").mkdir()
    for number in range(20, 40):
        gone = post(number).body.replace(b"<p class=byline>", b"<form class=find><input></form><p>")
        (tmp_path / "new" / f"{number}.html").write_bytes(gone)
    done = webgrain("extract", "--model", path, tmp_path / "new", "-o", tmp_path / "texts")
    lost = "html > body.article > div > p.byline has"
    changed = rf"webgrain: type Articles in / \[{label}\] has changed \(\d+ pages\): {lost}"
    assert re.search(changed, done.err)
    [drift] = map(json.loads, (tmp_path / "texts" / "drift.jsonl").read_text().splitlines())
    assert (drift["type_name"], drift["type"], drift["level"]) == ("Articles in /", label, "alarm")
    one = webgrain("extract", "--model", path, tmp_path / "new" / "20.html", "-o", tmp_path / "one")
    assert "has changed" not in one.err  # a page has few facts about its type
    assert json.loads((tmp_path / "one" / "drift.jsonl").read_text())["level"] == "none"


@pytest.fixture
def model(tmp_path: Path) -> tuple[Path, str]:
    """A model of a site of articles, and the label of its type."""
    learnt = learn_site(lambda: [post(number) for number in range(12)], "example.org")
    learnt.save(tmp_path / "model.json")
    [label] = learnt.templates
    return tmp_path / "model.json", label


_NO_SERVER = "http://127.0.0.1:1/page"


@pytest.mark.usefixtures("forked", "here")
def test_without_a_network_no_links_to_other_sites_are_reported(webgrain: Webgrain, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for number in range(4):
        text = f"<title>{number}</title><h1>Page</h1><a href={_NO_SERVER}>Link</a><p>Some text."
        (site / f"{number}.html").write_text(text)
    arguments = ("audit", site, "--examples", 0, "--delay", 0, "--allow-private", "--external", 12)
    done = webgrain(*arguments, "-o", tmp_path / "out")
    assert (done.code, "No server can be reached" in done.err) == (0, True)
    assert not (tmp_path / "out" / "findings" / "broken-links.csv").exists()


@pytest.mark.usefixtures("forked", "here")
def test_addresses_of_other_sites_are_requested_on_demand(webgrain: Webgrain, tmp_path: Path) -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status = {"/": 200, "/robots.txt": 200, "/moved": 301, "/closed": 403}.get(self.path, 404)
            self.send_response(status)
            robots = self.path == "/robots.txt"
            self.send_header("Content-Type", "text/plain" if robots else "text/html")
            self.send_header("Location", "/lost")
            self.end_headers()
            self.wfile.write(b"User-agent: *\nDisallow: /secret" if robots else b"<p>Some text.")

        def log_message(self, *_: object) -> None:
            pass

    site = tmp_path / "site"
    site.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        host = f"http://127.0.0.1:{http.server_port}"
        names = ("", "gone", "moved", "closed", "secret")
        addresses = [*(f"{host}/{name}" for name in names), f"{host}/gone?", f"{host}/%67one", _NO_SERVER]
        links = "".join(f"<a href={address}>Link</a>" for address in addresses)
        for number in range(4):
            (site / f"{number}.html").write_text(f"<title>{number}</title><h1>Page</h1>{links}<p>Some text.")
        arguments = ("audit", site, "--examples", 0, "--delay", 0, "--allow-private")
        assert webgrain(*arguments, "-o", tmp_path / "quiet").code == 0
        assert asked == []
        done = webgrain(*arguments, "-o", tmp_path / "out", "--external", 12)
        number_asked = len(asked)
        assert webgrain(*arguments, "-o", tmp_path / "out", "--external", 12).code == 0
        http.shutdown()
    assert (done.code, "answered" in done.err) == (0, False)
    asked_for_gone = {"/gone", "/%67one"}.intersection(asked)
    assert len(asked_for_gone) == 1  # two spellings of an address
    assert set(asked) - asked_for_gone == {"/robots.txt", "/", "/moved", "/lost", "/closed"}
    assert len(asked) == number_asked  # the same command asks for nothing again
    with (tmp_path / "out" / "findings" / "broken-links.csv").open(newline="", encoding="utf-8") as file:
        details = {row["detail"].removeprefix(host): row["pages"] for row in csv.DictReader(file)}
    reason = "The server answered 404 Not Found."
    broken = [f"{name} (“Link”): {reason}" for name in ("/gone", "/gone?", "/%67one", "/moved")]
    broken.append(f"{_NO_SERVER} (“Link”): The server cannot be reached.")
    assert details == dict.fromkeys(broken, "4")
    assert not (tmp_path / "out" / "work" / "external.warc.gz").exists()
