"""The records of lists are those of a plain loop, of array operations, and of the uncompiled kernel."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.lists import recordreference
from tests.lists.reading import read_list, records_of
from tests.lists.recordreference import _ATTRIBUTES, _LABELS, _MARKED, _SEPARATE
from tests.lists.test_listkernels import HOSTILE, MADE_UP, parsed
from tests.uncompiled import uncompiled

from webgrain import find_lists
from webgrain.base.arrays import Int32
from webgrain.lists import columnkernel, records, rowmodel, selectors
from webgrain.lists.candidates import EXTENDED, Candidates, find_candidates
from webgrain.lists.columnnames import is_rating
from webgrain.lists.recordkernel import LEVELS
from webgrain.lists.records import ListRecords
from webgrain.lists.selectors import NEXT, SelectorStep
from webgrain.lists.thresholds import COMMON_CLASS, MAX_PLACE
from webgrain.page.dom import TEXT
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.page.parsing import parse
from webgrain.page.strings import code_points
from webgrain.page.text import INLINE, NO_TEXT


@pytest.fixture(autouse=True)
def all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let lists have all their rows, also those that are no records, as in the reference."""
    monkeypatch.setattr(records, "RECORD", 0.0)


class Expected:
    """What a plain loop reads from the items of a list."""

    def __init__(self, page: Page, start: list[int], stop: list[int], kind: int) -> None:
        self.dom, self.start, self.visible = page.dom, start, visible_nodes(page)
        self.whole = kind != EXTENDED and all(self.dom.end[a] == b for a, b in zip(start, stop, strict=True))
        self.classes = {
            node: (self.dom.get(node, "class") or "").split()
            for a, b in zip(start, stop, strict=True)
            for node in range(a, b)
        }
        spans = [range(a, b) for a, b in zip(start, stop, strict=True)]
        seen = Counter(x for span in spans for x in {x for node in span for x in self.classes[node]})
        least = max(2, COMMON_CLASS * len(start))
        self.usual = {name for name, n in seen.items() if n >= least}
        self.steps: list[tuple[int, SelectorStep]] = []
        self.path_of: dict[int, int] = {}
        self.pieces: dict[tuple[int, str | None], dict[int, list[str]]] = defaultdict(dict)
        for item, span in enumerate(spans):
            self.read_item(page, item, span)
        self.values = {}
        for key, own in self.pieces.items():
            texts = {item: " ".join("".join(pieces).split()) for item, pieces in own.items()}
            if texts := {item: text for item, text in texts.items() if text}:
                self.values[key] = texts

    def read_item(self, page: Page, item: int, span: range) -> None:
        dom, count, tops = self.dom, Counter(), 0
        block: dict[int, int] = {}
        last: dict[tuple[int, str | None], int] = {}
        for node in span:
            above, tag, inside = int(dom.parent[node]), dom.name(node), int(dom.parent[node]) in span
            if dom.tag[node] == TEXT:
                if self.visible[node] and not (inside and dom.name(above) in NO_TEXT):
                    text = dom.text[dom.text_start[node] : dom.text_start[node + 1]]
                    self.read_text(text, item, node, block, last, span)
                continue
            count[above, tag] += 1
            tops += not inside
            step = self.step(node, tag, count[above, tag], inside, tops)
            key = self.path_of[above] if inside else -1, step
            if key not in self.steps:
                self.steps.append(key)
            self.path_of[node] = self.steps.index(key)
            block[node] = block[above] if tag in INLINE and inside else node
            shown = tag in _ATTRIBUTES and bool(self.visible[node])
            value = dom.get(node, _ATTRIBUTES[tag]) if shown else None
            if value and tag != "time":
                value = absolute(page, value)
            rating = self.rating(node) if tag not in _ATTRIBUTES and self.visible[node] else None
            if value:
                self.pieces[self.path_of[node], _ATTRIBUTES[tag]].setdefault(item, [value])
            elif rating:
                self.pieces[self.path_of[node], rating[0]].setdefault(item, [rating[1]])
            elif tag in _SEPARATE and not shown:
                self.read_text(" ", item, node, block, last, span)

    def rating(self, node: int) -> tuple[str, str] | None:
        """Return the first attribute of an element that states a rating, and its value."""
        attributes = self.dom.attributes(node).items()
        return next((pair for pair in attributes if pair[0] in _LABELS and is_rating(pair[1])), None)

    def step(self, node: int, tag: str, place: int, inside: bool, tops: int) -> SelectorStep:
        if not inside:
            return SelectorStep("*" if self.whole else tag, (), tops, combinator=NEXT)
        classes = tuple(sorted(self.usual.intersection(self.classes[node])))
        most = 10 * MAX_PLACE if tag in ("td", "th") else MAX_PLACE
        if tag in ("li", "option") or (classes and tag not in ("td", "th")):
            return SelectorStep(tag, classes)
        return SelectorStep(tag, (), min(place, most), place >= most)

    def is_marked(self, node: int, span: range) -> bool:
        if node not in span:
            return False
        step = self.steps[self.path_of[node]][1]
        return step.tag in _MARKED or bool(step.classes)

    def read_text(self, text, item, node, block, last, span) -> None:
        dom, above = self.dom, int(self.dom.parent[node])
        holder = block.get(above, -1)
        key = self.path_of[holder] if holder >= 0 else -1, None
        pieces, before = self.pieces[key].setdefault(item, []), last.get(key, holder)
        marked = any(other != holder and self.is_marked(other, span) for other in (before, above))
        if marked and pieces and before != above and pieces[-1][-1:].isalnum() and text[:1].isalnum():
            pieces.append(" ")
        pieces.append(text)
        last[key] = above
        while above in span and above != holder:
            if self.is_marked(above, span):
                self.pieces[self.path_of[above], None].setdefault(item, []).append(text)
            above = int(dom.parent[above])


