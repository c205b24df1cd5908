"""The functions of the public API that combine several packages: extract, segment, audit, crawl and load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain.base.errors import InputError, PageError, ParameterError
from webgrain.base.estimator import TYPES_MODELS, imported
from webgrain.base.failures import Failure
from webgrain.base.modelfile import check_path, format_of
from webgrain.crawler.plan import Crawled, Plan
from webgrain.crawler.process import run_crawl as run_crawl
from webgrain.extraction.document import Document
from webgrain.extraction.options import ExtractionOptions
from webgrain.extraction.single import Favor
from webgrain.io.read import Item, is_html_text, is_warc, read, site_folders, warcs_in, whole_site
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page
from webgrain.page.segmentation import Segmentation
from webgrain.report.blocks import presented
from webgrain.segmentation.segmenter import DEFAULT, Segmenter, segmenter
from webgrain.site.pipeline import Layout, Render
from webgrain.site.pipeline import pages as render_pages
from webgrain.site.site import Site

if TYPE_CHECKING:
    from webgrain.site.auditrun import SiteResults


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

    Iterating the result yields the segments, a level of the tree of blocks (`Segmentation.blocks`).

    Args:
        page: a page: HTML (`str` or `bytes`), the path of a file (`Path`), a `Source` or a `Page`.
        method: ``learntcut``, ``gcuts`` or ``cclus``, or a fitted `Segmenter`.
        render: ``none``: HTML and style sheets determine which parts are hidden; ``chromium``: boxes and
            styles are those of a browser. A page that already has a view keeps it.
        params: parameters of the method, for example ``granularity`` of the learnt cut.

    Raises:
        ParameterError: an argument has the wrong type or value.
        PageError: the page could not be read. If the browser cannot render it, the segments have no boxes,
            and a note in ``to_dict()["notes"]`` states the reason.

    >>> for block in segment("<h1>News</h1><p>First item.<p>Second item.", granularity=0.0):
    ...     print(block.css, block.text)
    html News First item. Second item.
    """
    chosen = _segmenter(method, **params)
    [rendered] = render_pages([as_page(page)], Layout(render=render), boxes_required=False)
    if isinstance(rendered, Failure):
        raise PageError(rendered.error)
    return presented(chosen.predict(rendered), rendered)


def _segmenter(method: str | Segmenter, **params: Any) -> Segmenter:
    """Return the method with these parameters; `ParameterError` for an unknown one."""
    if isinstance(method, Segmenter):
        return method.changed(**params) if params else method
    if isinstance(method, str):
        return segmenter(method, **params)
    raise ParameterError(f"method must be the name of a method, got {type(method).__name__}.")


def audit(
    pages: Any,
    output: str | Path,
    *,
    name: str | None = None,
    queries: str | Path | None = None,
    verdicts: str | Path | None = None,
    since: str | Path | None = None,
    sample: int = 600,
    examples: int = 5,
    method: str | Segmenter = DEFAULT,
    render: Render = "none",
    random_state: int = 0,
    workers: int | None = None,
) -> tuple[SiteResults, ...]:
    """Audit sites, as the command ``webgrain audit`` does, and write the results to a folder.

    An audit that was interrupted is resumed by the same call; one that is complete only returns its results.

    Args:
        pages: a folder, an archive or a page store (`str` or `Path`), or an iterable of pages: HTML (`str` or
            `bytes`), `Path`, `Source` or `Page`. Each host is a site.
        output: the folder for the report, the tables and the model of each site.
        name: the name of a site whose pages have no URL; None: that of the folder, or the number of pages.
        queries: the file of a search log.
        verdicts: the file of verdicts on page types, from ``webgrain review types``.
        since: the folder of an earlier audit, to compare with.
        sample: the maximal number of pages of a site that are learnt from.
        examples: the number of pages of each type that are segmented and shown in the report.
        method: the segmentation method: ``learntcut``, ``gcuts``, ``cclus`` or a fitted `Segmenter`.
        render: ``none``, or ``chromium`` for boxes and pictures of the example pages.
        random_state: the seed of random choices.
        workers: the number of processes; None: one per core.

    Returns:
        The results of each site, with the paths of its files. A page that fails is in their ``failures``.

    Raises:
        ParameterError: an argument has the wrong type or value, or there is no page.
        InputError: a file or folder does not exist, no page could be read, or the folder belongs to a
            different audit.

    >>> import tempfile
    >>> html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>"
    >>> html += "Some words on {0}. " * 9
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     audit([html.format(letter) for letter in "abcdefgh"], folder, examples=1, workers=1)
    (<SiteResults '8 pages': 8 pages of 1 type, 0 failures>,)
    """
    from webgrain.engines.local import Local
    from webgrain.site.audit import audit as run_audit
    from webgrain.site.audit import check_some_page
    from webgrain.site.auditrun import AuditPlan

    folder = check_path(output)
    if not isinstance(name, str | None):
        raise ParameterError(f"name must be a string or None, got {type(name).__name__}.")
    items, made_of = _audited(pages, folder)
    places = [Path(pages), *warcs_in(Path(pages))] if isinstance(pages, str | Path) else []
    usual_name = places[0].resolve().name if places else made_of.partition(" (")[0]
    plan = AuditPlan(
        made_of=made_of,
        name=name or usual_name,
        method=_segmenter(method),
        queries=None if queries is None else check_path(queries),
        verdicts=None if verdicts is None else check_path(verdicts),
        since=None if since is None else check_path(since),
        sample=sample,
        samples=examples,
        layout=Layout(render=render, screenshot=render == "chromium"),
        random_state=random_state,
        archives=tuple(path for path in places if is_warc(path)),
        site_folder=whole_site([pages] if isinstance(pages, str | Path) else []),
        folders=site_folders(_places(pages)),
    )
    plan.check_files(folder)
    results = run_audit(items, folder, plan, Local(workers))
    check_some_page(results, folder)
    return tuple(results)


