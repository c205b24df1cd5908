"""Comments and threads: groups of elements, levels, authors and dates."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.work import Counted, lines_run

from webgrain.base.arrays import Float64 as Floats
from webgrain.columns.blocks import PageFacts
from webgrain.documents.parts import Part
from webgrain.extraction import threads
from webgrain.extraction.document import article_text
from webgrain.extraction.openings import first_before, group_inside
from webgrain.extraction.single import SinglePage, without_comments
from webgrain.extraction.threads import (
    Group,
    Posts,
    dated,
    find_comments,
    group_features,
    group_names,
    groups,
    judged_groups,
    opening_features,
    opening_names,
    page_posts,
    thread_models,
    thread_posts,
    whole_posts,
    with_first,
)
from webgrain.extraction.thresholds import MOST_GROUPS, NEAR_POST
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

ANSWERS = (
    "Look at the fuse behind the pump, there is a small box, and it was broken in my house too.",
    "I agree with you. It was the same here, and the fuse costs two euros in every shop, so buy two.",
    "Thank you all, the fuse was the reason and the pump works again since this morning, I am glad.",
)
QUESTION = (
    "The pump in my cellar does not start since the flood. Does anybody know which fuse I should check?"
)


def facts_of(html: str) -> tuple[Page, PageFacts]:
    page = parse(html)
    return page, PageFacts(page.dom, text_blocks(page))


def posts_of(html: str, tag: str, thread: bool = False) -> tuple[Page, Posts]:
    """The elements with a tag as the comments of a page."""
    page, facts = facts_of(html)
    ones = np.ones(len(facts.letters))
    own = [node for node in range(len(page.dom)) if page.dom.name(node) == tag]
    [group] = [one for one in groups(facts, ones, ones) if one.node.tolist() == own][:1]
    return page, Posts.of(facts, group, thread, 1.0)


def comments_of(html: str, tag: str, thread: bool = False) -> list[Part]:
    page, posts = posts_of(html, tag, thread)
    return list(posts.parts(page, np.ones(len(posts.facts.letters))))


def own_text(part: Part) -> str:
    return "\n".join(child.text for child in part.parts if child.kind != "comment")


def test_a_group_has_elements_at_all_depths() -> None:
    html = "<ul><li class='c one'>One<ul><li class='c two'>Two</ul><li class='c three'>Three</ul>"
    _, facts = facts_of(html)
    ones = np.ones(len(facts.letters))
    long = html.replace("One", ANSWERS[0]).replace("Two", ANSWERS[1]).replace("Three", ANSWERS[2])
    _, facts = facts_of(long)
    [first] = [group for group in groups(facts, ones, ones) if len(group) == 3]
    assert first.owner(3).tolist() == [0, 1, 2]


def test_levels_are_those_of_the_replies() -> None:
    html = (
        "<div><section><b>Kim</b><p>{}</p><section><b>Ann</b><p>{}</p></section></section>"
        "<section><b>Bob</b><p>{}</p></section></div>"
    ).format(*ANSWERS)
    found = comments_of(html, "p")
    assert [own_text(part) for part in found] == [ANSWERS[0], ANSWERS[2]]
    [reply] = [child for child in found[0].parts if child.kind == "comment"]
    assert own_text(reply) == ANSWERS[1]
    assert [part.attributes.get("author") for part in (*found, reply)] == ["Kim", "Bob", "Ann"]


LINES = "<dl>{}</dl>", "<dt>{} wrote, {} May 2020<dd>{}"
LINKS = "<main>{}</main>", "<div><p><a href=k>{}</a>, {} May 2020</p><dd>{}</dd></div>"


@pytest.mark.parametrize(("whole", "one"), [LINES, LINKS])
def test_authors_and_dates_are_between_the_comments(whole: str, one: str) -> None:
    names = ("Kim", "Ann Lee", "Bob")
    rows = (one.format(name, k + 1, text) for k, (name, text) in enumerate(zip(names, ANSWERS, strict=True)))
    found = comments_of(whole.format("".join(rows)), "dd")
    assert [part.attributes["date"] for part in found] == ["2020-05-01", "2020-05-02", "2020-05-03"]
    assert [own_text(part) for part in found] == list(ANSWERS)
    if "<a" in one:
        assert [part.attributes.get("author") for part in found] == list(names)


def test_authors_beside_a_day_inside_of_comments() -> None:
    one = "<li><p class=meta><b>{}</b> <time>{} May 2020</time></p><div><p>{}</p></div></li>"
    names = ("Kim", "Ann Lee", "bob")
    rows = (one.format(name, k + 1, text) for k, (name, text) in enumerate(zip(names, ANSWERS, strict=True)))
    found = comments_of(f"<ol>{''.join(rows)}</ol>", "li")
    assert [part.attributes.get("author") for part in found] == list(names)


def test_stated_authors_and_dates_come_first() -> None:
    head = "<a class='author x'>{}</a><time datetime=2020-05-{:02}>some day</time><a href=#>Reply</a>"
    one = f"<li>{head}<p>{{}}</li>"
    names = ("Kim", "Ann", "Bob")
    rows = (one.format(name, k + 1, text) for k, (name, text) in enumerate(zip(names, ANSWERS, strict=True)))
    found = comments_of(f"<ol>{''.join(rows)}</ol>", "li")
    assert [dict(part.attributes) for part in found] == [
        {"author": name, "date": f"2020-05-{k + 1:02}"} for k, name in enumerate(names)
    ]
    assert [part.text for part in found] == list(ANSWERS)


def test_a_sentence_is_no_author() -> None:
    one = "<li><span>{}</span> – <a href=/u/1>{}</a> <i>{} May 2020</i></li>"
    texts = ("Have you tasted a river?", "This was asked before, I think.", "Thanks, this is all!")
    rows = (
        one.format(text, name, k + 1)
        for k, (text, name) in enumerate(zip(texts, ("Kim B.", "Ann Lee", "bob"), strict=True))
    )
    found = comments_of(f"<ol>{''.join(rows)}</ol>", "li")
    assert [part.attributes.get("author") for part in found] == ["Kim B.", "Ann Lee", "bob"]


def authors_of(html: str, tag: str) -> list[str | None]:
    """The author of each comment of a page, whose comments are the elements with a tag."""
    return [part.attributes.get("author") for part in comments_of(html, tag)]


def test_labels_and_numbers_of_posts_are_no_authors() -> None:
    head = "<p><i>Subject</i> <i>{}</i></p><p>Posts: {}</p>"
    names = ("Kim B.", "Ann Lee", "Kim B.")
    rows = (
        f"<div>{head.format(name, k + 20)}<dd>{text}</dd></div>"
        for k, (name, text) in enumerate(zip(names, ANSWERS, strict=True))
    )
    assert authors_of(f"<main>{''.join(rows)}</main>", "dd") == list(names)
    numbers = (f"<div><p>Posts: {k + 20}</p><dd>{text}</dd></div>" for k, text in enumerate(ANSWERS))
    assert authors_of(f"<main>{''.join(numbers)}</main>", "dd") == [None] * 3


@pytest.mark.parametrize(
    "line",
    [
        "{act} {ago} <a href=/u/1>{name}</a> {number}",
        "{act} {ago} by {name}",
        "{name} {act} {ago}",
        "<span>{number} posts</span> <i>{act} {ago}</i> <b>{name}</b>",
        "<span class=author>{act} {ago} by {name}</span>",
        "<span class=author>{act} by</span> <span class=author>{name}</span> {ago}",
    ],
)
def test_an_act_and_its_time_are_no_author(line: str) -> None:
    names, acts = ("Kim B.", "Ann Lee", "Bob"), ("asked", "answered", "edited")
    ago = ("3 days ago", "yesterday", "5 hours ago")
    rows = zip(acts, ago, names, ("1,024", "88", "3,410"), ANSWERS, strict=True)
    posts = (
        f"<li><p>{text}</p><div>{line.format(act=act, ago=time, name=name, number=number)}</div></li>"
        for act, time, name, number, text in rows
    )
    assert authors_of(f"<ol>{''.join(posts)}</ol>", "li") == list(names)


def test_acts_in_other_languages_are_no_authors() -> None:
    lines = (
        ("gefragt vor 3 Tagen von <a>Kim B.</a>", "beantwortet gestern von <a>Ann Lee</a>"),
        ("پرسیده شده 3 روز قبل توسط <a>Kim B.</a>", "پاسخ داده شده دیروز توسط <a>Ann Lee</a>"),
        ("<a>Kim B.</a> 提问于 3 天前", "<a>Ann Lee</a> 回答于 2 天前"),
        ("задан вчера <a>Kim B.</a>", "ответила сегодня <a>Ann Lee</a>"),
    )
    for of_posts in lines:
        rows = zip(of_posts, ANSWERS, strict=False)
        html = "".join(f"<li><p>{text}</p><div>{line}</div></li>" for line, text in rows)
        assert authors_of(f"<ol>{html}</ol>", "li") == ["Kim B.", "Ann Lee"]


def test_an_author_may_have_most_posts() -> None:
    rows = (
        f"<li><b>{name}</b> 3 May 2020<p>{text}</li>"
        for name, text in zip(("Kim", "Kim", "Ann"), ANSWERS, strict=True)
    )
    assert authors_of(f"<ol>{''.join(rows)}</ol>", "li") == ["Kim", "Kim", "Ann"]


def test_the_heading_of_a_column_is_no_author() -> None:
    rows = (
        f"<tr><td>{name}</td><td><dd>{text}</dd></td></tr>"
        for name, text in zip(("Kim", "Ann Lee", "Bob"), ANSWERS, strict=True)
    )
    html = f"<table><tr><th class=author>Author</th><th>Message</th></tr>{''.join(rows)}</table>"
    assert authors_of(html, "dd") == ["Kim", "Ann Lee", "Bob"]


def test_an_element_of_the_class_name_has_the_author() -> None:
    rows = (
        f"<li><i>Rank {rank}</i> <span class='big name'>{name}</span><p>{text}</li>"
        for rank, name, text in zip("abc", ("Kim", "Ann Lee", "Kim"), ANSWERS, strict=True)
    )
    assert authors_of(f"<ol>{''.join(rows)}</ol>", "li") == ["Kim", "Ann Lee", "Kim"]


def test_the_row_before_the_first_post_is_as_long_as_those_before_the_others() -> None:
    rows = (
        f"<tr><td>{name}</td><td>{k + 2} May 2020</td></tr><tr><td>Guest</td><td><dd>{text}</dd></td></tr>"
        for k, (name, text) in enumerate(zip(("Kim", "Ann Lee", "Bob"), ANSWERS, strict=True))
    )
    _, posts = posts_of(f"<table><tr><td>All posts of a day</tr>{''.join(rows)}</table>", "dd")
    assert [posts.bylines[k]["date"] for k in range(3)] == ["2020-05-02", "2020-05-03", "2020-05-04"]
    assert posts.owner.tolist() == [-1, *np.repeat(range(3), 4).tolist()]


def test_the_author_of_a_reply_is_not_that_of_its_post() -> None:
    reply = "<dl><dt>It is so.</dt><dd>Kim, {} May 2020</dd></dl>"
    one = "<div><p>{}</p>{}</div>"
    rows = (one.format(text, reply.format(k + 1) if k else "") for k, text in enumerate(ANSWERS))
    html = f"<main>{''.join(rows)}</main>"
    _, posts = posts_of(html, "div")
    _, replies = posts_of(html, "dl")
    assert posts.bylines[1]["date"] == "2020-05-02"
    assert replace(posts, replies=replies).bylines == {0: {}, 1: {}, 2: {}}
    assert replies.bylines[0]["date"] == "2020-05-02"


def test_blocks_of_comments_are_no_main_text() -> None:
    _, posts = posts_of("<main><dd>{}<dd>{}<dd>{}</main>".format(QUESTION, *ANSWERS[:2]), "dd", thread=True)
    chance = np.full(3, 0.4)
    found = without_comments(chance, chance, posts, True)
    assert found.tolist() == [0.4, 0.0, 0.0]
    assert without_comments(chance, chance, None, False) is chance


def test_dates_without_a_year_are_as_written() -> None:
    times = ("4 May, 10:12", "3 hours ago", "yesterday")
    one = "<li><a class=author>Kim</a><time>{}</time><p>{}</li>"
    rows = (one.format(time, text) for time, text in zip(times, ANSWERS, strict=True))
    found = comments_of(f"<ol>{''.join(rows)}</ol>", "li")
    assert [part.attributes.get("date") for part in found] == [*times[:2], None]


def test_the_date_before_the_first_post_and_what_follows_the_thread_are_no_main_text() -> None:
    html = (
        "<main><p>1 May 2020</p><dd>{}</dd><p>2 May 2020</p><dd>{}</dd><p>3 May 2020</p><dd>{}</dd></main>All"
    )
    _, posts = posts_of(html.format(QUESTION, *ANSWERS[:2]), "dd", thread=True)
    assert posts.owner.tolist() == [0, 0, 1, 1, 2, 2, -1]
    chance = np.full(7, 0.4)
    assert without_comments(chance, chance, posts, True).tolist() == [0.0, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0]


def quoting(date: str) -> list[str]:
    """The texts of the groups of whole posts; date: of an answer, before the text behind its quotation."""
    post = "<tr><td><p>{} May 2020</p><td><dd>{}</dd>{}"
    quote = f"<table><tr><td>{QUESTION}</table><p>{date}</p><dd>{ANSWERS[1]}</dd>"
    rows = post.format(1, QUESTION, "") + post.format(2, ANSWERS[0], quote) + post.format(3, ANSWERS[2], "")
    _, facts = facts_of(f"<table>{rows}</table>")
    own = [node for node in range(len(facts.dom)) if facts.dom.name(node) == "dd"]
    ones = np.ones(len(facts.letters))
    [group] = [one for one in groups(facts, ones, ones) if one.node.tolist() == own][:1]
    group = whole_posts(facts, group, dated(facts))
    spans = zip(group.first.tolist(), group.last.tolist(), strict=True)
    return ["|".join(facts.blocks.texts[first:last]) for first, last in spans]


def test_the_texts_before_and_after_a_quotation_are_one_post() -> None:
    assert quoting("") == [QUESTION, f"{ANSWERS[0]}|{QUESTION}|{ANSWERS[1]}", ANSWERS[2]]


def test_texts_with_dates_of_their_own_are_posts_of_their_own() -> None:
    assert len(quoting("4 May 2020")) == 4


def forum(*texts: str) -> str:
    post = (
        "<div class=post><div class=postinfo><b>{}</b> {} March 2019, 10:{}</div>"
        "<div class=postbody><p>{}</p></div></div>"
    )
    names = ("kim_99", "Ann", "Bob", "Eve")
    posts = (post.format(names[k % 4], k + 1, k + 10, text) for k, text in enumerate(texts))
    return (
        "<title>Broken pump - House forum</title><div class=menu><a href=/>Home</a> <a href=/f>All</a></div>"
        f"<h1>Broken pump</h1><div class=thread>{''.join(posts)}</div><div id=footer>Imprint</div>"
    )


def test_the_text_of_a_thread_has_all_posts() -> None:
    html = forum(QUESTION, *ANSWERS).encode()
    article = SinglePage().predict(Source("a", html, url="https://house.example/forum/viewtopic.php?t=3"))
    assert article.kind == "thread"
    assert article.main_text.endswith(QUESTION)
    assert article.text == "\n\n".join([article.main_text, *ANSWERS])
    assert [post.text for post in article.posts] == [article.main_text, *ANSWERS]
    assert replace(article, joined=False).text == article.main_text
    assert [own_text(part) for part in article.comments] == list(ANSWERS)
    assert [part.attributes.get("author") for part in article.comments] == ["Ann", "Bob", "Eve"]
    assert [part.attributes.get("date") for part in article.comments] == [
        "2019-03-02", "2019-03-03", "2019-03-04",
    ]  # fmt: skip
    assert article.byline == {"author": "kim_99", "date": "2019-03-01"}


def test_blocks_at_a_path_that_is_rarely_text_are_no_text_of_posts() -> None:
    post = "<dd><p>{}</p><small>{} of the harbour club</small></dd>"
    html = "".join(post.format(text, name) for text, name in zip(ANSWERS, ("Kim", "Ann", "Bob"), strict=True))
    page, posts = posts_of(f"<main>{html}</main>", "dd")
    chance = np.where(posts.facts.letters > 40, 0.9, 0.1)
    assert [part.text for part in posts.parts(page, chance)] == list(ANSWERS)
    assert all("club" in part.text for part in posts.parts(page, np.ones(len(chance))))
    assert [part.text for part in posts.parts(page, np.zeros(len(chance)))] == [
        part.text for part in posts.parts(page, np.ones(len(chance)))
    ]


def test_the_text_of_a_thread_has_no_quotations_of_earlier_posts() -> None:
    quote = f"<blockquote>Bob wrote:<p>{ANSWERS[1]}</blockquote><p>"
    other = "<blockquote>A proverb says that who has a pump has no peace.</blockquote><p>"
    html = forum(QUESTION, *ANSWERS[:2], f"{quote}{ANSWERS[2]}", f"{other}All is well now, I think.").encode()
    article = SinglePage().predict(Source("a", html, url="https://house.example/forum/viewtopic.php?t=3"))
    assert article.kind == "thread"
    assert [article.text.count(text) for text in ANSWERS] == [1, 1, 1]
    assert "proverb" in article.text
    assert "Bob wrote" not in article.text
    assert ANSWERS[1] in article.posts[3].text
    assert [article_text(article).count(text) for text in ANSWERS] == [1, 1, 1]


def ticket(*changes: str) -> str:
    rows = "".join(
        f"<tr><th>{label}:</th><td>{value}</td></tr>"
        for label, value in (("Reported by", "kim"), ("Owned by", "ann"), ("Priority", "major"))
    )
    return (
        "<title>#12 (Broken pump) - House</title><nav><a href=/wiki>Wiki</a> <a href=/query>Tickets</a></nav>"
        "<main><h1>Ticket #12</h1><section id=ticket><h2 class=summary>Broken pump</h2>"
        f"<table class=properties>{rows}</table><div class=description><h3>Description</h3>"
        f"<div class=searchable><p>{QUESTION}</p></div></div></section><section id=changelog class=log>"
        + "".join(
            f"<div class=change><h3 class=change>comment:{k} Changed 3 years ago by bob</h3>"
            f"<div class='comment searchable'><p>{text}</p></div></div>"
            for k, text in enumerate(changes, 1)
        )
        + "</section></main>"
    )


@pytest.mark.parametrize("changes", [ANSWERS, ANSWERS[:1], ()])
def test_the_first_post_may_be_in_an_element_of_its_own(
    changes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The models are replaced by the true classes of the elements."""
    page, facts = facts_of(ticket(*changes))
    classes = {"posts": "comment searchable", "opening": "searchable"}
    class_of = {id(thread_models()[name]): value for name, value in classes.items()}
    main, comment = np.full((2, len(facts.letters)), 0.5)
    judged = judged_groups(facts, main, comment, 0.9)
    assert judged is not None

    def by_class(models: list[object], _: object) -> list[Floats]:
        values = [page.dom.get(int(group.node[0]), "class") for group in judged.groups]
        return [np.array([value == class_of[id(model)] for value in values], float) for model in models]

    monkeypatch.setattr(threads, "probabilities", by_class)
    posts = thread_posts(facts, main, comment, judged)
    assert posts is not None
    assert [own_text(part) for part in posts.parts(page, main)] == list(changes)
    chosen = np.flatnonzero(without_comments(main, comment, posts, True))
    assert [facts.blocks.texts[k] for k in chosen if posts.text[k]] == [QUESTION]
    assert "kim" not in [facts.blocks.texts[k] for k in chosen]


