"""Cookies: those in the user's file, and those that servers set while the crawl goes on."""

from __future__ import annotations

from http.cookiejar import DefaultCookiePolicy, LoadError, MozillaCookieJar
from typing import TYPE_CHECKING

from scrapy.http.cookies import CookieJar

from webgrain.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class Cookies:
    """Middleware that keeps one jar for the whole crawl; a cookie goes to the hosts it was set for only."""

    def __init__(self, path: Path | None) -> None:
        policy = DefaultCookiePolicy(strict_domain=True)
        self._jar = CookieJar(policy)
        for cookie in read_cookies(path) if path else ():
            self._jar.set_cookie(cookie)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Cookies:
        """Make it for a crawl."""
        return cls(crawler.settings["WEBGRAIN_COOKIES"])

    def process_request(self, request: Request) -> None:
        """Put cookies into a request."""
        self._jar.add_cookie_header(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the cookies of a response."""
        self._jar.extract_cookies(response, request)
        return response


def read_cookies(path: Path) -> MozillaCookieJar:
    """Return the cookies in a file in Mozilla's format (``cookies.txt``); `InputError` if it is none.

    >>> from pathlib import Path
    >>> read_cookies(Path("nowhere.txt"))
    Traceback (most recent call last):
    webgrain.errors.InputError: Cannot read cookies from nowhere.txt: No such file or directory.
    """
    jar = MozillaCookieJar(path)
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except LoadError as error:
        raise InputError(f"Cannot read cookies from {path}: it is not in Mozilla's format.") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"Cannot read cookies from {path}: {reason}.") from error
    for cookie in jar:
        cookie.expires = cookie.expires or None  # 0 is how these files say: until the session ends
    return jar
