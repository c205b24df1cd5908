"""``webgrain types`` and ``webgrain review``: learn, apply and review the page types of a site."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from click.exceptions import Exit

from webgrain.base.errors import InputError, ParameterError
from webgrain.cli.options import QUERIES, STRICT, InputOptions, option, with_options
from webgrain.cli.output import (
    check_json_target,
    check_target,
    open_records,
    report,
    report_failure,
    run,
    write_records,
)
from webgrain.cli.progress import announced

if TYPE_CHECKING:
    from webgrain.base.arrays import UInt64
    from webgrain.io.read import Item
    from webgrain.page.page import Page
    from webgrain.pagetypes.clustering import PageType
    from webgrain.pagetypes.descriptions import TypesMethod
    from webgrain.site import typelearning

_Method = Literal["pagetypes", "keyclus"]
PathForm = Literal["raw", "site"]
_Table = Literal["text", "jsonl", "csv", "parquet"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of the methods.

    Options:
        random_state: Seed of the random choices.
        tabs: Divide types by the content of their open tab. Default: on for keyclus.
        recall_weight: keyclus: weight of the ranking by recall.
        presence_weight: keyclus: power of the share of pages that have a path.
        top: keyclus: number of the best paths that can be key paths or tabs.
        dependence: keyclus: similarity of occurrence from which paths are dependent.
        content_dependence: keyclus: similarity of content from which they also are. Default: ignored.
        decay: keyclus: factor of the weights of a path and the next in the ranking.
        shingle_size: keyclus: number of paths in a shingle.
        repeated: keyclus, an addition: share of pages above which a text matches no query. Default: none.
        max_presence: keyclus, an addition: share of pages above which a path is no key path and no tab.
            Default: none.
        paths: keyclus, an addition: raw (paths with all ids and classes, as published) or site (with those
            that several pages of the site share). Default: raw.
    """

    random_state: int | None = option(None, "--seed N", min=0)
    tabs: bool | None = option(None, "--tabs/--no-tabs")
    recall_weight: float | None = option(None, "--recall-weight W")
    presence_weight: float | None = option(None, "--presence-weight W")
    top: int | None = option(None, "--top N")
    dependence: float | None = option(None, "--dependence SHARE")
    content_dependence: float | None = option(None, "--content-dependence SHARE")
    decay: float | None = option(None, "--decay FACTOR")
    shingle_size: int | None = option(None, "--shingle-size N")
    repeated: float | None = option(None, "--repeated SHARE")
    max_presence: float | None = option(None, "--max-presence SHARE")
    paths: PathForm | None = option(None, "--paths FORM")

    def create(self, method: _Method) -> TypesMethod:
        """Return the method with the parameters that were given; `ParameterError` for one that it lacks."""
        from webgrain.base.estimator import load

        given = {name: value for name, value in asdict(self).items() if value is not None}
        learner = load(method)
        for name in given:
            if name not in learner().get_params():
                raise ParameterError(f"--method {method} has no parameter --{name.replace('_', '-')}.")
        return cast("TypesMethod", learner(**given))


@with_options
def types(
    *,
    inputs: InputOptions,
    queries: Path | None = QUERIES,
    model: Path | None = option(None, "--model FILE"),
    output: Path | None = option(None, "-o --output FILE"),
    fields: bool = option(False, "--fields"),
    html: Path | None = option(None, "--html FILE"),
    form: _Table = option("text", "--format FORMAT"),
    method: _Method = option("pagetypes", "--method NAME"),
    parameters: Parameters,
    verdicts: Path | None = option(None, "--verdicts FILE"),
    previous: Path | None = option(None, "--previous FILE"),
    strict: bool = STRICT,
) -> None:
    """Learn the page types of a site, each with its key path.

    Prints for each type its display name, its label in brackets, which stays the same from run to run, its
    number of pages, its key path as CSS selector, the contents of the key path on some pages, and the most
    frequent queries if there is a search log. Pages that fit no type are shown last, as the group "other".
    The condition of a type is also printed as CSS selector of the root element and as XPath. keyclus without
    a search log uses anchor texts, titles and headings as pseudo-queries. With --format jsonl, csv
    or parquet, a record per page: page, url, type, key_path (css, xpath) and confidence; the type of pages
    that fit no type is "other", without key path and confidence, and pages that a model does not know have
    no type. With --fields: type, css, xpath, share (of the type's pages) and contents.

    Example: webgrain types site/ --queries queries.tsv -o types.json

    Options:
        model: Assign pages to the types in FILE, written with -o.
        output: Also write the learnt types to FILE (JSON).
        fields: Write the wrapper paths of each type: paths to the same information on its pages.
        html: Also write an HTML file with examples of each type.
        form: text (a table of the types), or jsonl, csv or parquet (a record per page).
        method: pagetypes (types by structure) or keyclus (the published method, key paths by queries).
        verdicts: Merge and split types as in FILE, written by webgrain review types.
        previous: Reuse the labels of the types in FILE.
    """
    from webgrain.site.typemodels import load_types

    if model is not None:
        if queries or output or fields or html or verdicts or previous:
            raise ParameterError("--model assigns pages; it can be combined with --format only.")
        _assign(inputs, model, form, strict)
        return
    if output is not None:
        check_json_target(output)
    if html is not None:
        check_target(html)
    learnt = learn_reviewed_types(inputs, queries, parameters.create(method), verdicts)
    if previous is not None:
        learnt = learnt.renamed(load_types(previous))
    _write_files(learnt, inputs, output, html)
    if form != "text":
        write_records(form, _fields(learnt) if fields else learnt.records())
    else:
        print("\n".join(_field_lines(learnt) if fields else _lines(learnt)))
    if strict and learnt.failures:
        raise Exit(1)


