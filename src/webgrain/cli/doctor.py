"""``webgrain doctor``: report which dependencies are installed and whether they work."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal, NamedTuple

from click import echo
from click.exceptions import Exit

from webgrain import __version__
from webgrain.base.errors import MissingExtraError, WebgrainError
from webgrain.cli.options import option, with_options

_State = Literal["ok", "missing", "broken"]
"""``missing``: optional and not installed; ``broken``: installed or required, but it does not work."""

_FOR_DEVELOPERS = frozenset({"all", "bench", "docs", "dev"})
_REQUIREMENT = re.compile(
    r"([\w.-]+)(?:\[[^]]*\])?\s*(?:>=\s*([\d.]+))?.*?(?:extra == ['\"]([\w-]+)['\"])?\s*\Z"
)


class Check(NamedTuple):
    """The result of a check: its name, state and description, and what to do (empty: nothing)."""

    name: str
    state: _State
    found: str
    remedy: str = ""


@with_options
def doctor(*, as_json: bool = option(False, "--json")) -> None:
    """Report which dependencies are installed, which are missing, and how to install them.

    Also starts the browser. The exit code is 1 if something is broken; optional dependencies that are not
    installed do not count.

    Example: webgrain doctor

    Options:
        as_json: Print one JSON record with the results of all checks.
    """
    results = []
    for check in checks():
        results.append(check)
        if not as_json:
            remedy = f". To fix this: {check.remedy}" if check.remedy else ""
            echo(f"{check.state:8}{check.name:15}{check.found}{remedy}")
    broken = any(check.state == "broken" for check in results)
    if as_json:
        echo(json.dumps({"ok": not broken, "checks": [check._asdict() for check in results]}))
    raise Exit(1 if broken else 0)


def checks() -> Iterator[Check]:
    """Yield the results of all checks.

    >>> next(checks())
    Check(name='webgrain', state='ok', found='0.2.0', remedy='')
    """
    yield Check("webgrain", "ok", __version__)
    yield Check("python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield Check("platform", "ok", platform.platform())
    yield kernels()
    yield from libraries(metadata.requires("webgrain") or [])
    yield browser()
    yield machine()
    yield page_limits()
    yield from folders()


def kernels() -> Check:
    """Check whether all kernels are compiled; one that is not makes webgrain slow.

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
    """Check the required libraries, and those of each extra.

    requirements: as listed in the metadata of the package.

    >>> list(libraries(['numpy>=2.0', 'nowhere>=1; extra == "fly"']))[1]
    Check(name='extra fly', state='missing', found='no nowhere', remedy="pip install 'webgrain[fly]'")
    """
    by_extra: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for requirement in requirements:
        if match := _REQUIREMENT.match(requirement):
            name, least, extra = match.groups(default="")
            by_extra[extra].append((name, least))
    for extra, needed in by_extra.items():
        if extra not in _FOR_DEVELOPERS:
            yield _libraries_of(extra, needed)


def _libraries_of(extra: str, needed: list[tuple[str, str]]) -> Check:
    versions = [(name, _installed(name), least) for name, least in needed]
    absent = [f"no {name}" for name, version, _ in versions if not version]
    old = [
        f"{name} {version}, needs {least}"
        for name, version, least in versions
        if version and _older(version, least)
    ]
    title = f"extra {extra}" if extra else "libraries"
    if absent or old:
        remedy = f"pip install 'webgrain{f'[{extra}]' if extra else ''}'"
        return Check(title, "missing" if extra and not old else "broken", ", ".join(absent + old), remedy)
    return Check(title, "ok", ", ".join(f"{name} {version}" for name, version, _ in versions))


def _installed(library: str) -> str:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(library)
    return ""


def _older(version: str, least: str) -> bool:
    have, need = ([int(part) for part in re.findall(r"\d+", text)] for text in (version, least))
    return have[: len(need)] < need


def browser() -> Check:
    """Check whether there is a browser, and whether it renders a page.

    >>> browser().name
    'browser'
    """
    from webgrain.page.page import Source
    from webgrain.rendering.chromium import Chromium, find_browser

    try:
        path = find_browser()
    except MissingExtraError as error:
        return Check("browser", "missing", "none found", str(error).partition(": ")[2])
    except WebgrainError as error:  # WEBGRAIN_BROWSER names something else
        return Check(
            "browser", "broken", str(error), "set WEBGRAIN_BROWSER to the path of a Chromium, or unset it"
        )
    start = time.perf_counter()
    try:
        with Chromium(executable=path) as chromium:
            chromium.render(Source("doctor", b"<p>Hello"))
    except MissingExtraError:
        return Check("browser", "missing", path, "pip install 'webgrain[render]' to use it")
    except WebgrainError as error:
        return Check("browser", "broken", str(error), f"run {path} in a terminal to see its messages")
    seconds = time.perf_counter() - start
    return Check("browser", "ok", f"{path}, {_browser_version(path)}, a page in {seconds:.1f} s")


def _browser_version(path: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        printed = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)
        if number := re.search(r"\d+(\.\d+)+", printed.stdout):
            return number[0]
    return "unknown version"


def machine() -> Check:
    """Report the cores and the memory that this process may use.

    >>> machine().found.split()[0]
    'cores:'
    """
    from webgrain.engines.local import cores

    memory = f"{total / 2**30:.1f} GB of memory" if (total := _memory()) else "memory unknown"
    return Check("machine", "ok", f"cores: {cores()}, {memory}")


def page_limits() -> Check:
    """Report whether this system can limit the time and the memory of a page.

    >>> page_limits().name
    'limits'
    """
    from webgrain.engines.guard import absent_limits

    if absent := absent_limits():
        return Check(
            "limits", "missing", f"no limit of {' and '.join(absent)}", "use Linux for hostile pages"
        )
    return Check("limits", "ok", "time and memory of a page")


def _memory() -> int:
    """Return the memory of the machine or of its container in bytes; 0 if unknown."""
    sizes = []
    with suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(sizes, default=0)


def folders() -> Iterator[Check]:
    """Report the folders of the cache and of the data sets; both may be missing.

    >>> [check.name for check in folders()]
    ['cache', 'data']
    """
    from webgrain.evaluation.datasets import DATA_VARIABLE, cache_folder, data_folder

    cache, data = cache_folder(), Path(os.path.normpath(data_folder()))
    yield Check("cache", "ok", f"{cache}{'' if cache.is_dir() else ' (does not exist yet)'}")
    if data.is_dir():
        yield Check("data", "ok", str(data))
    elif DATA_VARIABLE not in os.environ:
        yield Check("data", "ok", f"{data} (does not exist; webgrain data builds it)")
    else:
        yield Check(
            "data", "broken", f"{data} does not exist", f"{DATA_VARIABLE} must be the path of a folder"
        )
