"""Read pages from zip archives and web archives (WARC, ISO 28500); the zip archives of textcrawler.

Nothing is unpacked to disk, so no name in a zip archive can do harm there. Reading of a web archive continues
after damaged records.

Textcrawler is the crawler of Webstemmer (Shinyama, 2007, ``textcrawler.py``). A member of its archives is
named by the time of the crawl, the host, and path and query: ``200511210103/www.example.org/news/``. The
last member, ``linkinfo``, has a line for each page that a link names: its name and the texts of the links, as
literals of Python.
"""

from __future__ import annotations

import ast
import gzip
import math
import posixpath
import re
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from webgrain.base.errors import ReadError
from webgrain.base.failures import Failure
from webgrain.io import decode, local
from webgrain.io.thresholds import BOMB_RATIO, MAX_SHEET, REDIRECTS, REPAIRS, SHEET_CHARACTERS, STORED_SHEETS
from webgrain.page.filetypes import is_html, saved_format, why_not_html
from webgrain.page.links import canonical, joined
from webgrain.page.page import Limits, Source
from webgrain.page.thresholds import HEAD, LONGEST_URL

_LOCAL_HEADER = 30  # bytes without the name
_PIECE = 2**20
_RECORD = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|(?<=\n)WARC/\d")


def read_zip(path: Path, page: str, prefix: str, limits: Limits) -> Iterator[Source | Failure]:
    """Yield the HTML members of a zip archive in the order of its directory.

    The same members are pages as in a folder, and those of textcrawler whose name ends in a slash. Pages of
    textcrawler have the URL that their name gives, with the scheme ``http``.
    A damaged or encrypted member, a member whose name leads out of the archive, and a zip bomb become a
    `Failure`; so does an archive without a readable directory.

    Args:
        path: the archive.
        page: id of the failure of the archive.
        prefix: the id of a page is this text and the name of the member.
        limits: a body is read up to ``limits.bytes + 1`` bytes.

    >>> import tempfile, zipfile
    >>> from pathlib import Path
    >>> from webgrain.page.page import Limits
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with zipfile.ZipFile(Path(folder) / "site.zip", "w") as archive:
    ...         archive.writestr("a.html", "<p>Hi")
    ...         archive.writestr("main.css", "p { }")
    ...     [item.id for item in read_zip(Path(folder) / "site.zip", "site.zip", "", Limits())]
    ['a.html']
    """
    assets = local.ZipAssets(path)
    try:
        local.open_regular(path).close()
        members = assets.archive.infolist()
        most = limits.bytes + BOMB_RATIO * path.stat().st_size
    except (ReadError, *local.ZIP_ERRORS):
        yield Failure(page, ReadError.stage, f"{page} is not a zip archive, or it is cut off.")
        return
    overlapping, unpacked, hidden = _overlapping(members), 0, []
    crawled = any(member.filename == LINKINFO for member in members)
    for member in members:
        # Some Windows programs write backslashes, against the standard.
        stored = member.filename.replace("\\", "/")
        name = local.printable(posixpath.normpath("/" + stored).lstrip("/"))
        is_folder = member.filename.endswith("/")  # `ZipInfo.is_dir` raises if the name is empty
        if is_folder and member.file_size:
            name, is_folder = f"{name}/", False
        if local.is_hidden(name):
            hidden += [name] if decode.has_html_name(name) and "/._" not in name else []
            continue
        declared = decode.has_html_name(name) or (crawled and name != LINKINFO)
        if is_folder or not (declared or _is_document(assets, member)):
            continue
        unpacked += min(member.file_size, limits.bytes + 1)
        if unpacked > most:
            reason = f"The archive would unpack to more than {most:,} bytes: a zip bomb. Reading stops."
            yield Failure(prefix + name, ReadError.stage, reason)
            return
        if member.header_offset in overlapping:
            yield Failure(prefix + name, ReadError.stage, "The member overlaps another one: a zip bomb.")
            continue
        read_one = partial(_read_member, assets, member, stored, name, prefix, limits, crawled)
        yield local.read_page(prefix + name, read_one)
    local.warn_of_hidden(page, hidden)


