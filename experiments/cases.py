"""Small cases of kinds of faults: which of them webgrain gets right.

    WEBGRAIN_DATA=data python experiments/cases.py [--verbose] [NAME ...]

Runs the cases of the folder ``cases`` of the data, and the cases ``kinds/...`` whose pages are in
`experiments.case_inputs`. NAME is a name or the beginning of one, such as ``12-hidden``, ``pages/`` or
``kinds/sponsors``. Prints a line per case: ``right``, ``partly`` with the number of checks that hold, or
``wrong`` (no check holds, or an essential one does not), and what the first failed check reports.
``no checks`` marks a case of the data that `experiments.case_table` does not have.

Each command is a separate process that is stopped after `LIMIT` seconds. A hostile page has a budget of CPU:
see `experiments.case_checks.Cost`. The exit code is 1 if a case cannot be run.
"""

from __future__ import annotations

import argparse
import csv
import functools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import IO, Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.case_checks import Audit, Check, Cost, Run
from experiments.case_inputs import ANSWERS, KINDS, harmless_page, inputs_of, page, paragraph
from experiments.case_table import CASES
from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import data_folder

ROOT = Path(__file__).parents[1]

LIMIT = 120
"""Seconds after which a command is stopped."""

CPU_LIMIT = 10
"""Seconds of CPU after which a process of a hostile case is stopped."""

ATTEMPTS = 3
"""Measurements of the CPU of a command, at most."""

PAGE_LIMIT = 5
"""Seconds after which a hostile page is a failure (``--page-seconds``)."""


@dataclass(frozen=True)
class Verdict:
    """Result of a case: its checks, and what each of them reports ("" if it holds)."""

    checks: Sequence[Check]
    faults: Sequence[str]

    @property
    def name(self) -> str:
        """``right``, ``partly`` or ``wrong``.

        >>> check = Check("text", "pears", lambda text: "", essential=True)
        >>> Verdict([check, check], ["", ""]).name, Verdict([check, check], ["", "no pears"]).name
        ('right', 'wrong')
        """
        if not any(self.faults):
            return "right"
        essential = any(
            check.essential for check, fault in zip(self.checks, self.faults, strict=True) if fault
        )
        return "wrong" if essential or all(self.faults) else "partly"

    def line(self) -> str:
        """Return the verdict with the number of checks that hold and the first failed one."""
        failed = [fault for fault in self.faults if fault]
        if not failed:
            return self.name
        held = (
            f" ({len(self.faults) - len(failed)} of {len(self.faults)} checks)"
            if self.name == "partly"
            else ""
        )
        more = f"; and {len(failed) - 1} more" if len(failed) > 1 else ""
        return f"{self.name}{held}: {failed[0]}{more}"