@pytest.mark.parametrize(
    ("letters", "main", "chance", "title", "is_first"),
    [
        (90.0, 0.9, 0.5, 0, True),
        (90.0, 0.9, 0.3, 0, False),  # much less probable than the first answer
        (20.0, 0.9, 0.5, 0, False),  # so short that nothing is lost without it
        (90.0, 0.5, 0.5, 0, False),  # less probably text than the answers, such as a poll
        (90.0, 0.9, 0.5, 1, False),  # the title
        (90.0, 0.9, 0.5, 2, False),  # the title is in the posts
    ],
)
def test_the_text_before_the_posts_is_the_first_post(
    letters: float, main: float, chance: float, title: int, is_first: bool
) -> None:
    answers = np.array([2, 3, 4]), np.array([3, 4, 5])
    elements = np.array([2, 1, 0]), np.array([3, 2, 5])  # the first answer, the question, all
    of_blocks = np.array([0.1, main, 0.9, 0.9, 0.9]), np.array([20.0, letters, 100.0, 80.0, 100.0])
    opening = np.array([0.8, chance, 0.9])
    assert first_before(0, opening, elements, answers, *of_blocks, title) == int(is_first)


@pytest.mark.parametrize(
    ("spans", "posts", "share", "chosen"),
    [
        ([[(0, 6)], [(1, 3), (3, 6)]], [0.8, 0.7], [1.0, 0.6], 1),
        ([[(0, 6)], [(1, 3), (3, 6)]], [0.8, 0.5], [1.0, 0.6], 0),  # much less probable
        ([[(0, 6)], [(1, 3), (3, 6)]], [0.8, 0.7], [1.0, 0.2], 0),  # a small part of its text
        ([[(0, 6)], [(1, 6)]], [0.8, 0.7], [1.0, 0.9], 0),  # a single post
        ([[(0, 6)], [(1, 3), (6, 8)]], [0.8, 0.7], [0.8, 0.8], 0),  # not all of it is inside
        ([[(0, 6), (6, 9)], [(1, 3), (3, 6)]], [0.8, 0.7], [1.0, 0.6], 0),  # not all posts
        ([[(0, 6), (3, 6)], [(1, 3), (3, 6)]], [0.8, 0.7], [1.0, 0.6], 1),  # the first one has the other
        ([[(0, 6)], [(1, 3), (3, 6)], [(1, 2), (4, 5)]], [0.8, 0.6, 0.7], [1.0, 0.6, 0.5], 2),
    ],
)
def test_an_element_with_all_posts_is_no_post(
    spans: list[list[tuple[int, int]]], posts: list[float], share: list[float], chosen: int
) -> None:
    offset = np.cumsum([0, *map(len, spans)])
    first, last = np.array([span for group in spans for span in group]).T
    of_groups = np.array(posts), np.array(share, np.float32)
    assert group_inside(0, *of_groups, offset, first, last) == chosen


