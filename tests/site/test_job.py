from __future__ import annotations

import csv
import json
import pickle
import shutil
import signal
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest
from tests.site.sites import Here, plan, shop

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.columns.blocks import PageFacts
from webgrain.engines import engine
from webgrain.engines.guard import WAITING, Guard
from webgrain.extraction import single
from webgrain.page import parsing
from webgrain.page.page import Page, Source
from webgrain.segmentation import learntcut
from webgrain.site import learning, thresholds, typelearning
from webgrain.site.audit import audit
from webgrain.site.learning import learn_site, least
from webgrain.site.model import load_model
from webgrain.site.pipeline import Layout
from webgrain.site.samplefiles import stored_pages
from webgrain.site.shards import read_shard, write_shard
from webgrain.site.stages import learning as learning_stage
from webgrain.site.stages.duplicates import read_pairs
from webgrain.site.stages.learning import LEARNING_STEPS, CountedShard, joined_counts, learn_part
from webgrain.site.stages.sitereport import site_report
from webgrain.site.tables import read_rows
from webgrain.site.thresholds import LARGEST_SHARE
from webgrain.site.workspace import SiteFiles, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webgrain.io.read import Item
    from webgrain.site.auditrun import SiteResults
    from webgrain.site.typelearning import CountedPages

FILES = {
    "site-model.json", "pages.parquet", "segments.jsonl", "duplicates.csv", "report.html", "failures.jsonl",
    "links.parquet", "findings", "work",
}  # fmt: skip

PAGES = 13


@pytest.fixture(autouse=True, scope="module")
def small_shards() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "SHARD_PAGES", 6)
        yield


@pytest.fixture(scope="module")
def whole(small_shards: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of an audit of three shards."""
    folder = tmp_path_factory.mktemp("whole")
    run(shop(PAGES), folder)
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of an audit of three pages."""
    folder = tmp_path_factory.mktemp("tiny")
    run(shop(3), folder)
    return folder


def run(items: Sequence[Item], folder: Path, engine: Any = None, **given: Any) -> list[SiteResults]:
    return audit(lambda first: items[first:], folder, plan(**given), engine or Here())


def rows(folder: Path) -> list[dict[str, Any]]:
    return list(read_rows(folder / "pages.parquet"))


class Planted:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self.path).touch, (self.path,)


def test_files_that_were_in_the_folder_of_learning_are_not_read(tmp_path: Path) -> None:
    work, created = tmp_path / "out" / "work" / "sites" / folder_of(""), tmp_path / "created"
    known = ("0.facts", "0.pages", "0-0999-000-0.articles", "0999-000-0.chances")
    planted = [work / "known" / name for name in known]
    steps = ("groups", "texts", "000000.chosen", "000000.counted", "0000-000.group", "0999-000.group")
    planted += [work / "learning" / name for name in steps]
    for path in planted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(Planted(created)))
    [outcome] = run(shop(12), tmp_path / "out")
    assert outcome.learnt_from == 12
    assert not any(path.exists() for path in planted)
    assert not created.exists()


