"""The examples of the README and the manual are run: Python unchanged, commands on the sample site.

A block that cannot be run here has an invisible comment with the reason above it:

    <!-- not run: needs the network -->

Of shells, only ``webgrain ...``, ``cat FILE | webgrain ...``, ``> FILE`` and ``# ...`` are supported.
The text below a command with ``$`` is compared with its output; ``...`` matches anything.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import pkgutil
import re
import runpy
import shlex
import shutil
import sys
import zipfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.conftest import ROOT

from webgrain.cli.main import main
from webgrain.crawler.spider import Archive
from webgrain.io.read import read
from webgrain.page.segmentation import segmentation_record
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.pipeline import Segmented, segment_items

if TYPE_CHECKING:
    from collections.abc import Iterator

GENERATED = {"cli.md"}
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
PAGES = [path for path in PAGES if path.name not in GENERATED and "_build" not in path.parts]
# Their commands are slow, and other tests run them too.
SLOW = {"docs/audit.md", "docs/how-to/warc-at-scale.md", "docs/methods/duplicates.md", "docs/scale.md"}
AUDIT = "webgrain audit site/ -o result"
"""A slow command of several pages: it runs once, and the other pages get a copy of what it has written."""


def marks_of(path: Path) -> list[pytest.MarkDecorator]:
    """Return the marks of a page: slow, or in the process of all pages with the audit."""
    if path.relative_to(ROOT).as_posix() in SLOW:
        return [pytest.mark.full]
    audited = re.search(f"^(\\$ )?{AUDIT}$", path.read_text(encoding="utf-8"), re.M)
    return [pytest.mark.xdist_group("audit of the manual")] if audited else []


CASES = [pytest.param(path, id=path.relative_to(ROOT).as_posix(), marks=marks_of(path)) for path in PAGES]
ANNOTATED = 5
"""Pages with labels: enough to learn from, few enough to be quick."""

_BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]+) -->\n+)?^```(?P<kind>python|sh|console)\n(?P<text>.*?)^```$",
    re.M | re.S,
)
_SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A block of code of a page, and the line where it begins."""

    kind: str
    text: str
    line: int


