"""Drift on the sites of the bench: unchanged pages, and pages that were changed on purpose.

For each type of at least 25 pages, a template is learnt from 15 pages drawn at random, and ten of the other
pages are compared with it: unchanged, and with

    wrapper      another id or class of an element that contains 20 % of the text or more
    body         a new ``div`` around the content of the body
    block        without a ``div``, ``table``, ``ul`` or sectioning element at a fixed place (not in a list),
                 with 2 to 50 % of the text
    items        another class of siblings that repeat
    order        the children of the uppermost element with three children or more in reverse order
    reversed     the children of all elements in reverse order
    banner       a new element in the body, or in another element that each page has: a notice, and a selector
                 that finds the banner or an element in it, and nothing else

The first table has a row for each site: shares of the draws. The thresholds of each row were chosen on the
draws of the other folds (`choose`). Neighbours are ten pages that are next to each other by path; they may
have a design that the template lacks.

    WEBGRAIN_DATA=folder python -m experiments.drift_bench [site ...]
"""

from __future__ import annotations

import copy
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from lxml import etree
from lxml import html as lxml_html
from selectolax.lexbor import LexborHTMLParser

from experiments.datasets.bench import BenchSite, bench_names, folds, read_bench
from webgrain.page.page import Page, Source
from webgrain.page.parsing import decode, find_charset, parse
from webgrain.templates.drift import DriftReport, FitWatch, compare_profiles, evidence
from webgrain.templates.profile import Profile, Use
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.statistics import with_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.template import Template

LEARNT, DRAWN, REPEATS = 15, 10, 5
BLOCKS = frozenset(
    [
        "div",
        "table",
        "ul",
        "ol",
        "nav",
        "section",
        "aside",
        "header",
        "footer",
        "form",
        "main",
        "article",
        "dl",
    ]
)
Element = lxml_html.HtmlElement
Trees = list[Element]
Random = np.random.Generator


def rename_wrapper(bodies: Trees, rng: Random) -> bool:
    """Rename an id or class of an element that contains 20 % of the text of each page."""

    def wanted(node: Element, size: int) -> set[tuple[str, str]]:
        is_wrapper = node.tag in BLOCKS and len(node.text_content()) >= 0.2 * size
        return {(key, name) for key in ("id", "class") for name in _names(node, key)} if is_wrapper else set()

    return _rename(bodies, rng, wanted)


def rename_items(bodies: Trees, rng: Random) -> bool:
    """Rename a class that three or more siblings with text have on each page."""

    def wanted(parent: Element, size: int) -> set[tuple[str, str]]:
        count = Counter(name for node in parent if node.text_content().strip() for name in _names(node))
        return {("class", name) for name, n in count.items() if n >= 3}

    return _rename(bodies, rng, wanted)


def _names(node: Element, key: str = "class") -> set[str]:
    return set(node.get(key, "").split())


def _rename(bodies: Trees, rng: Random, wanted: Callable[[Element, int], set[tuple[str, str]]]) -> bool:
    count = Counter[tuple[str, str]]()
    for body in bodies:
        size = len(body.text_content())
        count.update(set().union(*(wanted(node, size) for node in body.iterdescendants())))
    candidates = sorted(name for name, n in count.items() if n == len(bodies))
    if not candidates:
        return False
    key, old = candidates[rng.integers(len(candidates))]
    for body in bodies:
        for node in body.iterdescendants():
            names = node.get(key, "").split()
            if old in names:
                node.set(key, " ".join("zz" if name == old else name for name in names))
    return True


def wrap_body(bodies: Trees, rng: Random) -> bool:
    """Wrap the content of the body in a new element."""
    for body in bodies:
        wrapper = lxml_html.fromstring("<div id=zz></div>")
        wrapper.text, body.text = body.text, None
        wrapper.extend(list(body))
        body.append(wrapper)
    return True


def remove_block(bodies: Trees, rng: Random) -> bool:
    """Remove an element with 2 to 50 % of the text, at the same fixed place on each page."""
    blocks = [dict(_blocks(body)) for body in bodies]
    count = Counter[tuple[int, ...]]()
    for body, own in zip(bodies, blocks, strict=True):
        size = len(body.text_content())
        count.update(
            path for path, node in own.items() if 0.02 * size <= len(node.text_content()) <= size / 2
        )
    candidates = sorted(path for path, n in count.items() if n == len(bodies) and _is_fixed(path, bodies))
    if not candidates:
        return False
    path = candidates[rng.integers(len(candidates))]
    for own in blocks:
        own[path].drop_tree()
    return True