def test_a_resumed_audit_reads_no_files_of_learning(tmp_path: Path, whole: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(shop(PAGES), tmp_path / "out", Here(_tasks_of_learning(tmp_path)))
    [known] = (tmp_path / "out" / "work" / "sites").glob("*/known")
    paths, created = list(known.iterdir()), tmp_path / "created"
    assert {path.suffix for path in paths} == {".facts", ".pages", ".articles", ".chances"}
    for path in paths:
        path.write_bytes(pickle.dumps(Planted(created)))
    run(shop(PAGES), tmp_path / "out")
    assert not created.exists()
    assert rows(tmp_path / "out") == rows(whole)


def _tasks_of_learning(folder: Path) -> int:
    """Return the number of tasks before the extraction."""
    tasks = []

    class Noting(Here):
        def map(self, task: Any, arguments: Any) -> Any:
            for argument, result in super().map(task, arguments):
                tasks.append(getattr(task, "func", None) is learn_part)
                yield argument, result

    run(shop(PAGES), folder / "noted", Noting())
    return tasks.index(False)


def test_audits_with_one_and_with_two_workers_write_equal_files(tmp_path: Path) -> None:
    written = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        run(shop(20), folder, engine("local", workers))
        paths = [path for path in folder.rglob("*") if path.is_file() and folder / "work" not in path.parents]
        written.append({str(path.relative_to(folder)): path.read_bytes() for path in paths})
    assert {name.partition("/")[0] for name in written[0]} == FILES - {"work"}
    differing = {name for name in written[0] | written[1] if written[0].get(name) != written[1].get(name)}
    assert differing == set()


def test_an_audit_writes_all_documented_results(tmp_path: Path) -> None:
    copy = Source("copy.html", shop(1)[0].body)
    items = [*shop(16), copy, Failure("broken", "read", "It is broken.")]
    [outcome] = run(items, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    found = rows(tmp_path / "out")
    assert [row["page"] for row in found] == [item.id for item in items if isinstance(item, Source)]
    assert (outcome.pages, outcome.grouped, len(outcome.failures)) == (17, 2, 1)
    assert all(row["type"] and row["title"] and row["text"] for row in found)
    assert {row["type"]: row["type_name"] for row in found} == outcome.names
    assert found[0]["representative"] == found[16]["representative"] == "page-0.html"
    with (tmp_path / "out" / "duplicates.csv").open(newline="") as file:
        assert [(row["a"], row["b"], row["verdict"]) for row in csv.DictReader(file)] == [
            ("page-0.html", "copy.html", "same-page")
        ]
    [failure] = map(json.loads, (tmp_path / "out" / "failures.jsonl").read_text().splitlines())
    assert failure["page"] == "broken"
    segments = [json.loads(line) for line in (tmp_path / "out" / "segments.jsonl").read_text().splitlines()]
    assert {record["type"] for record in segments} == set(outcome.types)
    assert all(0 <= part["importance"] <= 1 for record in segments for part in record["segments"])
    report = (tmp_path / "out" / "report.html").read_text()
    assert "page-15.html" in report
    assert set(outcome.seconds) >= {
        "read",
        "learn",
        "parse",
        "text",
        "duplicates",
        "tables",
        "segments",
        "report",
    }


def test_the_model_predicts_the_rows_of_the_table(whole: Path) -> None:
    model = load_model(whole / "site-model.json")
    for page, row in zip(shop(PAGES), rows(whole), strict=True):
        found = model.predict(page)
        assert (found.type, found.title, found.text) == (row["type"], row["title"], row["text"])


# The steps of learning, three shards, lay out.
@pytest.mark.parametrize(
    "most", [3, 9, *(pytest.param(most, marks=pytest.mark.full) for most in (0, 1, 5, 7, 11, 13))]
)
def test_a_stopped_audit_resumes(tmp_path: Path, whole: Path, most: int) -> None:
    pages = shop(PAGES)
    with pytest.raises(KeyboardInterrupt):
        run(pages, tmp_path / "out", Here(most))
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("work/sites/*/parts/*")}
    run(pages, tmp_path / "out")
    assert all(path.stat().st_mtime_ns == time for path, time in parts.items())
    assert rows(tmp_path / "out") == rows(whole)
    for name in ("site-model.json", "duplicates.csv", "segments.jsonl", "failures.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (whole / name).read_bytes()


def test_the_order_of_the_pages_changes_no_model(tmp_path: Path, whole: Path) -> None:
    run(shop(PAGES)[::-1], tmp_path)
    assert (tmp_path / "site-model.json").read_text() == (whole / "site-model.json").read_text()


def test_several_hosts_are_audited_one_by_one(tmp_path: Path) -> None:
    pages = [*shop(12, "a.org"), *shop(12, "b.org")]  # the same pages
    outcomes = run(pages, tmp_path / "out")
    assert [outcome.site for outcome in outcomes] == ["a.org", "b.org"]
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"a.org", "b.org", "duplicates.csv"}
    for outcome in outcomes:
        assert (outcome.pages, outcome.grouped) == (12, 12)
        assert {row["site"] for row in read_rows(outcome.table)} == {outcome.site}


def test_a_report_reads_the_duplicates_of_its_own_site(tmp_path: Path) -> None:
    html = "<title>{0}</title><p>" + "The same words about {0}, again and again. " * 20
    sites = {"a.org": "one", "b.org": "two", "c.org": "two"}
    pages = [
        Source(f"={host}/{k}", html.format(text).encode(), url=f"http://{host}/{k}")
        for host, text in sites.items()
        for k in range(2)
    ]
    run(pages, tmp_path / "out")
    pairs = {
        path.parent.name: {(pair.a, pair.b) for pair in read_pairs(path)}
        for path in (tmp_path / "out" / "work" / "sites").glob("*/pairs.jsonl")
    }
    assert [pairs[folder_of("a.org")], len(pairs[folder_of("b.org")])] == [{("=a.org/0", "=a.org/1")}, 5]
    with (tmp_path / "out" / "duplicates.csv").open(newline="") as file:
        assert {row["cluster"] for row in csv.DictReader(file)} == {"1", "2"}
    shown = {host: (tmp_path / "out" / folder_of(host) / "report.html").read_text() for host in sites}
    assert "=a.org/1" in shown["a.org"]
    assert ["=c.org/1" in shown[host] for host in sites] == [False, True, True]


@pytest.mark.parametrize(
    "items", [[], [Failure("a", "read", "It is gone.")], shop(1), [Source("a", b"")] * 1]
)
def test_a_tiny_site_is_audited(tmp_path: Path, items: list[Item]) -> None:
    outcomes = run(items, tmp_path / "out")
    assert sum(outcome.pages for outcome in outcomes) == sum(isinstance(item, Source) for item in items)


def test_a_shard_that_kills_its_workers_is_accounted_for(tmp_path: Path) -> None:
    class Deadly(Here):
        def map(self, task: Any, arguments: Any) -> Any:
            for argument, result in super().map(task, arguments):
                if isinstance(argument, tuple) and argument[1] == 1:  # the second shard
                    argument[0].parts[1].unlink()
                    result = Failure(str(argument), "run", "Its workers died.")
                yield argument, result

    [outcome] = run(shop(15), tmp_path / "out", Deadly())
    assert (outcome.pages, len(outcome.failures)) == (9, 6)
    assert outcome.failures[0] == Failure("page-6.html", "run", "Its workers died.")


def test_other_pages_need_another_folder(tiny: Path) -> None:
    with pytest.raises(
        InputError, match=r'contains a different audit \(input was "a test", is "other pages"\): '
    ):
        run(shop(3), tiny, made_of="other pages")


def test_another_version_needs_another_folder(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "plan.json").write_text(json.dumps(plan().to_dict() | {"version": "0.1"}))
    with pytest.raises(InputError, match=r'contains a different audit \(version was "0.1", is "'):
        run(shop(3), tmp_path)


@pytest.mark.parametrize("plan", ["", "[]", "{"])
def test_a_folder_with_a_damaged_plan_is_that_of_another_audit(tmp_path: Path, plan: str) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "plan.json").write_text(plan)
    with pytest.raises(InputError, match="contains a different audit: name another folder"):
        run(shop(3), tmp_path)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"samples": 2}, r"\(shown was 1, is 2\)"),
        ({"samples": 0, "sample": 5}, r"\(sample was 600, is 5; shown was 1, is 0\)"),
        ({"layout": Layout(sheets=False)}, r"\(layout sheets was true, is false\)"),
    ],
)
def test_other_pages_to_show_need_another_folder(tiny: Path, given: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        run(shop(3), tiny, **given)


@pytest.mark.parametrize(("name", "value"), [("sample", 0), ("samples", -1)])
def test_numbers_of_pages_are_checked(name: str, value: int) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be an integer"):
        plan(**{name: value})


def test_one_audit_at_a_time(tmp_path: Path) -> None:
    class Nested(Here):
        def map(self, task: Any, arguments: Any) -> Any:
            with pytest.raises(InputError, match="Another command is working on the audit in"):
                run(shop(3), tmp_path)
            return super().map(task, arguments)

    run(shop(3), tmp_path, Nested())


@pytest.mark.full
def test_a_folder_without_its_work_is_audited_anew(tmp_path: Path) -> None:
    run(shop(30), tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "work")
    others = shop(40, seed=1)
    run(others, tmp_path / "out")
    run(others, tmp_path / "other")
    models = [(tmp_path / name / "site-model.json").read_text() for name in ("out", "other")]
    assert models[0] == models[1]


def test_each_page_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: Counter[str] = Counter()

    def tree(html: str, *given: Any) -> Any:
        parsed[html] += 1
        return build(html, *given)

    build = parsing._tree
    monkeypatch.setattr(parsing, "_tree", tree)
    run(shop(16), tmp_path / "out", sample=6, samples=0)
    assert sorted(parsed.values()) == [1] * 16


def test_each_page_is_judged_with_its_site_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: Counter[str] = Counter()
    limited = single.within_limits

    def noted(facts: PageFacts, *given: Any) -> Any:
        judged[facts.dom.text] += 1
        return limited(facts, *given)

    monkeypatch.setattr(single, "within_limits", noted)
    run(shop(16), tmp_path / "out", sample=6, samples=0)
    assert sorted(judged.values()) == [1] * 16


def test_sample_pages_with_a_template_are_segmented_with_what_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Path
) -> None:
    counted: Counter[str] = Counter()
    marks = learntcut.page_marks

    def noted(page: Page, chance: Any) -> Any:
        counted[page.dom.text] += 1
        return marks(page, chance)

    monkeypatch.setattr(learntcut, "page_marks", noted)
    run(shop(PAGES), tmp_path / "out")
    assert set(counted.values()) == {1}
    assert (tmp_path / "out" / "segments.jsonl").read_text() == (whole / "segments.jsonl").read_text()