def test_no_post_ends_before_the_title() -> None:
    group = Group(*(np.array(values) for values in ([3, 5, 8], [0, 2, 4], [1, 3, 6])))
    kept = group.behind(2)
    assert kept is not None
    assert (kept.node.tolist(), kept.first.tolist(), kept.last.tolist()) == ([5, 8], [2, 4], [3, 6])
    assert group.behind(6) is None
    assert len(group.behind(-1) or ()) == 3


def test_a_page_that_is_no_sure_thread_needs_posts_that_are_alike_and_have_its_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, facts = facts_of(ticket(*ANSWERS))
    main, comment = np.full((2, len(facts.letters)), 0.5)
    judged = judged_groups(facts, main, comment, 0.5)
    assert judged is not None
    most = max(judged.groups, key=lambda group: int((group.last - group.first).sum()))
    rest = Posts.of(facts, most, True, 0.9)
    whole = replace(rest, alike=True)
    assert whole.has_text(main)
    assert not whole.has_text(np.where(whole.text, 0.0, main))
    for posts, are_thread in ((whole, True), (rest, False)):
        monkeypatch.setattr(threads, "thread_posts", lambda *_, posts=posts: posts)
        assert page_posts(facts, main, comment, judged, True, False)[1] is are_thread
        assert page_posts(facts, main, comment, judged, True, True) == (posts, True)
        assert not page_posts(facts, main, comment, judged, False, True)[1]


