from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from experiments.datasets.synthetic_pages import make_pages

from webgrain.io.labels import LabelledPage, write_labels

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Six labelled pages, on disk."""
    return write(tmp_path / "labels.jsonl", make_pages(6, random_state=3))


def write(path: Path, pages: list[LabelledPage]) -> Path:
    for page in pages:
        (path.parent / page.source.id).write_bytes(page.source.body)
    write_labels(path, pages)
    return path


def test_learnt_models_can_be_used(webgrain: Webgrain, labels: Path, tmp_path: Path) -> None:
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip")
    assert (ended.code, ended.err) == (0, "")
    assert "Learnt from 6 pages" in ended.out
    assert "held-out pages, 5 folds" in ended.out
    use = ("segment", tmp_path / "page-0.html", "--weights", tmp_path / "w.zip")
    [page] = webgrain(*use).records
    assert page["method"] == "learntcut"
    assert page["params"]["model"] == "learnt"
    assert "menu" in {segment["role"] for segment in page["segments"]}
    assert len(webgrain(*use, "--granularity", "0").records[0]["segments"]) == 1


def test_the_methods_of_the_paper_can_be_learnt(webgrain: Webgrain, tmp_path: Path) -> None:
    labels = write(tmp_path / "labels.jsonl", make_pages(2, size=3))
    options = ("--preset", "paper", "--method", "cclus", "--render", "none")
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip", *options)
    assert ended.code == 0
    assert "cclus" in ended.out
    use = ("segment", tmp_path / "page-0.html", "--weights", tmp_path / "w.zip", "--render", "none")
    assert webgrain(*use).records[0]["method"] == "cclus"
    wrong = webgrain(*use, "--method", "gcuts")
    assert wrong.code == 2
    assert "are for cclus, not gcuts" in wrong.err


def test_pages_of_one_site_have_no_scores(webgrain: Webgrain, tmp_path: Path) -> None:
    labels = write(tmp_path / "labels.jsonl", make_pages(3))
    lines = labels.read_text("utf-8").splitlines()
    site = [line.replace('{"page"', '{"url": "https://example.org/", "page"') for line in lines]
    labels.write_text("\n".join(site), encoding="utf-8")
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip")
    assert ended.code == 0
    assert "No scores: all pages are from one site" in ended.out


@pytest.mark.parametrize(
    ("pages", "options", "message"),
    [
        (0, (), "labels 0 pages"),
        (1, (), "labels 1 page; at least two are needed"),
        (2, ("--method", "gcuts"), "needs --preset paper"),
        (2, ("--preset", "best"), "learnt"),
    ],
)
def test_wrong_input_gives_one_sentence(
    webgrain: Webgrain, tmp_path: Path, pages: int, options: tuple[str, ...], message: str
) -> None:
    labels = write(tmp_path / "labels.jsonl", make_pages(max(pages, 1))[:pages])
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip", *options)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert not (tmp_path / "w.zip").exists()


def test_an_impossible_output_file_is_an_error_at_once(
    webgrain: Webgrain, labels: Path, tmp_path: Path
) -> None:
    for target in (tmp_path, tmp_path / "no" / "w.zip"):
        ended = webgrain("learn", "segments", labels, "-o", target)
        assert (ended.code, ended.out) == (2, "")
        assert "Expected the name of a file in an existing folder" in ended.err


def test_labels_without_a_matching_element_are_errors(webgrain: Webgrain, tmp_path: Path) -> None:
    labels = write(tmp_path / "labels.jsonl", make_pages(2))
    lines = [f'{{"page": "page-{k}.html", "segments": [{{"css": "html > table"}}]}}' for k in range(2)]
    labels.write_text("\n".join(lines), encoding="utf-8")
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip")
    assert ended.code == 2
    assert "No segment in" in ended.err


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04", b"\x80\x04"])
def test_a_file_of_no_weights_is_refused(
    webgrain: Webgrain, site: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "w").write_bytes(content)
    for verb in ("segment", "show"):
        ended = webgrain(verb, site / "index.html", "--weights", tmp_path / "w")
        assert (ended.code, ended.out) == (2, "")
        assert str(tmp_path / "w") in ended.err
        assert ended.err.count("\n") == 1


def test_pages_at_which_learning_fails_are_left_out_and_named(
    webgrain: Webgrain, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webgrain.evaluation import training

    compute = training.fine_rows

    def fail(example: Any) -> Any:
        if example.page.id in ("page-1.html", "page-4.html"):
            raise ZeroDivisionError("this page is broken")
        return compute(example)

    monkeypatch.setattr(training, "fine_rows", fail)
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip")
    assert ended.code == 0
    assert "Learnt from 4 pages" in ended.out
    expected = "learn: internal error: ZeroDivisionError: this page is broken"
    lines = [f"webgrain: page-{number}.html: {expected}" for number in (1, 4)]
    assert ended.err.splitlines() == lines


def test_nothing_learnt_is_an_error(
    webgrain: Webgrain, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(example: Any) -> Any:
        raise ZeroDivisionError("each page is broken")

    monkeypatch.setattr("webgrain.evaluation.training.fine_rows", fail)
    ended = webgrain("learn", "segments", labels, "-o", tmp_path / "w.zip")
    assert ended.code != 0
    assert "Nothing could be learnt from these pages." in ended.err
    assert not (tmp_path / "w.zip").exists()