class Work:
    """The files of a case in a folder, and the results of commands on them, each computed once.

    folder: with the files; inputs: the arguments that name them; scratch: an empty folder for results;
    hostile: whether pages have the limit `PAGE_LIMIT`.
    """

    def __init__(self, folder: Path, inputs: Sequence[str], scratch: Path, hostile: bool = False) -> None:
        self.folder, self.inputs, self.scratch = folder, list(inputs), scratch
        self.hostile = hostile
        self.limits = ["--page-seconds", str(PAGE_LIMIT)] if hostile else []

    def run(self, command: str, *arguments: object, inputs: Sequence[str] | None = None) -> Run:
        """Run a command of webgrain on the inputs."""
        names = self.inputs if inputs is None else inputs
        return run([command, *names, *self.limits, *map(str, arguments)], self.folder, self.hostile)

    @cached_property
    def records(self) -> Mapping[str, Mapping[str, Any]]:
        """Records of ``webgrain extract --single`` by name."""
        return by_name(self.run("extract", "--single", "--format", "jsonl"))

    @cached_property
    def markdown(self) -> Mapping[str, str]:
        """Markdown of each page by name."""
        return self._written("markdown", "md")

    @cached_property
    def html(self) -> Mapping[str, str]:
        """HTML of each page by name."""
        return self._written("html", "html")

    def _written(self, form: str, ending: str) -> dict[str, str]:
        target = self.scratch / form
        self.run("extract", "--single", "--format", form, "-o", target)
        files = sorted(target.glob(f"*.html.{ending}"))
        return {path.name.removesuffix(f".html.{ending}"): path.read_text("utf-8") for path in files}

    def site(self, folder: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the records of ``webgrain extract`` on a folder, whose texts are learnt."""
        return by_name(self.run("extract", "--format", "jsonl", inputs=[folder]))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Rows of ``webgrain table``."""
        return [row for row in json_lines(self.run("table", "--format", "jsonl").out) if "item" in row]

    @cached_property
    def lists(self) -> list[dict[str, Any]]:
        """Selectors of the first list of the only page, with its source."""
        records = json_lines(self.run("table", "--selectors", "--format", "jsonl").out)
        source = (self.folder / self.inputs[0]).read_text("utf-8") if records else ""
        return [{**record, "source": source} for record in records if "fields" in record]

    @cached_property
    def segmentation(self) -> dict[str, Any]:
        """Record of ``webgrain segment``."""
        return next(iter(json_lines(self.run("segment").out)), {})

    @cached_property
    def audit(self) -> Audit:
        """Results of ``webgrain audit``."""
        target = self.scratch / "audit"
        self.run("audit", "-o", target)
        return read_audit(target)

    @cached_property
    def outputs(self) -> dict[str, str]:
        """What is at the path that ``-o`` of three commands names."""
        written = {}
        for command in ("extract", "segment", "dupes"):
            target = self.scratch / command / "new.jsonl"
            target.parent.mkdir()
            self.run(command, "-o", target, "--format", "jsonl")
            written[command] = "file" if target.is_file() else "folder" if target.is_dir() else "nothing"
        return written

    def view(self, name: str, case: str) -> Any:
        """Return the value of a view of `experiments.case_checks`; case: name of its page among several."""
        command, _, argument = name.partition(" ")
        views: dict[str, Callable[[], Any]] = {
            "record": lambda: self.records.get(case, {}),
            "records": lambda: self.records,
            "text": lambda: self.records.get(case, {}).get("text", ""),
            "markdown": lambda: self.markdown.get(case, ""),
            "html": lambda: self.html.get(case, ""),
            "formats": lambda: {form: self.view(form, case) for form in ("text", "markdown", "html")},
            "rows": lambda: self.rows,
            "lists": lambda: self.lists,
            "segmentation": lambda: self.segmentation,
            "segments": lambda: self.segmentation.get("segments", []),
            "site": lambda: self.site(argument),
            "audit": lambda: self.audit,
            "types": lambda: self.run("types"),
            "outputs": lambda: self.outputs,
            "manual": manual,
            "cost": lambda: cost(self, argument),
        }
        return views[command]()


class ServedWork(Work):
    """A site that is served by a server on this machine for the commands audit and crawl."""

    @cached_property
    def audit(self) -> Audit:
        """Results of ``webgrain audit`` of the address of the server."""
        target = self.scratch / "audit"
        with serve(self.folder / "site") as address:
            self.run("audit", "-o", target, "--allow-private", "--delay", 0, inputs=[address])
        return read_audit(target)

    @cached_property
    def crawl(self) -> dict[str, dict[str, Any]]:
        """Records of ``webgrain crawl`` of the address of the server, by path."""
        with serve(self.folder / "site") as address:
            arguments = ("-o", self.scratch / "crawl.warc.gz", "--allow-private", "--delay", 0)
            done = self.run("crawl", *arguments, inputs=[f"{address}/"])
        return {urlsplit(record["page"]).path: record for record in json_lines(done.out)}

    @cached_property
    def archive(self) -> Audit:
        """Results of ``webgrain audit`` of the archive of the crawl."""
        target = self.scratch / "archive"
        if self.crawl:
            self.run("audit", "-o", target, inputs=[str(self.scratch / "crawl.warc.gz")])
        return read_audit(target)

    def view(self, name: str, case: str) -> Any:
        """Return the value of a view."""
        if name == "crawl":
            return self.crawl
        return self.archive if name == "archive" else super().view(name, case)


# Commands


def run(arguments: Sequence[str], folder: Path, hostile: bool = False) -> Run:
    """Run webgrain in a folder; it is stopped after `LIMIT` seconds, with hostile also after `CPU_LIMIT`."""
    before = cpu()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "webgrain", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        if hostile:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
        try:
            code: int | None = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        return Run(code, content(out), content(err), cpu() - before)


def content(file: IO[bytes]) -> str:
    """Return all text of an open file."""
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def cpu() -> float:
    """Return the seconds of CPU of all processes that this one has started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def json_lines(text: str) -> list[dict[str, Any]]:
    """Return the records of JSON lines; other lines are left out."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def by_name(done: Run) -> dict[str, dict[str, Any]]:
    """Return records by the last part of their page, without ``.html``."""
    return {
        urlsplit(record["page"]).path.split("/")[-1].removesuffix(".html"): record
        for record in json_lines(done.out)
    }


def read_audit(folder: Path) -> Audit:
    """Return the results of an audit, without pages if there are none."""
    from pyarrow.parquet import read_table

    if not (folder / "pages.parquet").is_file():
        return Audit()
    findings = {}
    for path in sorted((folder / "findings").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            findings[path.stem] = list(csv.DictReader(file))
    return Audit(
        findings,
        read_table(folder / "links.parquet").to_pylist(),
        read_table(folder / "pages.parquet").to_pylist(),
        json_lines((folder / "failures.jsonl").read_text("utf-8")),
    )


def manual() -> str:
    """Return the text of the manual."""
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))


