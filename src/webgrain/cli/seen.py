"""``webgrain seen``: look into the store of pages that crawls have seen, and forget some."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from webgrain.cli.durations import seconds_in

if TYPE_CHECKING:
    from webgrain.crawl.seen import SeenPage

seen = Typer(
    name="seen",
    help="List or forget the pages that crawls have seen.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Store = Annotated[Path, Argument(metavar="FILE", help="The store that webgrain crawl --seen has made.")]


@seen.command("list", no_args_is_help=True)
def list_seen(
    *,
    store: Store,
    older: Annotated[
        str | None,
        Option("--older-than", metavar="AGE", help="Only pages seen last before this long, as 30d or 12h."),
    ] = None,
) -> None:
    """List the pages in a store, those not seen for longest first.

    Writes a JSON record per page to stdout: page, url, first and last (when it was seen, UTC), etag,
    modified, links (their number).

    Example: webgrain seen list seen.db --older-than 30d
    """
    from webgrain.crawl.seen import SeenStore, seconds_ago
    from webgrain.io.write import open_writer

    before = None if older is None else seconds_ago(seconds_in(older))
    with SeenStore(store, make=False) as pages, open_writer("jsonl", "-") as writer:
        for page in pages.pages(before):
            writer.write(_record(page))


@seen.command("drop", no_args_is_help=True)
def drop_seen(
    *,
    store: Store,
    older: Annotated[
        str,
        Option("--older-than", metavar="AGE", help="Forget pages seen last before this long, as 30d or 12h."),
    ],
) -> None:
    """Forget pages, so that the next crawl fetches them anew.

    Example: webgrain seen drop seen.db --older-than 30d
    """
    from webgrain.crawl.seen import SeenStore, seconds_ago

    before = seconds_ago(seconds_in(older))
    with SeenStore(store, make=False) as pages:
        print(f"webgrain: {pages.drop(before)} pages forgotten, {pages.count()} left.", file=sys.stderr)


def _record(page: SeenPage) -> dict[str, Any]:
    return {
        "page": page.url,
        "url": page.url,
        "first": _utc(page.first),
        "last": _utc(page.last),
        "etag": page.etag,
        "modified": page.modified,
        "links": len(page.links),
    }


def _utc(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
