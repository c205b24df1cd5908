"""The command on real pages, which are no part of the project."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.views import with_lines

from webgrain.page.addresses import find_xpath
from webgrain.page.outline import visible_tree
from webgrain.page.page import Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.full
@pytest.mark.data
def test_every_leaf_of_every_page_is_in_exactly_one_segment(
    webgrain: Callable[..., Any], data_dir: Path, tmp_path: Path
) -> None:
    with tarfile.open(data_dir / "segmentation" / "pages.tar.xz") as archive:
        wanted = (member for member in archive if member.name.endswith("index.blocks.html"))
        archive.extractall(tmp_path, wanted, filter="data")
    done = webgrain("segment", tmp_path, "--strict")
    assert (done.code, done.err) == (0, "")
    assert len(done.records) >= 80
    for record in done.records:
        page = parse(Source(record["page"], (tmp_path / record["page"]).read_bytes()))
        page = with_lines(page)
        tree = visible_tree(page)
        roots = [find_xpath(page.dom, path) for s in record["segments"] for path in s["xpath"]]
        held = sorted(
            leaf
            for root in roots
            if root is not None
            for leaf in tree.leaf_node.tolist()
            if root <= leaf < page.dom.end[root]
        )
        assert held == tree.leaf_node.tolist(), record["page"]
        assert sum(segment["leaves"] for segment in record["segments"]) == len(held)