def test_comments_with_nearly_all_text_are_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    _, facts = facts_of(ticket(*ANSWERS))
    main, comment = np.full((2, len(facts.letters)), 0.5)
    judged = judged_groups(facts, main, comment, 0.1)
    assert judged is not None
    texts = [int((group.last - group.first).sum()) for group in judged.groups]
    of_least = np.arange(len(texts)) == int(np.argmin(texts))
    sure = replace(judged, posts=of_least.astype(float), first=np.zeros(len(texts)))
    comments = find_comments(facts, main, comment, sure)
    assert comments is not None
    of_comments = np.where(comments.comment, 1.0, 0.01)
    assert find_comments(facts, of_comments, comment, sure) is None


def test_the_next_group_may_have_the_comments() -> None:
    _, facts = facts_of(ticket(*ANSWERS))
    ones, zeros = np.ones(len(facts.letters)), np.zeros(len(facts.letters))
    judged = judged_groups(facts, ones, zeros, 0.1)
    assert judged is not None
    size = [float(facts.letters[group.first[0] : group.last.max()].sum()) for group in judged.groups]
    least, most = int(np.argmin(size)), int(np.argmax(size))
    chances = np.zeros(len(size))
    chances[[most, least]] = 0.9, 0.8
    comments = find_comments(facts, ones, zeros, replace(judged, posts=chances, first=np.zeros(len(size))))
    assert comments is not None
    assert comments.group.node.tolist() == judged.groups[least].node.tolist()


