"""A page and its segments, as the report of a site shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webgrain.page import address
from webgrain.page.text import texts_of
from webgrain.records import segments
from webgrain.report.boxes import boxes
from webgrain.report.site import ReportSegment, SamplePage
from webgrain.report.sitejson import LONG
from webgrain.report.siterecord import ROOTS

if TYPE_CHECKING:
    from webgrain.page.page import Page
    from webgrain.results import Segmentation


def sample_page(page: Page, segmentation: Segmentation, title: str = "") -> SamplePage:
    """Return a page with its segments, ready for `webgrain.report.site.TypeCard`.

    The page needs a layout (`ParameterError` without one), measured or estimated; its screenshot is taken
    along if it has one.

    >>> import numpy as np
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.render.estimate import estimate
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<p>One"))
    >>> page = page.with_view(estimate(page.dom))
    >>> [segment] = sample_page(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand")).segments
    >>> segment.text, segment.xpath, len(segment.boxes)
    ('One', ('/html[1]',), 1)
    """
    found = segments(page, segmentation)
    pictured = [one.roots for one in found if not one.text]  # what images stand for is better than nothing
    alts = iter(texts_of(page, pictured, alt=True))
    roots = [node for one in found for node in one.roots[:ROOTS]]
    xpath, css = (
        dict(zip(roots, of(page.dom, roots), strict=True)) for of in (address.xpaths, address.css_paths)
    )
    shown = tuple(
        ReportSegment(
            where,
            (one.text or next(alts))[:LONG],
            tuple(css[node] for node in one.roots[:ROOTS]),
            tuple(xpath[node] for node in one.roots[:ROOTS]),
            max(len(one.roots) - ROOTS, 0),
            one.role,
            one.importance,
            one.confidence,
        )
        for one, where in zip(found, boxes(page, found), strict=True)
    )
    width, height = (page.view.width, page.view.height) if page.view else (0.0, 0.0)
    return SamplePage(page.id, page.url, title, page.screenshot, width, height, shown)