def learn_reviewed_types(
    inputs: InputOptions, queries: Path | None, method: TypesMethod, verdicts: Path | None = None
) -> typelearning.LearntTypes:
    """Learn the types of the input pages and apply verdicts; each page that failed has a line on stderr."""
    from webgrain.io.queries import read_queries
    from webgrain.site import typelearning
    from webgrain.site.verdicts import apply_verdicts, read_verdicts

    if "-" in (inputs.inputs or []):
        raise InputError("Page types are learnt from the pages of a site, but stdin holds only one page.")
    judged = read_verdicts(verdicts) if verdicts else []
    log = read_queries(queries) if queries else None
    read = partial(_announced, inputs)
    learnt = typelearning.learn_types(read, method, log, failed=report_failure)
    if learnt.unused_log:
        report(learnt.unused_log)
    if log is not None and log.dropped:
        report("The search log has too many rows or URLs; only the first ones are used.")
    learnt, notes = apply_verdicts(learnt, judged, inputs.read, method)
    for note in notes:
        report(note)
    return learnt


def _announced(inputs: InputOptions) -> Iterator[Item]:
    """Read the inputs and show the progress."""
    return announced(inputs.read(), "learn", inputs.total)


def _write_files(
    learnt: typelearning.LearntTypes, inputs: InputOptions, output: Path | None, html: Path | None
) -> None:
    from webgrain.report.documents import EXAMPLES, write_types
    from webgrain.site import typelearning

    clustering = learnt.clustering
    if output:
        about = {
            "pages": len(clustering.pages),
            "queries": learnt.source,
            "params": dict(clustering.params),
        }
        learnt.model.save(output, about)
    if html:
        ids = {page for page_type in clustering.types for page in page_type.examples[:EXAMPLES]}
        examples = {page.id: page for page in typelearning.select_pages(inputs.read(), ids)}
        write_types(html, clustering, examples, learnt.source, learnt.names())


def _assign(inputs: InputOptions, path: Path, form: _Table, strict: bool) -> None:
    from webgrain.site import typelearning
    from webgrain.site.typemodels import load_types

    records: Iterator[Any] = typelearning.assign_types(inputs.read(), load_types(path))
    sink = open_records("jsonl" if form == "text" else form, None, "")
    run(records, sink, strict, total=inputs.total)


def _lines(learnt: typelearning.LearntTypes) -> Iterator[str]:
    """Yield the table of the types as text."""
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count

    clustering = learnt.clustering
    of_no_type = sum(page_type.size for page_type in clustering.types if page_type.label == OTHER)
    types = [page_type for page_type in clustering.types if page_type.label != OTHER]
    pages = count(len(clustering.pages), "page")
    other = f", {count(of_no_type, 'page')} of no type" if of_no_type else ""
    yield f"{pages}, {count(len(types), 'type')}{other}; {learnt.source}."
    small = [page_type for page_type in types if page_type.key_path is None and page_type.size < 3]
    names = learnt.names()
    for number, page_type in enumerate(clustering.types):
        if page_type not in small:
            yield ""
            yield from _type_lines(page_type, names[page_type.label], learnt.queries(number))
    if small:
        few = sum(page_type.size for page_type in small)
        yield f"\n{count(few, 'page')} in {count(len(small), 'type')} of one or two, without a key path."


def _type_lines(page_type: PageType, name: str, queries: Sequence[str]) -> Iterator[str]:
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count, plain

    size = f"{count(page_type.size, 'page')} ({page_type.share:.0%})"
    tab = f"  tab: {plain(page_type.tab)}" if page_type.tab else ""
    yield f"{plain(name)}  [{page_type.label}]  {size}{tab}"
    if page_type.label != OTHER:
        key_path = page_type.key_path.css if page_type.key_path else "none: grouped by other paths"
        yield f"  key path  {plain(key_path)}"
    if page_type.condition:
        condition = page_type.condition
        yield f"  condition {plain(condition.words)} ({condition.agreement:.0%} agreement)"
        yield f"  css       {plain(condition.css)}"
        yield f"  xpath     {plain(condition.xpath)}"
    if page_type.contents:
        yield "  contents  " + " | ".join(plain(text, 50) for text in page_type.contents)
    if queries:
        yield "  queries   " + " | ".join(plain(query, 50) for query in queries)
    yield "  pages     " + " ".join(plain(page, 80) for page in page_type.examples[:3])


