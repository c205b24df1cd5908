"""Paths that wrappers follow, and whether key paths lead to the same places (KeyClus, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webgrain.page.paths import Path, Step

PREFIX = 0.9
"""A path matches one of a wrapper if so much of that one is the beginning of both."""


def matches(path: Path, wrapper: Path) -> bool:
    """Tell whether the longest common prefix of two paths is at least 90 % of the length of the second.

    Steps are the same if their tags are, and no id or class that both have differs.

    >>> from webgrain.page.paths import Path, Step
    >>> html, body, h1, b = Step("html"), Step("body"), Step("h1"), Step("b")
    >>> title = Path((html, body, h1))
    >>> matches(Path((html, body, h1, b)), title), matches(Path((html, body)), title)
    (True, False)
    """
    common = 0
    for one, other in zip(path.steps, wrapper.steps, strict=False):
        if not _same(one, other):
            break
        common += 1
    return common >= PREFIX * len(wrapper)


def wrapper_precision(paths: Iterable[Path], wrappers: Sequence[Path]) -> float:
    """Return the share of paths that match one of a wrapper; nan for no path.

    >>> from webgrain.page.paths import Path, Step
    >>> title = Path((Step("html"), Step("body"), Step("h1")))
    >>> wrapper_precision([title, Path((Step("html"), Step("body"), Step("p")))], [title])
    0.5
    """
    found = [any(matches(path, wrapper) for wrapper in wrappers) for path in paths]
    return sum(found) / len(found) if found else float("nan")


def _same(one: Step, other: Step) -> bool:
    if one.tag != other.tag or (one.id and other.id and one.id != other.id):
        return False
    return not (one.classes and other.classes) or bool(set(one.classes) & set(other.classes))


def same_places(new: Sequence[Path | None], old: Sequence[Path | None]) -> list[int | None]:
    """Return for each new key path the old one that leads to the same place, each at most once.

    Equal paths come first, then those that match in both directions.

    >>> from webgrain.page.paths import Path, Step
    >>> a, b = Path((Step("html"), Step("h1"))), Path((Step("html"), Step("h2")))
    >>> same_places([b, a, None], [a, b])
    [1, 0, None]
    """
    found: list[int | None] = [None] * len(new)
    free = {k for k, path in enumerate(old) if path is not None}
    for equal in (True, False):
        for k, path in enumerate(new):
            if path is None or found[k] is not None:
                continue
            fits = (
                j for j in sorted(free) if (other := old[j]) is not None
                and (path == other if equal else matches(path, other) and matches(other, path))
            )  # fmt: skip
            found[k] = next(fits, None)
            free.discard(-1 if found[k] is None else int(found[k] or 0))
    return found
