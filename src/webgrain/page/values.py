"""The attribute values of pages as numbers, and the answers to questions about them.

The pages of a site repeat their attribute values: 2 to 14 % of the values of a page are new. So each value
has a number in a table of the process, and a `Question` about a value is answered when it is asked for the
first time. Numbers never leave the process.

The table is bounded: `current_values` starts a new one when it is full. A page keeps the table of its
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import RLock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from webgrain.base.arrays import Int32, UInt8
from webgrain.page.kernels.keytable import all_marked
from webgrain.page.thresholds import MAX_VALUE_CHARACTERS, MAX_VALUES

Answer = TypeVar("Answer")
Place = TypeVar("Place", bound=Hashable)
Text = TypeVar("Text", str, tuple[Any, ...])


class Question(Generic[Answer]):
    """A function of an attribute value, whose answers are kept in the table of the value.

    function: must depend on the value only. dtype: of the array of the answers.

    >>> length = Question(len, np.int32)
    >>> values = ValueTable()
    >>> values.answers(length, values.numbers_of(["a", "menu", "a"])).tolist()
    [1, 4, 1]
    """

    def __init__(self, function: Callable[[str], Answer], dtype: DTypeLike = object) -> None:
        self.function = function
        self.dtype = np.dtype(dtype)

    def answers(self, texts: Sequence[str]) -> Sequence[Answer] | NDArray[Any]:
        """Return the answer about each of several values."""
        return [*map(self.function, texts)]


class GroupQuestion(Question[Any]):
    """A question whose function returns the answers about several values at once.

    function: returns an array (k, ...) for k different values; each answer must depend on its value only.

    >>> length = GroupQuestion(lambda texts: np.array([*map(len, texts)]), np.int32)
    >>> values = ValueTable()
    >>> values.answers(length, values.numbers_of(["a", "menu", "a"])).tolist()
    [1, 4, 1]
    """

    def __init__(self, function: Callable[[Sequence[str]], NDArray[Any]], dtype: DTypeLike) -> None:
        super().__init__(lambda text: function([text])[0], dtype)
        self._of_group = function

    def answers(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the answer about each of several values."""
        return self._of_group(texts)


class PlacedQuestion(Generic[Place, Answer]):
    """A function of an attribute value and of its place, such as the tag of its element.

    function: must depend on both only.

    >>> path = PlacedQuestion(lambda tag, value: f"{tag}.{value}")
    >>> values = ValueTable()
    >>> values.placed_answers(path, ["p", "ul"], values.numbers_of(["a", "menu"]).tolist())
    ['p.a', 'ul.menu']
    """

    def __init__(self, function: Callable[[Place, str], Answer]) -> None:
        self.function = function


class TextQuestion(Generic[Text, Answer]):
    """A function of a text such as a line, or of a tuple: the text and its place.

    Its answers are kept like those of a `Question`, but texts have no numbers: they are no attribute values.

    >>> is_short = TextQuestion(lambda line: len(line) < 5)
    >>> ValueTable().text_answers(is_short, ["by Kim", "by"])
    [False, True]
    """

    def __init__(self, function: Callable[[Text], Answer]) -> None:
        self.function: Callable[[Text], Answer] = function


IS_FILLED = Question(bool, np.bool_)
"""Whether a value is not empty."""


_Answers = tuple[NDArray[Any], UInt8]
"""The answers to a question by the number of the value, and whether each is known."""


