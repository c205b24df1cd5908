"""``webgrain label`` and ``webgrain learn``: label pages; learn weights, sites, templates and layouts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from click.exceptions import Exit

from webgrain.base.errors import InputError, ParameterError
from webgrain.cli.layouts import LayoutLearning, known_links, layout_summary, report_rejected
from webgrain.cli.options import (
    QUERIES,
    STRICT,
    Browser,
    InputOptions,
    Rendering,
    layout,
    option,
    with_options,
)
from webgrain.cli.output import (
    check_json_target,
    check_target,
    make_folder,
    report,
    report_failure,
    without_failures,
)
from webgrain.cli.progress import announced

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.evaluation.datasets import Example
    from webgrain.evaluation.training import Learnt, Scores
    from webgrain.labeling.app import App, LabelServer
    from webgrain.page.page import Page, Source
    from webgrain.papers.regextree import RegexTree
    from webgrain.rendering.chromium import Chromium
    from webgrain.site.pipeline import Layout
    from webgrain.site.site import Site, SiteUpdate
    from webgrain.templates.sitetemplate import SiteTemplate
    from webgrain.templates.template import Template

SegmentPreset = Literal["learnt", "paper"]
PaperMethod = Literal["gcuts", "gcuts-certified", "cclus"]
TemplateMethod = Literal["sitetemplate", "regextree"]


@with_options
def learn_segments(
    *,
    labels: Path = option(..., "LABELS"),
    output: Path = option(..., "-o --output FILE"),
    preset: SegmentPreset = option("learnt", "--preset NAME"),
    method: PaperMethod | None = option(None, "--method NAME"),
    root: Path | None = option(None, "--root DIR"),
    rendering: Rendering,
) -> None:
    """Learn segmentation weights and roles from labelled pages.

    Writes a file for webgrain segment --weights. Prints its scores from a five-fold cross-validation over
    sites (hosts; pages without a URL count as separate sites). Needs at least two pages; ten pages with a
    hundred segments or more give useful weights.

    Example: webgrain learn segments site/labels-kim.jsonl -o weights.zip

    Options:
        labels: Labels (.jsonl, from webgrain label) or a folder of the Kreuzer data set.
        output: File for the weights.
        preset: learnt (learntcut, the default of webgrain segment) or paper.
        method: Method of --preset paper: gcuts, gcuts-certified or cclus. Default: gcuts.
        root: Folder of the site, if the labels are in a part of it. Default: the folder of the labels.
    """
    from webgrain.base.estimator import create
    from webgrain.engines.guard import run_together
    from webgrain.evaluation.datasets import load_examples
    from webgrain.evaluation.training import learn_method
    from webgrain.segmentation.segmenter import Segmenter, write_segmenter

    if method is not None and preset != "paper":
        raise ParameterError(f"--method {method} needs --preset paper.")
    check_target(output)
    name = "learntcut" if preset == "learnt" else method or "gcuts"
    boxes = layout(rendering)
    examples = load_examples(labels, boxes, root)
    _check(labels, examples)
    names = [example.page.id for example in examples]
    learnt, failures = run_together(examples, names, "learn", partial(learn_method, create(name)))
    for failure in failures:
        report_failure(failure)
    if learnt is None:
        raise InputError("Nothing could be learnt from these pages.")
    left_out = {failure.page for failure in failures}
    examples = [example for example in examples if example.page.id not in left_out]
    write_segmenter(output, Segmenter(name, learnt.method, learnt.classifier, boxes.render))
    print("\n".join(_report(name, boxes.render, output, examples, learnt)))


def _check(labels: Path, examples: Sequence[Example]) -> None:
    """Check that there is enough to learn from."""
    from webgrain.report.terminal import count

    if len({example.page.id for example in examples}) < 2:
        raise InputError(f"{labels} labels {count(len(examples), 'page')}; at least two are needed.")
    if not any((example.truth.fine >= 0).any() for example in examples):
        raise InputError(f"No segment in {labels} exists on its page.")


def _report(name: str, form: str, output: Path, examples: Sequence[Example], learnt: Learnt) -> Iterator[str]:
    """Yield the lines of the summary."""
    segments = sum(len(example.segments) for example in examples)
    roles = learnt.classifier.roles
    yield f"Learnt from {len(examples)} pages (boxes: {form}) with {segments} labelled segments:"
    yield f"  segments    {name}"
    yield f"  roles       {', '.join(roles.linear.classes) if roles else 'none: too few labelled roles'}"
    yield f"  confidence  {'yes' if learnt.classifier.confidence else 'none: all pages are from one site'}"
    if learnt.scores is None:
        yield "No scores: all pages are from one site, so a cross-validation over sites is impossible."
    else:
        yield from _scores(learnt.scores)
    yield f"Saved to {output}: use it with webgrain segment --weights {output}"


def _scores(scores: Scores) -> Iterator[str]:
    from webgrain.cli.eval import figure

    yield f"Scores on held-out pages, {scores.folds} folds:"
    for partition, result in (("fine", scores.fine), ("blocks", scores.blocks)):
        row = result.record(result)
        measures = f"ARI {figure(row['ari'])} ± {figure(row['ari_se'])}, NMI {figure(row['nmi'])}"
        yield f"  {partition:10}  {measures}, {row['pages']} pages"
    roles, confidence = scores.judgement.predicted, scores.judgement.confidence
    yield (
        f"  roles       {figure(roles.accuracy)} correct of the {roles.segments} predicted segments that "
        f"match a labelled one (most frequent role: {figure(roles.majority)})"
    )
    yield (
        f"  confidence  {figure(confidence.right)} of {confidence.segments} segments are correct, "
        f"calibration error {figure(confidence.calibration_error)}"
    )


@with_options
def learn_site(
    *,
    inputs: InputOptions,
    output: Path = option(..., "-o --output FILE"),
    update: Path | None = option(None, "--update MODEL"),
    queries: Path | None = QUERIES,
    sample: int | None = option(None, "--sample N", min=1),
    seed: int | None = option(None, "--seed N", min=0),
    check: bool = option(False, "--check"),
    strict: bool = STRICT,
) -> None:
    """Learn the model of a site, or add new pages to a model.

    Writes a model for webgrain extract --model, fields --model and template drift, as an audit does, and
    prints its page types with their numbers of pages. With --update, adds pages to MODEL: what they repeat is
    recognised, and at least three pages that are alike and unlike the pages of all types become a new type.
    Prints the number of pages by type, and the drift of each type: what the pages have lost and gained since
    the type was learnt. Earlier types keep their templates and labels, so a site with an alarm should be
    learnt again. Pages that are added twice count twice in the texts.

    Example: webgrain learn site new-pages/ --update site.json -o site.json

    Options:
        output: File for the model (JSON).
        update: Model of the site, from webgrain learn site, audit or fields --save; -o may be the same file.
        sample: Maximum number of pages to learn from. Default: 600.
        seed: Seed of the random choices. Default: 0.
        check: With --update: exit with code 1 on an alarm.
    """
    from webgrain.site.site import Site
    from webgrain.site.thresholds import SAMPLE

    if check and update is None:
        raise ParameterError("--check needs --update MODEL.")
    if update is not None and (queries, sample, seed) != (None, None, None):
        raise ParameterError(
            "--update adds pages to what is learnt; --queries, --sample and --seed do not apply."
        )
    check_json_target(output)
    failures: list[Failure] = []
    if "-" in (inputs.inputs or []):
        raise InputError("A site is learnt from its pages, but stdin holds only one page.")
    read = announced(inputs.read(), "learn", inputs.total)
    readable: Iterator[Source | Page] = without_failures(read, failures)
    pages = list(readable)
    if not pages:
        raise InputError("No page could be read, so nothing can be learnt.")
    has_alarm = False
    if update is None:
        name = None if pages[0].url else Path((inputs.inputs or ["site"])[0]).name
        site = Site.fit(pages, queries, name=name, sample=sample or SAMPLE, random_state=seed or 0)
        lines = list(_site_lines(site))
        failures += site.failures
    else:
        site = Site.load(update)
        added = site.update(pages)
        lines = list(_update_lines(site, added))
        failures += added.failures
        has_alarm = any(drift.level == "alarm" for drift in added.drift.values())
    for failure in failures:
        report_failure(failure)
    site.save(output)
    print("\n".join(lines))
    if (has_alarm and check) or (failures and strict):
        raise Exit(1)


def _site_lines(site: Site) -> Iterator[str]:
    """Yield the types of a site."""
    from webgrain.report.terminal import count, plain

    learnt = int(site.model.about.get("learnt_from", 0))
    yield f"{count(learnt, 'page')} of {count(len(site.types), 'type')}."
    for type_ in site.types:
        yield f"  {type_.size:6,}  {plain(type_.name)}  [{plain(type_.label)}]"


def _update_lines(site: Site, added: SiteUpdate) -> Iterator[str]:
    """Yield the numbers of new pages by type, and the drift of the types that have changed."""
    from webgrain.report.terminal import count, plain

    def name(label: str) -> str:
        return f"{plain(site.model.name(label) or label)}  [{plain(label)}]"

    yield f"{count(added.pages, 'page')} added."
    for label, pages in sorted(added.types.items(), key=lambda item: (-item[1], item[0] or "")):
        is_new = " (new type)" if label in added.new_types else ""
        yield f"  {pages:6,}  {name(label) if label else 'of no known type'}{is_new}"
    for label, drift in added.drift.items():
        if drift.level != "none":
            yield f"{drift.level}: {name(label)}"
            yield from (f"  {plain(sentence, 200)}" for sentence in drift.sentences())


@with_options
def learn_template(
    *,
    inputs: InputOptions,
    output: Path = option(..., "-o --output FILE"),
    method: TemplateMethod = option("sitetemplate", "--method NAME"),
    pages: int = option(15, "--pages N", min=1),
    seed: int = option(0, "--seed N", min=0),
    types: Path | None = option(None, "--types FILE"),
    rendering: Rendering,
) -> None:
    """Learn the template of a page type from some of its pages.

    The pages should be of one type, for example articles. Pages that differ too much from the others are left
    out and reported on stderr. webgrain template show prints the template.

    Example: webgrain learn template site/news -o template.json

    Options:
        output: File for the template; with --types, folder for templates.
        method: sitetemplate (more features of boilerplate) or regextree (the published method).
        pages: Number of pages to learn from, drawn at random.
        seed: Seed of the random choice of pages.
        types: Page types (.jsonl, .csv or .tsv with the fields page and type): learn a template for each
            type.
    """
    from webgrain.io.local import safe_name
    from webgrain.io.write import draw, read_types
    from webgrain.papers.regextree import RegexTree
    from webgrain.templates.sitetemplate import SiteTemplate
    from webgrain.templates.template import write_template

    of_page = read_types(types) if types else None
    if of_page is None:
        check_json_target(output)
    else:
        make_folder(output)
    readable: Iterator[Source | Page] = without_failures(announced(inputs.read(), "learn", inputs.total))
    drawn = draw(readable, pages, seed, of_page)
    learner: RegexTree | SiteTemplate = RegexTree() if method == "regextree" else SiteTemplate()
    if not drawn:
        raise InputError("There is no page to learn a template from.")
    for label, items in drawn.items():
        template = _learn_template(label, items, learner, layout(rendering))
        if of_page is None:
            write_template(output, template)
        else:
            write_template(output / f"{safe_name(label)}.json", template)


def _learn_template(
    label: str, items: Iterable[Source | Page], method: RegexTree | SiteTemplate, boxes: Layout
) -> Template:
    from webgrain.report.terminal import plain
    from webgrain.site.pipeline import pages

    parsed = list(without_failures(pages(items, boxes)))
    if not parsed:
        of_type = f" of type {plain(label, 80)}" if label else ""
        raise InputError(f"There is no page{of_type} to learn a template from.")
    try:
        method.fit(parsed)
    finally:  # also if all pages are left out
        report_rejected(method.rejected_)
    assert method.template_ is not None
    if len(parsed) - len(method.rejected_) == 1:
        of_type = f"type {plain(label, 80)}: " if label else ""
        report(f"{of_type}The template was learnt from one page, so it does not know in what pages differ.")
    return method.template_


@with_options
def learn_layouts(
    *,
    inputs: InputOptions,
    output: Path = option(..., "-o --output FILE"),
    pattern: Path | None = option(None, "--pattern FILE"),
    learning: LayoutLearning,
) -> None:
    """Learn the layouts of a site from its pages with Webstemmer.

    The result is a model for webgrain extract. The titles of pages are found with the links between them, so
    the input should be pages of one site, including pages that link to articles.

    Example: webgrain learn layouts site/ -o layouts.json

    Options:
        output: File for the layouts.
        pattern: Also write a pattern file of Webstemmer to FILE.
    """
    from webgrain.papers.webstemmer2007 import write_patterns
    from webgrain.site.pipeline import parsed_pages

    check_json_target(output)
    if pattern is not None:
        check_target(pattern)
    parsed = without_failures(parsed_pages(announced(inputs.read(), "learn", inputs.total)))
    method = learning.create().fit(parsed, known_links(inputs))
    report_rejected(method.rejected_)
    if not method.n_pages_:
        raise InputError("There is no page to learn layouts from.")
    method.save(output)
    if pattern:
        write_patterns(pattern, method, " ".join(inputs.inputs or []))
    report(layout_summary(method))


@with_options
def label(
    *,
    folder: Path = option(..., "FOLDER"),
    annotator: str | None = option(None, "--annotator NAME"),
    port: int = option(0, "--port N", min=0, max=65535),
    review: bool = option(False, "--review"),
    template: Path | None = option(None, "--template FILE"),
    root: Path | None = option(None, "--root DIR"),
    summary: bool = option(False, "--summary"),
    no_open: bool = option(False, "--no-open"),
    browser: Browser,
) -> None:
    """Label the segments of pages and their roles in a browser.

    Opens a local web page that shows each page of the folder as a picture; click or drag to mark segments.
    Every change is saved immediately in FOLDER/labels-NAME.jsonl, and the next start continues there. Each
    annotator has a file, and the tool shows their agreement. Ctrl-C ends the tool.

    With --review --template FILE, the tool shows the sections of each page, boilerplate in orange and
    content in blue, and saves your verdicts on boundaries and classes in FOLDER/reviews-NAME.jsonl. --review
    --summary prints precision and recall of boilerplate sections, the share of correct boundaries, and the
    agreement of the reviewers.

    Example: webgrain label site/ --annotator kim

    Options:
        folder: Folder of the pages.
        annotator: Name of the annotator; each has a file of labels. Default: the login name.
        port: Port of the labelling tool. Default: a free port.
        review: Review the sections of pages: boundaries and classes.
        template: With --review: template that defines the sections, or a folder of templates.
        summary: With --review: only print the results so far.
        root: Folder of the site, if FOLDER is a part of it: style sheets and pictures outside of FOLDER load.
            Default: FOLDER.
        no_open: Print the address and do not open a browser window.
    """
    from webgrain.labeling.app import LabelServer
    from webgrain.rendering.chromium import Chromium

    if not review and (summary or template):
        raise ParameterError("--template and --summary need --review.")
    if review and (template is None) != summary:
        raise ParameterError("--review needs either --template FILE or --summary.")
    if summary:
        _print_summary(folder)
        return
    chromium = Chromium(javascript=browser.javascript, network=browser.network, timeout=browser.timeout)
    app = _app(folder, annotator or _login(), chromium, template, root)  # checks the folder and the template
    with chromium, app, LabelServer(app, port) as server:
        _serve(server, no_open)


def _app(folder: Path, annotator: str, chromium: Chromium, template: Path | None, root: Path | None) -> App:
    from webgrain.cli.template import best_sectioner
    from webgrain.labeling.app import LabelApp
    from webgrain.labeling.reviews import ReviewApp

    if template is None:
        return LabelApp(folder, annotator, chromium, root)
    return ReviewApp(folder, annotator, chromium, best_sectioner(template), root)


def _print_summary(folder: Path) -> None:
    """Print the results of each reviewer, and the agreement of every two."""
    from webgrain.labeling.reviews import summary as summarise

    result = summarise(folder)
    if not result["judges"]:
        raise InputError(
            f"There are no verdicts in {folder}: add some with webgrain label --review --template."
        )
    print("reviewer             pages  sections  precision  recall  boundaries")
    for row in result["judges"]:
        print(
            f"{row['judge']:20} {row['pages']:5} {row['sections']:9} {_share(row['precision']):>10} "
            f"{_share(row['recall']):>7} {_share(row['cuts']):>11}"
        )
    if result["agreement"]:
        print("\nreviewers                      on     sections  equal  kappa")
    for row in result["agreement"]:
        pair, raw, kappa = f"{row['a']}, {row['b']}", _share(row["raw"]), _share(row["kappa"])
        print(f"{pair:30} {row['verdict']:5} {row['sections']:9} {raw:>6} {kappa:>6}")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _serve(server: LabelServer, no_open: bool) -> None:
    """Serve until Ctrl-C."""
    import webbrowser

    print(f"Open {server.url} in a browser; Ctrl-C ends.", file=sys.stderr, flush=True)
    if not no_open:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:  # the normal end
        print(file=sys.stderr)


def _login() -> str:
    """Return the login name, reduced to characters of a file name."""
    import getpass

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = ""
    return re.sub(r"[^\w.@-]+", "-", name).strip("-._@")[:64] or "annotator"
