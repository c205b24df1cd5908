"""Read pages, pull out their texts and keep some kinds of pages, in a pipeline of datatrove.

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    LocalPipelineExecutor(
        pipeline=[
            ReadPages(["crawl-0.warc.gz", "crawl-1.warc.gz"]),
            ExtractText("site-model.json"),
            Keep(verdict="article"),
            JsonlWriter("articles/"),
        ],
        tasks=2,
    ).run()

A step of datatrove may be any callable that takes documents, the number of the task and that of all tasks,
and gives documents. A document has ``text``, ``id`` and a dictionary ``metadata``. `ExtractText` also works
behind the readers of datatrove that give HTML, such as ``WarcReader``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import webgrain
from webgrain.extraction.single import SinglePage
from webgrain.page.parsing import decode, find_charset
from webgrain.site.model import load_model

Documents = Iterable[Any]


class ReadPages:
    """Reads files, folders and archives, those at every ``world_size``-th place in each task.

    A page that cannot be read is a document without text that has ``error`` in its metadata.
    """

    def __init__(self, inputs: list[str]) -> None:
        self.inputs = inputs

    def __call__(self, data: Documents | None = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Give what comes in, then a document for each page."""
        from datatrove.data import Document

        yield from data or ()
        mine = self.inputs[rank::world_size]
        for item in webgrain.read(mine) if mine else ():
            if isinstance(item, webgrain.Source):
                html, _ = decode(item.body, find_charset(item.body, item.charset))
                yield Document(text=html, id=item.id, metadata={"url": item.url})
            elif isinstance(item, webgrain.Failure):
                yield Document(text="", id=item.page, metadata={"url": item.url, "error": item.error})


class ExtractText:
    """Puts the main text of a page in the place of its HTML, and what else is known of it into ``metadata``.

    model: file that ``webgrain audit`` wrote, for the pages of that site; None: each page is read by itself.
    """

    def __init__(self, model: str | None = None) -> None:
        self.model = model

    @cached_property
    def _predict(self) -> Any:  # within the task: a step is sent there before
        return (load_model(self.model) if self.model else SinglePage()).predict

    def __call__(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Give each document with its text; one that has an error goes through as it is."""
        for document in data:
            if "error" not in document.metadata:
                source = webgrain.Source(
                    document.id, document.text.encode("utf-8", "replace"), charset="utf-8"
                )
                found = self._predict(webgrain.parse(source))
                document.text = found.text
                known = {"title": found.title, "verdict": found.verdict, "type": getattr(found, "type", None)}
                document.metadata |= known
            yield document


class Keep:
    """A filter: keeps the documents whose metadata have these values, as ``Keep(verdict="article")``."""

    def __init__(self, **wanted: Any) -> None:
        self.wanted = wanted

    def __call__(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Give the documents that are kept."""
        return (one for one in data if self.wanted.items() <= one.metadata.items())