class ValueTable:
    """Attribute values by number.

    Attributes:
        texts: the value of each number.
        characters: number of characters of all values, and of the texts of each `TextQuestion`.
        native: what the native reader of the parser's tree knows of this table; None before its first page.
    """

    __slots__ = ("_answers", "_lock", "_numbers", "_of_texts", "_placed", "characters", "native", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.characters = 0
        self.native: object = None
        self._numbers: dict[str, int] = {}
        self._answers: dict[Question[Any], _Answers] = {}
        self._placed: dict[PlacedQuestion[Any, Any], dict[tuple[Any, int], Any]] = {}
        self._of_texts: dict[TextQuestion[Any, Any], dict[Any, Any]] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"ValueTable({len(self)} values)"

    @property
    def is_full(self) -> bool:
        """Whether the next page needs a new table."""
        return len(self.texts) > MAX_VALUES or self.characters > MAX_VALUE_CHARACTERS

    def number(self, text: str) -> int:
        """Return the number of a value.

        >>> values = ValueTable()
        >>> values.number("a"), values.number("b"), values.number("a")
        (0, 1, 0)
        """
        number = self._numbers.get(text)
        if number is None:
            with self._lock:
                number = self._numbers.get(text)
                if number is None:
                    number = len(self.texts)
                    self.texts.append(text)
                    self.characters += len(text)
                    self._numbers[text] = number  # at the end: other threads read this without the lock
        return number

    def numbers_of(self, texts: Iterable[str]) -> Int32:
        """Return the numbers (k,) of values."""
        every = list(texts)
        known = list(map(self._numbers.get, every))
        numbers = [
            self.number(text) if number is None else number for text, number in zip(every, known, strict=True)
        ]
        return np.array(numbers, np.int32)

    def answers(self, question: Question[Any], numbers: Int32) -> NDArray[Any]:
        """Return the answer (k,) to a question about each of several values (k,)."""
        # Without the lock: a flag is set after its answer, and a larger table does not change the former one.
        known = self._answers.get(question)
        if known is None or not all_marked(numbers, known[1]):
            known = self._answered(question, numbers)
        answers: NDArray[Any] = known[0][numbers]
        return answers

    def _answered(self, question: Question[Any], numbers: Int32) -> _Answers:
        """Return the answers to a question, with those about some values."""
        with self._lock:
            known = self._answers.get(question)
            if known is None or len(known[0]) < len(self.texts):
                known = self._answers[question] = self._larger(question, known)
            answer, is_known = known
            new = [*dict.fromkeys(numbers[~is_known.view(np.bool_)[numbers]].tolist())]
            if not new:  # another thread has asked
                return known
            of_new = question.answers([self.texts[number] for number in new])
            for number, answer_of_value in zip(new, of_new, strict=True):
                answer[number] = answer_of_value
                is_known[number] = 1
            return known

    def placed_answers(
        self, question: PlacedQuestion[Place, Answer], places: Iterable[Place], numbers: Sequence[int]
    ) -> list[Answer]:
        """Return the answers to a question about values (k,) at places (k,)."""
        with self._lock:
            known = self._placed.get(question)
            if known is None or len(known) > MAX_VALUES:
                known = self._placed[question] = {}
        pairs = list(zip(places, numbers, strict=True))
        for pair in set(pairs).difference(known):
            place, number = pair
            known[pair] = question.function(place, self.texts[number])
        return [known[pair] for pair in pairs]

    def text_answers(self, question: TextQuestion[Text, Answer], texts: Sequence[Text]) -> list[Answer]:
        """Return the answers to a question about texts."""
        known = self._of_texts.get(question)
        if known is None:
            known = self._of_texts.setdefault(question, {})
        try:
            return [known[text] for text in texts]
        except KeyError:
            pass
        for text in texts:
            if text not in known:
                known[text] = question.function(text)
                self.characters += len(text) if isinstance(text, str) else len(text[0])
        return [known[text] for text in texts]

    def _larger(self, question: Question[Any], known: _Answers | None) -> _Answers:
        """Return the arrays of the answers with room for all values and as many new ones."""
        size = 2 * len(self.texts) + 64
        answer, is_known = np.empty(size, question.dtype), np.zeros(size, np.uint8)
        if known is not None:
            answer[: len(known[0])], is_known[: len(known[1])] = known
        return answer, is_known


_current = ValueTable()


def current_values() -> ValueTable:
    """Return the table for the values of a new page."""
    global _current
    if _current.is_full:
        _current = ValueTable()
    return _current