def test_features_of_first_posts_are_finite() -> None:
    _, facts = facts_of(ticket(*ANSWERS))
    ones = np.ones(len(facts.letters))
    judged = judged_groups(facts, ones, ones, 0.9)
    assert judged is not None
    for best in range(len(judged.groups)):
        x = opening_features(facts, judged, best, ones, ones)
        assert x.shape == (len(judged.groups), len(opening_names()))
        assert np.isfinite(x).all()
        assert x[best, opening_names().index("is first")] == 1


def test_the_first_element_of_a_group_is_joined_with_another_group() -> None:
    one, others = (Group(*(np.array(values) for _ in range(3))) for values in ([3, 5], [7, 9]))
    assert with_first(one, others).node.tolist() == [3, 7, 9]
    assert with_first(one, None).last.tolist() == [3]


def test_an_article_has_no_comments() -> None:
    html = f"<title>Pumps</title><h1>Pumps</h1><main>{''.join(f'<p>{text}' for text in ANSWERS * 4)}</main>"
    article = SinglePage().predict(html)
    assert article.comments == ()
    assert all(text in article.text for text in ANSWERS)


@pytest.mark.parametrize("html", ["", "<p>", "<title>a</title>", "<p>a", "<div>" * 600 + "a<div>b"])
def test_broken_pages_have_none(html: str) -> None:
    _, facts = facts_of(html)
    zeros = np.zeros(len(facts.letters))
    assert judged_groups(facts, zeros, zeros, 0.5) is None
    assert find_comments(facts, zeros, zeros, None) is None
    assert page_posts(facts, zeros, zeros, None, True, False) == (None, False)
    assert page_posts(facts, zeros, zeros, None, True, True) == (None, True)
    none = groups(facts, zeros, zeros)
    assert group_features(facts, none, zeros, zeros, zeros, 0.5).shape == (0, len(group_names()))


