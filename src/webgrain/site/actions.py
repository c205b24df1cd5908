"""What the owner of a site should do first: the rows of findings grouped by cause, ordered by effect.

A cause is an address to which references lead, a text that several pages have, an element that pages lack, or
else a page type. The effect of a cause is the number of pages with it and of the clicks on them in the search
log, multiplied by the harm of the level of its finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from webgrain.base.failures import Failure
from webgrain.engines.guard import run_step
from webgrain.page.addresses import css
from webgrain.page.page import Page
from webgrain.page.parsing import as_page
from webgrain.report.site import Action, Finding
from webgrain.report.terminal import count, plain
from webgrain.site import thresholds
from webgrain.site.shards import read_shard, shard_ids


class RowCause(NamedTuple):
    """Why a row of a finding exists, and where on the page the fault is.

    Attributes:
        text: an address, a text or an element that all rows with the cause share; empty for none.
        place: the text or the element of a reference, and the part of the page; empty if not known.
        type: label of the page type; empty if the cause is not limited to a type.
        clicks: on the pages of the row in the search log.
        node: number of the element on the page of the row; -1 if there is no single one.
    """

    text: str = ""
    place: str = ""
    type: str = ""
    clicks: int = 0
    node: int = -1


NO_CAUSE = RowCause()
"""The cause of the rows of a finding that is not divided."""


class Actions:
    """Groups the rows of findings by their causes.

    >>> actions = Actions()
    >>> broken = Finding("broken-links", "error", "Broken links", "They lead nowhere.", "Correct them.")
    >>> for page in ("a.html", "b.html"):
    ...     actions.add(broken, page, "", RowCause("/gone.html", "footer"))
    >>> [action_text(action) for action in actions.first()]
    ['Broken links: /gone.html (footer): 2 pages, such as a.html']
    """

    def __init__(self) -> None:
        self._actions: dict[tuple[str, str, str, str], Action] = {}
        self._last_page: dict[tuple[str, str, str, str], str] = {}

    def add(self, finding: Finding, page: str, detail: str, cause: RowCause, pages: int = 1) -> None:
        """Add a row of a finding; the rows of a page follow each other.

        pages: number of pages with the fault, of which ``page`` is the first.
        """
        key = (finding.name, cause.text, cause.place, cause.type)
        action = self._actions.get(key)
        if action is None:
            if len(self._actions) >= thresholds.MOST_CAUSES:
                return
            action = self._actions[key] = Action(
                finding.name,
                finding.level,
                finding.title,
                finding.remedy,
                cause=cause.text,
                place=cause.place,
                type=cause.type,
                example=page,
                detail=detail,
                node=cause.node,
            )
        if self._last_page.get(key) != page:
            action.pages += pages
            action.clicks += cause.clicks
        self._last_page[key] = page

    def first(
        self, pages: Mapping[str, int] | None = None, most: int = thresholds.MOST_ACTIONS
    ) -> list[Action]:
        """Return the actions with the largest effects, at most ``most``.

        pages: number of pages of each finding by its name, for those whose rows share pages; an action has no
        more of them.

        Of the causes of a finding, those after the first `thresholds.ACTIONS_OF_A_FINDING` are one action, at
        the place of the first of them.
        """
        of_finding: dict[str, list[Action]] = {}
        for action in self._actions.values():
            action.pages = min(action.pages, (pages or {}).get(action.finding, action.pages))
        for action in sorted(self._actions.values(), key=_effect, reverse=True):
            of_finding.setdefault(action.finding, []).append(action)
        limit = thresholds.ACTIONS_OF_A_FINDING
        listed = [action for actions in of_finding.values() for action in actions[: limit + 1]]
        listed = sorted(listed, key=_effect, reverse=True)[:most]
        for actions in of_finding.values():
            others = actions[limit:]
            if others and others[0] in listed:
                joined = _joined(others)
                joined.pages = min(joined.pages, (pages or {}).get(joined.finding, joined.pages))
                listed[listed.index(others[0])] = joined
        return listed


def _effect(action: Action) -> float:
    return thresholds.HARM[action.level] * (action.pages + action.clicks)


def _joined(actions: list[Action]) -> Action:
    """Return one action for several causes of a finding."""
    if len(actions) == 1:
        return actions[0]
    return replace(
        actions[0],
        cause="",
        place="",
        type="",
        node=-1,
        causes=len(actions),
        pages=sum(action.pages for action in actions),
        clicks=sum(action.clicks for action in actions),
    )


def action_text(action: Action, name_of_type: Callable[[str], str] = str) -> str:
    """Return an action as a line for the terminal; name_of_type: returns the name of a type by its label."""
    parts = [action.title, plain(action.cause, 100)]
    if action.causes > 1:
        parts.append(f"{action.causes:,} others")
    if action.type:
        parts.append(plain(name_of_type(action.type), 80))
    cause = ": ".join(filter(None, parts))
    place = f" ({plain(action.place, 80)})" if action.place else ""
    clicks = f" with {count(action.clicks, 'search click')}" if action.clicks else ""
    return f"{cause}{place}: {count(action.pages, 'page')}{clicks}, such as {plain(action.example, 100)}"


def with_selectors(actions: list[Action], shards: Sequence[Path]) -> list[Action]:
    """Return actions with the selectors of their elements on the example pages.

    shards: those of the site. An element that cannot be read anew has no selector.
    """
    wanted = {action.example for action in actions if action.node >= 0}
    pages: dict[str, Page] = {}
    for shard in shards:
        names = wanted.intersection(shard_ids(shard)) if wanted else set()
        for item in read_shard(shard, names) if names else ():
            page = run_step(item, "parse", as_page)
            if not isinstance(page, Failure):
                pages[page.id] = page
    return [_with_selector(action, pages) for action in actions]


def _with_selector(action: Action, pages: Mapping[str, Page]) -> Action:
    page = pages.get(action.example)
    if page is None or not 0 <= action.node < len(page.dom.tag):
        return action
    return replace(action, selector=css(page.dom, action.node))