def sample_of(folder: Path, pages: list[Source], nodes: int, size: int = 1) -> list[str]:
    """Return the ids of the pages of a sample of this many nodes; size: pages of a shard."""
    firsts = range(0, len(pages), size)
    folder.mkdir(exist_ok=True)
    shards = [write_shard(folder / f"{nodes}-{k}-{pages[k].id}", pages[k : k + size]) for k in firsts]
    site = SiteFiles("", tuple(shards), folder / f"{nodes}-{pages[0].id}", folder)
    order = {name: number for number, name in enumerate(least([page.id for page in pages], len(pages)))}
    counted = [CountedShard.of(site, shard, order, nodes) for shard in range(len(shards))]
    places, counts = joined_counts(site, counted, nodes)
    assert list(places) == counts.counts.ids
    assert [page.id for page in stored_pages(site, places.values())] == list(places)
    return sorted(places)


def test_a_sample_has_the_first_pages_in_any_order(tmp_path: Path) -> None:
    pages = [Source(str(k), b"<p>a" * (5 + 20 * (k % 3))) for k in range(100)]
    whole, half = sample_of(tmp_path, pages, 100_000), sample_of(tmp_path, pages, 3000)
    assert len(whole) == 100
    assert set(half) == set(least(whole, len(half)))
    assert 40 < len(half) < 60
    assert sample_of(tmp_path, pages[::-1], 3000) == half


