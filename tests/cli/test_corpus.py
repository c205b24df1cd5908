"""The command ``webgrain corpus``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Webgrain
from tests.papers.articles import article


def body_of(number: int) -> bytes:
    """Return the HTML of an article."""
    source = article(number).source
    assert source is not None
    return source.body


def test_command(webgrain: Webgrain, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.html").write_bytes(body_of(number))
    (folder / "copy.html").write_bytes(body_of(3))
    output = tmp_path / "corpus.jsonl"
    done = webgrain("corpus", folder, "-o", output, "--workers", 1)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{output}: 12 documents of 13 pages, ")
    assert "left out: near-duplicate" in done.out
    assert len(output.read_text("utf-8").splitlines()) == 12
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl", "site"]
    wrong = webgrain("corpus", folder, "-o", tmp_path / "corpus.md")
    assert (wrong.code, "ends in .parquet, .jsonl or .csv" in wrong.err) == (2, True)
    wrong = webgrain("corpus", folder, "-o", output, "--kind", "poem")
    assert (wrong.code, "A kind must be one of" in wrong.err) == (2, True)
