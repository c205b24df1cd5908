"""What ``webgrain doctor`` looks at: each check says what was found, and what to do if that is not enough.

``webgrain doctor``: what is installed, what is missing, and whether the browser starts.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from typer import Exit, Option, echo

from webgrain import __version__
from webgrain.errors import MissingExtraError, WebgrainError

State = Literal["ok", "missing", "broken"]
"""``missing``: can be had, and is not needed for everything; ``broken``: should work, and does not."""

_FOR_DEVELOPERS = frozenset({"all", "bench", "docs", "dev"})
_REQUIREMENT = re.compile(
    r"([\w.-]+)(?:\[[^]]*\])?\s*(?:>=\s*([\d.]+))?.*?(?:extra == ['\"]([\w-]+)['\"])?\s*\Z"
)


class Check(NamedTuple):
    """What was found: ``name`` of the thing, its state, what it is, and what to do (empty: nothing)."""

    name: str
    state: State
    found: str
    remedy: str = ""


def checks() -> Iterator[Check]:
    """Look at everything, one thing after the other.

    >>> next(checks())
    Check(name='webgrain', state='ok', found='0.1.0', remedy='')
    """
    yield Check("webgrain", "ok", __version__)
    yield Check("python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield Check("platform", "ok", platform.platform())
    yield kernels()
    yield from libraries(metadata.requires("webgrain") or [])
    yield browser()
    yield machine()
    yield from folders()


def kernels() -> Check:
    """Tell whether the kernels are compiled; one that is not makes all of webgrain slow.

    >>> kernels().name
    'kernels'
    """
    package = Path(__file__).parents[1]
    names = [
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in sorted(package.rglob("*.py"))
        if "\nCOMPILED = cython.compiled\n" in path.read_text(encoding="utf-8")
    ]
    slow = [name.rpartition(".")[2] for name in names if not import_module(name).COMPILED]
    if slow:
        remedy = "install a C compiler and the headers of Python, then webgrain again"
        return Check("kernels", "broken", f"not compiled, much slower: {', '.join(slow)}", remedy)
    return Check("kernels", "ok", f"all {len(names)} are compiled")


def libraries(requirements: list[str]) -> Iterator[Check]:
    """Tell which libraries are there, those that are always needed and those of each extra.

    requirements: of the package, as its metadata have them.

    >>> list(libraries(['numpy>=2.0', 'nowhere>=1; extra == "fly"']))[1]
    Check(name='extra fly', state='missing', found='no nowhere', remedy="pip install 'webgrain[fly]'")
    """
    wanted: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for requirement in requirements:
        if found := _REQUIREMENT.match(requirement):
            name, least, extra = found.groups(default="")
            wanted[extra].append((name, least))
    for extra, named in wanted.items():
        if extra not in _FOR_DEVELOPERS:
            yield _libraries_of(extra, named)


def _libraries_of(extra: str, named: list[tuple[str, str]]) -> Check:
    told = [(name, _version(name), least) for name, least in named]
    absent = [f"no {name}" for name, version, _ in told if not version]
    old = [
        f"{name} {version}, needs {least}"
        for name, version, least in told
        if version and _older(version, least)
    ]
    title = f"extra {extra}" if extra else "libraries"
    remedy = f"pip install 'webgrain{f'[{extra}]' if extra else ''}'"
    if absent or old:
        return Check(title, "missing" if extra and not old else "broken", ", ".join(absent + old), remedy)
    return Check(title, "ok", ", ".join(f"{name} {version}" for name, version, _ in told))


def _version(library: str) -> str:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(library)
    return ""


def _older(version: str, least: str) -> bool:
    have, need = ([int(part) for part in re.findall(r"\d+", text)] for text in (version, least))
    return have[: len(need)] < need


def browser() -> Check:
    """Tell which browser is found, and whether it lays out a page.

    >>> browser().name
    'browser'
    """
    from webgrain.rendering.chromium import find_browser

    try:
        path = find_browser()
    except MissingExtraError as error:
        return Check("browser", "missing", "none found", str(error).partition(": ")[2])
    except WebgrainError as error:  # the one that WEBGRAIN_BROWSER names is none
        return Check("browser", "broken", str(error), "name the path of a Chromium, or none")
    return _tried(path)


def _tried(path: str) -> Check:
    """Let a browser lay out a page."""
    from webgrain.page.page import Source
    from webgrain.rendering.chromium import Chromium

    start = time.perf_counter()
    try:
        with Chromium(executable=path) as running:
            running.render(Source("doctor", b"<p>Hello"))
    except MissingExtraError:
        return Check("browser", "missing", path, "pip install 'webgrain[render]' to use it")
    except WebgrainError as error:
        return Check("browser", "broken", str(error), "run it by hand to see why")
    took = time.perf_counter() - start
    return Check("browser", "ok", f"{path}, {_told_version(path)}, a page in {took:.1f} s")


def _told_version(path: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        told = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
        if number := re.search(r"\d+(\.\d+)+", told):
            return number[0]
    return "of unknown version"


def machine() -> Check:
    """Tell cores and memory that this process may use.

    >>> machine().found.split()[0]
    'cores:'
    """
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    memory = f"{total / 2**30:.1f} GB of memory" if (total := _memory()) else "memory unknown"
    return Check("machine", "ok", f"cores: {cores}, {memory}")


def _memory() -> int:
    """Return the bytes of the machine, or what a container may have of them; 0 where that is not told."""
    told = []
    with suppress(OSError, ValueError, AttributeError):
        told.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):
        told.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(told, default=0)


def folders() -> Iterator[Check]:
    """Tell where webgrain keeps and looks for things; that a folder is not there (yet) is no fault.

    >>> [check.name for check in folders()]
    ['cache', 'data']
    """
    from webgrain.evaluation.datasets import VARIABLE, cache_folder, data_folder

    cache, data = cache_folder(), Path(os.path.normpath(data_folder()))
    yield Check("cache", "ok", f"{cache}{'' if cache.is_dir() else ' (not there yet)'}")
    there = data.is_dir() or VARIABLE not in os.environ
    told = f"{data}{'' if data.is_dir() else ' (not there; webgrain eval alone needs it)'}"
    yield Check("data", "ok" if there else "broken", told, "" if there else f"{VARIABLE} must name a folder")


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
