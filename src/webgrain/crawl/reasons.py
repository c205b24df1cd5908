"""Why there is no page: the exceptions of a download, in one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from OpenSSL.SSL import Error as TlsError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from service_identity.exceptions import CertificateError, VerificationError

from webgrain.errors import ReadError

if TYPE_CHECKING:
    from scrapy import Request

    from webgrain.crawl.plan import Plan


class SkippedError(Exception):
    """A page that is left out on purpose; a failure only where the user named it."""


class ForbiddenError(IgnoreRequest):
    """A page that robots.txt does not allow; the message says why."""


def reason_of(error: BaseException, request: Request, plan: Plan) -> Exception:
    """Return why a request has no answer: `ReadError`, or `SkippedError` where it was left out on purpose.

    >>> from pathlib import Path
    >>> from scrapy import Request
    >>> from webgrain.crawl.plan import Plan
    >>> plan = Plan(["http://example.org/"], Path("a.warc"), timeout=5)
    >>> reason_of(DownloadTimeoutError(), Request("http://example.org/"), plan)
    ReadError('The page did not arrive within 5 seconds.')
    """
    if isinstance(error, ForbiddenError):
        return SkippedError(str(error))
    if isinstance(error, CannotResolveHostError):
        host = urlsplit(request.url).hostname
        private = "" if plan.allow_private else ", or it is in a private network"
        return ReadError(f"The host {host} cannot be found{private}.")
    if is_unproven(error):
        return ReadError("The server cannot prove who it is (TLS).")
    if isinstance(error, IgnoreRequest) and "redirect" in str(error):  # Scrapy has one exception for both
        return ReadError("It redirects too often.")
    too_large = f"The page has more than {request.meta.get('download_maxsize', plan.size)} bytes."
    told: dict[type[Exception], str] = {
        DownloadTimeoutError: f"The page did not arrive within {plan.timeout:g} seconds.",
        DownloadCancelledError: too_large,
        IgnoreRequest: too_large,  # once it is decompressed
        DownloadConnectionRefusedError: "The server cannot be reached.",
        DownloadFailedError: "The connection broke before the answer was complete.",
        ResponseDataLossError: "The connection broke before the answer was complete.",
    }
    for kind, sentence in told.items():
        if isinstance(error, kind):
            return ReadError(sentence)
    return ReadError(f"The page cannot be had: {' '.join(str(error).split())[:200] or type(error).__name__}.")


def is_unproven(error: BaseException) -> bool:
    """Tell whether a connection failed since the server did not prove who it is.

    >>> is_unproven(DownloadFailedError("broken"))
    False
    """
    reasons = getattr(error.__cause__, "reasons", ())  # Twisted's, one for each thing that went wrong
    return any(reason.check(TlsError, CertificateError, VerificationError) for reason in reasons)
