"""Posts of the forum pages of WCXB, by selectors: ``experiments/datasets/labels/threads.json``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import html

if TYPE_CHECKING:
    from experiments.datasets.maincontent import MainPage

LABELS = Path(__file__).parent / "labels" / "threads.json"


@cache
def labels() -> dict[str, Any]:
    """Return the labels."""
    found: dict[str, Any] = json.loads(LABELS.read_text(encoding="utf-8"))
    return found


def posts_of(page: MainPage) -> tuple[list[str], bool] | None:
    """Return the texts of the posts of a forum page, and whether the first one is the first post.

    None: they are not known.
    """
    known, name = labels(), page.source.id
    if page.kind != "forum" or name in known["unknown"]:
        return None
    own = known["pages"].get(name)
    tree = html.document_fromstring(page.source.body, html.HTMLParser(encoding="utf-8"))
    for node in tree.xpath("//script | //style | //template"):
        node.drop_tree()
    for selector in [own] if own else known["selectors"]:
        texts = [node.text_content() for node in tree.cssselect(selector)]
        texts = [text for text in texts if text.strip()]
        if len(texts) > 1:
            return texts, name not in known["replies"]
    return None
