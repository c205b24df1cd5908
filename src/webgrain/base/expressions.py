"""Regular expressions that users give as arguments and options."""

from __future__ import annotations

import re
import warnings

from webgrain.base.errors import ParameterError


def given_expression(name: str, pattern: str) -> re.Pattern[str]:
    """Return the regular expression that a user gave.

    name: of the parameter; `ParameterError` names it if the pattern cannot be compiled.

    >>> given_expression("only", "^en/").pattern
    '^en/'
    >>> try:
    ...     given_expression("only", "*")
    ... except ParameterError as error:
    ...     print(error)
    only must be a regular expression, got '*': nothing to repeat at position 0.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of "[[": its meaning may change in Python
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        reason = str(error) or "it is too long"
        raise ParameterError(
            f"{name} must be a regular expression, got {pattern!r:.80}: {reason}."
        ) from error