def blocks(path: Path) -> Iterator[Block]:
    text = path.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        if not found["why"]:
            yield Block(found["kind"], found["text"], text.count("\n", 0, found.start("text")) + 1)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder that the examples of the manual use."""
    folder = tmp_path_factory.mktemp("docs")
    site = folder / "site"
    shutil.copytree(ROOT / "examples" / "site", site)
    shutil.copy(ROOT / "examples" / "queries.tsv", folder)
    shutil.copy(site / "en/harbour/the-boat-that-came-back.html", folder / "page.html")
    shutil.copy(site / "en/harbour/the-boat-that-came-back.html", folder / "a.html")
    shutil.copy(site / "partner/coast-wire/the-boat-that-came-back.html", folder / "b.html")
    shutil.copytree(site / "en/shop", folder / "new")
    for name, part in (("pages", "en/people"), ("crawl-may", "en/harbour"), ("crawl-june", "en")):
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for path in sorted((site / part).glob("*.html")):
                archive.write(path, path.name)
    for host, part in (
        ("www.sandrey-lantern.example", "en/people"),
        ("coast-wire.example", "partner/coast-wire"),
    ):
        write_archive(folder / "warcs" / f"{host}.warc.gz", host, site / part)
    write_labels(site)
    write_labels(folder)
    return folder


def write_archive(path: Path, host: str, pages: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    archive = Archive(path, 0)
    for page in sorted(pages.glob("*.html")):
        headers = [("Content-Type", "text/html; charset=utf-8")]
        archive.write(f"https://{host}/{page.name}", "200 OK", headers, page.read_bytes())
    archive.close()


def write_labels(folder: Path) -> None:
    """Write the segments of some pages as if a person had marked them."""
    site = next(folder.rglob("en")) / "harbour"
    pages = islice(read([str(site)]), ANNOTATED)
    with (folder / ("labels-kim.jsonl" if folder.name == "site" else "labels.jsonl")).open(
        "w", encoding="utf-8"
    ) as file:
        for found in segment_items(pages, segmenter()):
            assert isinstance(found, Segmented)
            record = segmentation_record(found.page, found.segmentation)
            record["page"] = (site / found.id).relative_to(folder).as_posix()
            file.write(f"{json.dumps(record)}\n")


@pytest.fixture
def folder(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder as the working directory, with the examples of the checkout."""
    own = tmp_path / "docs"
    shutil.copytree(sample, own)
    (own / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(own)
    monkeypatch.setenv("COLUMNS", "120")
    return own


@pytest.mark.parametrize("path", CASES)
@pytest.mark.usefixtures("folder")
def test_what_the_manual_shows(path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(path):
        if block.kind == "python":
            run_python(block, path, names)
        else:
            for command, expected in commands(block):
                once = sample.with_name("audited") if command.strip() == AUDIT else None
                printed = run_once(command, once, monkeypatch) if once else run_command(command, monkeypatch)
                same = doctest.OutputChecker().check_output(expected, printed, _SAME)
                assert not expected or same, f"{path.name}:{block.line}: {command}\n{printed}"


def run_python(block: Block, path: Path, names: dict[str, Any]) -> None:
    place = f"{path.name}:{block.line}"
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, str(path), "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(block.text, names, place, str(path), block.line)
    output = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=_SAME)
    assert runner.run(example, out=output.write, clear_globs=False).failed == 0, output.getvalue()
    names.update(example.globs)


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the commands of a block, each with its expected output."""
    text = block.text.replace("\\\n", " ")
    if block.kind == "sh":
        yield from ((line, "") for line in text.splitlines() if line.strip() and not line.startswith("#"))
        return
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def run_once(line: str, kept: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a command that writes into ``result``, or copy what it has written before into a folder."""
    if kept.exists():
        shutil.copytree(kept / "result", "result")
        return (kept / "printed").read_text(encoding="utf-8")
    printed = run_command(line, monkeypatch)
    shutil.copytree("result", kept / "result")
    (kept / "printed").write_text(printed, encoding="utf-8")
    return printed


def run_command(line: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run one line and return what it prints."""
    words = shlex.split(line, comments=True)
    given = b""
    if words[0] == "cat":
        given = Path(words[1]).read_bytes()
        words = words[3:]
    assert words[0] == "webgrain", f"only webgrain is run here: give the reason above the block: {line}"
    target = None
    if ">" in words:
        at = words.index(">")
        words, target = words[:at], Path(words[at + 1])
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed), pytest.raises(SystemExit) as ended:
        main()
    printed.flush()
    out = printed.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert not ended.value.code, f"{line}: exit code {ended.value.code}"
    if target:
        target.write_text(out, encoding="utf-8")
    return out


def test_every_reason_states_what_is_needed() -> None:
    for path in PAGES:
        for found in _BLOCK.finditer(path.read_text(encoding="utf-8")):
            assert not found["why"] or found["why"].startswith("needs "), f"{path.name}: {found['why']}"


def test_every_command_is_in_a_block_that_is_run() -> None:
    for path in PAGES:
        text = _BLOCK.sub("", path.read_text(encoding="utf-8"))
        assert not re.search(r"^(?: {4,}|\t)\$? ?webgrain ", text, re.M), (
            f"{path.name}: a command in an indented block"
        )


def test_links_lead_somewhere() -> None:
    for path in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target} is not there"


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        if name != "index" and "_build" not in path.parts:
            assert re.search(rf"^{re.escape(name)}$", listed, re.M), f"docs/index.md does not list {name}"


def test_every_file_that_the_papers_lead_to_is_there() -> None:
    for name in re.findall(r"`([\w/]+\.py)", (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")):
        own = name.split("/")[0] in {"tests", "experiments", "benchmarks", "scripts"}
        assert (ROOT / name if own else ROOT / "src" / "webgrain" / name).is_file(), f"{name} is not there"


def test_the_reference_can_be_generated() -> None:
    groups = runpy.run_path(str(ROOT / "docs" / "make_api.py"))
    for name, group in groups["GROUPS"].items():
        page = (ROOT / "docs" / "api" / f"{name}.md").read_text(encoding="utf-8")
        assert page == groups["reference"](group), f"docs/api/{name}.md is old: run docs/make_api.py"


def test_every_name_of_the_api_is_there() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    names = re.findall(r"^\.\. auto(?:function|class):: (\S+)", text, re.M)
    assert len(names) == len(set(names)) > 50
    for name in names:
        pkgutil.resolve_name(name)


def test_a_failing_example_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- not run: needs x -->\n```sh\nrm\n```\n\n```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8"
    )
    [block] = blocks(page)
    assert block.line == 7
    with pytest.raises(AssertionError, match=r"Got:\s+2"):
        run_python(block, page, {})


def test_console_blocks_are_split_into_commands_and_outputs() -> None:
    block = Block("console", "$ webgrain text \\\n  a.html\nHello\n$ webgrain --version\n", 1)
    assert list(commands(block)) == [("webgrain text    a.html", "Hello\n"), ("webgrain --version", "")]


def test_the_page_of_agreement_has_the_figures_of_the_result_files() -> None:
    module = runpy.run_path(str(ROOT / "docs" / "make_agreement.py"))
    text = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")
    assert module["with_results"](text) == text, "docs/agreement.md is old: run docs/make_agreement.py"
    shown = set(re.findall(r"^<!-- table: (\S+) -->$", text, re.M))
    papers = ("gcuts", "gcuts-cues", "keyclus", "regextree", "webstemmer")
    files = [ROOT / "experiments" / "results" / f"{name}.json" for name in papers]
    stored = {f"{path.stem}/{name}" for path in files for name in json.loads(path.read_text())["tables"]}
    assert shown == stored
    changed = re.sub(r"\| \.\d", "| .x", text, count=1)
    assert changed != text
    assert module["with_results"](changed) == text


def test_the_command_for_the_figures_of_the_readme_runs_their_experiments() -> None:
    module = runpy.run_path(str(ROOT / "experiments" / "figures.py"))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    files = {source.partition("/")[0] for _, source in module["quoted"](text)}
    assert files
    assert files <= module["COMMANDS"].keys()
    for command in module["COMMANDS"].values():
        script = command.split()[0]
        path = command.split()[1].replace(".", "/") + ".py" if script == "-m" else script
        assert (ROOT / path).is_file(), command


def test_single_figures_of_the_manual_are_those_of_the_result_files() -> None:
    module = runpy.run_path(str(ROOT / "docs" / "make_agreement.py"))
    for path in (*PAGES, ROOT / "README.md"):
        text = path.read_text(encoding="utf-8")
        assert module["with_results"](text) == text, f"{path.name} is old: run docs/make_agreement.py"
    mark = "<!-- gcuts/figure-2: GCuts: ARI -->"
    table = json.loads((ROOT / "experiments/results/gcuts.json").read_text())["tables"]["figure-2"]
    value = dict(zip(table["columns"], table["rows"][0], strict=True))["ARI"]
    assert module["with_results"](f"**.9**{mark}, 9 %{mark}, 0.99{mark}") == (
        f"**{value:.1f}**{mark}, {100 * value:.0f} %{mark}, {value:.2f}{mark}".replace("**0.", "**.")
    )
    with pytest.raises(ValueError, match="unpack"):
        module["with_results"](".9<!-- gcuts/figure-2: no method: ARI -->")