# Costs


def cost(work: Work, command: str) -> Cost:
    """Return the CPU of a command on the hostile page of a case and on a harmless page of the same size.

    The harmless page states its language if the hostile one does. Each is the least of up to `ATTEMPTS` runs
    that take turns: on a busy machine, the CPU of a start alone varies by more than the budget allows.
    """
    [name] = work.inputs
    body = (work.folder / name).read_bytes()
    plain = harmless_page(len(body), has_language=bool(_LANGUAGE.search(body)))
    attempts = list[Cost]()
    while len(attempts) < ATTEMPTS:
        seconds = cost_of(work, command, "hostile", body)
        harmless = cost_of(work, command, "harmless", plain)
        if harmless is None:
            raise InputError(f"webgrain {command} has no result for a harmless page, so there is no budget.")
        attempts.append(Cost(seconds, harmless, len(body)))
        known = least(attempts)
        if known.seconds is None or known.seconds <= known.budget:
            break
    return known


_LANGUAGE = re.compile(rb"""<html[^<>]* lang=["']?[a-zA-Z]{2,3}(-\w{1,8})?["'\s>]""")


def least(attempts: Sequence[Cost]) -> Cost:
    """Return the least CPU of several attempts; None if the last one has no result.

    >>> least([Cost(2.0, 1.0, 1000), Cost(1.5, 1.2, 1000)])
    Cost(seconds=1.5, harmless=1.0, size=1000)
    """
    known = [attempt.seconds for attempt in attempts if attempt.seconds is not None]
    seconds = min(known) if len(known) == len(attempts) else None
    return Cost(seconds, min(attempt.harmless for attempt in attempts), attempts[0].size)


def cost_of(work: Work, command: str, label: str, body: bytes) -> float | None:
    """Return the CPU of a command on a page (for ``types`` with 14 others); None without a result for it."""
    folder = Path(tempfile.mkdtemp(prefix=f"{label}-{command}-", dir=work.scratch)) / "site"
    folder.mkdir()
    (folder / "index.html").write_bytes(body)
    if command == "types":
        for number in range(14):
            (folder / f"p{number}.html").write_bytes(
                page(f"Page {number}", f"<h1>Page</h1>{paragraph(number)}")
            )
    target = folder.parent / "result"
    if command == "crawl":
        with serve(folder) as address:
            arguments = ("--allow-private", "--delay", 0, "-o", folder.parent / "crawl.warc.gz")
            done = run(["crawl", f"{address}/", *map(str, arguments)], folder.parent, hostile=True)
        failed = "stored" not in done.out
    else:
        output = {"audit": ["-o", str(target)], "extract": ["--single", "--format", "jsonl"]}.get(command, [])
        done = run([command, "site", *work.limits, *output], folder.parent, hostile=True)
        failed = done.code != 0 or '"error"' in done.out or "index.html" in failures_of(target)
    stopped = done.code is None or done.code < 0
    return None if stopped or failed else done.seconds