def _overlapping(members: list[ZipInfo]) -> set[int]:
    """Return the positions of the members that share bytes with the member before them."""
    overlapping, end = set(), 0
    for member in sorted(members, key=lambda member: member.header_offset):
        if member.header_offset < end:
            overlapping.add(member.header_offset)
        end = max(end, member.header_offset + _LOCAL_HEADER + member.compress_size)
    return overlapping


def _is_document(assets: local.ZipAssets, member: ZipInfo) -> bool:
    """Return whether a member begins like an HTML document, or like one that is refused by name."""
    try:
        head = local.read_member(assets.archive, member, HEAD)
    except ReadError:
        return False
    return is_html(head, declared=False) or bool(saved_format(head))


def _read_member(
    assets: local.ZipAssets,
    member: ZipInfo,
    stored: str,
    name: str,
    prefix: str,
    limits: Limits,
    crawled: bool,
) -> Source:
    if not local.is_inside(stored):
        raise ReadError("The name of the member leads out of the archive.")
    body = local.read_member(assets.archive, member, limits.bytes + 1)
    if len(body) > limits.bytes and member.file_size > BOMB_RATIO * max(member.compress_size, 1):
        raise ReadError(f"The member would unpack to {member.file_size} bytes: a zip bomb.")
    body = decode.decompress_file(body, name, limits.bytes + 1)
    if reason := why_not_html(name, body, crawled or decode.has_html_name(name)):
        raise ReadError(reason)
    address = _CRAWLED.fullmatch(name) if crawled else None
    url = f"http://{address[1]}" if address else None
    return Source(prefix + name, body, url=url, assets=assets, path=name)


# Textcrawler.

LINKINFO = "linkinfo"
"""The member with the texts of links."""
_CRAWLED = re.compile(r"\w+/([\w.-]+(?::\d+)?/.*)")  # the time of the crawl, host and path
_LINE, _MOST_LINKINFO = 1_000_000, 2**26  # characters of a line, and bytes, of linkinfo that are read


def read_linkinfo(path: Path, prefix: str = "") -> dict[str, Counter[str]]:
    """Return the texts of the links to each page of an archive of textcrawler; empty for other files.

    prefix: what the ids of its pages begin with. Lines that are no pair of a name and texts are ignored.

    >>> from pathlib import Path
    >>> read_linkinfo(Path("missing.zip"))
    {}
    """
    link_texts: dict[str, Counter[str]] = {}
    try:
        with ZipFile(path) as archive, archive.open(LINKINFO) as file:
            lines = file.read(_MOST_LINKINFO).decode("utf-8", "replace").splitlines()
    except (KeyError, *local.ZIP_ERRORS):
        return link_texts
    for line in lines:
        try:
            name, texts = ast.literal_eval(line[:_LINE].strip())
            counts = Counter(" ".join(text.split()) for text in texts if isinstance(text, str))
            link_texts.setdefault(f"{prefix}{name}", Counter()).update(counts)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return link_texts


def write_textcrawler(
    path: Path, pages: Iterable[Source], texts: Mapping[str, Mapping[str, int]], base: str
) -> int:
    """Write pages to a zip archive as textcrawler does, and return their number.

    texts: the texts of the links to each page, by its id; base: the first part of the names, the time of the
    crawl. Pages without a URL, and pages with the name of an earlier one, are left out.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, page = Path(folder) / "a.zip", Source("a", b"<p>A", url="http://example.org/?a")
    ...     write_textcrawler(path, [page], {"a": {"To A": 1}}, "200511210103")
    ...     read_linkinfo(path)
    1
    {'200511210103/example.org/?a': Counter({'To A': 1})}
    """
    names, written = dict[str, str](), set[str]()
    with local.replacing(path) as part, ZipFile(part, "w", ZIP_DEFLATED) as archive:
        for page in pages:
            address = urlsplit(page.url or "")
            query = f"?{address.query}" if address.query else ""
            name = f"{base}/{address.netloc.rpartition('@')[2]}{address.path or '/'}{query}"
            if address.netloc and name not in written:
                names[page.id] = name
                written.add(name)
                archive.writestr(ZipInfo(name), page.body, ZIP_DEFLATED)
        lines = [ascii((name, list(texts.get(page, ())))) for page, name in names.items()]
        archive.writestr(LINKINFO, "".join(f"{line}\n" for line in lines))
    return len(names)


