"""``webgrain doctor``: what is installed, what is missing, and whether the browser starts."""

from __future__ import annotations

from typing import Annotated

from typer import Exit, Option, echo


def doctor(
    *,
    as_json: Annotated[bool, Option("--json", help="Print one JSON record with all that was found.")] = False,
) -> None:
    """Say what is installed, what is missing, and how to get it.

    Also says whether the browser starts. Ends with 1 if something that should work does not; what is merely
    not installed does not count.

    Example: webgrain doctor
    """
    import json

    from webgrain.cli.checks import checks

    found = []
    for check in checks():
        found.append(check)
        if not as_json:
            told = f"{check.found}. To mend it: {check.remedy}" if check.remedy else check.found
            echo(f"{check.state:8}{check.name:14}{told}")
    broken = any(check.state == "broken" for check in found)
    if as_json:
        echo(json.dumps({"ok": not broken, "checks": [check._asdict() for check in found]}))
    raise Exit(1 if broken else 0)