def failures_of(folder: Path) -> str:
    """Return the failures of an audit as text."""
    path = folder / "failures.jsonl"
    return path.read_text("utf-8") if path.is_file() else ""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yields the address. `ANSWERS` are for addresses without a file."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            file = folder / (path.lstrip("/") or "index.html")
            status, target = ANSWERS.get(path, (404, ""))
            body = b"<title>Nothing here</title>"
            if file.is_file():
                status, target = 200, ""
                body = file.read_bytes().replace(b"ADDRESS", self.server.address.encode())  # type: ignore[attr-defined]
            self.send_response(status)
            self.send_header("Content-Type", MEDIA_TYPES.get(file.suffix, "text/html; charset=utf-8"))
            self.send_header("Content-Length", str(len(body)))
            if target:
                self.send_header("Location", target)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.address  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()


MEDIA_TYPES = {".txt": "text/plain", ".xml": "application/xml"}


# Cases


def case_names(folder: Path) -> list[str]:
    """Return the names of the cases in the folder of the data, and of the constructed ones."""
    names = [
        path.name
        for path in sorted(folder.iterdir())
        if path.is_dir() and path.name not in ("pages", "hostile")
    ]
    for part in ("pages", "hostile"):
        inside = sorted((folder / part).iterdir()) if (folder / part).is_dir() else []
        names += [f"{part}/{path.stem}" for path in inside if path.is_dir() or path.suffix == ".html"]
    return names + [f"kinds/{name}" for name in KINDS]


@contextmanager
def work_of(name: str, folder: Path) -> Iterator[Work]:
    """Prepare the files of a case; `FileNotFoundError` if it has no input."""
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary) / "results"
        scratch.mkdir()
        part, last = name.rpartition("/")[0], last_part(name)
        if part == "kinds":
            files = dict(KINDS[last]())
            kind = ServedWork if name == "kinds/robots-and-sitemap" else Work
            hostile = last.startswith("hostile-")
            yield kind(write(files, Path(temporary) / "input"), inputs_of(list(files)), scratch, hostile)
        elif part == "hostile":
            yield hostile_work(last, folder / part, Path(temporary) / "input", scratch)
        else:
            inputs = case_inputs(folder / name)
            yield Work(folder / name, inputs, scratch)


def case_inputs(folder: Path) -> list[str]:
    """Return the inputs in the folder of a case: all files and folders but the descriptions."""
    inputs = sorted(path.name for path in folder.iterdir() if path.suffix != ".txt")
    if not inputs:
        raise FileNotFoundError(f"{folder} has no input.")
    return inputs