def _fields(learnt: typelearning.LearntTypes) -> Iterator[dict[str, Any]]:
    for page_type in learnt.clustering.types:
        for field in page_type.fields:
            yield {
                "type": page_type.label,
                "css": field.path.css,
                "xpath": field.path.xpath,
                "share": round(field.share, 3),
                "contents": list(field.contents),
            }


def _field_lines(learnt: typelearning.LearntTypes) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    for page_type in learnt.clustering.types:
        if page_type.fields:
            yield f"{page_type.label}  {count(page_type.size, 'page')}"
        for field in page_type.fields:
            yield f"  {field.share:4.0%}  {plain(field.path.css)}"
            yield "        " + " | ".join(plain(text, 50) for text in field.contents)


_VERDICTS = {"h": "homogeneous", "m": "merge", "s": "split", "u": "unsure"}
QUESTION = "[h]omogeneous, [m]erge with another type, [s]plit, [u]nsure, [q]uit"


@with_options
def review_types(
    *,
    inputs: InputOptions,
    output: Path = option(..., "-o --output FILE"),
    queries: Path | None = QUERIES,
    method: _Method = option("pagetypes", "--method NAME"),
    parameters: Parameters,
) -> None:
    """Review the page types of a site.

    Shows ten random pages of each type and the ten pages that differ most from the others, and asks for a
    verdict. Each line of FILE is a verdict: type, key_path, verdict (homogeneous, merge, split, unsure), with
    (the other type of a merge), random and dissimilar (the pages shown). The verdicts in FILE are applied
    first, as by webgrain types --verdicts, so the next call shows the parts of types that were split. Types
    that have a verdict are skipped.

    Example: webgrain review types site/ -o verdicts.jsonl

    Options:
        output: File of verdicts (JSON lines); new verdicts are appended.
        method: pagetypes or keyclus, as in webgrain types.
    """
    from webgrain.page.paths import places
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.papers.keyclus import page_paths
    from webgrain.papers.typereview import pages_to_review
    from webgrain.site import typelearning
    from webgrain.site.verdicts import read_verdicts

    check_target(output)
    earlier = output if output.exists() else None
    reviewed = {verdict.type for verdict in read_verdicts(output)} if earlier else set()
    clustering = learn_reviewed_types(inputs, queries, parameters.create(method), earlier).clustering
    type_of = dict(zip(clustering.pages, clustering.labels.tolist(), strict=True))
    paths: dict[int, dict[str, UInt64]] = {}
    for page in typelearning.select_pages(inputs.read(), clustering.pages):
        paths.setdefault(type_of[page.id], {})[page.id] = page_paths(places(page.dom))
    for number, page_type in enumerate(clustering.types):
        if page_type.label in reviewed or page_type.key_path is None:
            continue
        random, dissimilar = pages_to_review(paths[number], random_state=parameters.random_state or 0)
        shown = typelearning.select_pages(inputs.read(), [*random, *dissimilar])
        pages = {page.id: page for page in shown}
        print("\n".join(_review_lines(page_type, random, dissimilar, pages)))
        labels = [other.label for other in clustering.types if other.label not in (page_type.label, OTHER)]
        verdict = _ask(labels)
        if verdict is None:
            return
        record = {"type": page_type.label, "key_path": page_type.key_path.css, **verdict}
        record |= {"random": random, "dissimilar": dissimilar}
        with output.open("a", encoding="utf-8") as file:
            print(json.dumps(record, ensure_ascii=False), file=file)


def _review_lines(
    page_type: PageType, random: list[str], dissimilar: list[str], pages: dict[str, Page]
) -> Iterator[str]:
    from webgrain.report.terminal import count, plain

    yield f"\n{page_type.label}  {count(page_type.size, 'page')}  {plain(str(page_type.key_path))}"
    for heading, ids in (("random pages", random), ("least similar to the others", dissimilar)):
        yield f" {heading}"
        yield from (f"  {plain(page, 70):70} {_beginning(pages.get(page))}" for page in ids)


def _beginning(page: Page | None) -> str:
    """Return the size of a page and the beginning of its text."""
    from webgrain.page.text import visible_text
    from webgrain.report.terminal import count, plain

    return "" if page is None else f"{count(len(page.dom), 'node')}: {plain(visible_text(page), 60)}"


def _ask(labels: list[str]) -> dict[str, Any] | None:
    """Ask for the verdict on a type; None ends the review, also at the end of the input."""
    with suppress(EOFError):
        while (answer := input(f"{QUESTION}: ").strip().lower()[:1]) != "q":
            if answer == "m":
                other = input("  with which type? ").strip()
                if other in labels:
                    return {"verdict": _VERDICTS[answer], "with": other}
                print(f"  there is no type {other!r}")
            elif answer in _VERDICTS:
                return {"verdict": _VERDICTS[answer]}
    return None
