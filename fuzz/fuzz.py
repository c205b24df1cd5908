"""Fuzz one of the targets of `tests.hostile.targets`: bytes that lead to new code are kept and changed on.

    python fuzz/fuzz.py parse -max_total_time=60

Targets: parse, match, model, unpack, warc, css, json (JSON-LD), log (search logs). The options behind the
name are libFuzzer's. It begins with the hostile pages and with a model of each kind. An input that breaks a
target is written to ``crash-*`` and ends the run. Needs atheris (``pip install atheris``).
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

ROOT = Path(__file__).parents[1]
LONGEST = 20_000
"""Bytes of an input; longer ones are for `tests.hostile`, which looks at time and memory too."""


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


def main(name: str, options: list[str]) -> None:
    """Fuzz a target."""
    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["webgrain"]):
        from tests.hostile.targets import TARGETS
    with TemporaryDirectory() as folder:
        for number, data in enumerate(seeds(name)):
            (Path(folder) / f"{number}").write_bytes(data)
        known = [f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=3000", folder]
        atheris.Setup([sys.argv[0], *known, *options], TARGETS[name])
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
    if name in ("unpack", "warc"):
        return packed([make(3) for make in PAGES.values()])
    return [make(5)[:LONGEST] for make in PAGES.values()]


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
