"""Limits of a crawl. All are hand-set, not tuned, unless a source is named."""

URL_LENGTH = 2048
"""Characters of a URL that is followed; longer ones usually come from a page that appends to its own URL."""

PATH_REPEATS = 3
"""A path in which one part occurs this often, as in /a/b/a/b/a/b, usually has a wrong relative link."""

PAGE_LINKS = 5000
"""Links that are followed from one page."""

SITEMAP_URLS = 50_000
"""URLs of a sitemap (limit of the sitemap protocol, sitemaps.org)."""

SITEMAP_DEPTH = 3
"""Levels of sitemaps that list sitemaps."""

SHEETS = 500
"""Style sheets that are requested in a crawl, as many as an audit reads of a site."""

PAGE_SHEETS = 50
"""Style sheets of one page, or of one style sheet, that are requested."""

SHEET_DEPTH = 5
"""Levels of style sheets that import style sheets, and redirects between them."""

VARIANTS = 100
"""URLs that differ only in their parameters; calendars and filters are endless."""

CRAWL_REDIRECTS = 5
"""Redirects in a row; more are a loop."""

RETRY_AFTER = 300.0
"""Seconds: the longest Retry-After that is obeyed."""

CRAWL_DELAY = 60.0
"""Seconds: the longest Crawl-delay that is obeyed."""

ROBOTS_READ = 500 * 1024
"""Bytes of a robots.txt that are parsed (RFC 9309, section 2.5)."""

ROBOTS_HEADER = 2**16
"""Bytes of a robots.txt in addition to those that are parsed, for data that compression enlarges."""

ROBOTS_SECONDS = 24 * 3600.0
"""Seconds after which a robots.txt is requested again (RFC 9309, section 2.4)."""

ROBOTS_SITEMAPS = 100
"""Sitemaps that are read from one robots.txt."""

HEADER_BYTES = 2**18
"""Approximate size limit of the headers of a response."""

LOCK_SECONDS = 30.0
"""Seconds to wait for another process that writes to the same database."""