@pytest.mark.parametrize("size", [7, 100])
def test_a_sample_does_not_depend_on_the_shards(tmp_path: Path, size: int) -> None:
    pages = [Source(str(k), b"<p>a" * (5 + 20 * (k % 3))) for k in range(100)]
    for nodes in (500, 1500, 3000):
        chosen = sample_of(tmp_path / "one", pages, nodes)
        sizes = {page.id: len(parsing.parse(page).dom) for page in pages}
        order = [name for name in least(sizes, 100) if sizes[name] <= nodes // LARGEST_SHARE]
        most = sum(total <= nodes for total in accumulate(sizes[name] for name in order))
        assert chosen == sorted(order[:most])
        assert sample_of(tmp_path / "several", pages, nodes, size) == chosen


def test_a_sample_has_no_very_large_page(tmp_path: Path) -> None:
    pages = [*shop(3), Source("huge.html", b"<p>" * 10_000)]
    assert sample_of(tmp_path, pages, 10_000 * LARGEST_SHARE) == sorted(page.id for page in pages[:3])


def test_learning_has_no_limit_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timers = []
    monkeypatch.setattr(signal, "setitimer", lambda which, *seconds: timers.append(seconds[0]) or (0.0, 0.0))
    shard = write_shard(tmp_path / "0", shop(12))
    site = SiteFiles("", (shard,), tmp_path, tmp_path)
    for step in LEARNING_STEPS:
        for part in step.parts(site):
            assert isinstance(learn_part(step.run, plan(), 100_000, (site, part)), float)
    seconds = Guard().seconds or 0.0  # that of a page
    assert set(timers) <= {0.0, seconds, WAITING * seconds}
    assert len(timers) > 2 * len(list(read_shard(shard)))


@pytest.mark.parametrize(("pages", "left", "warned"), [(24, 11, True), (24, 13, False), (9, 9, True)])
def test_a_small_sample_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int, left: int, warned: bool
) -> None:
    monkeypatch.setattr(learning_stage, "_end", lambda *given: left)
    [outcome] = run(shop(pages), tmp_path / "out")
    assert outcome.learnt_from == left
    assert [f"({left} of {pages} pages)" in warning for warning in outcome.warnings] == [True] * warned
    assert f"Learnt from {left} of {pages} pages." in (tmp_path / "out" / "report.html").read_text()


