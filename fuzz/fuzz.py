"""Fuzz one of the targets of `tests.hostile.targets`: bytes that lead to new code are kept and changed on.

    python fuzz/fuzz.py parse -max_total_time=60
    python fuzz/fuzz.py parse --same

Targets: parse, match, model, unpack, warc, css, json (JSON-LD), log (search logs), row (a page in an audit),
site (pages from which a site is learnt), rules (robots.txt and sitemaps), response (headers and body).

The options behind the name are libFuzzer's. With ``--same`` the inputs are the same in each run of the same
code, on any machine: their number (`RUNS`) and all random numbers are fixed, and no time counts. It begins
with the hostile pages and with a model of each kind. An input that breaks a target is written to ``crash-*``
and ends the run. Needs atheris (``pip install atheris``).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

ROOT = Path(__file__).parents[1]
LONGEST = 20_000
"""Bytes of an input; longer ones are for `tests.hostile`, which looks at time and memory too."""

SAME = "--same"

RUNS = {
    "parse": 5000, "match": 3500, "model": 30_000, "unpack": 30_000, "warc": 30_000, "css": 30_000,
    "json": 20_000, "log": 20_000, "row": 6000, "site": 700, "rules": 20_000, "response": 30_000,
}  # fmt: skip
"""Inputs of each target with ``--same``: about a minute on a slow machine."""

OF_PAGES = ("parse", "match", "row", "site", "response")
"""Targets whose inputs are pages."""

SHEET = b"""@media (min-width: 9px) { #a > .b:not(p), div p:first-child { float: left; margin: 1em auto } }
p { font: italic bold 12px/1.5 "a b", serif; color: rgba(1, 2, 3, .5) !important; width: calc(100% - 2px) }
.b { display: flex; flex: 1 1 10%; position: absolute; inset: 0; background: url(x.png) #fff }
@import "x.css"; @supports (display: grid) { b { grid-template-columns: repeat(3, 1fr) } }"""


LINKED = b"""{"@context": "https://schema.org", "@graph": [{"@type": ["Article", "Thing"], "@id": "#a"},
{"@type": "Person", "name": "Kim", "url": ["/kim"]}], "author": [{"@id": "#a"}, "Kim Auk"], "datePublished":
"2020-01-01T10:00:00+01:00", "inLanguage": {"@value": "en"}, "keywords": "a, b", "headline": ["A", null, 1.5],
"mainEntityOfPage": {"@id": "https://example.org/a"}, "image": {"url": [{"@list": ["a.png"]}]}}"""

LOGS = [
    b'url,query,clicks\nhttps://example.org/a,blue lamp,3\n/b,"red, lamp",1\n',
    b'{"rows": [{"keys": ["lamp", "https://example.org/"], "clicks": 3}]}',
    b'1.2.3.4 - - [1/Jan/2020] "GET /a HTTP/1.1" 200 5 "http://example.org/?q=blue+lamp" "x"\n',
    b"Suchanfrage;Seite;Klicks\nlampe;https://example.org/a;3\n",
]


RULES = [
    b"User-agent: *\nDisallow: /a/*.gif$\nAllow: /\nCrawl-delay: 2\nSitemap: https://example.org/sitemap.xml\n",
    b"<urlset><url><loc>https://example.org/a?b&amp;c</loc></url><url><loc><![CDATA[/d]]></loc></url></urlset>",
    b"<sitemapindex><sitemap><loc>https://example.org/sitemap.xml</loc></sitemap></sitemapindex>",
]

RESPONSE = b'https://example.org/a\ntext/html; charset="utf-8"\n\nWed, 21 Oct 2015 07:28:00 GMT\n'


def main(name: str, options: list[str]) -> None:
    """Fuzz a target."""
    if SAME in options:
        if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets decides which code an input leads to
            os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})
        fixed = [f"-runs={RUNS[name]}", "-seed=1", "-timeout=600"]
        options = [*fixed, *(option for option in options if option != SAME)]
    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["webgrain"]):
        from tests.hostile.targets import TARGETS
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number:03}" for number in range(len(seeds(name)))]
        for path, data in zip(paths, seeds(name), strict=True):
            path.write_bytes(data)
        # Listed one by one: the files of a folder have another order on each machine.
        known = ["-seed_inputs=" + ",".join(map(str, paths))]
        if name in OF_PAGES:
            words = Path(folder) / "words"
            words.write_text("".join(f'"{word}"\n' for word in words_of_pages()))
            known.append(f"-dict={words}")
        limits = [f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=3000"]
        atheris.Setup([sys.argv[0], *limits, *known, *options], TARGETS[name])
        atheris.Fuzz()


def seeds(name: str) -> list[bytes]:
    """Return inputs to begin with."""
    from tests.hostile.corpus import PAGES
    from tests.hostile.models import KINDS, valid

    if name == "model":
        return [bytes([number]) + valid(kind) for number, kind in enumerate(KINDS)]
    if name == "css":
        return [SHEET, *SHEET.split(b"\n")]
    if name == "json":
        return [LINKED, *LINKED.split(b"\n")]
    if name == "log":
        return LOGS
    if name == "rules":
        return RULES
    if name == "response":
        return [RESPONSE + make(3)[:LONGEST] for make in PAGES.values()]
    if name in ("unpack", "warc"):
        return packed([make(3) for make in PAGES.values()])
    return [make(5)[:LONGEST] for make in PAGES.values()]


def words_of_pages() -> list[str]:
    """Return the usual tags and attributes of pages, which become parts of inputs."""
    from webgrain.page.vocabulary import NAMES, TAGS

    tags = [tag for tag in TAGS if tag.isalnum()]
    return [*(f"<{tag}>" for tag in tags), *(f"</{tag}>" for tag in tags), *(f" {name}=" for name in NAMES)]


def packed(pages: list[bytes]) -> list[bytes]:
    """Return pages as a zip archive, as a web archive, and compressed."""
    import gzip
    import io
    import zipfile
    import zlib

    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, page in enumerate(pages[:5]):
            archive.writestr(f"{number}.html", page)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n"
        b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
    )
    warc = b"".join(record % (len(head + page), head + page) for page in pages[:5])
    joined = b"".join(pages)[:LONGEST]
    return [content.getvalue(), warc, gzip.compress(warc), gzip.compress(joined), zlib.compress(joined)]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