def random_html(random: np.random.Generator) -> str:
    """Return a page with lists of all kinds of items."""
    tags = ["p", "a href=/x", "a", "b", "b class=n", "time datetime=2020", "img src=/y", "img", "br", "li"]
    tags += ["i aria-label='4 of 5'", "span title='Rated 2' aria-label=x", "i title=x aria-label='3 stars'"]
    tags += ["td", "div class=k", "span class='n m7'", "input", "button", "p hidden", "img hidden", "select"]

    def content(depth: int) -> str:
        html = ""
        for _ in range(random.integers(0, 5)):
            tag = tags[random.integers(len(tags))]
            void = tag.split()[0] in ("img", "br", "input")
            inner = "" if void or depth > 4 else content(depth + 1)
            html += f"<{tag}>{inner}" + ("" if void else f"</{tag.split()[0]}>")
            html += ["", " ", "text", f"{random.integers(5)} words", "x "][random.integers(5)]
        return html

    items = [f"<div class=item>{content(0)}</div>" for _ in range(random.integers(2, 6))]
    terms = [f"<dt>{content(2)}<dd>{content(2)}" for _ in range(3)]
    rows = [f"<tr><td>{content(3)}<td>{content(3)}" for _ in range(3)]
    lines = "<br>".join(content(3) for _ in range(4))
    return f"{''.join(items)}<dl>{''.join(terms)}</dl><table>{''.join(rows)}</table><p>{lines}</p>"


def values_of(reader: ListRecords) -> dict[tuple[int, str | None], dict[int, str]]:
    """Return the texts of the columns by item."""
    paths, attributes = (array.tolist() for array in reader.columns[:2])
    columns = [(path, records._ATTRIBUTES[kind]) for path, kind in zip(paths, attributes, strict=True)]
    values = defaultdict[tuple[int, str | None], dict[int, str]](dict)
    places = reader._values[0].tolist()
    for place, text in zip(places, reader.texts(0, len(places)), strict=True):
        values[columns[place % len(columns)]][place // len(columns)] = text
    return values


@pytest.mark.parametrize("seed", [1, 3])
def test_paths_and_values_are_those_of_a_plain_loop(seed: int) -> None:
    page = parse(random_html(np.random.default_rng(seed)))
    found = find_candidates(page)
    assert len(found) > 3
    for k in range(len(found)):
        start, stop = found.items(k)
        reader = records_of(page, start, stop, int(found.kind[k]))
        expected = Expected(page, start.tolist(), stop.tolist(), int(found.kind[k]))
        steps = [(above, reader._step(path)) for path, above in enumerate(reader.steps.up)]
        assert steps == expected.steps
        for key, values in values_of(reader).items():
            assert values == expected.values[key]


def assert_same_lists(page: Page, found: Candidates, step: int = 1) -> None:
    for k in range(0, len(found), step):
        arguments = page, *found.items(k), int(found.kind[k]), 0.5
        expected = recordreference.read_list(*arguments)
        listing = read_list(*arguments)
        assert (listing is None) == (not expected.names)
        if listing:
            assert listing.to_dict() == expected.to_dict()
            assert listing.to_json() == json.dumps(expected.to_dict(), ensure_ascii=False)
            assert listing.rows == expected.rows


@pytest.mark.parametrize("name", MADE_UP)
def test_lists_are_read_as_by_array_operations(name: str) -> None:
    page = parsed(name)
    assert_same_lists(page, find_candidates(page))


@pytest.mark.parametrize("seed", range(8))
def test_random_lists_are_read_as_by_array_operations(seed: int) -> None:
    page = parse(random_html(np.random.default_rng(100 + seed)))
    assert_same_lists(page, find_candidates(page))


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "lpinnova", "crawlwiki"])
def test_real_lists_are_read_as_by_array_operations(name: str, data_dir: Path) -> None:
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [site] = read_bench([name])
    for source in islice(site.sources(), 6):
        page = parse(source)
        assert_same_lists(page, find_candidates(page), 7)


