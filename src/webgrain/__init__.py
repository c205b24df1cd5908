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

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webgrain.api import crawl as crawl
    from webgrain.api import extract as extract
    from webgrain.api import segment as segment
    from webgrain.duplicates.shingles import Shingles as Shingles
    from webgrain.errors import InputError as InputError
    from webgrain.errors import PageError as PageError
    from webgrain.errors import ParameterError as ParameterError
    from webgrain.errors import WebgrainError as WebgrainError
    from webgrain.extraction.document import Document as Document
    from webgrain.io.read import read as read
    from webgrain.layouts.webstemmer import Webstemmer as Webstemmer
    from webgrain.lists.ranking import find_lists as find_lists
    from webgrain.page.page import Page as Page
    from webgrain.page.page import Source as Source
    from webgrain.page.parsing import parse as parse
    from webgrain.pagetypes.keyclus import KeyClus as KeyClus
    from webgrain.pagetypes.pagetypes import PageTypes as PageTypes
    from webgrain.results import Failure as Failure
    from webgrain.results import Segmentation as Segmentation
    from webgrain.segmentation.cclus import CClus as CClus
    from webgrain.segmentation.gcuts import GCuts as GCuts
    from webgrain.segmentation.learntcut import LearntCut as LearntCut
    from webgrain.site.duplicates import find_duplicates as find_duplicates
    from webgrain.site.site import Site as Site
    from webgrain.templates.regextree import RegexTree as RegexTree
    from webgrain.templates.template import Template as Template

__version__ = "0.2.0"

_MODULES = {
    "CClus": "segmentation.cclus",
    "Document": "extraction.document",
    "Failure": "results",
    "GCuts": "segmentation.gcuts",
    "InputError": "errors",
    "KeyClus": "pagetypes.keyclus",
    "LearntCut": "segmentation.learntcut",
    "Page": "page.page",
    "PageError": "errors",
    "PageTypes": "pagetypes.pagetypes",
    "ParameterError": "errors",
    "RegexTree": "templates.regextree",
    "Segmentation": "results",
    "Shingles": "duplicates.shingles",
    "Site": "site.site",
    "Source": "page.page",
    "Template": "templates.template",
    "WebgrainError": "errors",
    "Webstemmer": "layouts.webstemmer",
    "crawl": "api",
    "extract": "api",
    "find_duplicates": "site.duplicates",
    "find_lists": "lists.ranking",
    "parse": "page.parsing",
    "read": "io.read",
    "segment": "api",
}
"""The public names and their modules."""

_DEPRECATED = {
    "Article": "results",
    "Chromium": "rendering.chromium",
    "Dom": "page.dom",
    "DuplicateIndex": "duplicates.index",
    "Layout": "pipeline",
    "Limits": "page.page",
    "Segmenter": "segmentation.segmenter",
    "SiteModel": "site.model",
    "View": "page.page",
    "compare_pages": "site.duplicates",
    "estimate": "rendering.estimate",
    "learn_site": "site.learning",
    "load_model": "site.model",
    "page_texts": "site.duplicates",
    "pages": "pipeline",
    "read_segmenter": "segmentation.segmenter",
    "segmenter": "segmentation.segmenter",
    "segments": "results",
}
"""Public names of version 0.1 that remain in their modules."""

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> object:
    if name in _DEPRECATED:
        place = f"webgrain.{_DEPRECATED[name]}"
        message = f"webgrain.{name} is deprecated: import {name} from {place}."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(import_module(place), name)
    if name not in _MODULES:
        raise AttributeError(f"module 'webgrain' has no attribute {name!r}")
    value = getattr(import_module(f"webgrain.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