def test_features_are_finite_and_few_groups_are_judged() -> None:
    _, facts = facts_of("".join(f"<div class=k{'x' * k}><p>{ANSWERS[0]}</div>" for k in range(50)))
    ones = np.ones(len(facts.letters))
    found = groups(facts, ones, ones)
    assert len(found) <= MOST_GROUPS
    assert np.isfinite(group_features(facts, found, ones, ones, dated(facts), 0.5)).all()


def test_many_comments_take_linear_time() -> None:
    work = []
    for n in (100, 800):
        rows = "".join(f"<li class=c><b>Kim {k}</b> 1 May 2020<p>{ANSWERS[k % 3]} {k}</li>" for k in range(n))
        page, facts = facts_of(f"<ul>{rows}</ul>")
        ones = np.ones(len(facts.letters))
        group = next(one for one in groups(facts, ones, ones) if isinstance(one, Group) and len(one) == n)
        found = Posts.of(facts, group, False, 1.0)
        assert len(found.parts(page, ones)) == n
        Counted.values = 0
        counted = replace(found, owner=found.owner.view(Counted), text=found.text.view(Counted))
        lines = lines_run(lambda: (Posts.of(facts, group, False, 1.0), counted.parts(page, ones)))  # noqa: B023
        work.append((lines, Counted.values))
    assert all(0 < many < 9 * few for few, many in zip(*work, strict=True)), work


