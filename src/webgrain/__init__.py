"""webgrain analyses web sites: page types, templates, main text, blocks and near-duplicates.

The public names are imported when they are first used:

>>> import webgrain
>>> html = "<h1>Hello</h1><p>One paragraph.<p>Another paragraph."
>>> webgrain.parse(html).dom.text
'HelloOne paragraph.Another paragraph.'
>>> webgrain.extract(html).title
'Hello'
>>> [block.text for block in webgrain.segment(html, granularity=0.0)]
['Hello One paragraph. Another paragraph.']
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.2.0"

_PUBLIC = {
    "api": "audit crawl extract load segment",
    "duplicates.shingles": "Shingles",
    "base.errors": "InputError PageError ParameterError WebgrainError",
    "extraction.document": "Document",
    "io.read": "read",
    "papers.regextree": "RegexTree",
    "papers.keyclus": "KeyClus",
    "papers.cclus": "CClus",
    "papers.gcuts": "CertifiedGCuts GCuts",
    "papers.webstemmer": "Webstemmer",
    "lists.ranking": "find_lists",
    "page.page": "Page Source",
    "page.parsing": "parse",
    "pagetypes.pagetypes": "PageTypes",
    "base.failures": "Failure",
    "page.segmentation": "Segmentation",
    "segmentation.learntcut": "LearntCut",
    "site.duplicates": "find_duplicates",
    "site.site": "Site",
    "templates.sitetemplate": "SiteTemplate",
    "templates.template": "Template",
}
"""The public names, by module."""

_MODULES = {name: module for module, names in _PUBLIC.items() for name in names.split()}

_GUESSES = {
    **dict.fromkeys(("fetch", "fetch_url", "open", "get"), "read"),
    **dict.fromkeys(("markdown", "to_markdown"), "extract(page).markdown"),
    "extract_text": "extract(page).text",
    **dict.fromkeys(("metadata", "extract_metadata"), "extract(page).metadata"),
    **dict.fromkeys(("chunks", "chunk"), "extract(page).chunks()"),
    **dict.fromkeys(("text", "html2txt"), "parse(page).text"),
    **dict.fromkeys(("links", "extract_links"), "parse(page).links"),
    **dict.fromkeys(("lists", "tables", "extract_tables"), "find_lists"),
    **dict.fromkeys(("duplicates", "dupes"), "find_duplicates"),
    **dict.fromkeys(("fit", "learn", "train", "cluster"), "Site.fit"),
    **dict.fromkeys(("classify", "page_type"), "Site.fit(pages).predict(page).type"),
    **dict.fromkeys(("blocks", "segments"), "segment"),
}
"""Names that people guess, and what to write instead."""

__all__ = ["__version__", *sorted(_MODULES)]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        guesses = import_module("webgrain.base.guesses")
        raise guesses.no_attribute(None, "module 'webgrain'", name, __all__, _GUESSES)
    value = getattr(import_module(f"webgrain.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
