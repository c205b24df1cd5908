"""Cases of kinds of faults: each has checks, each check can fail, and right results pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from experiments.case_checks import Audit, Check, Cost, Run, cheap
from experiments.case_inputs import CLOCKS, KINDS, STORIES
from experiments.case_table import CASES
from experiments.cases import case_names, judge, main

EMPTY: dict[str, Any] = {
    "text": "",
    "markdown": "",
    "html": "",
    "record": {},
    "records": {},
    "formats": {},
    "rows": [],
    "lists": [],
    "segments": [],
    "segmentation": {},
    "audit": Audit(),
    "archive": Audit(),
    "crawl": {},
    "types": None,
    "outputs": {},
    "manual": "",
    "site": {},
    "cost": None,
}
CHECKS = [
    pytest.param(check, id=f"{name}: {check.expected}"[:80])
    for name, checks in CASES.items()
    for check in checks
]
VALLEY = "http://valley.example/"
MILL = "The old mill at the edge of a wood was measured."
TEXT = "\n\n".join(
    [
        MILL,
        "A report of the water that followed.",
        "What is left of the machinery in the region.",
        "The society that looks before they come.",
        "Plans for a small turbine use the electricity.",
    ]
)
RIGHT: dict[str, dict[str, Any]] = {
    "14-declarative-shadow": {"record": {"title": "The old mill"}, "text": TEXT},
    "33-dates": {"record": {"published": "2019-03-04", "modified": "2023-11-20T10:00:00Z"}},
    "57-soft-404": {
        "audit": Audit(
            {"soft-404": [{"page": f"{VALLEY}soft{k}", "detail": ""} for k in range(1, 7)]},
            pages=[{"page": VALLEY}],
        )
    },
    "pages/author-two": {"record": {"author": "Lee Poe, Kim Doe"}, "text": "The old harbour"},
    "pages/code-lang-github": {"markdown": "# A\n\n```rust\nfn main() {}\n```\n"},
    "pages/tweet": {
        "markdown": "> The ferry is back! [May 1](https://twitter.com/harbour/status/1)",
    },
    "pages/footnotes": {
        "text": "Nine years it took.\n\nSome say ten.",
        "markdown": "Nine years[^1] it took.\n\n[^1]: Some say ten.",
        "html": "<p>9<sup id=r><a href='#n'>1</a></sup></p><ol><li id=n>Some say 10. <a href='#r'>b</a></ol>",
    },
    "hostile/redos-lang": {"cost extract": Cost(2.0, 1.7, 1000)},
    "kinds/br-in-cells": {
        "rows": [
            {"name": title, "last": f"{ago} by {name}"}
            for title, (ago, name) in zip(STORIES, CLOCKS, strict=False)
        ]
    },
    "kinds/posts-of-a-thread": {
        "segments": [
            {"text": f"{name} {k + 1} June 2023", "role": "comment"}
            for k, name in enumerate(
                ("oakleaf", "tidewater", "Marta", "quill", "sandpiper", "Jonas", "brook")
            )
        ]
    },
    "kinds/output-file": {"outputs": dict.fromkeys(("extract", "segment", "dupes"), "file")},
}


@pytest.mark.data
def test_every_case_of_the_data_has_checks(data_dir: Path) -> None:
    if not (data_dir / "cases").is_dir():
        pytest.skip(f"no cases: the folder {data_dir / 'cases'} does not exist")
    assert [name for name in case_names(data_dir / "cases") if name not in CASES] == []


def test_every_constructed_case_has_checks_and_files() -> None:
    assert {name.removeprefix("kinds/") for name in CASES if name.startswith("kinds/")} == set(KINDS)
    assert all(all(files().values()) for files in KINDS.values())


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_fails_on_an_empty_result(check: Check) -> None:
    assert check.fault_of(EMPTY[check.view.partition(" ")[0]]) != ""


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_result_passes(name: str) -> None:
    verdict = judge(CASES[name], RIGHT[name].__getitem__)
    assert (verdict.line(), set(verdict.faults)) == ("right", {""})


def test_a_result_that_lacks_a_part_is_partly_right() -> None:
    views = {**RIGHT["33-dates"], "record": {"published": "2019-03-04", "modified": None}}
    assert judge(CASES["33-dates"], views.__getitem__).line() == "partly (1 of 2 checks): modified is None"


def test_negative_checks_fail_on_what_they_exclude() -> None:
    soft = [{"page": f"{VALLEY}{name}", "detail": ""} for name in ("soft1", "lost")]
    verdict = judge(
        CASES["57-soft-404"], {"audit": Audit({"soft-404": soft}, pages=[{"page": VALLEY}])}.__getitem__
    )
    assert "/lost is in soft-404" in verdict.faults
    verdict = judge(CASES["84-consent-bar"], {"text": "This site uses cookies."}.__getitem__)
    assert verdict.name == "wrong"


def test_a_budget_that_is_exceeded_makes_a_case_wrong() -> None:
    assert cheap("extract").fault_of(Cost(2.6, 2.0, 10_000)) == "extract takes 2.6 s, more than 2.5 s"
    assert cheap("extract").fault_of(Cost(None, 2.0, 10_000)) == "extract has no result within the limits"
    assert cheap("extract").fault_of(Cost(2.5, 2.0, 10_000)) == ""
    costs = {"cost audit": Cost(9.0, 4.0, 10_000), "cost crawl": Cost(4.0, 4.0, 10_000)}
    assert judge(CASES["hostile/redos-refresh"], costs.__getitem__).name == "wrong"


def test_a_command_that_is_stopped_is_a_fault() -> None:
    types = {check.view: check for check in CASES["hostile/one-page-breaks-learning"]}["types"]
    assert types.fault_of(Run(None, "", "", 9.0)) == "types was stopped"
    assert (
        types.fault_of(Run(1, "", "Traceback (most recent call last)", 9.0)) == "types ends with a traceback"
    )
    assert types.fault_of(Run(0, "2 types", "", 9.0)) == ""


def test_a_case_without_checks_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cases" / "99-held-back").mkdir(parents=True)
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path))
    assert main(["99"]) == 0
    assert capsys.readouterr().out.split("\n")[0].split(maxsplit=1) == ["99-held-back", "no checks"]


def test_a_case_without_input_and_absent_data_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBGRAIN_DATA", str(tmp_path))
    assert main([]) == 1
    assert "There are no cases: the folder" in capsys.readouterr().err
    (tmp_path / "cases" / "33-dates").mkdir(parents=True)
    assert main(["33"]) == 1
    assert "33-dates has no input." in capsys.readouterr().out
    assert main(["nothing"]) == 1
    assert capsys.readouterr().err == "No case begins with nothing.\n"


@pytest.mark.data
def test_a_case_is_run(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not (data_dir / "cases" / "pages").is_dir():
        pytest.skip(f"no cases: the folder {data_dir / 'cases'} does not exist")
    monkeypatch.setenv("WEBGRAIN_DATA", str(data_dir))
    assert main(["pages/label-datum", "--verbose"]) == 0
    out = capsys.readouterr().out.split("\n")
    assert out[0].split(maxsplit=1) == ["pages/label-datum", "right"]
    assert out[1] == "    + published is on 2022-01-26"
    assert out[-2] == "1 cases: 1 right"
