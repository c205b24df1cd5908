"""Threads that are certain by their parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webgrain.extraction import thresholds
from webgrain.extraction.document import Document
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.extraction.sitetexts import thread_share
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

NAMES = ("moos", "birke", "hasel", "moos")
TEXTS = (
    "Seit gestern brennt die Laterne an der Mole nicht mehr, und niemand weiß, wer sie sonst angezündet hat.",
    "Bei uns im Osthafen war es im Winter genauso, bis der Wärter neues Öl aus der Stadt geholt hat.",
    "Das Öl allein kann es nicht sein, denn der Docht war nass und ließ sich auch am Tag nicht anzünden.",
    "Ich habe heute einen neuen Docht gekauft, und seitdem brennt sie wieder die ganze Nacht hindurch.",
)


def page_of(body: str, title: str = "Die Laterne an der Mole") -> Document:
    html = (
        f"<html lang=de><title>{title} | Hafenblatt</title><div id=head><a href=/>Hafenblatt</a></div>"
        f"<div id=mitte><h1>{title}</h1>{body}</div><div id=fuss>Hafenblatt, jeden Donnerstag</div>"
    )
    page = parse(Source("a.html", html.encode()))
    return Document(page, SinglePage().predict(page))


def posts(form: str, days: tuple[int, ...] = (3, 4, 5, 6), names: tuple[str, ...] = NAMES) -> str:
    """Return posts; form: with the fields name, day and text."""
    rows = zip(names, days, TEXTS, strict=True)
    return "".join(form.format(name=name, day=day, text=text) for name, day, text in rows)


LINES = "<div class=beitrag><p>von <a href=/u>{name}</a> » {day}. Juni 2023</p><div>{text}</div></div>"
CELLS = (
    "<div class=post><div class=user>{name}</div><div class=when>{day} June 2023</div><div>{text}</div></div>"
)
ITEMS = (
    "<li class=message><b>{name}</b> <time datetime=2023-06-0{day}>{day} juin 2023</time><p>{text}</p></li>"
)


@pytest.mark.parametrize("form", [LINES, CELLS, ITEMS])
def test_posts_that_answer_each_other_are_a_thread(form: str):
    document = page_of(posts(form))
    assert document.kind == "thread"
    assert [post["text"] for post in document.to_dict()["comments"]] == list(TEXTS[1:])
    assert [document.text.find(text) >= 0 for text in TEXTS] == [True] * 4


@pytest.mark.parametrize(
    "body",
    [
        posts(LINES, days=(6, 5, 4, 3)),  # the last one is first, as in a diary
        posts(LINES, names=("moos",) * 4),  # one author
        posts("<div class=beitrag><p>{name}</p><div>{text}</div></div>"),  # no days
        "".join(f"<p>{text * 3}</p>" for text in TEXTS) + posts(LINES),  # an article with comments
    ],
)
def test_other_repeated_parts_are_no_thread(body: str):
    assert page_of(body).kind != "thread"


def test_a_post_without_replies_is_a_thread_if_the_other_pages_are():
    def page(number: int, count: int) -> Page:
        rows = zip(NAMES[:count], (3, 4, 5, 6), TEXTS, strict=False)
        body = "".join(LINES.format(name=name, day=day, text=f"{number} {text}") for name, day, text in rows)
        head = "<div id=head><a href=/>Hafenblatt</a><a href=/faq>Fragen</a></div>"
        title = f"Laterne {number}"
        return parse(f"<title>{title}</title>{head}<div id=mitte><h1>{title}</h1>{body}</div>")

    page_alone = page(9, 1)
    threads = site_texts(replace(page(number, 4), id=str(number)) for number in range(6))
    single_posts = site_texts(replace(page(number, 1), id=str(number)) for number in range(6))
    assert thread_share(page_alone, threads) == pytest.approx(thresholds.CERTAIN_THREAD)
    assert thread_share(page_alone, single_posts) < thresholds.THREAD
    assert not SinglePage().predict(page_alone).thread
    assert not SinglePage().predict(page_alone, single_posts).thread
    assert SinglePage().predict(page_alone, threads).kinds["thread"] >= thresholds.THREAD


ANSWER = "<div class=antwort><div class=text><p>{text}</p></div></div>"
ANSWERS = f"{ANSWER.format(text=TEXTS[1])}{ANSWER.format(text=TEXTS[2])}"


@pytest.mark.parametrize(
    ("title", "heading", "is_thread"),
    [
        ("Warum brennt die Laterne nicht?", "2 Antworten", True),
        ("Warum brennt die Laterne nicht?", "Antworten (2)", True),
        ("なぜ灯りが消えたのですか？", "2 件の回答", True),
        ("چرا چراغ روشن نمی‌شود؟", "2 پاسخ", True),
        ("Warum brennt die Laterne nicht?", "Beste Antwort", True),
        ("Why is the lamp dark?", "Accepted answer:", True),
        ("Why is the lamp dark?", "The best answer is oil", False),
        ("Die Laterne", "2 Antworten", False),
        ("Warum brennt die Laterne nicht?", "2 Antworten auf diesen Artikel", False),
        ("Warum brennt die Laterne nicht?", "Weitere Meldungen", False),
    ],
)
def test_a_question_with_answers_is_a_thread(title: str, heading: str, is_thread: bool):
    document = page_of(f"<div class=frage><p>{TEXTS[0]}</p></div><h2>{heading}</h2>{ANSWERS}", title)
    assert (document.kind == "thread") == is_thread


BESIDE = (
    "<div class=question><div class=post-text><p>{question}</p></div><div class=user-info>asked 3 days ago "
    "<a href=/u/1>Kim Berg</a> 1,024</div></div><div id=answers><h2>2 answers</h2>{answers}</div>",
    "<div class=answer><div class=post-text><p>{text}</p></div>"
    "<div class=user-info>answered yesterday <a href=/u/2>{name}</a> 88</div></div>",
)
ARTICLE = (
    "<article><p class=meta><a href=/u/1>Kim Berg</a> <time datetime=2024-03-03>3 March 2024</time></p>"
    "<p>{question}</p></article><section><h2>2 answers</h2><ol>{answers}</ol></section>",
    "<li><p class=meta><a href=/u/2>{name}</a> <time datetime=2024-03-04>4 March 2024</time></p>"
    "<div class=body><p>{text}</p></div></li>",
)
BOXES = (
    "<div class=frage><div class=text><p>{question}</p></div><div class=info>gefragt vor 3 Tagen von "
    "<a href=/n/1>Kim Berg</a></div></div><div class=antworten><h2>2 Antworten</h2>{answers}</div>",
    "<div class=antwort><div class=text><p>{text}</p></div>"
    "<div class=info>beantwortet vor 2 Tagen von <a href=/n/2>{name}</a></div></div>",
)

FLAT = (
    "<div class=page><div class=q-body><p>{question}</p></div>"
    "<p class=q-by>asked Mar 3, 2024 by Kim Berg</p><h2>2 answers</h2>{answers}</div>",
    "<div class=a-body><p>{text}</p></div><p class=a-by>answered Mar 4, 2024 by {name}</p>",
)


@pytest.mark.parametrize(
    ("layout", "number"), [(BESIDE, 1), (BESIDE, 2), (ARTICLE, 1), (ARTICLE, 2), (BOXES, 1)]
)
def test_a_question_beside_its_answers_is_the_first_post(layout: tuple[str, str], number: int):
    whole, answer = layout
    rows = zip(("Ann Lee", "Bob Holm"), TEXTS[1:], strict=False)
    answers = [answer.format(name=name, text=text) for name, text in rows][:number]
    document = page_of(whole.format(question=TEXTS[0], answers="".join(answers)), "Warum ist sie aus?")
    assert [post.text for post in document.posts] == list(TEXTS[: number + 1])
    assert all(text in document.text for text in TEXTS[: number + 1])
    names = [document.article.byline, *(post.attributes for post in document.article.comments)]
    assert [each["author"] for each in names] == ["Kim Berg", "Ann Lee", "Bob Holm"][: number + 1]


def test_an_element_with_the_question_and_all_answers_is_no_post():
    whole, answer = FLAT
    answers = "".join(
        answer.format(name=name, text=text) for name, text in zip(NAMES, TEXTS[1:], strict=False)
    )
    document = page_of(whole.format(question=TEXTS[0], answers=answers), "Warum ist sie aus?")
    assert document.kind == "thread"
    assert [post.text for post in document.posts] == list(TEXTS)


@pytest.mark.parametrize(
    ("heading", "day", "is_thread"),
    [
        ("Respuestas", "4 de mayo de 2023", True),
        ("Respuestas:", "4 de mayo de 2023", True),
        ("Respuestas", "ayer", False),
        ("Respuesta", "4 de mayo de 2023", False),
        ("Otras respuestas", "4 de mayo de 2023", False),
    ],
)
def test_answers_without_their_number_have_dates(heading: str, day: str, is_thread: bool):
    answers = "".join(f"<li><p>Marta respondió el {day}</p><p>{text}</p></li>" for text in TEXTS[1:3])
    body = f"<div class=pregunta><p>{TEXTS[0]}</p></div><h3>{heading}</h3><ol>{answers}</ol>"
    document = page_of(body, "¿Por qué no arde la linterna?")
    assert (document.kind == "thread") == is_thread


@pytest.mark.parametrize(("questions", "is_thread"), [(1, True), (3, False)])
def test_one_question_of_schema_org_is_a_thread(questions: int, is_thread: bool):
    question = (
        "<div itemscope itemtype=https://schema.org/Question><h2 itemprop=name>Die Laterne</h2>"
        f"<p itemprop=text>{TEXTS[0]}</p><div itemprop=suggestedAnswer itemscope "
        f"itemtype=https://schema.org/Answer><p>{TEXTS[1]}</p></div></div>"
    )
    assert (page_of(question * questions).kind == "thread") == is_thread
