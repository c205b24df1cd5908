"""Store the chunks of pages in a vector database and find those that answer a question, with Chroma.

    pip install chromadb

    import chromadb

    collection = chromadb.PersistentClient("index").get_or_create_collection("pages")
    store_pages(collection, ["site/"])
    for hit in search(collection, "When does the ferry leave?"):
        print(hit["page"], hit["headings"], hit["text"])

Other databases of vectors take the same values: a name, a text and fields with values for each chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import webgrain

BATCH = 500
"""Chunks that are stored at a time."""


def store_pages(collection: Any, inputs: Iterable[str], max_tokens: int = 256, tokenizer: Any = None) -> int:
    """Store the chunks of the pages in files, folders and archives; return how many pages have some.

    collection: of Chroma. tokenizer: that of the model of the embeddings, such as ``tiktoken.get_encoding(
    "cl100k_base")`` or a tokenizer of Hugging Face; without it the number of tokens is approximate. A chunk
    that did not change since an earlier call keeps its name; chunks that a page no longer has are deleted.
    """
    number = 0
    for item in webgrain.read(inputs):
        if isinstance(item, webgrain.Failure):
            continue
        document = webgrain.extract(item)
        chunks = document.chunks(max_tokens, tokenizer)
        page = document.url or document.id
        stored = set(collection.get(where={"page": page}, include=[])["ids"])
        for start in range(0, len(chunks), BATCH):
            batch = chunks[start : start + BATCH]
            collection.upsert(
                ids=[chunk.id for chunk in batch],
                documents=["\n\n".join((" > ".join(chunk.headings), chunk.text)) for chunk in batch],
                metadatas=[
                    {
                        "page": page,
                        "headings": " > ".join(chunk.headings),
                        "xpath": chunk.xpath[0] if chunk.xpath else "",
                        "number": chunk.number,
                        "language": document.language or "",
                    }
                    for chunk in batch
                ],
            )
        if gone := stored - {chunk.id for chunk in chunks}:
            collection.delete(ids=sorted(gone))
        number += bool(chunks)
    return number


def search(collection: Any, question: str, number: int = 5) -> Iterator[dict[str, Any]]:
    """Yield the chunks that are nearest to a question, each with its page, its headings and its element."""
    hits = collection.query(query_texts=[question], n_results=number)
    for text, fields in zip(hits["documents"][0], hits["metadatas"][0], strict=True):
        yield {"text": text, **fields}