def _is_fixed(path: tuple[int, ...], bodies: Trees) -> bool:
    """Return whether all elements above a place have the same number of children on each page: no lists."""
    nodes = list(bodies)
    for number in path:
        if len(set(map(len, nodes))) > 1:
            return False
        nodes = [node[number] for node in nodes]
    return True


def _blocks(body: Element) -> Iterator[tuple[tuple[int, ...], Element]]:
    work: list[tuple[tuple[int, ...], Element]] = [((), body)]
    while work:
        path, node = work.pop()
        for number, child in enumerate(node):
            if child.tag in BLOCKS:
                yield (*path, number), child
            if len(path) < 8:
                work.append(((*path, number), child))


def add_banner(bodies: Trees, rng: Random) -> bool:
    """Insert an element at the beginning of the body or of a block that each page has, or after it."""
    blocks = [{(): body} | dict(_blocks(body)) for body in bodies]
    count = Counter(path for own in blocks for path in own if len(path) < 4)
    places = sorted(path for path, n in count.items() if n == len(bodies))
    place, name = places[rng.integers(len(places))], rng.choice(["", " class=zz"])
    at_end = bool(rng.integers(2))
    for own in blocks:
        banner = lxml_html.fromstring(f"<div{name}><img src=zz.png> <em>Buy now</em></div>")
        own[place].insert(len(own[place]) if at_end else 0, banner)
    return True


def reverse_frame(bodies: Trees, rng: Random) -> bool:
    """Reverse the children of the uppermost element with three or more."""
    parents = [_uppermost(body) for body in bodies]
    for parent in parents:
        _reverse(parent)
    return True


def _uppermost(body: Element) -> Element:
    node = body
    while 0 < len(node) < 3:
        node = max(node, key=lambda child: len(child.text_content()))
    return node if len(node) else body


def reverse_all(bodies: Trees, rng: Random) -> bool:
    """Reverse the children of all elements."""
    for body in bodies:
        for node in [body, *body.iterdescendants()]:
            _reverse(node)
    return True


def _reverse(parent: Element) -> None:
    """Reverse the children of an element, each with the text after it."""
    children = list(parent)
    for child in children:
        parent.remove(child)
    parent.extend(children[::-1])


CHANGES = {
    "wrapper": rename_wrapper,
    "body": wrap_body,
    "block": remove_block,
    "items": rename_items,
    "order": reverse_frame,
    "reversed": reverse_all,
    "banner": add_banner,
}


def names_banner(report: DriftReport, pages: Sequence[str]) -> bool:
    """Return whether a gained element is the banner or in it, and nothing else, on each page."""

    def is_found(xpath: str) -> bool:
        for page in pages:
            nodes = lxml_html.document_fromstring(page).xpath(xpath)
            texts = [lxml_html.tostring(node.getparent(), encoding="unicode") for node in nodes]
            if not texts or not all("zz.png" in text for text in texts):
                return False
        return True

    return any(is_found(change.xpath) for change in report.appeared)


def normal(source: Source) -> Element:
    """Return the tree of a page as its parser understands it."""
    text, _ = decode(source.body, find_charset(source.body, source.charset))
    tree = lxml_html.document_fromstring(LexborHTMLParser(text).html or "<p>")
    etree.strip_tags(tree, etree.Comment, etree.ProcessingInstruction)
    etree.strip_elements(tree, "script", "style", "noscript", "template", with_tail=False)
    return tree


def write(tree: Element) -> str:
    """Return the HTML of a tree."""
    return str(lxml_html.tostring(tree, encoding="unicode"))


def draws(site: BenchSite) -> Iterator[tuple[str, str, tuple[float, float], bool]]:
    """Yield the type and kind of a draw, the least evidence of a loss and of a gain, and if it is right."""
    by_type = defaultdict[str, list[Element]](list)
    for source in sorted(site.sources(), key=lambda source: source.id):
        by_type[site.types[source.id]].append(normal(source))
    for type_, pages in sorted(by_type.items()):
        if len(pages) >= LEARNT + DRAWN:
            rng = np.random.default_rng(len(pages))
            trees = [parse(write(page)) for page in pages]
            for kind, least, is_right in _draws(pages, trees, rng):
                yield type_, kind, least, is_right


