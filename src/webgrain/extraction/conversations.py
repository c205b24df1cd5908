"""Threads that are certain by their parts, whatever the kind that the models find.

The models of kinds know many threads by words of the address and of classes; without these they miss some.
A page is a thread in two cases:

* Three or more elements of one group have nearly all of the text, nearly each has an author and a date, there
  are several authors, and the dates do not decrease. Lists of articles begin with the last one, and articles
  have text before their comments.
* It is a question with answers: one element is a ``Question`` of schema.org (pages of frequent questions have
  several), or the title ends with a question mark and a heading has only the number of the answers, only
  the name of the best one, or only the word for several of them, with two dates behind it.

Most of this is hand-set; the manual has the pages on which it was chosen.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from webgrain.columns.blocks import NUMBER
from webgrain.extraction import thresholds
from webgrain.extraction.threads import Posts, dated

if TYPE_CHECKING:
    from webgrain.base.arrays import Float64
    from webgrain.columns.blocks import PageFacts
    from webgrain.extraction.threads import JudgedGroups

_QUESTION_MARKS = tuple("?？؟;")
_CONTENT_TYPE = NUMBER["content type"]  # the hint of Question and other types of schema.org
_ANSWERS = (
    "answers?|antwort(?:en)?|antwoord(?:en)?|svar|vastaus(?:ta)?|réponses?|respuestas?|respostas?|rispost[ae]"
    "|răspuns(?:uri)?|odpowied[zź]i?|odpověd[ií]|odgovor[ai]?|válasz|ответ(?:а|ов)?|відповід(?:ь|і|ей)|cevap|yanıt"
    "|απαντήσεις|jawaban|câu trả lời|trả lời|件の回答|个回答|個回答|개의 답변"
    "|پاسخ|جواب|إجابة|إجابات|ردود|תשובות"
)
_NUMBER_OF_ANSWERS = re.compile(
    rf"\d{{1,4}}\s?(?:{_ANSWERS})|(?:{_ANSWERS})\s?[:(]\s?\d{{1,4}}\)?", re.IGNORECASE
)
_CHOSEN_ANSWER = re.compile(
    "(?:accepted|best|top|recommended) (?:answer|solution|reply)|accepted as solution"
    "|(?:akzeptierte|beste|hilfreichste) antwort|meilleure réponse|réponse acceptée"
    "|(?:mejor|melhor) (?:respuesta|resposta)|respuesta aceptada|resposta aceita|migliore risposta"
    "|beste antwoord|лучший ответ|en iyi cevap|最佳答案|最佳回答|已采纳答案|ベストアンサー|채택된 답변"
    "|بهترین پاسخ|أفضل إجابة",
    re.IGNORECASE,
)
_SEVERAL_ANSWERS = re.compile(
    "answers|antworten|antwoorden|svar|vastaukset|vastauksia|réponses|respuestas|respostas|risposte|răspunsuri"
    "|odpowiedzi|odpovědi|odgovori|válaszok|ответы|відповіді|cevaplar|yanıtlar|απαντήσεις|回答一覧|全部回答"
    "|پاسخ‌ها|پاسخ ها|پاسخها|جواب‌ها|الإجابات|إجابات|תשובות",
    re.IGNORECASE,
)


def is_thread_by_parts(
    facts: PageFacts,
    main: Float64,
    comment: Float64,
    judged: JudgedGroups | None,
    thread: float,
    title: str,
    line: int,
) -> bool:
    """Return whether a page is a thread by its parts.

    main, comment: (b,) probabilities; judged: the groups of the page, None if it has none; thread: the
    probability of a thread by the kind; title, line: the title and its block, -1 for the head.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> facts = page_facts(parse("<h1>Is the sea salty?</h1><p>Rivers are not.<h2>2 answers</h2><p>It is."))
    >>> is_thread_by_parts(facts, np.ones(4), np.zeros(4), None, 0.0, "Is the sea salty?", 0)
    True
    """
    if is_question(facts, title):
        return True
    if judged is None or thread < thresholds.LEAST_THREAD:
        return False
    return is_conversation(facts, main, comment, judged, line)


def is_conversation(
    facts: PageFacts, main: Float64, comment: Float64, judged: JudgedGroups, title: int
) -> bool:
    """Return whether the elements of a group are posts that answer each other.

    main, comment: (b,) probabilities; title: the block of the title, -1 for the head.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.extraction.threads import judged_groups
    >>> from webgrain.page.parsing import parse
    >>> names = ["Kim Berg", "Lee Holm", "Kim Berg"]
    >>> posts = [f"<li><b>{name}</b> <i>{k + 3} May 2021</i><p>The lamp is lit at dusk {k} times, and nobody "
    ...     "knows who pays the keeper for it.</li>" for k, name in enumerate(names)]
    >>> facts = page_facts(parse(f"<h1>Lamps</h1><ol>{''.join(posts)}</ol>"))
    >>> main = np.array([0.0, *[0.3, 0.9] * 3])
    >>> judged = judged_groups(facts, main, main * 0.0, 0.1)
    >>> is_conversation(facts, main, main * 0.0, judged, 0)
    True
    """
    dated = judged.date.sum()
    if dated < thresholds.LEAST_CONVERSATION * thresholds.OF_CONVERSATION:
        return False
    groups = judged.groups
    members = np.diff(groups.offset)
    large = members >= thresholds.LEAST_CONVERSATION
    large &= members <= np.minimum(
        judged.date.sum() / thresholds.OF_CONVERSATION, thresholds.MOST_CONVERSATION
    )
    if not large.any():
        return False
    mass = np.append(0.0, (np.maximum(main, comment) * facts.letters).cumsum())
    of_groups = np.add.reduceat(mass[groups.last] - mass[groups.first], groups.offset[:-1])
    large &= of_groups >= thresholds.TEXT_OF_CONVERSATION * mass[-1]
    large &= groups.first[groups.offset[:-1]] > title
    posts_of_groups = (Posts.of(facts, groups[k], True, 1.0) for k in large.nonzero()[0].tolist())
    return any(map(_converse, posts_of_groups))


def _converse(posts: Posts) -> bool:
    """Return whether most posts have an author and a date, of several authors, and no date decreases."""
    stated = posts.bylines.values()
    authors = [each["author"] for each in stated if "author" in each]
    dates = [each["date"] for each in stated if "date" in each]
    least = thresholds.OF_CONVERSATION * len(posts.group)
    if min(len(authors), len(dates)) < least or len(set(authors)) < 2:
        return False
    in_order = sum(before <= after for before, after in pairwise(dates))
    return in_order >= thresholds.IN_ORDER * (len(dates) - 1)


def is_question(facts: PageFacts, title: str) -> bool:
    """Return whether a page is a question with answers; title: of the page.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> facts = page_facts(parse("<h1>Is the sea salty?</h1><p>Rivers are not.<h2>2 answers</h2><p>It is."))
    >>> is_question(facts, "Is the sea salty?"), is_question(facts, "The salty sea")
    (True, False)
    """
    if title[-1:] in _QUESTION_MARKS and _has_answers(facts):
        return True
    if not facts.hint[:, _CONTENT_TYPE].any():
        return False
    _, number, values = facts.dom.distinct_values("itemtype")
    questions = [k for k, value in enumerate(values) if value.rstrip("/").endswith("schema.org/Question")]
    return bool(questions) and int(np.isin(number, questions).sum()) == 1


def _has_answers(facts: PageFacts) -> bool:
    """Return whether a short heading announces answers: by their number, or by dates behind it."""
    texts = facts.blocks.texts
    short = facts.is_heading & (facts.texts["characters"] <= thresholds.LABEL)
    for k in short.nonzero()[0].tolist():
        heading = texts[k].strip()
        if _NUMBER_OF_ANSWERS.fullmatch(heading):
            return True
        if _CHOSEN_ANSWER.fullmatch(heading.rstrip(" :：")):
            return True
        if _SEVERAL_ANSWERS.fullmatch(heading.rstrip(" :：")):
            return bool(dated(facts)[k:].sum() >= thresholds.DATED_ANSWERS)
    return False
