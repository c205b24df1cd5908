"""webgrain finds the grain of the web: the blocks of a page, the template of a site, the kinds of its pages.

The public names, each loaded when it is first used:

>>> import webgrain
>>> page = webgrain.parse(webgrain.Source("a.html", b"<h1>Hello</h1><p>One<p>Two"))
>>> page = page.with_view(webgrain.estimate(page.dom))
>>> whole = webgrain.segmenter(granularity=0.0).predict(page)
>>> [segment.text for segment in webgrain.segments(page, whole)]
['Hello One Two']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webgrain.duplicates.index import DuplicateIndex as DuplicateIndex
    from webgrain.duplicates.minhash import MinHash as MinHash
    from webgrain.duplicates.shingles import Shingles as Shingles
    from webgrain.io.read import read as read
    from webgrain.layouts.sitelayouts import SiteLayouts as SiteLayouts
    from webgrain.layouts.webstemmer import Webstemmer as Webstemmer
    from webgrain.page.dom import Dom as Dom
    from webgrain.page.page import Limits as Limits
    from webgrain.page.page import Page as Page
    from webgrain.page.page import Source as Source
    from webgrain.page.page import View as View
    from webgrain.page.parsing import parse as parse
    from webgrain.pagetypes.keyclus import KeyClus as KeyClus
    from webgrain.pipeline import Layout as Layout
    from webgrain.pipeline import pages as pages
    from webgrain.rendering.chromium import Chromium as Chromium
    from webgrain.rendering.estimate import estimate as estimate
    from webgrain.results import Article as Article
    from webgrain.results import Failure as Failure
    from webgrain.results import Segmentation as Segmentation
    from webgrain.results import segments as segments
    from webgrain.segmentation.cclus import CClus as CClus
    from webgrain.segmentation.gcuts import GCuts as GCuts
    from webgrain.segmentation.learntcut import LearntCut as LearntCut
    from webgrain.segmentation.segmenter import Segmenter as Segmenter
    from webgrain.segmentation.segmenter import read_segmenter as read_segmenter
    from webgrain.segmentation.segmenter import segmenter as segmenter
    from webgrain.site.duplicates import compare_pages as compare_pages
    from webgrain.site.duplicates import find_duplicates as find_duplicates
    from webgrain.site.duplicates import page_texts as page_texts
    from webgrain.site.learning import learn_site as learn_site
    from webgrain.site.model import SiteModel as SiteModel
    from webgrain.site.model import load_model as load_model

__version__ = "0.1.0"

_MODULES = {
    "Article": "results",
    "CClus": "segmentation.cclus",
    "Chromium": "rendering.chromium",
    "Dom": "page.dom",
    "DuplicateIndex": "duplicates.index",
    "Failure": "results",
    "GCuts": "segmentation.gcuts",
    "KeyClus": "pagetypes.keyclus",
    "Layout": "pipeline",
    "LearntCut": "segmentation.learntcut",
    "Limits": "page.page",
    "MinHash": "duplicates.minhash",
    "Page": "page.page",
    "Segmentation": "results",
    "Segmenter": "segmentation.segmenter",
    "Shingles": "duplicates.shingles",
    "SiteLayouts": "layouts.sitelayouts",
    "SiteModel": "site.model",
    "Source": "page.page",
    "View": "page.page",
    "Webstemmer": "layouts.webstemmer",
    "compare_pages": "site.duplicates",
    "estimate": "rendering.estimate",
    "find_duplicates": "site.duplicates",
    "learn_site": "site.learning",
    "load_model": "site.model",
    "page_texts": "site.duplicates",
    "pages": "pipeline",
    "parse": "page.parsing",
    "read": "io.read",
    "read_segmenter": "segmentation.segmenter",
    "segmenter": "segmentation.segmenter",
    "segments": "results",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'webgrain' has no attribute {name!r}")
    value = getattr(import_module(f"webgrain.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