def _audited(pages: Any, folder: Path) -> tuple[Callable[[int], Iterable[Item]], str]:
    """Return a function that reads the pages from a given one on, and the input in words.

    A list of pages is described by a hash of them, so that an audit is resumed with the same pages only.
    """
    from webgrain.site.audit import check_apart

    if is_html_text(pages):
        raise ParameterError("pages must be a folder or an iterable of pages, got the HTML of one page.")
    if isinstance(pages, str | Path):
        check_apart([check_path(pages)], folder)
        read([pages])  # raises an error for an invalid input
        return lambda first: read([pages], first=first), str(pages)
    if isinstance(pages, bytes | Source | Page) or not isinstance(pages, Iterable):
        raise ParameterError(f"pages must be a folder or an iterable of pages, got {type(pages).__name__}.")
    listed = list(pages.items()) if isinstance(pages, Mapping) else list(pages)
    read(listed)  # raises an error without a page, or if one has the wrong type
    paths = [Path(page) for page in listed if isinstance(page, Path)]
    check_apart(paths, folder)
    digest = blake2b(digest_size=8)
    for page in listed:
        digest.update(_page_bytes(page) + b"\0")
    return lambda first: read(listed, first=first), f"{len(listed)} pages ({digest.hexdigest()})"


def _places(pages: Any) -> list[Any]:
    """Return the paths among pages; a list of other things has as many items."""
    if isinstance(pages, str | Path):
        return [pages]
    listed = list(pages) if isinstance(pages, list | tuple) else []
    return [page if isinstance(page, str | Path) and not is_html_text(page) else "-" for page in listed]


def _page_bytes(page: Any) -> bytes:
    """Return bytes that differ between pages: id, URL and body, or the path or text itself."""
    source = page.source if isinstance(page, Page) else page
    if isinstance(source, Source):
        return f"{source.id}\0{source.url}\0".encode("utf-8", "surrogatepass") + source.body
    parts = source if isinstance(source, tuple) else (source,)
    encoded = (part if isinstance(part, bytes) else str(part).encode("utf-8", "replace") for part in parts)
    return b"\0".join(encoded)


def load(path: str | Path) -> Any:
    """Return what a file contains that webgrain has written.

    The file may contain a `Site`, a segmenter, page types, a template, layouts, a fitted method, or weights
    and models of segmentation.

    Args:
        path: the path of the file.

    Raises:
        ParameterError: the path has another type.
        InputError: the file cannot be read, is damaged, or contains something else.

    >>> import tempfile
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     SiteTemplate().fit(["<h1>One</h1><p>a", "<h1>Two</h1><p>b"]).save(f"{folder}/template.json")
    ...     print(load(f"{folder}/template.json").template_)
    html[body[h1[#text] p[#text]]]
    """
    path = check_path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file that it contains, such as site-model.json.")
    if not path.exists():
        raise InputError(f"The file {path} does not exist.")
    form = format_of(path)
    if form is None:
        return _layouts_of_2007(path)
    if form in TYPES_MODELS:
        return imported(TYPES_MODELS[form]).load(path)
    if form not in _READERS:
        raise InputError(f"{path} contains {form[:80]!r}, which webgrain.load does not read.")
    return imported(_READERS[form])(path)


_READERS = {
    "webgrain site model": "webgrain.site.site:Site.load",
    "webgrain segmenter": "webgrain.segmentation.segmenter:read_segmenter",
    "webgrain roles": "webgrain.segmentation.segmenter:read_classifier",
    "webgrain block model": "webgrain.segmentation.learntcut:read_blocks",
    "webgrain weights": "webgrain.papers.weights:read_weights",
    "webgrain template": "webgrain.templates.template:read_template",
    "webgrain estimator": "webgrain.base.estimator:load_estimator",
}
"""Format of a file and the function that reads it, which is imported when it is used."""


def _layouts_of_2007(path: Path) -> Any:
    """Return the layouts in a pattern file, the only file of a model that states no format."""
    from webgrain.papers.webstemmer2007 import read_patterns

    try:
        return read_patterns(path)
    except InputError as error:
        raise InputError(f"{path} contains no model of webgrain, or a damaged one.") from error


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