def features_of(
    facts: PageFacts, group: Group, main: Floats, comment: Floats, date: Floats
) -> dict[str, float]:
    """Some features of one group, computed element by element."""
    letters, places = (
        facts.letters + 0.5,
        [list(range(a, b)) for a, b in zip(group.first.tolist(), group.last.tolist(), strict=True)],
    )
    own = [
        [k for k in place if not any(set(inner) < set(place) and k in inner for inner in places)]
        for place in places
    ]
    size = np.array([letters[place].sum() for place in own])
    low, high = places[0][0], max(place[-1] for place in places) + 1
    following = [place[0] for place in places[1:]]
    return {
        "members": np.log1p(len(group)),
        "median letters": np.log1p(np.median(size)),
        "least letters": np.log1p(size.min()),
        "variation": size.std() / size.mean(),
        "first main": (main * facts.letters)[own[0]].sum() / size[0],
        "highest comment": max((comment * facts.letters)[k].sum() / letters[k].sum() for k in own),
        "letters between": np.log1p(max(letters[low:high].sum() - size.sum(), 0.0) / len(group)),
        "dates": sum(date[place].sum() for place in own) / len(group),
        "dates after": np.mean(
            [
                date[place[-1] + 1 : max(at, place[-1] + 1)].any()
                for place, at in zip(places, following, strict=False)
            ]
            + [date[high : high + NEAR_POST].any()]
        ),
        "distinct": len({facts.blocks.texts[place[0]] for place in places}) / len(group),
        "nested": sum(a[-1] >= b[0] for a, b in pairwise(places)) / len(group),
    }