def _draws(
    pages: Trees, trees: Sequence[Page], rng: Random
) -> Iterator[tuple[str, tuple[float, float], bool]]:
    uses: list[Use] = []
    for repeat in range(REPEATS):
        order = rng.permutation(len(pages)).tolist()
        if not repeat:
            template = SiteTemplate().fit([trees[k] for k in order[:LEARNT]]).template_
            uses = [Use("list", css) for css in template.item_selectors()] if template else []
        old = _learn([trees[k] for k in order[:LEARNT]], uses)
        drawn = order[LEARNT : LEARNT + DRAWN]
        yield "none", _least(old, [trees[k] for k in drawn])[0], True
        start = int(rng.integers(len(pages) - DRAWN + 1))
        near = range(start, start + DRAWN)
        rest = _learn([trees[k] for k in order if k not in near][:LEARNT], uses)
        yield "neighbours", _least(rest, [trees[k] for k in near])[0], True
        for name, change in CHANGES.items():
            if repeat < 2 or name == "banner":
                copies = [copy.deepcopy(pages[k]) for k in drawn]
                if change([tree.body for tree in copies], rng):
                    htmls = list(map(write, copies))
                    changed = list(map(parse, htmls))
                    least, report = _least(old, changed)
                    yield name, least, name != "banner" or names_banner(report, htmls)


def _learn(pages: Sequence[Page], uses: list[Use]) -> Template:
    """Return the structure of pages, their choices and their profile."""
    template, places = learn_structure(pages)
    template = with_statistics(template, pages, places)
    return replace(template, profile=Profile.learn(pages, uses))


def _least(old: Template, pages: Sequence[Page]) -> tuple[tuple[float, float], DriftReport]:
    new = Profile.learn(pages, list(old.profile.uses))
    lost, gained, empty = evidence(old.profile, new)
    order = FitWatch(old)
    for page in pages:
        order.add(page)
    losses = (*lost.values(), *empty.values(), *order.evidence().values(), order.evidence_of_misfits())
    least = (min(losses, default=0.0), min(gained.values(), default=0.0))
    return least, compare_profiles(old.profile, new, order)


Draw = tuple[str, str, tuple[float, float], bool]


def choose(draws: Sequence[Draw]) -> tuple[float, float]:
    """Return the thresholds of a notice and of an alarm.

    A notice: 1 % of the unchanged draws. An alarm: half-way between the least evidence of a loss on unchanged
    pages and the weakest on pages with a wrapped body, which have lost all their paths.
    """
    none, wrapped = (np.array([least for _, kind, least, _ in draws if kind == x]) for x in ("none", "body"))
    alarm = (none[:, 0].min() + wrapped[:, 0].max()) / 2
    return float(np.quantile(none.min(axis=1), 0.01)), float(alarm)


def main(names: Sequence[str]) -> None:
    """Print the table, and draws with another result than expected."""
    found = {site.name: list(draws(site)) for site in read_bench(list(names))}
    fold = dict(zip(found, folds(list(found)).tolist(), strict=True))
    kinds = ("none", "neighbours", *CHANGES)
    print("| site | notice | alarm |", " | ".join(kinds), "|")
    totals = defaultdict[str, list[float]](list)
    for name, own in found.items():
        others = [draw for other, some in found.items() if fold[other] != fold[name] for draw in some]
        notice, alarm = choose(others or own)
        cells = []
        for kind in kinds:
            some = [draw for draw in own if draw[1] == kind]
            for _, _, (lost, gained), is_right in some:
                totals[kind, "alarm"].append(lost < alarm)
                totals[kind, "notice"].append(min(lost, gained) < notice)
                totals[kind, "right"].append(is_right)
            if not some:
                cells.append("-")
                continue
            losses, least, right = (
                np.array(x) for x in zip(*((d[2][0], min(d[2]), d[3]) for d in some), strict=True)
            )
            if kind == "banner":
                cells.append(f"{((losses >= alarm) & (least < notice)).mean():.2f}, {right.mean():.2f}")
            elif kind in CHANGES:
                cells.append(f"{(losses < alarm).mean():.2f}")
            else:
                cells.append(f"{(losses < alarm).mean():.2f}, {(least < notice).mean():.2f}")
        print(f"| {name} | {notice:.2f} | {alarm:.2f} |", " | ".join(cells), "|")
    for (kind, figure), values in totals.items():
        print(f"{kind}, {figure}: {np.mean(values):.3f} of {len(values)} draws")


if __name__ == "__main__":
    main(sys.argv[1:] or bench_names())
