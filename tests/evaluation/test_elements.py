"""Elements of HTML and whole containers, on small pages and against slow, literal definitions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.base.metrics import tokens
from webgrain.evaluation.elements import (
    ELEMENT_TAGS,
    LEAST,
    RUN,
    ElementCounts,
    compare_elements,
    containers,
    elements_of,
    letters,
    tokens_in,
)
from webgrain.page.dom import Dom
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

REFERENCE = """
<h2>Tools</h2><p>See <a href="/wiki/Saw?x=1#teeth">the saw</a> and <a href="/wiki/Axe/">an axe</a>.</p>
<ul><li>Saw<ul><li>Small</ul><li>Axe</ul>
<table><caption>Prices</caption><tr><th>Saw<td>1.50<tr><td>Axe<td></table>
<figure><img src="data:image/gif;base64,AA" data-src="/img/Saw-1.JPG?w=9"><figcaption>A saw</figcaption>
</figure><figure><img src=plain.png></figure>
<pre>x = 1</pre><blockquote>Cut twice. <blockquote>Twice?</blockquote></blockquote>
<iframe src="https://video.example/embed/AbC?rel=0"></iframe><dl><dt>Kerf<dd>Width</dl>
<math alttext="a^2"><mi>a</mi></math>
"""


def keys(html: str, name: str, reference: bool = False) -> list[tuple[str, ...]]:
    return elements_of(html, reference)[name]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("heading", [("tools",)]),
        ("item", [("saw",), ("small",), ("axe",)]),
        ("row", [("saw150",), ("axe",)]),
        ("cell", [("saw",), ("150",), ("axe",)]),
        ("figure", [("saw-1.jpg",)]),
        ("caption", [("prices",), ("asaw",)]),
        ("code", [("x1",)]),
        ("quote", [("cuttwice",), ("twice",)]),
        ("link", [("thesaw teeth",), ("anaxe axe",)]),
        ("picture", [("saw-1.jpg",), ("plain.png",)]),
        ("video", [("abc",)]),
        ("term", [("kerf",)]),
        ("formula", [("a2",)]),
    ],
)
def test_the_keys_of_each_type(name: str, found: list[tuple[str, ...]]) -> None:
    assert keys(REFERENCE, name, reference=True) == found


def test_a_document_has_the_elements_of_itself() -> None:
    counts = compare_elements(REFERENCE.replace("data:image/gif;base64,AA", "/img/Saw-1.JPG"), REFERENCE)
    assert set(counts) == set(ELEMENT_TAGS)
    assert counts["picture"] == ElementCounts(2, 2, 1)  # the extracted picture has no address of a file
    others = {name: number for name, number in counts.items() if name not in ("picture", "figure")}
    assert all(number.true == number.extracted == number.right > 0 for number in others.values())


def test_an_element_counts_as_often_as_it_is_there() -> None:
    assert compare_elements("<li>a<li>a<li>b", "<li>A.<li>c")["item"] == ElementCounts(3, 2, 1)
    assert compare_elements("<li>a", "<li>a<li>a")["item"] == ElementCounts(1, 2, 1)


def test_headings_that_repeat_the_title_are_not_counted() -> None:
    assert compare_elements("<h2>B", "<h1>The title</h1><h2>B", ["the Title!"])["heading"] == (1, 1, 1)


@pytest.mark.parametrize(
    ("picture", "names"),
    [
        ('<img srcset="a,b/x.jpg 1x, c/y.jpg 2x">', ("x.jpg", "y.jpg")),
        ('<img srcset="x.jpg 100w,y.jpg 200w">', ("x.jpg", "y.jpg")),
        ('<img src=x.jpg data-lazy-src="z%20z.jpg">', ("x.jpg", "z z.jpg")),
        ("<img src=http://[x>", None),
        ("<img>", None),
    ],
)
def test_a_picture_of_the_reference_has_all_its_names(picture: str, names: tuple[str, ...] | None) -> None:
    assert keys(picture, "picture", reference=True) == ([names] if names else [])


def test_an_extracted_picture_has_the_name_that_a_reader_would_load() -> None:
    picture = "<img src=small.gif data-src=x.jpg>"
    assert keys(picture, "picture") == [("small.gif",)]
    assert compare_elements("<img src=x.jpg>", "<img data-src=x.jpg>")["picture"] == (1, 1, 0)
    assert compare_elements(picture, "<img src=/a/x.jpg>")["picture"] == (1, 1, 1)


def test_a_formula_has_its_tex() -> None:
    tex = '<math><mi>a</mi><annotation encoding="application/x-tex">a+b</annotation></math>'
    assert keys(tex, "formula") == [("ab",)]
    assert keys("<math><mi>c</mi></math>", "formula") == [("c",)]


# Slow definitions.


def below(dom: Dom, node: int) -> list[int]:
    return [one for one in range(len(dom)) if node == one or node in dom.ancestors(one)]


def own_text(dom: Dom, node: int, names: frozenset[str]) -> str:
    inner = [one for one in below(dom, node) if one != node and dom.name(one) in names]
    hidden = {each for one in inner for each in below(dom, one)}
    return letters(
        " ".join(dom.text_of(one) for one in below(dom, node) if dom.is_text[one] and one not in hidden)
    )


def tree(chance: random.Random, depth: int, words: list[str]) -> str:
    if depth == 0:
        return "".join(f"{chance.choice(words)} " for _ in range(chance.randrange(8)))
    names = ("div", "ul", "li", "p", "blockquote", "b", "section")
    children = (
        f"<{name}>{tree(chance, depth - 1, words)}</{name}>"
        for name in chance.choices(names, k=chance.randrange(4))
    )
    return "".join(children)


@given(st.integers(0, 10_000))
def test_own_texts_by_the_definition(seed: int) -> None:
    html = tree(random.Random(seed), 4, ["one", "two", "three"])
    dom = parse(html).dom
    for name in ("item", "quote"):
        nodes = [node for node in range(len(dom)) if dom.name(node) in ELEMENT_TAGS[name]]
        slow = [own_text(dom, node, ELEMENT_TAGS[name]) for node in nodes]
        assert [key for (key,) in keys(html, name)] == list(filter(None, slow))


def slow_tokens_in(page: list[str], text: str) -> list[bool]:
    own = tokens(text)
    runs = [own[k : k + RUN] for k in range(len(own) - RUN + 1)]
    starts = range(len(page) - RUN + 1)
    return [
        any(k <= place < k + RUN and page[k : k + RUN] in runs for k in starts) for place in range(len(page))
    ]


def slow_containers(html: str, inside: str, outside: str) -> list[tuple[int, int]]:
    page = parse(html)
    dom, blocks = page.dom, text_blocks(page)
    own = [tokens(text) for text in blocks.texts]
    flat = [token for block in own for token in block]
    flags = [slow_tokens_in(flat, text) for text in (inside, outside)]
    found: list[tuple[int, int]] = []
    for node in range(len(dom)):
        nodes = below(dom, node)
        places: list[int] = []
        start = 0
        for block, first, last in zip(own, blocks.first.tolist(), blocks.last.tolist(), strict=True):
            if first in nodes and last in nodes:
                places += range(start, start + len(block))
            start += len(block)
        above = {one for one, _ in found} & set(dom.ancestors(node))
        if dom.is_text[node] or len(places) < LEAST or above:
            continue
        shares = [Fraction(sum(flag[place] for place in places), len(places)) for flag in flags]
        if shares[0] >= Fraction(9, 10) and shares[1] <= Fraction(1, 10):
            found.append((node, len(places)))
    return found


@given(st.integers(0, 10_000))
def test_containers_by_the_definition(seed: int) -> None:
    chance = random.Random(seed)
    words = [f"w{k}" for k in range(60)]
    html = "".join(f"<section>{tree(chance, 4, words)}</section>" for _ in range(3))
    parts = [" ".join(text.split()) for text in text_blocks(parse(html)).texts]
    inside = " ".join(chance.sample(parts, len(parts) * 3 // 4))
    ordered = [part for part in parts if chance.random() < 0.7]
    outside = " ".join(chance.sample(parts, len(parts) // 5))
    for text in (inside, " ".join(ordered), " ".join(parts)):
        assert containers(parse(html), text, outside) == slow_containers(html, text, outside)


def test_containers_that_are_false_and_lost() -> None:
    story = "It rained for a week and nobody left the house until Sunday came."
    teasers = "".join(f"<li>Next story number {k}: all about trams" for k in range(3))
    second = "Then the sun shone on all of us again, for a whole day."
    page = parse(f"<title>T</title><main><p>{story}<p>{second}</main><ul>{teasers}</ul>")
    true = f"{story} {second}"
    extracted = f"{story} " + " ".join(f"Next story number {k}: all about trams" for k in range(3))
    assert [(page.dom.name(node), size) for node, size in containers(page, extracted, true)] == [("ul", 21)]
    assert [(page.dom.name(node), size) for node, size in containers(page, true, extracted)] == [("p", 13)]
    assert containers(page, true, true) == []
    assert containers(parse(""), true, true) == []


def test_a_text_shorter_than_a_run_contains_no_token() -> None:
    assert tokens_in(["a", "b", "c"], "a b c") == [False] * 3
