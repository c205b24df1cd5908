"""The language of a text, if the optional library py3langid is installed.

It comes with ``pip install 'webgrain[language]'`` and compares sequences of bytes with those of 139
languages. Its model is read at the first call, which takes half a second.

Source: https://github.com/adbar/py3langid. Cost: linear in the text, of which the beginning is read.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from webgrain.extraction import thresholds


def language_of(text: str) -> str:
    """Return the language of a text, such as ``de``; empty if it is not sure, or without the library.

    >>> language_of("1, 2, 3")
    ''
    """
    words = " ".join(text[: 2 * thresholds.LANGUAGE_TEXT].split())[: thresholds.LANGUAGE_TEXT]
    identifier = _identifier() if len(words) >= thresholds.LEAST_LANGUAGE_TEXT else None
    if identifier is None:
        return ""
    language, probability = identifier.classify(words)
    return str(language) if probability >= thresholds.LANGUAGE else ""


@cache
def _identifier() -> Any:
    """Return the identifier of languages; None if the library is not installed."""
    try:
        library = import_module("py3langid.langid")
    except ImportError:
        return None
    return library.LanguageIdentifier.from_model_file(library.MODEL_FILE, norm_probs=True)
