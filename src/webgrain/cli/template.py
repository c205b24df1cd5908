"""``webgrain template`` and ``webgrain sections``: show, compare and apply templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from click.exceptions import Exit

from webgrain.base.errors import InputError
from webgrain.cli import options
from webgrain.cli.options import layout, option, with_options
from webgrain.cli.output import report, report_failure, without_failures, write_records, write_segments

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.page.page import Page
    from webgrain.templates.sections import BestSectioner
    from webgrain.templates.template import Template

MAX_REPAIR_PAGES = 100
"""Pages of a type by which selectors are repaired, at most: they are kept in memory."""

_Form = Literal["outline", "text", "jsonl"]

FILE = option(..., "FILE", "Template, from webgrain learn template.")


@with_options
def show_template(
    *, file: Path = option(..., "FILE"), form: _Form = option("outline", "--format FORMAT")
) -> None:
    """Show what the parts of a template are.

    Prints an outline: the parts, what each is (content, items, table, label, navigation or frame), and its
    texts on two pages. * follows a repeated part, ? an optional one, a share what not all pages have. Of the
    model of a site, the templates of all types are shown, each after its name.

    Example: webgrain template show template.json

    Options:
        file: Template from webgrain learn template, or model from webgrain audit.
        form: outline, text (the template as an expression) or jsonl (a record per node).
    """
    from webgrain.report.terminal import plain, printable
    from webgrain.templates.template import template_outline

    for head, template in _named_templates(file):
        if form == "jsonl":
            write_records("jsonl", _node_records(head, template))
            continue
        if form == "outline" and not template.marked:
            name = plain(head["type_name"], 80) if head else file
            report(f"{name}: the template does not state what its parts are: learn it again.")
        if head:
            print(f"\n{plain(head['type_name'], 80)} [{plain(head['type'], 80)}]")
        text = template_outline(template) if form == "outline" else str(template)
        print(*map(printable, text.split("\n")), sep="\n")


def _named_templates(path: Path) -> Iterator[tuple[dict[str, Any], Template]]:
    """Yield the template of a file, or those of a site model, each after the head of its records."""
    from webgrain.base.modelfile import format_of
    from webgrain.site.model import FORMAT, load_model
    from webgrain.templates.template import read_template

    if not path.is_file() or format_of(path) != FORMAT:
        yield {}, read_template(path)
        return
    model = load_model(path)
    for label, template in model.templates.items():
        yield {"type_name": model.name(label), "type": label}, template


def _node_records(head: dict[str, Any], template: Template) -> Iterator[dict[str, Any]]:
    """Yield the record of each TAG of a template."""
    import numpy as np

    from webgrain.templates.crx import TAG

    marked = {part.node: part for part in template.marked}
    for node in np.flatnonzero(template.op == TAG).tolist():
        part = marked.get(node)
        role, texts = (part.role, part.texts) if part else (None, ())
        yield head | _node_record(template, node) | {"role": role, "texts": list(texts)}


def _node_record(template: Template, node: int) -> dict[str, Any]:
    from webgrain.templates.crx import OPS, TAG

    above = template.op[template.parent[node]] if node else TAG
    noise = template.noise.get(node, {})
    return {
        "css": template.css(node),
        "op": "" if above == TAG else OPS[above],
        "support": round(float(template.support[node]), 3),
        "noise": [[*feature, round(share, 3)] for feature, share in noise.items()],
    }


@with_options
def diff_templates(*, file: Path = FILE, other: Path = option(..., "OTHER")) -> None:
    """Compare two templates.

    Prints a line for each element that half of the pages of only one template have, with the share of the
    pages that have it in each.

    Example: webgrain template diff march.json april.json

    Options:
        other: Template to compare with.
    """
    from webgrain.templates import drift as drifts
    from webgrain.templates.template import read_template

    for change in drifts.template_changes(read_template(file), read_template(other)):
        print(f"{change.before:.2f} -> {change.now:.2f}  {change.css}")


@with_options
def report_drift(
    *,
    inputs: options.InputOptions,
    template: Path = option(..., "--template FILE"),
    rendering: options.Rendering,
    check: bool = option(False, "--check"),
    strict: bool = options.STRICT,
) -> None:
    """Report what the pages of a site have lost and gained since its template was learnt.

    Writes a JSON record for the template, or for each type of a site model: level (none, notice or alarm),
    summary (the changes in words), pages, vanished and appeared (elements, each with css, xpath, before and
    now: shares of the pages, times: number of elements, moved_to), broken (selectors that select nothing),
    reordered (elements whose children are in another order, each with css, child, after and now), misfits
    (number of pages that do not fit, if it is unusual) and differences (the most frequent of these pages). An
    alarm means that elements, selectors or the order have been lost, or that many pages do not fit, and that
    this is no coincidence: a few pages give a notice at most.

    Example: webgrain template drift --template template.json crawl.warc.gz

    Options:
        template: Template from webgrain learn template, or model from webgrain audit.
        check: Exit with code 1 on an alarm.
    """
    from webgrain.site.pipeline import pages

    failures: list[Failure] = []
    results = _drift_records(template, pages(inputs.read(), layout(rendering)), failures)
    for failure in failures:
        report_failure(failure)
    if not results:
        raise InputError("No page could be read, so there is nothing to compare with the template.")
    write_records("jsonl", results)
    alarm = any(result["level"] == "alarm" for result in results)
    if alarm and strict and not check:
        report("--strict will no longer report alarms in the exit code: use --check.")
    if (alarm and (check or strict)) or (failures and strict):
        raise Exit(1)


def _drift_records(
    path: Path, pages: Iterable[Page | Failure], failures: list[Failure]
) -> list[dict[str, Any]]:
    """Return how pages differ from a template or the templates of a site model; nothing without a page.

    Pages that fail are added to ``failures``.
    """
    from webgrain.base.failures import Failure
    from webgrain.base.modelfile import format_of
    from webgrain.engines.guard import run_step
    from webgrain.site.model import FORMAT, load_model
    from webgrain.site.sitewatch import SiteWatch
    from webgrain.templates.drift import DriftWatch
    from webgrain.templates.template import read_template

    def add_all(add: Callable[[Page], None]) -> None:
        added = (run_step(page, "drift", add) for page in pages)
        failures.extend(result for result in added if isinstance(result, Failure))

    if not path.is_file() or format_of(path) != FORMAT:
        of_template = DriftWatch(read_template(path))
        add_all(of_template.add)
        difference = of_template.result()
        return [difference.to_dict()] if difference.pages else []
    watch = SiteWatch(load_model(path))
    add_all(lambda page: watch.add(watch.model.predict(page).checked()))
    name = watch.model.name
    return [
        {"type_name": name(x), "type": x, **difference.to_dict()} for x, difference in watch.drift().items()
    ]


@with_options
def repair_selectors(
    *,
    inputs: options.InputOptions,
    template: Path = option(..., "--template FILE"),
    rendering: options.Rendering,
    strict: bool = options.STRICT,
) -> None:
    """Propose new selectors for those that no longer work since a template was learnt.

    Writes a JSON record for each selector of a list, the title, the main text or the key path that selects
    nothing on more pages than before: name (what it is for), old (the selector), css and xpath (the proposal,
    empty if none was found), evidence (place: the elements at the same place of the template; values:
    elements with texts or links that many pages had), pages and works: pages on which the proposal was
    verified, and pages on which it selects these elements. Half of the pages are used to find a proposal, the
    others to verify it.

    Example: webgrain template repair --template template.json crawl.warc.gz

    Options:
        template: Template from webgrain learn template, or model from webgrain audit.
    """
    from webgrain.site.pipeline import pages

    failures: list[Failure] = []
    parsed = without_failures(pages(inputs.read(), layout(rendering)), failures)
    groups = list(_pages_by_template(template, parsed, failures))
    records = [record for group in groups for record in _repair_records(*group, failures)]
    for failure in failures:
        report_failure(failure)
    if not groups:
        raise InputError("No page could be read, so no selector can be verified.")
    write_records("jsonl", records)
    if failures and strict:
        raise Exit(1)


def _pages_by_template(
    path: Path, pages: Iterable[Page], failures: list[Failure]
) -> Iterator[tuple[dict[str, Any], Template, list[Page]]]:
    """Yield the templates of a file or a site model, each after the head of its records, with its pages.

    Pages that fail are added to ``failures``.
    """
    from webgrain.base.failures import Failure
    from webgrain.base.modelfile import format_of
    from webgrain.engines.guard import run_step
    from webgrain.site.model import FORMAT, load_model
    from webgrain.site.sitewatch import SiteWatch
    from webgrain.templates.template import read_template

    if not path.is_file() or format_of(path) != FORMAT:
        only = read_template(path)
        chosen = list(islice(pages, MAX_REPAIR_PAGES))
        if chosen:
            yield {}, only, chosen
        return
    model = load_model(path)
    watch = SiteWatch(model)
    by_type: dict[str, list[Page]] = {}
    for page in pages:
        label = run_step(page, "repair", lambda page: watch.nearest(model.predict(page).checked()))
        if isinstance(label, Failure):
            failures.append(label)
            continue
        of_type = by_type.setdefault(label or "", [])
        if len(of_type) < MAX_REPAIR_PAGES:
            of_type.append(page)
    for label, chosen in by_type.items():
        if label:
            yield {"type_name": model.name(label), "type": label}, model.templates[label], chosen


def _repair_records(
    head: dict[str, Any], template: Template, pages: list[Page], failures: list[Failure]
) -> Iterator[dict[str, Any]]:
    """Yield the records of the selectors of a template; pages that fail are added to ``failures``."""
    from webgrain.engines.guard import run_together
    from webgrain.templates.repair import repairs

    made, failed = run_together(pages, [page.id for page in pages], "repair", partial(repairs, template))
    failures += failed
    yield from (head | repair.to_dict() for repair in made or ())


@with_options
def divide_pages(
    *,
    inputs: options.InputOptions,
    template: Path = option(..., "--template FILE"),
    threshold: float = option(0.25, "--threshold X"),
    area: float = option(0.15, "--area X"),
    rendering: options.Rendering,
    browser: options.Browser,
    output: options.Output,
    strict: bool = options.STRICT,
) -> None:
    """Divide pages into sections with the template of their site.

    Writes a record per page to stdout: page, url, notes, template, match (similarity of page and template,
    from 0 to 1), accepted, exact, differences and sections, each with id, xpath, css, box, text, leaves,
    importance (0 to 1), noisy and list. With -o DIR the records are in DIR/sections.jsonl, the pictures in
    DIR/overlays/ and DIR/gallery.html: content is blue, boilerplate is orange.

    Example: webgrain sections --template template.json site/ -o blocks --html

    Options:
        template: Template from webgrain learn template, or a folder of them: the best match of each page is
            used.
        threshold: Sections of lower importance are boilerplate, from 0 to 1.
        area: Parts larger than this share of the page are split, from 0 to 1.
    """
    from webgrain.site import pipeline
    from webgrain.templates.sections import sections_record

    boxes = layout(rendering, browser, screenshot=output.pictures)
    segmented = pipeline.segment_items(inputs.read(), best_sectioner(template, area, threshold), boxes)
    write_segments(segmented, output, strict, "sections", sections_record)


def best_sectioner(path: Path, area: float = 0.15, threshold: float = 0.25) -> BestSectioner:
    """Return a method that applies the template in a file, or the best match of those in a folder.

    >>> best_sectioner(Path("nowhere.json"))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: Cannot read a model from nowhere.json: No such file or directory.
    """
    from webgrain.templates.sections import BestSectioner, Sectioner
    from webgrain.templates.template import read_template

    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"The folder {path} holds no template (.json).")
    return BestSectioner(
        {file.stem: Sectioner(template=read_template(file), area=area, threshold=threshold) for file in files}
    )
