"""Records of results: plain values for JSON, CSV and Parquet."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from webgrain.page.addresses import css_paths, xpaths
from webgrain.page.page import Page
from webgrain.results import Failure, Segment, Segmentation, segments


def segmentation_record(page: Page, segmentation: Segmentation) -> dict[str, Any]:
    """Return the record that ``webgrain segment`` writes for a page.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One")
    >>> record = segmentation_record(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand"))
    >>> record["page"], record["segments"][0]["text"], record["segments"][0]["xpath"]
    ('page', 'One', ['/html[1]'])
    """
    found = segments(page, segmentation)
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "method": segmentation.method,
        "params": dict(segmentation.params),
        "energy": segmentation.energy,
        "lower_bound": segmentation.lower_bound,
        "gap": segmentation.gap,
        "segments": [
            record
            | {name: getattr(segment, name) for name in ("role", "role_probability", "confidence")}
            | ({} if segment.importance is None else {"importance": segment.importance})
            for segment, record in zip(found, _segment_records(page, found), strict=True)
        ],
    }


def sections_record(page: Page, sections: Segmentation) -> dict[str, Any]:
    """Return the record that ``webgrain sections`` writes for a page.

    sections: the result of `webgrain.templates.sections.Sections.segmentation`.
    """
    found = segments(page, sections)
    noisy, listed = sections.params["noisy"], sections.params["listed"]
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "template": sections.params["template"],
        "match": sections.params["match"],
        "accepted": sections.params["accepted"],
        "sections": [
            record
            | {
                "importance": section.importance,
                "boilerplate": noisy[section.id],
                "noisy": noisy[section.id],  # old name
                "list": listed[section.id],
            }
            for section, record in zip(found, _segment_records(page, found), strict=True)
        ],
    }


def failure_record(failure: Failure) -> dict[str, Any]:
    """Return the record of a page that failed.

    >>> failure_record(Failure("a.html", "read", "the archive ends in the middle of a page"))["stage"]
    'read'
    """
    return {**asdict(failure), "seconds": round(failure.seconds, 3)}


def _segment_records(page: Page, found: list[Segment]) -> list[dict[str, Any]]:
    """Return the address, box and text of each segment."""
    nodes = [node for segment in found for node in segment.roots]
    xpath = dict(zip(nodes, xpaths(page.dom, nodes), strict=True))
    css = dict(zip(nodes, css_paths(page.dom, nodes), strict=True))
    return [
        {
            "id": segment.id,
            "xpath": [xpath[node] for node in segment.roots],
            "css": [css[node] for node in segment.roots],
            "box": segment.box,
            "text": segment.text,
            "leaves": segment.leaves,
        }
        for segment in found
    ]
