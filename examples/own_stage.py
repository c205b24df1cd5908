"""A stage of your own in as many processes as there are cores: the titles of the pages in many archives.

    python examples/own_stage.py RESULTS ARCHIVE...

On a cluster it is ``engine("ray")``, and `titles` stands in a module that is installed on all machines.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import webgrain
from webgrain.base.failures import Failure
from webgrain.engines import engine
from webgrain.engines.guard import Guard


def title(source: webgrain.Source) -> str:
    """Return the title of a page."""
    dom = webgrain.parse(source).dom
    found = [node for node in range(len(dom)) if dom.name(node) == "title"]
    return " ".join(dom.text_of(found[0]).split()) if found else ""


def titles(archive: Path, results: Path) -> int:
    """Write the titles of an archive's pages, under the final name when all is done; return how many."""
    guard, done = Guard(seconds=10, megabytes=500), 0
    part = results / f"{archive.name}.part"
    with part.open("w", encoding="utf-8") as out:
        for item in webgrain.read([archive]):
            result = guard.call(item, "title", title)
            failed = isinstance(result, Failure)
            page, said = (result.page, f"failed: {result.error}") if failed else (item.id, result)
            out.write(json.dumps([page, said]) + "\n")
            done += 1
    part.replace(results / f"{archive.name}.jsonl")
    return done


if __name__ == "__main__":
    folder, *archives = map(Path, sys.argv[1:])
    for archive, done in engine("local").map(partial(titles, results=folder), archives):
        print(archive.name, done)