def read_warc(path: Path, page: str, limits: Limits) -> Iterator[Source | Failure]:
    """Yield the HTML pages of a web archive; the id of a page is its target URI.

    A page is a ``response`` record with a status from 200 to 299 whose Content-Type is HTML or, without one,
    whose body begins like HTML. A damaged record becomes a `Failure` with its URI, or ``page`` if the URI is
    not readable, and reading continues at the next complete record. The pages may load the style sheets in
    the archive.

    Args:
        path: the archive.
        page: id of failures without a URI.
        limits: a body is read up to ``limits.bytes + 1`` bytes, counted after decompression.

    >>> from pathlib import Path
    >>> from webgrain.page.page import Limits
    >>> [failure.error for failure in read_warc(Path("missing.warc.gz"), "missing.warc.gz", Limits())]
    ['No such file or directory.']
    """
    try:
        file = local.open_regular(path)
    except (ReadError, OSError) as error:
        yield Failure(page, ReadError.stage, f"{getattr(error, 'strerror', error)}.")
        return
    start: int | None = 0
    with file:
        for _ in range(REPAIRS):
            damaged = yield from _read_records(file, start or 0, page, limits, WarcAssets(path))
            start = None if damaged is None else _next_record(file, damaged + 1)
            if start is None:
                return
    yield Failure(
        page, ReadError.stage, f"The archive is damaged in too many places: stopped at byte {start}."
    )


def _read_records(
    file: BinaryIO, start: int, page: str, limits: Limits, assets: WarcAssets
) -> Generator[Source | Failure, None, int | None]:
    """Yield the pages from a byte position; return the position of the first damaged record, or None.

    A damaged record is reported unless the record at ``start`` is already one of the attempts after it.
    """
    at, name, reported = start, page, start > 0
    file.seek(start)
    try:
        for record in ArchiveIterator(file, parse_http=False):
            at = record.stream_pos
            if _is_page(record):
                name = _uri(record)
                body: bytes = record.reader.read(limits.bytes + 1)
                if len(body) < min(record.content_length, limits.bytes + 1):
                    raise OSError(f"a record ends after {len(body)} of {record.content_length} bytes")
                yield local.read_page(name, partial(_source, record, body, limits, assets), name)
            name, reported = page, False
        _check_end(file, at)
    except (OSError, EOFError, zlib.error) as error:
        if not reported:
            reason = str(error).rstrip(".")
            yield Failure(name, ReadError.stage, f"The archive is damaged behind byte {at}: {reason}.")
        return at
    return None


SECONDS_FIELD = "WARC-Answer-Seconds"
"""Field of a record: seconds until the server began to answer. The crawler of webgrain writes it."""


class StoredAnswer(NamedTuple):
    """The answer of a server in a web archive.

    Attributes:
        url, status: of the response; location: its Location header, empty for none.
        seconds: until the server began to answer; None if not known.
        is_probe: whether the crawler has made up the address, which does not exist.
        page: what the server sent for such an address; None if it is no page, and for other addresses.
        sheet: the bytes of a style sheet; None for other files, and for one of more than `MAX_SHEET` bytes.
        is_file: whether the server has sent a file that is not a page.
    """

    url: str
    status: int
    location: str = ""
    seconds: float | None = None
    is_probe: bool = False
    page: Source | None = None
    sheet: bytes | None = None
    is_file: bool = False


