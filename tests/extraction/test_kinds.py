"""Kinds of pages, and threads with comments on their posts."""

from __future__ import annotations

import numpy as np
import pytest

import webgrain
from webgrain.base.errors import ParameterError
from webgrain.columns.blocks import block_features, page_facts
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction import thresholds
from webgrain.extraction.document import Document, comment_records
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.extraction.sitetexts import thread_share
from webgrain.extraction.threads import thread_models
from webgrain.extraction.wholepage import kind_names, kind_probabilities, page_features
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.page.page import Source
from webgrain.page.parsing import parse

QUESTION = "The kettle on my stove whistles before the water boils. Who knows why, and what helps?"
ANSWERS = (
    "The lid lets steam through as soon as there is some, before all of the water is hot enough to boil.",
    "Mine did the same. I filled it to the mark, and since then it has been silent until the water boils.",
)
REMARKS = ("Thanks, I did not know this at all.", "Which mark do you mean, the upper one?")


def answer(number: int) -> str:
    remark = (
        f"<ul class=comments><li class=comment><span>{REMARKS[number]}</span> "
        f"<a class=comment-user>user{number}</a> <i>May {number + 2}, 2022</i></li></ul>"
    )
    return (
        f"<div class=answer id=a{number}><div class=post><p>{ANSWERS[number]}</p></div>"
        f"<div class=user>ann{number}, May {number + 1}, 2022</div>{remark}</div>"
    )


FORUM = (
    "<title>Why does the kettle whistle? - Kitchen questions</title><h1>Why does the kettle whistle?</h1>"
    f"<div class=question><div class=post><p>{QUESTION}</p></div><div class=user>kim, May 1, 2022</div></div>"
    f"<h2>2 Answers</h2>{answer(0)}{answer(1)}"
)
FORUM_PAGE = Source("q", FORUM.encode(), url="https://kitchen.example/questions/12/kettle")


def features_of(page: Source) -> dict[str, float]:
    parsed = parse(page)
    none = np.zeros(len(page_facts(parsed).letters))
    _, x = page_features(parsed, block_features(parsed), None, none, none, np.arange(len(none)))
    return dict(zip(kind_names(), x.tolist(), strict=True))


def test_features_count_elements_hints_types_and_words_of_the_address() -> None:
    html = b'<meta property=og:type content=article><div class=forum><pre>One</pre></div>"QAPage"'
    x = features_of(Source("a", html, url="https://forum.example/topic/2/blog.html"))
    assert x["number of pre"] == pytest.approx(np.log(2))
    assert x["forum"] > 0
    assert (x["thread type"], x["article type"], x["og article"], x["og website"]) == (1, 0, 1, 0)
    assert (x["thread words"], x["article words"], x["product words"]) == (1, 1, 0)


def test_words_of_the_host_do_not_count() -> None:
    assert features_of(Source("a", b"<p>One", url="https://forum.example/a"))["thread words"] == 0


def test_the_probabilities_of_all_kinds_add_up_to_one() -> None:
    kinds = kind_probabilities(thread_models(), np.full(len(kind_names()), np.nan, np.float32))
    assert tuple(kinds) == PAGE_KINDS
    assert sum(kinds.values()) == pytest.approx(1.0, abs=1e-3)


def test_a_question_with_answers_is_a_thread_with_comments_on_its_posts() -> None:
    document = webgrain.extract(FORUM_PAGE)
    assert document.kind == "thread"
    assert document.kinds["thread"] > 0.5
    texts = [QUESTION, ANSWERS[0], REMARKS[0], ANSWERS[1], REMARKS[1]]
    places = [document.text.find(text) for text in texts]
    assert -1 not in places
    assert places == sorted(places)
    assert [post.parts.__next__().text for post in document.posts] == [QUESTION, *ANSWERS]
    records = comment_records(document.comments)
    assert [record["level"] for record in records] == [0, 1, 0, 1]
    replies = [ANSWERS[0], REMARKS[0], ANSWERS[1], REMARKS[1]]
    assert all(record["text"].startswith(text) for record, text in zip(records, replies, strict=True))