def test_a_sample_shrinks_if_the_memory_is_not_sufficient(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_counted = typelearning.learn_counted

    def learn(counted: CountedPages, *given: Any) -> Any:
        if len(counted.counts) > 15:
            raise MemoryError
        return learn_counted(counted, *given)

    monkeypatch.setattr(typelearning, "learn_counted", learn)
    pages = shop(20)
    nodes = sum(len(parsing.parse(page).dom) for page in pages)
    monkeypatch.setattr(thresholds, "LEARNT_NODES", (nodes, nodes // 2))
    monkeypatch.setattr(thresholds, "LARGEST_SHARE", 4)
    [outcome] = run(pages, tmp_path / "out")
    assert 6 < outcome.learnt_from < 14


def test_an_error_in_a_later_step_of_learning_gives_an_empty_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any) -> None:
        raise ValueError("no template")

    monkeypatch.setattr(learning.SampleGroups, "model", fail)
    [outcome] = run(shop(12), tmp_path / "out")
    assert (outcome.pages, outcome.learnt_from) == (12, 0)
    assert [warning.endswith("no template") for warning in outcome.warnings] == [True]


def test_steps_of_learning_have_several_parts_and_leave_no_files(tmp_path: Path) -> None:
    jobs: Counter[str] = Counter()

    class Counting(Here):
        def map(self, task: Any, arguments: Any) -> Any:
            for argument in arguments:
                jobs[task.args[0].__name__ if getattr(task, "func", None) is learn_part else ""] += 1
                yield argument, task(argument)

    pages = shop(48)
    run(pages, tmp_path / "out", engine=Counting())
    assert jobs["_choose_pages"] == jobs["_learn_groups"] == jobs["_join_texts"] == jobs["_join_model"] == 1
    assert jobs["_read_pages"] > jobs["_learn_type"] > 1
    assert jobs["_learn_texts"] > jobs["_learn_type"]
    assert not list((tmp_path / "out").rglob("learning"))
    assert not list((tmp_path / "out").rglob("known"))
    model = load_model(tmp_path / "out" / "site-model.json")
    assert learn_site(lambda: pages, "").to_dict() == model.to_dict()


def test_the_report_counts_all_pairs_of_the_table(tmp_path: Path) -> None:
    names = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("allow", "ore", "ilver", "under")]
    parts = [" ".join(names[(k * step) % len(names)] for k in range(40)) for step in (5, 7, 11, 13, 17)]
    one, more = f"<h1>One</h1><p>{parts[0]}", "".join(f"<p>{part}" for part in parts)
    long = [
        Source(f"{name}.html", html.encode()) for name, html in (("a", one), ("b", f"<h1>All</h1>{more}"))
    ]
    [outcome] = run([*shop(12), *long], tmp_path / "out")
    with (tmp_path / "out" / "duplicates.csv").open(newline="") as file:
        assert [(row["a"], row["verdict"], row["cluster"]) for row in csv.DictReader(file)] == [
            ("a.html", "contains", "")
        ]
    report = site_report(outcome, "a test", load_model(outcome.files.site_model), {})
    assert [row.verdict for row in report.duplicates] == ["contains"]
