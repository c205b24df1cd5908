"""Metadata of a page: what its head, its structured data and the lines near its title state.

=================  =====================================================================================
field              sources
=================  =====================================================================================
author             the most probable of all names that the page states (`webgrain.extraction.authors`)
published          the most probable of all days that it states (`webgrain.extraction.publication`)
modified           JSON-LD; ``meta``; microdata; a date that a word such as "updated" precedes
description        ``meta``; JSON-LD
language           ``lang`` of the root; ``meta``; JSON-LD
detected_language  that of the text, if none is stated (`webgrain.extraction.languages`)
image              ``meta``; JSON-LD
canonical          ``<link rel=canonical>``; ``og:url``
site_name          ``meta``; the publisher in JSON-LD
tags               ``meta``; ``rel=tag``; JSON-LD
licence            ``rel=license``; ``meta``; JSON-LD
=================  =====================================================================================

Where several sources are named, they are in order of preference. With its site, a page has no image and no
description that many of its pages declare (`webgrain.extraction.declared`). Author and publication are chosen
by boosted trees (`webgrain.base.trees`), which see where and how a page states a value. If none is probable,
there is none. A day that markup declares as publication is only replaced by one that is at most a day later,
or by an earlier one that is probable: later days are those of changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from webgrain.base.failures import fact
from webgrain.base.properties import cached_property
from webgrain.base.trees import BoostedTrees, packaged_trees
from webgrain.documents.article import Article
from webgrain.extraction.authors import Authors, author_names, separated_names
from webgrain.extraction.declared import SharedValues, in_json_ld
from webgrain.extraction.languages import language_of
from webgrain.extraction.paywall import paywall
from webgrain.extraction.publication import Candidates, Dates, date_names
from webgrain.extraction.surroundings import Surroundings
from webgrain.page.links import absolute
from webgrain.page.markup import META, Statements
from webgrain.page.page import Page

FORMAT = "webgrain metadata"
_RELATIONS = {"licence": "license", "tags": "tag", "canonical": "canonical"}
_MOST_TAGS = 50
_CONTROL = re.compile(r"[\x00-\x1f]+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[_-][^\W_]{2,8})*+")


@cache
def trained_models() -> dict[str, BoostedTrees]:
    """Return the models that come with webgrain, read once."""
    names = {"author": author_names(), "date": date_names()}
    return packaged_trees("webgrain.extraction", "metadata.model", names, FORMAT)


def metadata(page: Page, article: Article | None = None, notes: list[str] | None = None) -> dict[str, Any]:
    """Return the metadata of a page: the fields of this module that it states, and some of its head.

    ``url`` is the page's address, ``document_title`` the content of ``<title>``. Dates are ISO 8601, ``tags``
    is a list, other fields are texts; several authors are separated by commas. Addresses are absolute.

    article: the extracted title and text, near which bylines and dates are searched; notes: a sentence is
    added for each field that cannot be computed.

    >>> from webgrain.page.parsing import parse
    >>> metadata(parse("<html lang=en><title>A</title><meta name=author content='Kim Auk'><p>Text"))
    {'document_title': 'A', 'author': 'Kim Auk', 'language': 'en'}
    """
    facts = Facts(page, article)
    values_of: dict[str, Any] = {"url": page.url or "", "document_title": facts.document_title}
    failed: list[str] = [] if notes is None else notes
    for name in META:
        compute: Callable[[], Any] = facts.tags if name == "tags" else partial(facts.value, name)
        values_of[name] = fact(f"{name} of the metadata", compute, "", failed)
    if article is not None and not values_of["language"]:
        values_of["detected_language"] = language_of(_without_code(article))
    values_of["paywall"] = fact("paywall of the metadata", lambda: paywall(page, article), "", failed)
    return {name: value for name, value in values_of.items() if value}


def _without_code(article: Article) -> str:
    """Return the main text of an article without its code, whose words are of no language."""
    text = article.main_text
    for code in article.code:
        text = text.replace(code, "", 1)
    return text


class Facts:
    """The values of the fields of a page.

    models: "author" and "date"; None: those that come with webgrain.
    """

    def __init__(
        self, page: Page, article: Article | None, models: Mapping[str, BoostedTrees] | None = None
    ) -> None:
        self._page, self._models = page, models
        self._shared = SharedValues(page, article.shared_values if article else frozenset())
        self._stated = Statements(page, article.title if article else "")
        self._around = Surroundings(page, article)

    @property
    def document_title(self) -> str:
        """The content of ``<title>``."""
        return self._stated.document_title

    def value(self, field: str) -> str:
        """Return the value of a field other than tags; empty if the page does not state it."""
        if field == "author":
            return self.author
        if field in ("published", "modified"):
            return self.published if field == "published" else self.modified
        for source in _SOURCES[field]:
            for stated in source(self, field):
                value = self._cleaned(field, stated)
                if value and not self._shared.contains(field, stated):
                    return value
        return ""

    def tags(self) -> list[str]:
        """Return the tags of the page, each once."""
        values = [value for source in _SOURCES["tags"] for value in source(self, "tags")]
        lists = [self._cleaned("tags", value).split(",") for value in values]
        tags = [tag.strip().lstrip("# ") for parts in lists for tag in parts]
        return list(dict.fromkeys(filter(None, tags)))[:_MOST_TAGS]

    # Chosen by a model.

    def _model(self, name: str) -> BoostedTrees:
        return (self._models or trained_models())[name]

    @cached_property
    def author(self) -> str:
        """The most probable author; empty if none is probable."""
        names = Authors(self._stated, self._around).candidates()
        best = names.best(self._model("author").probability(names.features)) if names.values else -1
        return separated_names(names.values[best]) if best >= 0 else ""

    @cached_property
    def _dates(self) -> Candidates:
        return Dates(self._stated, self._around).candidates()

    @cached_property
    def published(self) -> str:
        """The most probable day of publication, with the time if it is stated; empty if none is probable."""
        dates = self._dates
        best = dates.best(self._model("date").probability(dates.features)) if dates.values else -1
        return dates.values[best] if best >= 0 else ""

    @cached_property
    def modified(self) -> str:
        """The day of the last change, with the time if it is stated; empty if there is none."""
        return self._dates.change(self.published)

    # Declared.

    def _root(self, field: str) -> list[str]:
        return [self._stated.language]

    def _metas(self, field: str) -> list[str]:
        return [value for _, value in self._stated.metas(field)]

    def _ld(self, field: str) -> list[str]:
        return in_json_ld(self._stated, field)

    def _linked(self, field: str) -> list[str]:
        dom = self._page.dom
        nodes = self._stated.relations.get(_RELATIONS[field], ())
        if field == "tags":
            links = [node for node in nodes if dom.name(node) != "link"]
            return [" ".join(dom.text_of(node).split()) for node in links]
        return [absolute(self._page, dom.get(node, "href") or "") for node in nodes]

    def _cleaned(self, field: str, value: str) -> str:
        """Return a value in the form of its field, empty if there is no valid one."""
        text = _CONTROL.sub(" ", " ".join(value.split()))
        if field in ("image", "canonical"):
            return absolute(self._page, text)
        if field == "language":
            return text.replace("_", "-") if _LANGUAGE.fullmatch(text) else ""
        return text[: 200 if field in ("tags", "site_name", "licence") else 5000].strip()


_SOURCES: dict[str, tuple[Callable[[Facts, str], list[str]], ...]] = {
    "description": (Facts._metas, Facts._ld),
    "language": (Facts._root, Facts._metas, Facts._ld),
    "image": (Facts._metas, Facts._ld),
    "canonical": (Facts._linked, Facts._metas),
    "site_name": (Facts._metas, Facts._ld),
    "tags": (Facts._metas, Facts._linked, Facts._ld),
    "licence": (Facts._linked, Facts._metas, Facts._ld),
}
"""The sources of each field that no model chooses, best first."""