def test_features_of_all_groups_are_those_of_each() -> None:
    html = "<main>" + "".join(
        f"<div class=post><b>Kim, 3 May 202{k}</b><p>{text}"
        + "<div class=post><p>Yes.</div>" * (k == 1)
        + "</div>"
        for k, text in enumerate(ANSWERS)
    )
    _, facts = facts_of(f"<title>A</title><h1>Pump</h1>{html}<i>Menu</i></main>")
    rng = np.random.default_rng(0)
    main, comment = rng.random((2, len(facts.letters)))
    found = groups(facts, main, comment)
    x = group_features(facts, found, main, comment, dated(facts), 0.5)
    assert len(found) > 3
    for group, row in zip(found, x, strict=True):
        for name, value in features_of(facts, group, main, comment, dated(facts)).items():
            assert row[group_names().index(name)] == pytest.approx(value, abs=1e-5), name
    assert x[:, group_names().index("nested")].any()


def test_an_empty_class_is_no_class_and_digits_in_classes_do_not_count():
    texts = ("One is longer than two.", "Two is not so long.", "Three is the last one.")
    markup = {
        "": ("", " class=''", " class=' '"),
        "post-": (" class=post-1", " class='post-22 odd'", " class='Post- b'"),
    }
    for classes in markup.values():
        items = "".join(f"<li{own}>{text}" for own, text in zip(classes, texts, strict=True))
        page = parse(f"<ul>{items}</ul>")
        found = groups(PageFacts(page.dom, text_blocks(page)), np.ones(3), np.zeros(3))
        assert max(map(len, found)) == 3
