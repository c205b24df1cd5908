"""The functions of the public API that combine several packages: extract, segment and crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from webgrain.base.errors import PageError, ParameterError
from webgrain.base.failures import Failure
from webgrain.crawler.plan import Crawled, Plan
from webgrain.crawler.process import run_crawl as run_crawl
from webgrain.extraction.document import Document
from webgrain.extraction.options import ExtractionOptions
from webgrain.extraction.single import Favor
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation.segmenter import DEFAULT, Segmenter, segmenter
from webgrain.site.pipeline import Layout, Render
from webgrain.site.pipeline import pages as render_pages
from webgrain.site.site import Site


def extract(
    page: Page | Source | str | bytes | Path,
    site: Site | None = None,
    *,
    url: str | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    favor: Favor = "balance",
    links: bool = True,
    images: bool = True,
    comments: bool | None = None,
) -> Document:
    """Extract title, main text, comments and metadata of a page.

    Args:
        page: a page: HTML (`str` or `bytes`), the path of a file (`Path`), a `Source` or a `Page`.
        site: the site of the page, as learnt by `Site.fit`; None: only the page itself is used.
        url: the address of the page, against which its links are resolved; None: that of the `Source`.
        include: one or several CSS selectors; only what is inside their elements is read, and the head of
            the page. By default the whole page is read.
        exclude: one or several CSS selectors; their elements are removed before anything is decided.
        favor: ``precision`` for less text with less boilerplate in it, ``recall`` for more text.
        links: whether Markdown, HTML and records have links; otherwise only their texts.
        images: whether Markdown, HTML and records have images and embedded objects.
        comments: whether text, Markdown and HTML have the comments, too. By default the text of a thread has
            all posts, and comments of other pages are separate; with False it is the first post.

    Raises:
        ParameterError: an argument has the wrong type or value, such as a selector that is not supported.
        ReadError: the file cannot be read.

    >>> html = "<title>A walk</title><nav><a href=b>B</a></nav><h1>A walk</h1><p>"
    >>> html += "One step, then another. " * 9
    >>> document = extract(html)
    >>> document.title, document.text[:9]
    ('A walk', 'One step,')
    >>> extract(html, include="nav").text
    'B'
    """
    if site is not None and not isinstance(site, Site):
        raise ParameterError(f"site must be a Site, got {type(site).__name__}.")
    options = ExtractionOptions(include, exclude, favor, links, images, comments)
    page = as_page(page)
    if url is not None:
        page = replace(page, url=url)
    return site.model.extract(page, options) if site else options.document(page)


def segment(
    page: Page | Source | str | bytes | Path,
    method: str | Segmenter = DEFAULT,
    *,
    render: Render = "none",
    **params: Any,
) -> Segmentation:
    """Segment a page into blocks with roles.

    Args:
        page: a page: HTML (`str` or `bytes`), the path of a file (`Path`), a `Source` or a `Page`.
        method: ``learntcut``, ``gcuts`` or ``cclus``, or a fitted `Segmenter`.
        render: ``none``: HTML and style sheets determine which parts are hidden; ``chromium``: boxes and
            styles are those of a browser. A page that already has a view keeps it.
        params: parameters of the method, for example ``granularity`` of the learnt cut.

    Raises:
        ParameterError: an argument has the wrong type or value.
        PageError: the browser could not render the page.

    >>> for block in segment("<h1>News</h1><p>First item.<p>Second item.", granularity=0.0):
    ...     print(block.css, block.text)
    html News First item. Second item.
    """
    if isinstance(method, Segmenter):
        chosen = method.changed(**params) if params else method
    elif isinstance(method, str):
        chosen = segmenter(method, **params)
    else:
        raise ParameterError(f"method must be the name of a method, got {type(method).__name__}.")
    [rendered] = render_pages([as_page(page)], Layout(render=render))
    if isinstance(rendered, Failure):
        raise PageError(rendered.error)
    return replace(chosen.predict(rendered), page=rendered)


def crawl(urls: str | Iterable[str], output: str | Path, **options: Any) -> Iterator[Crawled | Failure]:
    """Crawl web sites politely into a WARC archive, which `read` accepts.

    Yields the outcome of each URL during the crawl. If it is interrupted, the same call resumes it.

    Args:
        urls: the URLs to start from.
        output: the archive, a path that ends in ``.warc.gz`` or ``.warc``.
        options: options of `webgrain.crawler.plan.Plan`: ``depth``, ``pages``, ``delay``, ``allow``,
            ``deny`` and others.

    Raises:
        ParameterError: an argument has the wrong type or value.
        InputError: the archive exists or cannot be written.

    >>> crawl("https://example.org/", "site.zip")
    Traceback (most recent call last):
    webgrain.base.errors.ParameterError: output must end in .warc.gz or .warc, got 'site.zip'.
    """
    if not isinstance(output, str | Path):
        raise ParameterError(f"output must be the path of a WARC archive, got {type(output).__name__}.")
    if not str(output).endswith((".warc.gz", ".warc")):
        raise ParameterError(f"output must end in .warc.gz or .warc, got {str(output)!r:.80}.")
    starts = [urls] if isinstance(urls, str) else urls
    if isinstance(starts, bytes) or not isinstance(starts, Iterable):
        raise ParameterError(f"urls must be a URL or a list of URLs, got {type(urls).__name__}.")
    starts = list(starts)
    if not starts or not all(isinstance(url, str) for url in starts):
        raise ParameterError("urls must be a URL or a non-empty list of URLs.")
    known = {field.name for field in fields(Plan)} - {"urls", "output"}
    if unknown := sorted(set(options) - known):
        raise ParameterError(f"crawl has no option {unknown[0]}; it has {', '.join(sorted(known))}.")
    return run_crawl(Plan(starts, Path(output), **options))
