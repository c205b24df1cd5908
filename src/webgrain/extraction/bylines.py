"""Lines that state the author and the date of a post: which texts may be one.

`webgrain.extraction.threads` collects the texts near each post and asks these functions about each of them.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from webgrain.documents.dates import first_date
from webgrain.extraction.thresholds import BYLINE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_DATE = 40  # characters of a date without a year (hand-set)
_SENTENCE_ENDS = "?!…。？！؟"  # which no name ends with
_WORDS_OF_NAME = 3  # that may end with a full stop, such as "Ann B. Lee jr." (hand-set)
_COUNT = re.compile(r"[\d.,]+k?\s+[^\W\d_]+")  # "12 points", "1,024 posts"
# Acts of readers, by language: what they do to a post, and that they joined.
_ACTS = (
    "asked|answered|replied|posted|wrote|written|commented|submitted|edited|modified|updated|joined|registered"
    "|gefragt|fragte|beantwortet|antwortete|geantwortet|schrieb|geschrieben|verfasst|erstellt|kommentierte"
    "|bearbeitet|geändert|aktualisiert|beigetreten|registriert|dabei seit|mitglied seit"
    "|demandée?|posée?|a demandé|a répondu|répondue?|a écrit|publiée?|postée?|modifiée?|inscrite?"
    "|preguntó|preguntad[oa]|respondió|respondid[oa]|escribió|escrito|publicad[oa]|editad[oa]|registrad[oa]"
    "|perguntou|perguntad[oa]|respondeu|escreveu|postad[oa]|modificad[oa]|se uniu"
    "|ha chiesto|chiesto|ha risposto|risposto|ha scritto|scritto|pubblicat[oa]|modificat[oa]|iscritt[oa]"
    "|gevraagd|vroeg|beantwoord|antwoordde|schreef|geplaatst|bewerkt|lid sinds"
    "|frågade|svarade|skrev|redigerade|spurte|svarte|spurgte|svarede|kysyi|vastasi|kirjoitti"
    "|zapytał[ao]?|zapytano|odpowiedział[ao]?|napisał[ao]?|napisano|edytowan[oey]|zeptal[ao]?|odpověděl[ao]?"
    "|kérdezte|válaszolt|válaszolta|írta|szerkesztve|întrebat|a întrebat|răspuns|a răspuns|a scris|editat"
    "|спросила?|задан|задала?|ответила?|написала?|отредактировано|изменён|изменен|запитав|запитала|відповів"
    "|відповіла|написав|sordu|soruldu|cevapladı|yanıtladı|yazdı|düzenlendi|ρώτησε|απάντησε|έγραψε"
    "|ditanyakan|dijawab|menulis|đã hỏi|đã trả lời|đã viết"
    "|سأل|سئل|أجاب|أجابت|كتب|كتبت|پرسیده شده|پرسید|پاسخ داده شده|پاسخ داد|نوشت|نوشته شده"
    "|שאל|שאלה|ענה|ענתה|כתב"
)
_ACTS_WITHOUT_SPACES = (
    "提问于|提問於|回答于|回答於|发表于|發表於|发布于|回复于|编辑于|修改于|加入于|作成|投稿|質問|回答日|編集"
)
_BY = (  # the word before the name
    "by|von|par|por|da|de|door|av|af|od|przez|от|від|tarafından|από|oleh|bởi|من|توسط|بواسطة|מאת"
)
_DAYS = (  # without a number
    "now|today|yesterday|heute|gestern|aujourd’hui|aujourd'hui|hier|hoy|ayer|hoje|ontem|oggi|ieri|vandaag"
    "|gisteren|idag|igår|i dag|i går|eilen|dzisiaj|dziś|wczoraj|dnes|včera|ma|tegnap|azi|сегодня|вчера"
    "|сьогодні|вчора|bugün|dün|σήμερα|χθες|kemarin|hôm qua|اليوم|أمس|امروز|دیروز|היום|אתמול"
)
_MARKS = " ,:;|·•–—-"
_ACT = re.compile(rf"(?:\b(?:{_ACTS})\b|{_ACTS_WITHOUT_SPACES})", re.IGNORECASE)
_TIME = re.compile(rf"\d|\b(?:{_DAYS})\b", re.IGNORECASE)
_BY_WORD = re.compile(rf"(?:^|\s)(?:{_BY})\b:?\s*", re.IGNORECASE)


def is_written_date(text: str) -> bool:
    """Whether a text may be a date without a year, such as "4 May, 10:12" and "3 hours ago"."""
    return len(text) <= _LONGEST_DATE and any(map(str.isdigit, text))


def states_act(text: str) -> bool:
    """Whether a short text states an act of a reader and its time.

    >>> [states_act(text) for text in ("asked 3 days ago Kim Berg 1,024", "answered yesterday", "asked Kim")]
    [True, True, False]
    """
    return len(text) <= BYLINE / 2 and bool(_ACT.search(text)) and bool(_TIME.search(text))


def without_act(text: str) -> str:
    """Return a text without the act of a reader and its time: the name before or behind them, or nothing.

    A text without an act, or with an act and other words, is returned as it is.

    >>> [without_act(text) for text in ("asked 3 days ago", "answered by", "asked 4 May 2024 by Kim Berg")]
    ['', '', 'Kim Berg']
    >>> [without_act(text) for text in ("Kim Berg replied", "Kim Berg", "asked Kim Berg")]
    ['Kim Berg', 'Kim Berg', 'asked Kim Berg']
    """
    if len(text) > BYLINE or not (act := _ACT.search(text)):
        return text
    name, rest = text[: act.start()].strip(_MARKS), text[act.end() :].strip(_MARKS)
    *_, by = [None, *_BY_WORD.finditer(rest)]
    time = rest if by is None else rest[: by.start()]
    if time and not _TIME.search(time):
        return text
    if name:
        return name if name.count(" ") < _WORDS_OF_NAME else text
    name = "" if by is None else rest[by.end() :].strip(_MARKS)
    return "" if _TIME.match(name) else name


def is_byline(text: str, author: str) -> bool:
    """Whether a text contains little besides an author or a date."""
    rest = text.replace(author, "") if author else text
    return len(text) <= BYLINE and (rest != text or bool(first_date(text))) and len(rest) <= BYLINE / 2


def may_be_name(text: str) -> bool:
    """Whether a text has letters, but no date, and is no sentence and no number of things.

    >>> [may_be_name(text) for text in ("Kim B.", "Is it?", "I think it is.", "3 May 2021", "*", "12 posts")]
    [True, False, False, False, False, False]
    """
    is_sentence = text[-1] in _SENTENCE_ENDS or (text[-1] == "." and text.count(" ") >= _WORDS_OF_NAME)
    is_other = is_sentence or _COUNT.fullmatch(text) is not None
    return not is_other and any(map(str.isalpha, text)) and not first_date(text)


def without_labels(texts: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the first text of each post that may be its author, of those at a place.

    texts: by the number of the post. A text that all posts but one have, beside different other ones, is a
    label; what has no letters without the words that all texts share is a number.

    >>> without_labels({0: ["Subject", "Kim Berg"], 1: ["Subject", "Ann Lee"], 2: ["Subject", "Kim Berg"]})
    {0: 'Kim Berg', 1: 'Ann Lee', 2: 'Kim Berg'}
    >>> without_labels({0: ["Posts: 17"], 1: ["Posts: 230"]})
    {}
    """
    posts = [frozenset(of_post) for of_post in texts.values()]
    times = Counter(chain.from_iterable(posts))
    often = [text for text, number in times.items() if number >= max(2, len(posts) - 1)]
    labels = {text for text in often if len({of_post for of_post in posts if text in of_post}) > 1}
    firsts = {k: next((text for text in of_post if text not in labels), "") for k, of_post in texts.items()}
    names = {k: text for k, text in firsts.items() if text}
    shared = shared_words([*names.values()])
    return {k: text for k, text in names.items() if may_be_name(without_shared_words(text, shared) or " ")}


def shared_words(names: Sequence[str]) -> tuple[int, int]:
    """Return how many words all names begin with and end with, such as "wrote"; equal names count once.

    >>> shared_words(["Posted by Kim", "Posted by Ann Lee"])
    (2, 0)
    """
    split = [name.split() for name in dict.fromkeys(names)]
    if len(split) < 2:
        return 0, 0
    least = min(map(len, split)) - 1

    def same(k: int) -> bool:
        return all(a[k] == b[k] for a, b in pairwise(split))

    begin = next((k for k in range(least) if not same(k)), max(least, 0))
    end = next((k for k in range(max(least - begin, 0)) if not same(-1 - k)), max(least - begin, 0))
    return begin, end


def without_shared_words(name: str, shared: tuple[int, int]) -> str:
    """Return a name without the words that all names share, and the marks around it; shared: `shared_words`.

    >>> without_shared_words("Posted by Kim:", (2, 0))
    'Kim'
    """
    words = name.split()
    return " ".join(words[shared[0] : len(words) - shared[1]]).strip(" ,:|·–—-")
