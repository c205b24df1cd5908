"""A plan of a crawl as settings of Scrapy: which parts it runs on, what it may, and what it leaves.

Imported by the process that crawls, where Scrapy is.
"""

from __future__ import annotations

from typing import Any

from webgrain.crawler.network import Cookies, Downloads, PublicResolver
from webgrain.crawler.plan import Plan
from webgrain.crawler.politeness import Retries, Robots
from webgrain.crawler.spider import Schedule


def settings_of(plan: Plan) -> dict[str, Any]:
    """Return what Scrapy is told, under its own names.

    >>> from pathlib import Path
    >>> from webgrain.crawler.plan import Plan
    >>> told = settings_of(Plan(["http://example.org/"], Path("a.warc"), delay=2))
    >>> told["DOWNLOAD_DELAY"], told["DOWNLOAD_VERIFY_CERTIFICATES"], told["COOKIES_ENABLED"]
    (2, True, False)
    """
    return {**_parts(plan), **_limits(plan), **_switched_off()}


def _parts(plan: Plan) -> dict[str, Any]:
    """Return the settings that name the parts a crawl is made of."""
    own: dict[Any, int | None] = {Cookies: 700, Retries: 550, **({Robots: 100} if plan.robots else {})}
    own["scrapy.downloadermiddlewares.retry.RetryMiddleware"] = None
    return {
        "SCHEDULER": Schedule,
        "DOWNLOADER_MIDDLEWARES": own,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(["http", "https"], Downloads),
            **dict.fromkeys(["data", "file", "ftp", "s3"]),
        },
        "TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver"
        if plan.allow_private
        else PublicResolver,
        "WEBGRAIN_COOKIES": plan.cookies,
    }


def _limits(plan: Plan) -> dict[str, Any]:
    """Return the settings on how much is asked for, how often, and of whom."""
    return {
        "USER_AGENT": plan.agent,
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        "DOWNLOAD_DELAY": plan.delay,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_TIMEOUT": plan.timeout,
        "DOWNLOAD_MAXSIZE": plan.size,
        "DOWNLOAD_WARNSIZE": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "RETRY_TIMES": plan.retries,
        "REDIRECT_MAX_TIMES": 5,  # of robots.txt (RFC 9309, 2.3.1.2); pages are followed by the spider
        "CLOSESPIDER_TIMEOUT": plan.seconds or 0,
        "HTTPERROR_ALLOW_ALL": True,
    }


def _switched_off() -> dict[str, Any]:
    """Return the settings that switch off what else Scrapy would do: listen on ports, use proxies, log."""
    names = ("COOKIES", "HTTPPROXY", "LOG", "MEMUSAGE", "METAREFRESH", "REFERER", "REMOTE_CONTROL")
    off = {f"{name}_ENABLED": False for name in (*names, "TELNETCONSOLE")}
    return off | {"LOG_INSTALL_ROOT_HANDLER": False}
