"""Write the pages of the API reference, ``docs/api/*.md``, and the table of names in ``docs/api.md``."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import webgrain

DOCS = Path(__file__).parent
MEMBERS = [
    "fit",
    "fit_predict",
    "predict",
    "score",
    "noise",
    "accepts",
    "match",
    "cut",
    "sections",
    "hierarchy",
    "save",
    "load",
    "extract",
    "chunks",
    "types",
    "of",
    "table",
    "row",
    "correct",
    "signature",
    "similarity",
    "is_duplicate",
    "add",
    "commit",
    "map",
    "render",
    "close",
]


class Group(NamedTuple):
    """A page of the reference: its title, a sentence, and the names by module."""

    title: str
    text: str
    names: dict[str, str]


GROUPS = {
    "page": Group(
        "Pages",
        "Parsing, the arrays of a page, views and rendering.",
        {
            "page.parsing": "parse as_page as_pages",
            "page.page": "Source Page View Limits",
            "page.links": "Link",
            "page.dom": "Dom",
            "rendering.hiding": "hidden_nodes",
            "rendering.chromium": "Chromium",
            "site.pipeline": "Layout pages parsed_pages",
        },
    ),
    "segmentation": Group(
        "Segmentation",
        "The blocks of a page: published methods, the learnt cut, roles.",
        {
            "papers.gcuts": "GCuts CertifiedGCuts",
            "papers.cclus": "CClus",
            "segmentation.learntcut": "LearntCut",
            "segmentation.segmenter": "Segmenter segmenter read_segmenter",
            "page.segmentation": "Segmentation Segment segments",
            "page.blocks": "Block BlockTree Picture Presenter",
        },
    ),
    "pagetypes": Group(
        "Page types",
        "KeyClus, PageTypes and search logs.",
        {
            "papers.keyclus": "KeyClus KeyClusModel RawCounts",
            "pagetypes.descriptions": "TypesModel",
            "pagetypes.pagetypes": "PageTypes TypeModel",
            "pagetypes.pathcounts": "PathCounts",
            "io.queries": "read_queries",
            "pagetypes.clustering": "Clustering PageType",
        },
    ),
    "templates": Group(
        "Templates",
        "RegexTree, SiteTemplate, sections and drift.",
        {
            "papers.regextree": "RegexTree",
            "templates.sitetemplate": "SiteTemplate",
            "templates.learner": "TemplateLearner",
            "templates.matching": "Match",
            "templates.template": "Template read_template write_template",
            "templates.sections": "Sectioner BestSectioner",
            "templates.drift": "drift DriftReport",
        },
    ),
    "fields": Group(
        "Fields",
        "What differs from page to page of a type, as a table with selectors.",
        {
            "fields.field": "Field Fields",
            "fields.learning": "learn_fields",
            "fields.places": "KnownPage",
        },
    ),
    "lists": Group(
        "Lists",
        "The lists of a page as tables with selectors.",
        {
            "lists.ranking": "find_lists",
            "lists.records": "Listings Listing Field",
            "lists.paging": "next_page",
            "lists.features": "node_texts",
        },
    ),
    "extraction": Group(
        "Layouts and text",
        "Webstemmer, single pages and documents.",
        {
            "papers.webstemmer": "Webstemmer",
            "papers.webstemmer2007": "OriginalWebstemmer read_layouts read_patterns write_patterns",
            "extraction.single": "SinglePage",
            "extraction.document": "Document",
            "extraction.options": "ExtractionOptions",
            "extraction.metadata": "metadata",
            "documents.article": "Article",
            "documents.parts": "Part Image",
            "documents.chunks": "Chunk approximate_tokens",
        },
    ),
    "duplicates": Group(
        "Near-duplicates",
        "Pairs, sketches, indexes and search over many indexes.",
        {
            "site.duplicates": (
                "find_duplicates compare_pages texts_to_compare text_to_compare duplicates_in_parts"
            ),
            "duplicates.shingles": "Shingles",
            "duplicates.sketches": "PageText make_sketch",
            "duplicates.index": "DuplicateIndex",
            "duplicates.partition": "find_pairs_in_parts",
        },
    ),
    "site": Group(
        "Sites",
        "Site, the site model and its predictions.",
        {
            "site.site": "Site SiteType SiteUpdate",
            "site.model": "SiteModel Prediction load_model",
            "site.learning": "learn_site",
            "api": "audit load",
            "site.auditrun": "SiteResults",
        },
    ),
    "running": Group(
        "Input, crawling, engines, integrations",
        "Reading pages, crawling, parallel runs, Scrapy, errors.",
        {
            "io.read": "read",
            "crawler.plan": "Plan Crawled",
            "engines.local": "Local",
            "engines.ray": "Ray",
            "engines.guard": "Guard",
            "integrations.scrapy": "WebgrainMiddleware WebgrainPipeline",
            "base.failures": "Failure",
            "base.errors": "WebgrainError ParameterError InputError PageError",
        },
    ),
}


def sentence(value: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").split("\n")[0].replace("|", "\\|")


def reference(group: Group) -> str:
    """Return a page of the reference."""
    rows, blocks = [], []
    for module, names in group.names.items():
        for name in names.split():
            value = getattr(import_module(f"webgrain.{module}"), name)
            rows.append(f"| `{name}` | `webgrain.{module}` | {sentence(value)} |")
            kind = "autoclass" if inspect.isclass(value) else "autofunction"
            block = f".. {kind}:: webgrain.{module}.{name}"
            members = (
                [member for member in MEMBERS if member in vars(value)] if inspect.isclass(value) else []
            )
            blocks.append(
                block + (f"\n   :members: {', '.join(members)}\n   :no-undoc-members:" if members else "")
            )
    table = "| name | module | description |\n|---|---|---|\n" + "\n".join(rows)
    return (
        f"# {group.title}\n\n{group.text}\n\n{table}\n\n```{{eval-rst}}\n" + "\n\n".join(blocks) + "\n```\n"
    )


def main() -> None:
    """Write all pages."""
    (DOCS / "api").mkdir(exist_ok=True)
    for name, group in GROUPS.items():
        (DOCS / "api" / f"{name}.md").write_text(reference(group), encoding="utf-8")
    rows = [f"| `{name}` | {sentence(getattr(webgrain, name))} |" for name in webgrain.__all__[1:]]
    table = "| name | description |\n|---|---|\n" + "\n".join(rows)
    path = DOCS / "api.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"\| name \| description \|\n(\|.*\n)+", f"{table}\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
