"""Make the model of single-page extraction that comes with webgrain: a part of ``make train``.

All pages of the public sample are learnt from. The same data and versions give the same file.
"""

from __future__ import annotations

from pathlib import Path

from webgrain.evaluation.corpora import read_main_pages
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.singlepage import fit, rows_of
from webgrain.extraction.boosted import write_boosted

MODEL = Path(__file__).parents[1] / "src" / "webgrain" / "extract" / "trained" / "single.model"


def main() -> None:
    """Learn, and write the model."""
    pages = read_main_pages(data_folder() / "main-content")
    print(f"main content: {len(pages)} pages", flush=True)
    MODEL.parent.mkdir(exist_ok=True)
    write_boosted(MODEL, fit([rows_of(page) for page in pages]))


if __name__ == "__main__":
    main()
