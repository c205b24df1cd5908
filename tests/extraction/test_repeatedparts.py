"""Parts that the pages of a site repeat."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.columns.blocks import page_facts
from webgrain.extraction.repeatedparts import (
    with_shared_values,
    without_repeated_ends,
    without_system_tables,
)
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

WHO = ("Der Gärtner", "Die Nachbarin", "Ein Bäcker", "Die Lehrerin", "Ein Schmied")
DOES = ("beschreibt", "repariert", "zählt", "verkauft", "bemalt", "vermisst", "trägt")
WHAT = ("den langen Zaun", "elf Körbe mit Birnen", "eine Leiter", "die alte Uhr", "drei Briefe", "ein Boot")
PROSE = (
    "<p>The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it, or how "
    "much he gets.</p>"
)


def page_of(html: str, name: str = "a") -> Page:
    return parse(Source(name, html.encode()))


def prose(number: int) -> str:
    """Return a paragraph that no other number has."""
    sentences = (
        f"{WHO[(number + k) % 5]} {DOES[(number // 5 + k) % 7]} {WHAT[(number + 2 * k) % 6]} "
        f"hinter dem Haus, was {number * 4 + k + 2} Stunden dauerte."
        for k in range(3)
    )
    return f"<p>{' '.join(sentences)}</p>"


def site_of(body: str, pages: int = 24) -> list[str]:
    """Return the texts of pages of a site; body: with the fields text, more, light, height, name and day."""
    sources = [
        page_of(
            "<html lang=de><div id=head><a href=/>Hafenblatt</a><ul class=menu><li><a href=/o>Obst</a></ul>"
            "</div>"
            + body.format(
                text=prose(2 * k),
                more=prose(2 * k + 1),
                light=("volle Sonne", "Halbschatten")[k % 2],
                height=("30-90 cm", "60-120 cm", "bis 30 cm")[k % 3],
                name=("moos", "birke", "hasel", "ulme", "linde")[k % 5],
                day=f"{k % 27 + 1}.5.2023",
                number=k,
            )
            + "<div id=foot>Hafenblatt, gedruckt am Donnerstag</div></html>",
            f"p{k}.html",
        )
        for k in range(pages)
    ]
    table = site_texts(sources)
    return [SinglePage().predict(source, table).text for source in sources]


def test_texts_that_a_site_repeats_around_the_others_are_no_text():
    facts = page_facts(page_of("<p>Welcome.<p>Price<p>Ten<p>We say.<p>A lamp<p>Size<p>Share this."))
    main, unknown, chosen = np.full(7, 0.7), np.nan, np.arange(7)
    same = np.array([1.0, 1.0, 0.2, 1.0, unknown, 1.0, 0.9], np.float32)
    assert without_repeated_ends(facts, main, chosen, same).tolist() == [0.0, *[0.7] * 5, 0.0]
    for known in (np.ones(7), np.zeros(7), np.full(7, unknown)):
        kept = without_repeated_ends(facts, main, chosen, known.astype(np.float32))
        assert kept.tolist() == main.tolist()


@pytest.mark.parametrize(("probability", "is_kept"), [(0.95, True), (0.85, False)])
def test_a_repeated_end_that_is_nearly_certain_stays(probability: float, is_kept: bool):
    facts = page_facts(page_of(f"{PROSE}<p>Ask before you go, and take the last boat home.<p>Share this."))
    main, same = np.array([0.9, probability, 0.6]), np.array([0.0, 0.9, 1.0], np.float32)
    kept = without_repeated_ends(facts, main, np.arange(3), same)
    assert kept.tolist() == [0.9, probability if is_kept else 0.0, 0.0]


@pytest.mark.parametrize(
    ("table", "is_dropped"),
    [
        ("<table><tr><th>State<td>open<tr><th>Owner<td>Kim</table>", True),
        ("<dl><dt>State<dd>open<dt>Owner<dd>Kim</dl>", True),
        ("<table><tr><th>State<td>open<tr><td>Kim<td>Lee</table>", False),  # a row without a label
        ("<table><tr><th>State<tr><td>open<tr><th>Owner<tr><td>Kim</table>", False),  # no value in a row
        ("<table><tr><th>State<td>open</table><p>Owner<p>Kim", False),
        (f"<table><tr><th>State<td>open<tr><th>Owner<td>Kim<tr><th>Owner<td>{PROSE}</table>", False),
    ],
)
def test_a_table_of_fields_before_the_text_is_dropped(table: str, is_dropped: bool):
    facts = page_facts(page_of(f"{table}{PROSE}{table}"))
    labels = [text in ("State", "Owner") for text in facts.blocks.texts]
    main = np.ones(len(labels))
    rest = without_system_tables(facts, main, np.arange(len(main)), np.array(labels, np.float32))
    dropped = 4 if is_dropped else 0
    assert rest.tolist() == [0.0] * dropped + [1.0] * (len(main) - dropped)


@pytest.mark.parametrize(
    ("fields", "is_kept"),
    [
        ("<p>Light<p>Full sun", True),
        ("<p>Light", False),  # most pages repeat all of it
        ("<p>Full sun", False),  # nothing is repeated
        (f"<p>Light<p>Full sun{PROSE}", False),  # a long text that the models refuse
    ],
)
def test_labels_with_values_between_texts_are_kept(fields: str, is_kept: bool):
    facts = page_facts(page_of(f"{PROSE}{fields}{PROSE}"))
    same = np.array([text == "Light" for text in facts.blocks.texts], np.float32)
    main = np.full(len(same), 0.1)
    main[[0, -1]] = 0.9
    ends = np.array([0, len(main) - 1])
    kept = with_shared_values(facts, main, ends, same, lambda: np.full(len(main), 0.7))
    assert kept.round(6).tolist() == [0.9, *[0.7 if is_kept else 0.1] * (len(main) - 2), 0.9]
    doubtful = with_shared_values(facts, main, ends, same, lambda: np.full(len(main), 0.45))
    assert doubtful.tolist() == main.tolist()
    main[1] = 0.0  # such as a comment
    assert (
        with_shared_values(facts, main, ends, same, lambda: np.full(len(main), 0.7)).tolist() == main.tolist()
    )


@pytest.mark.parametrize(
    "fields",
    [
        "<div class=feld><h3>Licht</h3><p>{light}</div><div class=feld><h3>Höhe</h3><p>{height}</div>",
        "<dl><dt>Licht<dd>{light}<dt>Höhe<dd>{height}</dl>",
        "<table><tr><th>Licht<td>{light}<tr><th>Höhe<td>{height}</table>",
    ],
)
def test_labels_and_values_that_a_site_shares_are_in_its_texts(fields: str):
    head = "<main><h1>Pflanze {number}</h1><div class=intro>{text}</div>"
    for text in site_of(head + fields + "<h3>Pflege</h3>{more}</main>"):
        at = [text.find(label) for label in ("Licht", "Höhe", " cm", "Pflege")]
        assert -1 < at[0] < at[1] < at[2] < at[3]


@pytest.mark.parametrize(
    "fields",
    [
        "<table><tr><th>Zustand:<td>{light}<tr><th>Bereich:<td>{height}<tr><th>Von:<td>{name}</table>",
        "<dl class=props><dt>Zustand<dd>{light}<dt>Bereich<dd>{height}<dt>Von<dd>{name}<dt>Am<dd>{day}</dl>",
        "<form><table><tr><td>Zustand<td>{light}<tr><td>Bereich<td>{height}<tr><td><td>Senden</table></form>",
    ],
)
def test_fields_of_the_system_before_the_text_are_in_no_text(fields: str):
    body = "<main><h1>Meldung {number}</h1>" + fields + "<div class=text>{text}{more}</div></main>"
    for text in site_of(body):
        assert "Zustand" not in text
        assert "Bereich" not in text
        assert text.count("dauerte") == 6
