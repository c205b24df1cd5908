"""Templates from the command line: learn, show, diff, drift, sections."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from webgrain import Site

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]

PAGE = """<!doctype html><title>{0}</title><header><a href=/>Home</a></header>
<main class=post><h1>{0}</h1><ul>{1}</ul><p>Text of {0}.</main><footer>All rights reserved</footer>"""


def write(folder: Path, name: str, title: str, items: int) -> Path:
    rows = "".join(f"<li><a href='/{title}/{k}'>{title} {k}</a> <b>{k * k}</b>" for k in range(items))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(PAGE.format(title, rows), "utf-8")
    return folder / name


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    for k in range(6):
        write(tmp_path / "blog", f"{k}.html", f"Post {'abcdef'[k]}", k + 2)
    return tmp_path / "blog"


@pytest.fixture
def template(webgrain: Webgrain, blog: Path, tmp_path: Path) -> Path:
    assert webgrain("learn", "template", blog, "-o", tmp_path / "template.json").code == 0
    return tmp_path / "template.json"


def test_a_template_is_learnt_and_shown(webgrain: Webgrain, blog: Path, tmp_path: Path) -> None:
    done = webgrain("learn", "template", blog, "-o", tmp_path / "t.json")
    assert (done.code, done.out) == (0, "")
    assert webgrain("template", "show", tmp_path / "t.json", "--format", "text").out.strip() == (
        "html[body[header[a[#text]] "
        "main.post[h1[#text] ul[(li[a[#text] b[#text]])*] p[#text]] footer[#text]]]"
    )
    records = webgrain("template", "show", tmp_path / "t.json", "--format", "jsonl").records
    assert records[0] == {"css": "html", "op": "", "support": 1.0, "noise": [], "role": None, "texts": []}
    [item] = [record for record in records if record["css"] == "html > body > main.post > ul > li"]
    assert (item["op"], item["role"]) == ("star", "items")


def test_a_template_of_one_page_has_a_notice(webgrain: Webgrain, blog: Path, tmp_path: Path) -> None:
    few = webgrain("learn", "template", blog, "-o", tmp_path / "t.json", "--pages", 2)
    single = webgrain("learn", "template", blog / "0.html", "-o", tmp_path / "t.json")
    notice = "The template was learnt from one page, so it does not know in what pages differ."
    assert (few.code, single.code) == (0, 0)
    assert notice not in few.err
    assert notice in single.err


def test_a_template_is_shown_with_what_its_parts_are(webgrain: Webgrain, template: Path) -> None:
    lines = webgrain("template", "show", template).out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["body"],
        ["header", "frame"],
        ["main.post"],
        ["h1", "content"],
        ["li", "*"],
        ["p", "content"],
        ["footer", "frame"],
    ]
    assert lines[3].endswith("Post a | Post b")


def test_a_template_without_marked_parts_is_explained(
    webgrain: Webgrain, template: Path, tmp_path: Path
) -> None:
    older = json.loads(template.read_text("utf-8"))
    for node in older["nodes"]:
        node.pop("role", None)
        node.pop("texts", None)
    (tmp_path / "older.json").write_text(json.dumps(older), "utf-8")
    assert webgrain("template", "show", template).err == ""
    done = webgrain("template", "show", tmp_path / "older.json")
    assert done.code == 0
    assert done.out.split()[0] == "html"
    assert done.err.endswith("older.json: the template does not state what its parts are: learn it again.\n")


def test_a_binary_file_is_no_template(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "pages.parquet").write_bytes(b"PAR1\x15\x04\x15\xf0\x83PAR1")
    done = webgrain("template", "show", tmp_path / "pages.parquet")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.endswith("pages.parquet contains no webgrain template: it is a binary file.\n")


def test_the_templates_of_a_site_are_shown_by_type(webgrain: Webgrain, blog: Path, tmp_path: Path) -> None:
    Site.fit(blog).save(tmp_path / "site.json")
    [name, *lines] = webgrain("template", "show", tmp_path / "site.json").out.strip().splitlines()
    assert name.endswith("]")
    assert "content" in lines[3].split()
    records = webgrain("template", "show", tmp_path / "site.json", "--format", "jsonl").records
    assert records[0]["type"] == name.rpartition("[")[2][:-1]


def test_pages_are_drawn_by_the_seed(webgrain: Webgrain, blog: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 5)):
        webgrain("learn", "template", blog, "-o", tmp_path / name, "--pages", 2, "--seed", seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert json.loads((tmp_path / "a").read_text("utf-8"))["pages"] == 2


def test_the_published_method_has_no_additional_features(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    for k in range(6):
        html = f"<title>{k}</title><h1>Post {k}</h1><p>Posted by Kim on {k} May"
        (tmp_path / "site" / f"{k}.html").write_text(html, "utf-8")
    found = {}
    for method in ("sitetemplate", "regextree"):
        path = tmp_path / f"{method}.json"
        assert webgrain("learn", "template", tmp_path / "site", "-o", path, "--method", method).code == 0
        found[method] = json.dumps(
            [row["noise"] for row in webgrain("template", "show", path, "--format", "jsonl").records]
        )
    assert '["word", "kim"' in found["sitetemplate"]
    assert '"word"' not in found["regextree"]


def test_one_template_of_each_type(webgrain: Webgrain, blog: Path, tmp_path: Path) -> None:
    (blog / "index.html").write_text("<table><tr><td>x</table>", "utf-8")
    rows = [f"{k}.html\tposts/new" for k in range(6)] + ["index.html\tindex"]
    (tmp_path / "types.tsv").write_text("\n".join(["page\ttype", *rows]), "utf-8")
    done = webgrain("learn", "template", blog, "-o", tmp_path / "out", "--types", tmp_path / "types.tsv")
    assert (done.code, done.out) == (0, "")
    [line] = [line for line in done.err.splitlines() if "template" in line]
    assert line.startswith("webgrain: type index: The template was learnt from one page, so")
    files = sorted((tmp_path / "out").glob("*.json"))
    assert len(files) == 2
    records = webgrain("sections", "--template", tmp_path / "out", blog).records
    assert [record["template"] for record in records] == [files[1].stem] * 6 + [files[0].stem]


def test_noisy_sections_are_marked(webgrain: Webgrain, blog: Path, template: Path) -> None:
    write(blog, "new.html", "New", 3)
    (record,) = webgrain("sections", "--template", template, blog / "new.html").records
    assert list(record)[:6] == ["page", "url", "notes", "template", "match", "accepted"]
    assert list(record)[6:] == ["exact", "differences", "sections"]
    assert (record["template"], record["match"], record["accepted"]) == ("template", 1.0, True)
    assert list(record["sections"][0]) == [
        "id", "xpath", "css", "box", "text", "leaves", "importance", "boilerplate", "noisy", "list",
    ]  # fmt: skip
    boilerplate = {section["text"]: section["boilerplate"] for section in record["sections"]}
    assert boilerplate["All rights reserved"] is True
    assert any(section["list"] and section["text"].startswith("New 0") for section in record["sections"])


@pytest.mark.browser
def test_sections_as_pictures(
    webgrain: Webgrain, blog: Path, template: Path, tmp_path: Path, browser_path: str
) -> None:
    out = tmp_path / "result"
    done = webgrain("sections", "--template", template, blog / "0.html", "-o", out, "--html", "--overlay")
    assert (done.code, done.err) == (0, f"webgrain: 1 page, 0 failures; the results are in {out}.\n")
    (picture,) = (out / "overlays").glob("*.png")
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "importance 0%" in (out / "gallery.html").read_text("utf-8")
    assert len((out / "sections.jsonl").read_text("utf-8").splitlines()) == 1


def test_drift_is_an_alarm_when_the_layout_changed(
    webgrain: Webgrain, blog: Path, template: Path, tmp_path: Path
) -> None:
    (same,) = webgrain("template", "drift", "--template", template, blog).records
    assert (same["level"], same["vanished"], same["appeared"]) == ("none", [], [])
    for k in range(10):
        page = write(tmp_path / "new", f"{k}.html", "Post", k % 6 + 2)
        page.write_text(
            page.read_text("utf-8").replace("<h1>Post</h1>", "").replace("footer", "form"), "utf-8"
        )
    done = webgrain("template", "drift", "--template", template, tmp_path / "new", "--strict")
    assert done.code == 1
    (changed,) = done.records
    assert changed["level"] == "alarm"
    assert {node["css"].split(" > ")[-1] for node in changed["vanished"]} == {"h1", "footer"}
    assert (
        "html > body > footer has disappeared: on 100% of the pages before, on 0% now" in changed["summary"]
    )


def test_selectors_are_repaired_when_the_layout_changed(
    webgrain: Webgrain, blog: Path, template: Path, tmp_path: Path
) -> None:
    assert webgrain("template", "repair", "--template", template, blog).records == []
    for k in range(10):
        page = write(tmp_path / "new", f"{k}.html", "Post", k % 6 + 2)
        page.write_text(page.read_text("utf-8").replace("class=post", "class=entry"), "utf-8")
    records = webgrain("template", "repair", "--template", template, tmp_path / "new").records
    assert records
    for record in records:
        assert (record["name"], "entry" in record["css"]) == ("list", True)
        assert record["works"] == record["pages"] == 5


def test_two_templates_are_compared(webgrain: Webgrain, template: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", "0.html", "Post", 3).write_text("<main class=post><h1>x</h1></main>", "utf-8")
    webgrain("learn", "template", tmp_path / "other", "-o", tmp_path / "other.json")
    lines = webgrain("template", "diff", template, tmp_path / "other.json").out.splitlines()
    assert "1.00 -> 0.00  html > body > footer" in lines
    assert not any("h1" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "template", "{empty}", "-o", "{out}"], "no page to learn a template from"),
        (["learn", "template", "{blank}", "-o", "{out}"], "is left out: It has no visible node."),
        (["template", "show", "{empty}/none.json"], "Cannot read a model"),
        (["template", "show", "{html}"], "contains no webgrain template"),
        (["sections", "--template", "{empty}", "{html}"], "holds no template"),
        (["sections", "--template", "{html}", "{html}"], "contains no webgrain template"),
        (["template", "drift", "--template", "{template}"], "Name at least one input"),
        (
            ["template", "drift", "--template", "{template}", "{empty}"],
            "nothing to compare with the template",
        ),
        (["sections", "--template", "{template}", "{html}", "--area", "2"], "area must be in"),
        (["template", "repair", "--template", "{template}", "{empty}"], "no selector can be verified"),
        (["learn", "template", "{html}", "-o", "{out}", "--types", "{html}"], "contains no page types"),
    ],
)
def test_wrong_input_gives_one_sentence(
    webgrain: Webgrain, blog: Path, template: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank.html").touch()
    places = {
        "blank": tmp_path / "blank.html",
        "empty": tmp_path / "empty",
        "out": tmp_path / "out.json",
        "html": blog / "0.html",
        "template": template,
    }
    done = webgrain(*(argument.format(**places) for argument in arguments))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
