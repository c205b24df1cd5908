"""Languages of pages that do not state them."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction import languages
from webgrain.extraction.languages import language_of
from webgrain.extraction.metadata import metadata
from webgrain.page.parsing import parse

ENGLISH = "The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for his work. "
GERMAN = (
    "Der Wärter der nördlichen Mole zündet die Lampe in der Dämmerung an, und niemand weiß, wer bezahlt. "
)


@pytest.fixture(autouse=True)
def forget_the_library() -> Iterator[None]:
    languages._identifier.cache_clear()
    yield
    languages._identifier.cache_clear()


@pytest.mark.parametrize(("text", "language"), [(ENGLISH, "en"), (GERMAN, "de"), ("Lamp", ""), ("", "")])
def test_languages(text: str, language: str) -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed: pip install 'webgrain[language]'")
    assert language_of(text * 2) == language


def test_only_a_language_that_is_not_stated_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    sure = SimpleNamespace(classify=lambda text: ("de", 0.99))
    monkeypatch.setattr(languages, "_identifier", lambda: sure)
    article = Article("article", blocks=(Part("paragraph", 0, (GERMAN * 2,)),))
    values = metadata(parse("<p>Text"), article)
    assert (values.get("language"), values.get("detected_language")) == (None, "de")
    assert "detected_language" not in metadata(parse("<html lang=en><p>Text"), article)
    assert "detected_language" not in metadata(parse("<p>Text"))
    monkeypatch.setattr(languages, "_identifier", lambda: SimpleNamespace(classify=lambda text: ("de", 0.5)))
    assert "detected_language" not in metadata(parse("<p>Text"), article)


def test_without_the_library_there_is_no_detected_language(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(languages, "import_module", absent)
    assert language_of(ENGLISH * 9) == ""


def test_endless_texts_end(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def classify(text: str) -> tuple[str, float]:
        read.append(len(text))
        return "en", 1.0

    counting = SimpleNamespace(classify=classify)
    monkeypatch.setattr(languages, "_identifier", lambda: counting)
    assert (language_of(ENGLISH * 10_000), read) == ("en", [1000])


def test_code_is_of_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()
    library = SimpleNamespace(classify=lambda text: (read.append(text), ("de", 0.99))[1])
    monkeypatch.setattr(languages, "_identifier", lambda: library)
    parts = Part("code", 0, ("GRANT ALL\n  ON TABLE lamps",)), Part("paragraph", 1, (GERMAN * 2,))
    metadata(parse("<p>Text"), Article("article", blocks=parts))
    assert read == [" ".join((GERMAN * 2).split())]