def test_what_is_around_a_post_is_no_comment_on_it() -> None:
    texts = [
        "I was wondering whether the lamp may burn in fog, since nobody could tell me who lights it then.",
        "As I understand it, the keeper lights it whenever the bell rings, and the bell rings in fog, too.",
        "Mine burns in fog. I filled it to the mark, and it has been burning until the ferry came back.",
    ]
    links = "<ul class=links><li><a href=/login>Log in to post comments</a></li></ul>"
    first, *others = (
        f"<div class=submitted>Submitted by kim on Sun, 0{day}/05/2015 - 09:14</div>"
        f"<div class=content><p>{text}</p></div>{links}"
        for day, text in enumerate(texts, 1)
    )
    answers = "".join(f"<div class=comment><h3><a href=#c>Re: Fog</a></h3>{each}</div>" for each in others)
    html = (
        "<title>Lamp in fog | Harbour forum</title><div id=content><h1>Lamp in fog</h1>"
        f"<div class='node comment'><h2><a href=/n1>Lamp in fog</a></h2>{first}</div>"
        f"<div id=comments><h2>Comments</h2>{answers}</div></div>"
    )
    page = Source("q", html.encode(), url="https://harbour.example/forum/topic/12")
    document = webgrain.extract(page)
    assert document.kind == "thread"
    assert [document.text.count(text) for text in texts] == [1, 1, 1]
    assert len(document.posts) == 3


def test_options_choose_the_first_post_or_comments() -> None:
    first = webgrain.extract(FORUM_PAGE, comments=False)
    assert first.text == QUESTION
    assert ANSWERS[0] not in first.markdown
    assert len(first.posts) == 3
    with pytest.raises(ParameterError, match="comments must be True, False or None, got 'yes'"):
        webgrain.extract(FORUM, comments="yes")  # type: ignore[arg-type]


def test_comments_of_an_article_are_separate_unless_they_are_asked_for() -> None:
    page = parse("<p>Text")
    parts = Part("paragraph", 3, ("Text",)), Part("comment", 4, (Part("paragraph", 4, ("Yes.",)),))
    alone, joined = (Document(page, Article("article", "", parts, joined=both)) for both in (False, True))
    assert (alone.text, joined.text) == ("Text", "Text\n\nYes.")
    assert "Yes." in joined.markdown
    assert "Yes." not in joined.as_markdown(comments=False)
    assert alone.posts == ()
    assert (alone.kind, alone.kinds) == ("article", {})


def test_a_page_without_text_has_a_kind() -> None:
    assert webgrain.extract("").kind == "other"


def test_a_page_that_may_be_a_thread_is_an_article_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "THREAD", 1.1)
    monkeypatch.setattr("webgrain.extraction.conversations.is_question", lambda facts, title: False)
    document = webgrain.extract(FORUM_PAGE)
    assert document.kinds["thread"] == max(document.kinds.values())
    assert (document.kind, document.article.verdict) == ("article", "article")
    assert document.posts == ()
    assert ANSWERS[1] not in document.text


def test_with_a_site_the_probability_of_a_thread_is_the_mean_of_page_and_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webgrain.extraction.conversations.is_question", lambda facts, title: False)

    def forum_page(number: int, name: str) -> Source:
        html = FORUM.replace("kettle", f"kettle {number}")
        return Source(name, html.encode(), url=f"https://kitchen.example/{name}")

    site = site_texts(parse(forum_page(number, f"questions/{number}/kettle")) for number in range(6))
    page = parse(forum_page(6, "a/kettle"))
    alone, with_site = SinglePage().predict(page), SinglePage().predict(page, site)
    share = thread_share(page, site)
    assert share > alone.kinds["thread"] + 0.3
    assert with_site.kinds["thread"] == pytest.approx((alone.kinds["thread"] + share) / 2, abs=0.05)
    assert with_site.thread
    assert with_site.kinds["thread"] >= thresholds.THREAD
    assert sum(with_site.kinds.values()) == pytest.approx(1, abs=1e-3)
