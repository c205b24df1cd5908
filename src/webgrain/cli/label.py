"""``webgrain label``: mark the segments of pages in the browser, or judge their sections."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from webgrain.cli.options import Browser, grouped

if TYPE_CHECKING:
    from webgrain.labeling.pages import App
    from webgrain.labeling.server import LabelServer
    from webgrain.rendering.chromium import Chromium


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
    review: Annotated[
        bool, Option("--review", help="Judge sections instead: is each cut right, is its class right?")
    ] = False,
    template: Annotated[
        Path | None,
        Option(
            "--template",
            metavar="FILE",
            show_default=False,
            help="With --review: the template that cuts the sections, or a folder of several.",
        ),
    ] = None,
    summary: Annotated[
        bool, Option("--summary", help="With --review: only print what the judges found so far.")
    ] = False,
    no_open: Annotated[bool, Option("--no-open", help="Only print the address, open no window.")] = False,
    browser: Browser,
) -> None:
    """Mark the segments of pages and their roles in the browser.

    Opens a local page that shows every page of the folder as a picture to click and drag on. Every change is
    saved at once in FOLDER/labels-NAME.jsonl, and the next start goes on where the last one ended. Several
    annotators have a file each, and the tool shows how far they agree. Ctrl-C ends it.

    With --review --template FILE it shows the sections of each page, noisy ones orange and informative ones
    blue, and takes verdicts on them: cut right or wrong, class right or wrong. They are kept in
    FOLDER/reviews-NAME.jsonl; --review --summary prints precision and recall of noisy sections as judged, the
    share of right cuts, and the agreement of the judges.

    Example: webgrain label site/ --annotator kim
    """
    from webgrain.labeling.server import LabelServer
    from webgrain.rendering.chromium import Chromium

    _check(review, template, summary)
    if summary:
        _print_summary(folder)
        return
    chromium = Chromium(javascript=browser.javascript, network=browser.network, timeout=browser.timeout)
    app = _app(folder, annotator or _login(), chromium, template)  # mistakes in the call are found here
    with chromium, app, LabelServer(app, port) as server:
        _serve(server, no_open)


def _check(review: bool, template: Path | None, summary: bool) -> None:
    """Refuse options that mean nothing together."""
    from webgrain.errors import ParameterError

    if not review and (summary or template):
        raise ParameterError("--template and --summary are for --review: name it too.")
    if review and (template is None) != summary:
        raise ParameterError("--review needs either --template FILE, to judge, or --summary.")


def _app(folder: Path, annotator: str, chromium: Chromium, template: Path | None) -> App:
    from webgrain.cli.template import best_sectioner
    from webgrain.labeling.app import LabelApp
    from webgrain.labeling.reviews import ReviewApp

    if template is None:
        return LabelApp(folder, annotator, chromium)
    return ReviewApp(folder, annotator, chromium, best_sectioner(template))


def _print_summary(folder: Path) -> None:
    """Print what the judges of a folder found, a line each, and how far every two agree."""
    from webgrain.errors import InputError
    from webgrain.labeling.reviews import summary

    found = summary(folder)
    if not found["judges"]:
        raise InputError(
            f"There are no verdicts in {folder}: webgrain label --review --template collects them."
        )
    print("judge                pages  sections  precision  recall  right cuts")
    for one in found["judges"]:
        print(
            f"{one['judge']:20} {one['pages']:5} {one['sections']:9} {_share(one['precision']):>10} "
            f"{_share(one['recall']):>7} {_share(one['cuts']):>11}"
        )
    if found["agreement"]:
        print("\njudges                         on     sections  equal  kappa")
    for one in found["agreement"]:
        pair, raw, kappa = f"{one['a']}, {one['b']}", _share(one["raw"]), _share(one["kappa"])
        print(f"{pair:30} {one['verdict']:5} {one['sections']:9} {raw:>6} {kappa:>6}")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


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
