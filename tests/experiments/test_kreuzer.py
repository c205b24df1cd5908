from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.kreuzer import labelled_page, read_kreuzer, read_split

from webgrain.base.errors import InputError
from webgrain.page.page import Source
from webgrain.page.parsing import parse, parse_html

if TYPE_CHECKING:
    from pathlib import Path

DIALOG = (
    '<div role="dialog" class="ui-dialog ui-widget ui-resizable"><div>New</div>'
    '<div class="ui-dialog-content" id="popupDialog"><div>Menu</div></div></div>'
)
MARKED = f"""<html><head><title>T</title><meta http-equiv="Refresh" content="0; url=/away">
<script src="http://awesomeness/builder/builder.js" type="text/javascript">
</script><style type="text/css">
/*<![CDATA[*/ .highlight {{outline: 1px}} *[data-block] {{outline: 1px solid blue}} /*]]>*/
</style><style>p {{ color: red }}</style>
<link href="http://awesomeness/ui.css" rel="stylesheet" /></head>
<body class="highlight"><ul data-block-type="Menu" data-block="1" class="nav highlight"><li>Home</li></ul>
<div data-block-type="Content" data-block="1" class="">
<p data-block="2" data-block-type="Article">Text</p>x</div>
<a title="1 > 0">b</a>{DIALOG}<p>after</p></body></html>"""
TRACES = (
    b"data-block",
    b"awesomeness",
    b"popupDialog",
    b"highlight",
    b"ui-resizable",
    b"Refresh",
    b'class=""',
)


def cleaned(body: bytes) -> bytes:
    return labelled_page(Source("a", body)).source.body


def write_set(folder: Path) -> Path:
    for name in ("popular/b.org", "random/a.org"):
        (folder / name / "host" / "css").mkdir(parents=True)
        (folder / name / "host" / "index.blocks.html").write_text(MARKED)
        (folder / name / "host" / "css" / "a.css?v=3").write_text("p {}")
        (folder / name / "host" / "index.html").write_text("another page")
    return folder


def test_no_trace_of_the_marks_remains() -> None:
    body = cleaned(MARKED.encode())
    assert not [trace for trace in TRACES if trace in body]
    assert b"p { color: red }" in body
    assert b'class="nav"' in body
    assert b"after" in body


def test_everything_else_is_unchanged() -> None:
    dom = parse_html(cleaned(MARKED.encode()))
    body = dom.tags.index("body")
    text = dom.text_of(int((dom.tag == body).argmax()))
    assert " ".join(text.split()) == "Home Textx bafter"
    plain = b'<ul class="a b"><li id=x title="a > b">one</ul>\n<img alt=\'"\'>'
    assert cleaned(plain) == plain


def test_blocks_and_their_roles() -> None:
    page = labelled_page(Source("a", MARKED.encode()))
    dom = parse(page.source).dom
    assert [segment.role for segment in page.segments] == ["menu", "content", "article"]
    assert [dom.name(node) for segment in page.segments for node in segment.nodes(dom)] == ["ul", "div", "p"]


def test_a_dialog_that_is_not_closed_ends_with_the_page() -> None:
    assert cleaned(b'<p>a<div class="ui-dialog x"><div id="popupDialog">b') == b"<p>a"


@pytest.mark.parametrize(("body", "charset"), [(b"caf\xc3\xa9", "utf-8"), (b"caf\xe9", "windows-1252")])
def test_charset_follows_from_the_bytes(body: bytes, charset: str) -> None:
    page = labelled_page(Source("a", b"<meta charset=us-ascii><p>" + body))
    assert parse(page.source).charset == charset
    assert parse(page.source).dom.text.endswith("café")


def test_folder_and_archive_give_the_same(tmp_path: Path) -> None:
    folder, packed = write_set(tmp_path / "set"), tmp_path / "packed"
    packed.mkdir()
    with tarfile.open(packed / "pages.tar.xz", "w:xz") as tar:
        tar.add(folder, ".")
    unpacked, archived = list(read_kreuzer(folder)), list(read_kreuzer(packed))
    assert [page.source.id for page in unpacked] == ["popular/b.org", "random/a.org"]
    for one, other in zip(unpacked, archived, strict=True):
        assert (one.source.id, one.source.body, one.source.path) == (
            other.source.id,
            other.source.body,
            other.source.path,
        )
        assert one.segments == other.segments
        for source in (one.source, other.source):
            assert source.assets is not None
            assert source.assets.read("host/css/a.css?v=3") == b"p {}"
            assert source.assets.read("../a.org/host/index.html") is None


def test_wrong_folders_raise(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Neither pages.tar.xz nor any index.blocks.html is in"):
        list(read_kreuzer(tmp_path))
    (tmp_path / "pages.tar.xz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"pages.tar.xz cannot be read"):
        list(read_kreuzer(tmp_path))


def test_split(tmp_path: Path) -> None:
    assert read_split(tmp_path) == {}
    (tmp_path / "split.json").write_text('{"train": ["popular/b.org"], "val": []}')
    assert read_split(tmp_path) == {"train": ["popular/b.org"], "val": []}
    (tmp_path / "split.json").write_text("{")
    with pytest.raises(InputError, match=r"split.json cannot be read"):
        read_split(tmp_path)