@pytest.mark.parametrize("name", MADE_UP)
def test_compiled_and_uncompiled_kernels_read_the_same_lists(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_candidates(parsed(name))

    def lists() -> list[Any]:
        page = parsed(name)
        read = [read_list(page, *found.items(k), int(found.kind[k])) for k in range(len(found))]
        return [
            listing and (listing.to_dict(), listing.to_json(), listing.row_probabilities) for listing in read
        ]

    compiled = lists()
    twin = uncompiled("lists.recordkernel")
    columns = uncompiled("lists.columnkernel")
    monkeypatch.setattr(columns, "numbered", uncompiled("page.kernels.keytable").numbered)
    monkeypatch.setattr(twin, "choose_columns", columns.choose_columns)
    monkeypatch.setattr(twin, "merge_tables", uncompiled("page.kernels.treepass").merge_tables)
    for function in ("attributes_of_items", "read_records"):
        monkeypatch.setattr(records, function, getattr(twin, function))
    twin = uncompiled("lists.selectorkernel")
    monkeypatch.setattr(records, "records_as_json", columns.records_as_json)
    monkeypatch.setattr(rowmodel, "lacks_and_characters", columns.lacks_and_characters)
    for function in ("ListNodes", "locate_list"):
        monkeypatch.setattr(selectors, function, getattr(twin, function))
    assert lists() == compiled


@pytest.mark.parametrize(
    "kernel", [columnkernel, uncompiled("lists.columnkernel")], ids=["compiled", "uncompiled"]
)
def test_all_characters_are_written_as_json(kernel: ModuleType) -> None:
    codes = [*range(0x3000), *range(0xD7F0, 0xE010), 0xFFFF, *range(0x1F600, 0x1F610), 0x10FFFF]
    text = "".join(map(chr, codes))
    joined = code_points(text[:200])
    values = np.array([[0, 3, 4], [0, 5, 7], [len(text), 200, 7], [0, 1, 0]], np.int32)
    written = kernel.records_as_json(['{"a": ', ', "b": '], 3, values, text, joined)
    records = [{"a": text, "b": None}, {"a": None, "b": text[5:200]}, {"a": "", "b": None}]
    assert written.tobytes().decode("utf-32-le", "surrogatepass") == json.dumps(records, ensure_ascii=False)


@pytest.mark.parametrize(
    ("item", "name", "css"),
    [
        ("<div class=card><h2><a href=/{k}>Story {k}</a></h2><i class=day>{day}</i></div>", "date", "i.day"),
        ("<li><a href=/{k}>Story {k}</a><p><i class=town>Ulm {k}</i></p></li>", "town", "i.town"),
        ("<li><a href=/{k}>Story {k}</a><p class=town><i class=a>Ulm {k}</i></p></li>", "town", "p.town"),
        ("<li><a href=/{k}>Story {k}</a><p><i>Ulm {k}</i></p></li>", "text", "p"),
    ],
)
def test_the_element_with_a_class_names_a_field(item: str, name: str, css: str) -> None:
    days = ("7 August", "24. Juli", "Mo, 10 juin", "Sept. 3rd")
    page = parse("<main>" + "".join(item.format(k=k, day=day) for k, day in enumerate(days)) + "</main>")
    start = np.flatnonzero(page.dom.tagged(item[1:].split()[0].split(">")[0]))
    listing = read_list(page, start, page.dom.end[start].astype(np.int64), 0)
    [column] = [field for field in listing.fields if field.name not in ("name", "link")]
    assert (column.name, column.css) == (name, css)


@pytest.mark.parametrize("name", [*HOSTILE, "marked"])
def test_lists_of_hostile_pages_are_read(name: str) -> None:
    marked = "<p>" + "<span class=a>x" * 3000 + "</p>"
    page = parse({**HOSTILE, "marked": f"<div>{marked}{marked}</div>"}[name])
    found = find_candidates(page)
    assert len(found)
    for k in np.argsort(-np.diff(found.offset), kind="stable")[:2].tolist():
        if listing := read_list(page, *found.items(k), int(found.kind[k])):
            assert listing.to_json() == json.dumps(listing.to_dict(), ensure_ascii=False)


def test_a_text_is_in_the_fields_of_the_innermost_marked_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    item = "<p>" + "<span class=a>" * (LEVELS + 9) + "a word"
    page = parse(f"<div>{item}</p>{item}</p></div>")
    nodes = np.flatnonzero(page.dom.tagged("p"))
    twin = uncompiled("lists.recordkernel")
    find_pieces, fields = twin.find_pieces, []

    def noted(table: Int32, *arguments: Any) -> Any:
        sizes = find_pieces(table, *arguments)
        fields.append(table[0, : sizes[0]].tolist())
        return sizes

    monkeypatch.setattr(twin, "find_pieces", noted)
    monkeypatch.setattr(records, "read_records", twin.read_records)
    records_of(page, nodes, page.dom.end[nodes].astype(np.int64), 0)
    assert fields == [[0, *range(10, LEVELS + 10)]]


CARD = "<li class=card><a href=/{k}><h3>Lamp {word}</h3></a><p class=price>$ {k}</p>{rest}</li>"
WORDS = ("red", "green", "blue", "white")


@pytest.mark.parametrize(
    ("rest", "name", "value"),
    [
        ("<i aria-label='Rated {k}.5 out of 5 stars'></i>", "rating", "Rated 3.5 out of 5 stars"),
        ("<i title='{k},5 von 5'><svg></svg></i>", "rating", "3,5 von 5"),
        ("<p>{k}.5 / 5</p>", "rating", "3.5 / 5"),
        ("<p>by <a href=/u/{k}>Kim {word}</a> in May</p>", "author", "Kim white"),
        ("<p><span>Von:</span> <a href=/u/{k}>Kim {word}</a> (Mai)</p>", "author", "Kim white"),
        ("<p class=post-author>Kim {word}</p>", "author", "Kim white"),
        ("<p class=excerpt>Hangs on a {word} wall</p>", "description", "Hangs on a white wall"),
        ("<p><b>Weight:</b> {k} kg</p>", "weight", "Weight: 3 kg"),
    ],
)
def test_columns_have_names_by_their_meaning(rest: str, name: str, value: str) -> None:
    cards = [CARD.format(k=k, word=word, rest=rest.format(k=k, word=word)) for k, word in enumerate(WORDS)]
    records = find_lists(f"<h1>Lamps</h1><ul>{''.join(cards)}</ul>")[0].records()
    assert records[3][name] == value


def test_labels_that_are_no_ratings_are_no_columns() -> None:
    rest = "<button aria-label='Put lamp {k} into the cart'>+</button>"
    cards = [CARD.format(k=k, word=word, rest=rest.format(k=k)) for k, word in enumerate(WORDS)]
    assert set(find_lists(f"<ul>{''.join(cards)}</ul>")[0].names) == {"name", "link", "price"}


def test_bold_text_names_records_between_blank_lines() -> None:
    lines = [f"<b>Lamp {word}</b><br>{k} High Street<br>Phone {k}<br><br>" for k, word in enumerate(WORDS)]
    records = find_lists(f"<p>{''.join(lines)}</p>")[0].records()
    assert [record["name"] for record in records] == [f"Lamp {word}" for word in WORDS]
