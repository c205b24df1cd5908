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
    StopDownload,
)
from service_identity.exceptions import CertificateError, VerificationError

from webgrain.errors import ReadError

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure as Failed

    from webgrain.crawl.plan import Plan


class SkippedError(Exception):
    """A page that is left out on purpose; a failure only where the user named it."""


class ForbiddenError(IgnoreRequest):
    """A page that robots.txt does not allow; the message says why."""


class EndlessHeadError(Exception):
    """An answer whose headers do not end."""


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
    if any(reason.check(EndlessHeadError) for reason in _reasons(error)):
        return ReadError("The headers have no end.")
    if isinstance(error, IgnoreRequest) and "redirect" in str(error):  # Scrapy has one exception for both
        return ReadError("It redirects too often.")
    for kind, sentence in _told(request, plan).items():
        if isinstance(error, kind):
            return ReadError(sentence)
    return ReadError(f"The page cannot be had: {' '.join(str(error).split())[:200] or type(error).__name__}.")


def _told(request: Request, plan: Plan) -> dict[type[Exception], str]:
    """Return a sentence for each kind of exception that says enough by itself; the first that fits counts."""
    too_large = f"The page has more than {request.meta.get('download_maxsize', plan.size)} bytes."
    broken = "The connection broke before the answer was complete."
    return {
        StopDownload: "The body is compressed too many times over.",
        DownloadTimeoutError: f"The page did not arrive within {plan.timeout:g} seconds.",
        DownloadCancelledError: too_large,
        IgnoreRequest: too_large,  # once it is decompressed
        DownloadConnectionRefusedError: "The server cannot be reached.",
        DownloadFailedError: broken,
        ResponseDataLossError: broken,
    }


def is_unproven(error: BaseException) -> bool:
    """Tell whether a connection failed since the server did not prove who it is.

    >>> is_unproven(DownloadFailedError("broken"))
    False
    """
    return any(reason.check(TlsError, CertificateError, VerificationError) for reason in _reasons(error))


def _reasons(error: BaseException) -> list[Failed]:
    """Return Twisted's, one for each thing that went wrong."""
    return list(getattr(error.__cause__, "reasons", ()))
