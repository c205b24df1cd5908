"""``webgrain label``: mark the segments of pages in the browser."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from webgrain.cli.options import Browser, grouped

if TYPE_CHECKING:
    from webgrain.label.server import LabelServer


@grouped
def label(
    *,
    folder: Annotated[
        Path, Argument(metavar="FOLDER", show_default=False, help="The folder that the pages are in.")
    ],
    annotator: Annotated[
        str | None,
        Option(
            "--annotator",
            metavar="NAME",
            show_default=False,
            help="Who marks the pages; each has a file of labels [default: the name you are logged in with].",
        ),
    ] = None,
    port: Annotated[
        int, Option("--port", metavar="N", min=0, max=65535, help="Port of the tool; 0 takes a free one.")
    ] = 0,
    no_open: Annotated[bool, Option("--no-open", help="Only print the address, open no window.")] = False,
    browser: Browser,
) -> None:
    """Mark the segments of pages and their roles in the browser.

    Opens a local page that shows every page of the folder as a picture to click and drag on. Every change is
    saved at once in FOLDER/labels-NAME.jsonl, and the next start goes on where the last one ended. Several
    annotators have a file each, and the tool shows how far they agree. Ctrl-C ends it.

    Example: webgrain label site/ --annotator kim
    """
    from webgrain.label.desk import Desk
    from webgrain.label.server import LabelServer
    from webgrain.render.chromium import Chromium

    chromium = Chromium(javascript=browser.javascript, network=browser.network, timeout=browser.timeout)
    desk = Desk(folder, annotator or _login(), chromium)  # mistakes in the call are found before it starts
    with chromium, desk, LabelServer(desk, port) as server:
        _serve(server, no_open)


def _serve(server: LabelServer, no_open: bool) -> None:
    """Serve until Ctrl-C."""
    import sys
    import webbrowser

    print(f"Open {server.url} in a browser; Ctrl-C ends.", file=sys.stderr, flush=True)
    if not no_open:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:  # the way it is meant to end
        print(file=sys.stderr)


def _login() -> str:
    """Return the name of the user, as far as it can be part of a file name."""
    import getpass
    import re

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = ""
    return re.sub(r"[^\w.@-]+", "-", name).strip("-._@")[:64] or "annotator"
