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
    from webgrain.audit.learning import learn_site as learn_site
    from webgrain.audit.model import SiteModel as SiteModel
    from webgrain.audit.model import load_model as load_model
    from webgrain.cluster.keyclus import KeyClus as KeyClus
    from webgrain.dedup.index import DuplicateIndex as DuplicateIndex
    from webgrain.dedup.minhash import MinHash as MinHash
    from webgrain.dedup.shingles import Shingles as Shingles
    from webgrain.duplicates import compare_pages as compare_pages
    from webgrain.duplicates import find_duplicates as find_duplicates
    from webgrain.duplicates import page_texts as page_texts
    from webgrain.io.read import read as read
    from webgrain.page.dom import Dom as Dom
    from webgrain.page.page import Limits as Limits
    from webgrain.page.page import Page as Page
    from webgrain.page.page import Source as Source
    from webgrain.page.parse import parse as parse
    from webgrain.page.view import View as View
    from webgrain.pipeline import Layout as Layout
    from webgrain.pipeline import pages as pages
    from webgrain.records import segments as segments
    from webgrain.render.chromium import Chromium as Chromium
    from webgrain.render.estimate import estimate as estimate
    from webgrain.results import Article as Article
    from webgrain.results import Failure as Failure
    from webgrain.results import Segmentation as Segmentation
    from webgrain.segment.cclus import CClus as CClus
    from webgrain.segment.gcuts import GCuts as GCuts
    from webgrain.segment.learntcut import LearntCut as LearntCut
    from webgrain.segment.segmenter import Segmenter as Segmenter
    from webgrain.segment.segmenter import read_segmenter as read_segmenter
    from webgrain.segment.segmenter import segmenter as segmenter
    from webgrain.template.webstemmer import Webstemmer as Webstemmer

__version__ = "0.1.0"

_MODULES = {
    "Article": "results",
    "CClus": "segment.cclus",
    "Chromium": "render.chromium",
    "Dom": "page.dom",
    "DuplicateIndex": "dedup.index",
    "Failure": "results",
    "GCuts": "segment.gcuts",
    "KeyClus": "cluster.keyclus",
    "Layout": "pipeline",
    "LearntCut": "segment.learntcut",
    "Limits": "page.page",
    "MinHash": "dedup.minhash",
    "Page": "page.page",
    "Segmentation": "results",
    "Segmenter": "segment.segmenter",
    "Shingles": "dedup.shingles",
    "SiteModel": "audit.model",
    "Source": "page.page",
    "View": "page.view",
    "Webstemmer": "template.webstemmer",
    "compare_pages": "duplicates",
    "estimate": "render.estimate",
    "find_duplicates": "duplicates",
    "learn_site": "audit.learning",
    "load_model": "audit.model",
    "page_texts": "duplicates",
    "pages": "pipeline",
    "parse": "page.parse",
    "read": "io.read",
    "read_segmenter": "segment.segmenter",
    "segmenter": "segment.segmenter",
    "segments": "records",
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
