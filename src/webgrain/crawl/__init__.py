"""A polite crawler: from addresses to a web archive, on top of Scrapy.

`plan` says what to crawl, `frontier` remembers what is still to be asked for, `archive` writes what came,
`seen` knows what earlier crawls have had. `spider`, `schedule`, `robots`, `retries`, `cookies`, `resolver`,
`downloads` and `tls` are what Scrapy is given; only `process` starts it, in a process of its own.
"""