def read_answers(path: Path) -> Iterator[StoredAnswer]:
    """Yield the answers in a web archive, also those to addresses that do not exist.

    Reading ends at a damaged record. Addresses that are longer than those of links are left out.
    """
    for record, headers in _answers(path, types=WarcRecordType.response | WarcRecordType.metadata):
        if len(url := _uri(record)) > LONGEST_URL:
            continue
        is_probe = record.record_type == WarcRecordType.metadata
        is_page = _may_be_page(headers.status_code, headers.get("Content-Type"))
        yield StoredAnswer(
            url,
            headers.status_code,
            local.printable(headers.get("Location") or ""),
            _seconds(record),
            is_probe,
            _probe_page(record) if is_probe and is_page else None,
            None if is_probe else _sheet(record, headers),
            200 <= headers.status_code < 300 and not is_page and not is_probe,
        )


def _probe_page(record: WarcRecord) -> Source | None:
    """Return the page that a server sent for an address that does not exist; None for something else."""
    limits = Limits()
    with suppress(ReadError):
        return _source(record, record.reader.read(limits.bytes + 1), limits)
    return None


def _sheet(record: WarcRecord, headers: Any) -> bytes | None:
    """Return the bytes of a style sheet; None for something else, and for a damaged or large one."""
    if not _is_sheet(headers):
        return None
    body = _body(record, headers, MAX_SHEET + 1)
    return body if body is not None and len(body) <= MAX_SHEET else None


def _is_sheet(headers: Any) -> bool:
    """Whether a server answered with a style sheet."""
    is_css: bool = decode.media_type(headers.get("Content-Type"))[0] == "text/css"
    return is_css and headers.status_code == 200


def _body(record: WarcRecord, headers: Any, limit: int) -> bytes | None:
    """Return at most ``limit`` bytes of the body of a response; None if it cannot be decompressed."""
    body: bytes = record.reader.read(limit + 1)
    if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
        body = decode.dechunk(body, limit + 1)
    with suppress(ReadError):
        return decode.decompress(body, headers.get("Content-Encoding"), limit)
    return None


