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

__version__ = "0.2.0"

_PUBLIC = {
    "api": "crawl extract segment",
    "duplicates.shingles": "Shingles",
    "base.errors": "InputError PageError ParameterError WebgrainError",
    "extraction.document": "Document",
    "io.read": "read",
    "layouts.webstemmer": "Webstemmer",
    "lists.ranking": "find_lists",
    "page.page": "Page Source",
    "page.parsing": "parse",
    "pagetypes.keyclus": "KeyClus",
    "pagetypes.pagetypes": "PageTypes",
    "results": "Failure Segmentation",
    "segmentation.cclus": "CClus",
    "segmentation.gcuts": "CertifiedGCuts GCuts",
    "segmentation.learntcut": "LearntCut",
    "site.duplicates": "find_duplicates",
    "site.site": "Site",
    "templates.regextree": "RegexTree SiteTemplate",
    "templates.template": "Template",
}
"""The public names, by module."""

_OLD = {
    "duplicates.index": "DuplicateIndex",
    "page.dom": "Dom",
    "page.page": "Limits View",
    "pipeline": "Layout pages",
    "rendering.chromium": "Chromium",
    "rendering.estimate": "estimate",
    "results": "Article segments",
    "segmentation.segmenter": "Segmenter read_segmenter segmenter",
    "site.duplicates": "compare_pages page_texts",
    "site.learning": "learn_site",
    "site.model": "SiteModel load_model",
}
"""Public names of version 0.1 that remain in their modules, by module."""

_MODULES, _DEPRECATED = (
    {name: module for module, names in some.items() for name in names.split()} for some in (_PUBLIC, _OLD)
)

__all__ = ["__version__", *sorted(_MODULES)]


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
