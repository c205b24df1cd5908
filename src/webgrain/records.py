"""Records of results: plain values for JSON, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from webgrain.page.addresses import addresses_of
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
    records, notes = _segment_records(page, found)
    return {
        "page": page.id,
        "url": page.url,
        "notes": notes,
        "method": segmentation.method,
        "params": dict(segmentation.params),
        "energy": segmentation.energy,
        "lower_bound": segmentation.lower_bound,
        "gap": segmentation.gap,
        "segments": [
            record
            | {name: getattr(segment, name) for name in ("role", "role_probability", "confidence")}
            | ({} if segment.importance is None else {"importance": segment.importance})
            for segment, record in zip(found, records, strict=True)
        ],
    }


def sections_record(page: Page, sections: Segmentation) -> dict[str, Any]:
    """Return the record that ``webgrain sections`` writes for a page.

    sections: the result of `webgrain.templates.sections.Sections.segmentation`.
    """
    found = segments(page, sections)
    records, notes = _segment_records(page, found)
    noisy, listed = sections.params["noisy"], sections.params["listed"]
    return {
        "page": page.id,
        "url": page.url,
        "notes": notes,
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
            for section, record in zip(found, records, strict=True)
        ],
    }


def failure_record(failure: Failure) -> dict[str, Any]:
    """Return the record of a page that failed.

    >>> failure_record(Failure("a.html", "read", "the archive ends in the middle of a page"))["stage"]
    'read'
    """
    return {**asdict(failure), "seconds": round(failure.seconds, 3)}


def noted_addresses(page: Page, nodes: Iterable[int]) -> tuple[dict[int, tuple[str, str]], list[str]]:
    """Return the XPath and the CSS path of nodes, and the notes of a record with these addresses.

    >>> from webgrain.page.parsing import parse
    >>> noted_addresses(parse("<p>One"), [3])
    ({3: ('/html[1]/body[1]/p[1]', 'html > body > p')}, [])
    """
    wanted = set(nodes)
    where = addresses_of(page.dom, wanted)
    left_out = len(wanted) - len(where)
    note = [f"The addresses of {left_out:,} nodes are left out: they are too long."] if left_out else []
    return where, [*page.notes, *note]


def _segment_records(page: Page, found: list[Segment]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the address, box and text of each segment, and the notes of the record."""
    where, notes = noted_addresses(page, (node for segment in found for node in segment.roots))
    return [
        {
            "id": segment.id,
            "xpath": [where[node][0] for node in segment.roots if node in where],
            "css": [where[node][1] for node in segment.roots if node in where],
            "box": segment.box,
            "text": segment.text,
            "leaves": segment.leaves,
        }
        for segment in found
    ], notes