def _seconds(record: WarcRecord) -> float | None:
    """Return the seconds until a server began to answer; None if they are not stated."""
    try:
        seconds = float(record.headers.get(SECONDS_FIELD) or "nan")
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def read_bodies(path: Path, wanted: Callable[[str], bool], limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield the URI and at most ``limit`` bytes of each successful response whose URI is wanted.

    Reading ends at a damaged record; bodies that cannot be decompressed are left out.
    """
    for record, headers in _answers(path):
        uri = _uri(record)
        if headers.status_code != 200 or not wanted(uri):
            continue
        body = _body(record, headers, limit)
        if body is not None:
            yield uri, body


def _is_page(record: WarcRecord) -> bool:
    if "Content-Length" not in record.headers:
        raise OSError("a record has no length")
    if record.record_type != WarcRecordType.response or not record.is_http:
        return False
    record.parse_http()
    headers = record.http_headers
    if headers is None or headers.status_code is None:
        return True  # becomes a failure with its URI
    return _may_be_page(headers.status_code, headers.get("Content-Type"))


def _may_be_page(status: int, content_type: str | None) -> bool:
    """Whether a server answered with success, and with HTML or without stating what it sent."""
    type_ = decode.media_type(content_type)[0]
    return 200 <= status < 300 and (not type_ or type_ in decode.HTML_TYPES)


def _uri(record: WarcRecord) -> str:
    # Wget writes the URI in angle brackets, like an early draft of the standard.
    return local.printable(record.headers.get("WARC-Target-URI") or "unknown address").strip("<>")


def _source(record: WarcRecord, body: bytes, limits: Limits, assets: WarcAssets | None = None) -> Source:
    headers = record.http_headers
    if headers is None or headers.status_code is None:
        raise ReadError("The record holds no HTTP response.")
    content_type, charset = decode.media_type(headers.get("Content-Type"))
    if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
        body = decode.dechunk(body, limits.bytes + 1)
    body = decode.decompress(body, headers.get("Content-Encoding"), limits.bytes + 1)
    if reason := why_not_html("The record", body, declared=bool(content_type)):
        raise ReadError(reason)
    uri = _uri(record)
    return Source(uri, body, url=uri, charset=charset, assets=assets, path=_path_of(uri))


def _path_of(uri: str) -> str:
    """Return the path of a page in a mirror with a folder for each host.

    >>> _path_of("http://example.org/a/b?c=/d"), _path_of("http://example.org")
    ('example.org/a/b', 'example.org/')
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "index.html"
    return f"{parts.netloc}{parts.path or '/'}"


@dataclass(frozen=True)
class WarcAssets:
    """The style sheets in a web archive, as files in a folder for each host.

    A process reads the headers of all records once to learn where the style sheets are. If there are several
    with an address, it is the last one; redirects are followed. Reading ends at a damaged record.

    >>> WarcAssets(Path("missing.warc.gz")).read("example.org/css/main.css") is None
    True
    """

    path: Path

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the style sheet at a path that begins with its host, or None."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        places = _sheet_places(self.path, status.st_size, status.st_mtime_ns)
        name = canonical(f"http://{path}")
        return _sheet_at(self.path, places[name], status.st_mtime_ns) if name in places else None


@lru_cache(maxsize=8)
def _sheet_places(path: Path, size: int, changed: int) -> dict[str, int]:
    """Return the byte position of each style sheet in an archive, by its canonical address.

    size, changed: of the archive, so that one that changes is read again.
    """
    places = dict[str, int]()
    moved = dict[str, str]()
    room = SHEET_CHARACTERS
    for record, headers in _answers(path):
        if len(places) >= STORED_SHEETS or room < 0:
            break
        name = canonical(_uri(record))
        if _is_sheet(headers):
            places[name] = record.stream_pos
            room -= len(name)
        elif 300 <= headers.status_code < 400 and headers.get("Location") and len(moved) < STORED_SHEETS:
            moved[name] = canonical(joined(_uri(record), headers.get("Location")))
            room -= len(name) + len(moved[name])
    for name, target in moved.items():
        for _ in range(REDIRECTS):
            target = moved.get(target, target)
        if target in places:
            places.setdefault(name, places[target])
    return places


@lru_cache(maxsize=16)  # the pages of a site have the same sheets
def _sheet_at(path: Path, place: int, changed: int) -> bytes | None:
    """Return the style sheet at a byte position of an archive; None for a damaged or large one.

    changed: as in `_sheet_places`.
    """
    for record, headers in _answers(path, place):
        return _sheet(record, headers)
    return None


def _answers(
    path: Path, start: int = 0, types: WarcRecordType = WarcRecordType.response
) -> Iterator[tuple[WarcRecord, Any]]:
    """Yield the answers in an archive and their HTTP headers, from a byte position to a damaged record."""
    try:
        with local.open_regular(path) as file:
            file.seek(start)
            for record in ArchiveIterator(file, parse_http=False, record_types=types):
                headers = record.http_headers if record.is_http and record.parse_http() is None else None
                if headers is not None and headers.status_code is not None:
                    yield record, headers
    except (ReadError, OSError, EOFError, zlib.error):
        return


def _check_end(file: BinaryIO, at: int) -> None:
    # The library does not report a truncated gzip member at the end of the archive; Python's reader does.
    file.seek(at)
    if file.read(2) == b"\x1f\x8b":
        file.seek(at)
        with gzip.GzipFile(fileobj=file) as rest:
            while rest.read(_PIECE):
                pass


def _next_record(file: BinaryIO, start: int) -> int | None:
    """Return the position of the next possible record from a byte position, or None."""
    overlap = b""
    file.seek(start)
    while piece := file.read(_PIECE):
        window = overlap + piece
        if match := _RECORD.search(window):
            return file.tell() - len(window) + match.start()
        overlap = window[-8:]
    return None
