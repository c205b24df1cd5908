"""``webgrain label``: label the segments of pages in a browser, or review their sections."""

from __future__ import annotations

import getpass
import re
import sys
import webbrowser
from pathlib import Path

from webgrain.cli.options import Browser, option, with_options
from webgrain.cli.template import best_sectioner
from webgrain.errors import InputError, ParameterError
from webgrain.labeling.app import App, LabelApp
from webgrain.labeling.reviews import ReviewApp, summary
from webgrain.labeling.server import LabelServer
from webgrain.rendering.chromium import Chromium


@with_options
def label(
    *,
    folder: Path = option(..., "FOLDER"),
    annotator: str | None = option(None, "--annotator NAME"),
    port: int = option(0, "--port N", min=0, max=65535),
    review: bool = option(False, "--review"),
    template: Path | None = option(None, "--template FILE"),
    root: Path | None = option(None, "--root DIR"),
    summary: bool = option(False, "--summary"),
    no_open: bool = option(False, "--no-open"),
    browser: Browser,
) -> None:
    """Label the segments of pages and their roles in a browser.

    Opens a local web page that shows each page of the folder as a picture; click or drag to mark segments.
    Every change is saved immediately in FOLDER/labels-NAME.jsonl, and the next start continues there. Each
    annotator has a file, and the tool shows their agreement. Ctrl-C ends the tool.

    With --review --template FILE, the tool shows the sections of each page, boilerplate in orange and
    content in blue, and saves your verdicts on boundaries and classes in FOLDER/reviews-NAME.jsonl. --review
    --summary prints precision and recall of boilerplate sections, the share of correct boundaries, and the
    agreement of the reviewers.

    Example: webgrain label site/ --annotator kim

    Options:
        folder: Folder of the pages.
        annotator: Name of the annotator; each has a file of labels. Default: the login name.
        port: Port of the labelling tool. Default: a free port.
        review: Review the sections of pages: boundaries and classes.
        template: With --review: template that defines the sections, or a folder of templates.
        summary: With --review: only print the results so far.
        root: Folder of the site, if FOLDER is a part of it: style sheets and pictures outside of FOLDER load.
            Default: FOLDER.
        no_open: Print the address and do not open a browser window.
    """
    if not review and (summary or template):
        raise ParameterError("--template and --summary need --review.")
    if review and (template is None) != summary:
        raise ParameterError("--review needs either --template FILE or --summary.")
    if summary:
        _print_summary(folder)
        return
    chromium = Chromium(javascript=browser.javascript, network=browser.network, timeout=browser.timeout)
    app = _app(folder, annotator or _login(), chromium, template, root)  # checks the folder and the template
    with chromium, app, LabelServer(app, port) as server:
        _serve(server, no_open)


def _app(folder: Path, annotator: str, chromium: Chromium, template: Path | None, root: Path | None) -> App:
    if template is None:
        return LabelApp(folder, annotator, chromium, root)
    return ReviewApp(folder, annotator, chromium, best_sectioner(template), root)


def _print_summary(folder: Path) -> None:
    """Print the results of each reviewer, and the agreement of every two."""
    result = summary(folder)
    if not result["judges"]:
        raise InputError(
            f"There are no verdicts in {folder}: add some with webgrain label --review --template."
        )
    print("reviewer             pages  sections  precision  recall  boundaries")
    for row in result["judges"]:
        print(
            f"{row['judge']:20} {row['pages']:5} {row['sections']:9} {_share(row['precision']):>10} "
            f"{_share(row['recall']):>7} {_share(row['cuts']):>11}"
        )
    if result["agreement"]:
        print("\nreviewers                      on     sections  equal  kappa")
    for row in result["agreement"]:
        pair, raw, kappa = f"{row['a']}, {row['b']}", _share(row["raw"]), _share(row["kappa"])
        print(f"{pair:30} {row['verdict']:5} {row['sections']:9} {raw:>6} {kappa:>6}")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _serve(server: LabelServer, no_open: bool) -> None:
    """Serve until Ctrl-C."""
    print(f"Open {server.url} in a browser; Ctrl-C ends.", file=sys.stderr, flush=True)
    if not no_open:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:  # the normal end
        print(file=sys.stderr)


def _login() -> str:
    """Return the login name, reduced to characters of a file name."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = ""
    return re.sub(r"[^\w.@-]+", "-", name).strip("-._@")[:64] or "annotator"