def write(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files by their paths into a folder, and return it."""
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return folder


def hostile_work(name: str, folder: Path, target: Path, scratch: Path) -> Work:
    """Return the files of a hostile case: a folder of pages, or a page, for redirects with its target."""
    if (folder / name).is_dir():
        return Work(folder / name, ["."], scratch, hostile=True)
    if name == "refresh-quoted":
        target.mkdir()
        shutil.copyfile(folder / f"{name}.html", target / f"{name}.html")
        (target / "other.html").write_bytes(page("Other", f"<h1>Other</h1>{paragraph(1)}"))
        (target / "index.html").write_bytes(
            page("Home", f"<h1>Home</h1><a href={name}.html>moved</a>{paragraph(2)}")
        )
        return Work(target, ["."], scratch, hostile=True)
    return Work(folder, [f"{name}.html"], scratch, hostile=True)


def verdicts(names: Sequence[str], folder: Path) -> Iterator[tuple[str, Verdict | str, View]]:
    """Yield each case with its verdict, or why it has none, and what returns the values of its views."""
    single = [name for name in names if name.startswith("pages/") and name in CASES]
    with tempfile.TemporaryDirectory() as temporary:
        # A command reads all single pages, each on its own: starting it takes most of its time.
        pages = Work(folder / "pages", [f"{last_part(name)}.html" for name in single], Path(temporary))
        for name in names:
            try:
                if name not in CASES:
                    yield name, "no checks", str
                elif name in single:
                    yield judged(name, pages)
                else:
                    with work_of(name, folder) as work:
                        yield judged(name, work)
            except (OSError, InputError) as error:
                yield name, f"cannot be run: {error}", str


View = Callable[[str], Any]
"""Returns the value of a view by its name."""


def last_part(name: str) -> str:
    """Return the name of a case without ``pages/``, ``hostile/`` or ``kinds/``."""
    return name.rpartition("/")[2]


def judged(name: str, work: Work) -> tuple[str, Verdict, View]:
    """Return a case with its verdict, and what returns the values of its views, each computed once."""
    page_name = last_part(name) if name.startswith(("pages/", "hostile/")) else "page"
    view = functools.cache(lambda view: work.view(view, page_name))
    return name, judge(CASES[name], view), view


def judge(checks: Sequence[Check], view: View) -> Verdict:
    """Return the verdict of checks on the values of views."""
    return Verdict(checks, [check.fault_of(view(check.view)) for check in checks])


def show(verdict: Verdict, view: View) -> None:
    """Print what is expected, what is wrong, and the first `SHOWN` lines of the views but the manual."""
    for check, fault in zip(verdict.checks, verdict.faults, strict=True):
        print(f"    - {check.expected}: {fault}" if fault else f"    + {check.expected}")
    names = dict.fromkeys(check.view for check in verdict.checks if check.view != "manual")
    for name in names:
        value = view(name)
        text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False, indent=1)
        print(f"    {name}:")
        print("\n".join(f"      {line}" for line in text.splitlines()[:SHOWN]))


def plain(value: Any) -> Any:
    """Return a value of a view as JSON can write it; of an audit, what its checks look at."""
    if isinstance(value, Audit):
        links = (
            f"{each['source']} > {each['target']}: {each['outcome']} {each['page']}" for each in value.links
        )
        named = [f"{name}: {row}" for name in value.findings for row in value.rows(name)]
        return {"findings": named, "failures": value.failures, "links": list(links)}
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


SHOWN = 60
"""Lines of a view that ``--verbose`` prints."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, print their verdicts, and return the exit code."""
    parser = argparse.ArgumentParser(description="Run small cases of kinds of faults.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="name of a case, or its beginning")
    parser.add_argument("--verbose", action="store_true", help="print what is expected and the results")
    given = parser.parse_args(arguments)
    folder = data_folder() / "cases"
    if not folder.is_dir():
        print(f"There are no cases: the folder {folder} does not exist (set WEBGRAIN_DATA).", file=sys.stderr)
        return 1
    known = list(dict.fromkeys([*case_names(folder), *CASES]))
    names = [
        name for name in known if not given.names or any(name.startswith(start) for start in given.names)
    ]
    if not names:
        print(f"No case begins with {' or '.join(given.names)}.", file=sys.stderr)
        return 1
    counts = Counter[str]()
    for name, verdict, view in verdicts(names, folder):
        line = verdict if isinstance(verdict, str) else verdict.line()
        print(f"{name:34} {line}", flush=True)
        counts[verdict.name if isinstance(verdict, Verdict) else line.partition(":")[0]] += 1
        if given.verbose and isinstance(verdict, Verdict):
            show(verdict, view)
    summary = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    print(f"{counts.total()} cases: {summary}")
    return 1 if counts["cannot be run"] else 0


if __name__ == "__main__":
    sys.exit(main())
