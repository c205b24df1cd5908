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
    "read": "fetch fetch_url open get read_pages load_pages read_folder read_warc read_zip",
    "parse": "parse_html load_html from_html fromstring document_fromstring html BeautifulSoup Dom",
    "parse(page).text": "text html2txt html2text get_text to_text html_to_text",
    "parse(page).links": "links extract_links find_links",
    "extract": "Article article bare_extraction extract_article extract_content main_content Readability "
    "readability Extractor",
    "extract(page).text": "extract_text main_text boilerplate remove_boilerplate justext summary",
    "extract(page).markdown": "markdown to_markdown html_to_markdown",
    "extract(page).html": "to_html",
    "extract(page).metadata": "metadata extract_metadata",
    "extract(page).published": "find_date extract_date publish_date",
    "extract(page).author": "extract_author",
    "extract(page).language": "detect_language language",
    "extract(page).comments": "comments extract_comments",
    "extract(page).chunks()": "chunks chunk chunk_text chunk_by_title split",
    "segment": "blocks segments segment_page Segmenter partition partition_html sections",
    "find_lists": "lists tables extract_tables extract_table extract_lists read_html records table",
    "find_duplicates": "duplicates dupes near_duplicates deduplicate dedupe minhash simhash compare",
    "Site.fit": "fit learn train cluster fit_site learn_site",
    "Site.fit(pages).predict(page).type": "classify page_type predict",
    "Site.fit(pages).types": "types page_types",
    "load": "load_model load_site Model from_file",
    "audit": "report analyse analyze run audit_site",
    "crawl": "crawl_site Crawler Spider spider focused_crawler sitemap_search",
    "SiteTemplate": "template templates learn_template fit_template",
    "LearntCut": "Segments",
}
"""What to write, and the names that people guess instead."""

__all__ = ["__version__", *sorted(_MODULES)]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        guesses = import_module("webgrain.base.guesses")
        error = guesses.no_attribute(None, "module 'webgrain'", name, __all__, guesses.by_guess(_GUESSES))
        if guesses.is_imported(name):
            raise ImportError(str(error), name=__name__)
        raise error
    value = getattr(import_module(f"webgrain.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
