"""Build the sample site: content/, templates/ and assets/ in, site/ and truth.json out.

``python examples/build.py`` rewrites the committed pages; ``-o DIR`` writes the same files elsewhere.
The same content always gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import shutil
import tomllib
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import marks
from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markupsafe import Markup

if TYPE_CHECKING:
    import datetime

HERE = Path(__file__).parent
BASE_URL = "https://www.sandrey-lantern.example/"
PAGE_SIZE = {"article": 5, "product": 4, "person": 6}
LINK = re.compile(r'(?<=[\s"])((?:href|src|action|background)=")/([^"#]*)')


@dataclass(frozen=True, slots=True)
class Doc:
    """One page to be: its path below site/, what its front matter says, and its body as HTML."""

    path: str
    type: str
    meta: dict[str, Any]
    body: Markup = field(default_factory=Markup)

    @property
    def lang(self) -> str:
        """Language of the frame: the first folder, English outside of both."""
        return "de" if self.path.startswith("de/") else "en"

    @property
    def section(self) -> str:
        """Folder that the page stands in."""
        return posixpath.dirname(self.path)

    @property
    def template(self) -> str:
        """Name of the template that draws the page."""
        return str(self.meta.get("template", self.type))

    def draw(self, share: int, salt: str = "") -> bool:
        """Return True on about one page in ``share``, always the same ones."""
        return zlib.crc32((self.path + salt).encode()) % share == 0

    def pick(self, choices: list[Any], shift: int = 0) -> Any:
        """Return one of the choices, always the same for a page."""
        return choices[(zlib.crc32(self.path.encode()) + shift) % len(choices)]


def load_site() -> dict[str, Any]:
    """Return the names, menus, words and advertisements of both languages."""
    return tomllib.loads((HERE / "content" / "site.toml").read_text("utf-8"))


def load_docs() -> list[Doc]:
    """Return every page that has a content file: TOML between +++ lines, then Markdown or HTML."""
    markdown = MarkdownIt("commonmark").enable("table")
    docs = []
    for file in sorted([*(HERE / "content").rglob("*.md"), *(HERE / "content").rglob("*.html")]):
        _, front, text = file.read_text("utf-8").split("+++\n", 2)
        meta = tomllib.loads(front)
        path = file.relative_to(HERE / "content").with_suffix(".html").as_posix()
        body = text if file.suffix == ".html" else markdown.render(text)
        docs.append(Doc(path, meta.pop("type"), meta, Markup(body)))
    return [copy_of(doc, docs) for doc in docs]


def copy_of(doc: Doc, docs: list[Doc]) -> Doc:
    """Return the page itself, or, where it repeats another one, with that one's words."""
    if "source" not in doc.meta:
        return doc
    source = next(d for d in docs if d.path == doc.meta["source"])
    return Doc(doc.path, doc.type, {**source.meta, "comments": [], **doc.meta}, source.body)


def list_docs(docs: list[Doc], site: dict[str, Any]) -> list[Doc]:
    """Return the front pages and the pages that list others: sections, shop, people, search results."""
    lists = []
    for lang in ("en", "de"):
        words = site[lang]
        lists.append(Doc(f"{lang}/index.html", "front", {"blocks": words["sections"]}))
        for section in words["sections"]:
            lists += numbered(lang, section, newest_first(docs))
        for search in words["searches"]:
            found = [d for d in newest_first(docs) if d.lang == lang and matches(d, search["word"])]
            meta = {"title": f"{words['results_for']} “{search['word']}”", "found": found, **search}
            lists.append(Doc(f"{lang}/search/{search['file']}.html", "search", meta))
    return lists


def numbered(lang: str, section: dict[str, Any], docs: list[Doc]) -> list[Doc]:
    """Return the pages of one list: index.html, page-2.html and so on."""
    size = PAGE_SIZE[section["kind"]]
    folder = f"{lang}/{section['folder']}"
    members = [d for d in docs if (d.section, d.type) == (folder, section["kind"])]
    names = ["index.html", *(f"page-{k + 2}.html" for k in range((len(members) - 1) // size))]
    pages = [f"{folder}/{name}" for name in names]
    parts = [members[k * size : (k + 1) * size] for k in range(len(pages))]
    return [
        Doc(path, "list", {**section, "items": part, "pages": pages, "number": k})
        for k, (path, part) in enumerate(zip(pages, parts, strict=True), start=1)
    ]


def newest_first(docs: list[Doc]) -> list[Doc]:
    """Return the pages that stand in lists, newest first: dated ones, but no copies in another frame."""
    dated = [d for d in docs if "date" in d.meta and not ("copy" in d.meta and "template" in d.meta)]
    return sorted(dated, key=lambda d: (d.meta["date"], d.path), reverse=True)


def matches(doc: Doc, word: str) -> bool:
    """Return True when the site's own search would find the page."""
    text = f"{doc.meta['title']} {doc.meta.get('summary', '')} {doc.body.striptags()}"
    return re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def environment(docs: list[Doc], site: dict[str, Any]) -> Environment:
    """Return the template environment with the filters and the tables that every template may use."""
    loader = FileSystemLoader(HERE / "templates")
    env = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    env.filters["day"] = day
    env.globals["base_url"] = BASE_URL
    env.globals["by_path"] = {d.path: d for d in docs}
    env.globals["newest"] = newest_first(docs)
    env.globals["people"] = {Path(d.path).stem: d for d in docs if d.type == "person"}
    env.globals["related"] = related
    env.globals["site"] = site
    return env


def day(date: datetime.date, months: dict[str, Any]) -> str:
    """Return a date in words: 14 March 2025, 14. März 2025."""
    return f"{date.day}{months['dot']} {months['names'][date.month - 1]} {date.year}"


def related(doc: Doc, tie: str, docs: dict[str, Doc]) -> list[Doc]:
    """Return the other pages of a family: all whose ``tie`` names the same page, and that page itself."""
    family = doc.meta.get(tie, doc.path)
    return [d for d in docs.values() if d.path != doc.path and d.meta.get(tie, d.path) == family]


def render(doc: Doc, env: Environment, site: dict[str, Any]) -> str:
    """Return the page as HTML that still has its marks, with links relative to the page."""
    template = env.get_template(f"{doc.template}.html")
    html = template.render(doc=doc, meta=doc.meta, lang=doc.lang, words=site[doc.lang])
    here = posixpath.dirname(doc.path)
    return LINK.sub(lambda m: m[1] + posixpath.relpath(m[2], here or "."), html)


def truth(doc: Doc, html: str, docs: dict[str, Doc]) -> dict[str, Any]:
    """Return the known truth of one page."""
    seen = marks.read(html)
    ties = {k: related(doc, f"{k}_of", docs) for k in ("translation", "variant")}
    return {
        "page": doc.path,
        "url": BASE_URL + doc.path,
        "language": doc.meta.get("language", doc.lang),
        "type": doc.type,
        "template": doc.template,
        "title": seen.title,
        "main_text": seen.main_text,
        "comments": seen.comments,
        "fields": seen.fields,
        "segments": seen.segments,
        "records": seen.records,
        "hidden": seen.hidden,
        "duplicates": duplicates(doc, docs),
        "related": [{"page": d.path, "kind": k} for k, ds in ties.items() for d in ds],
    }


def duplicates(doc: Doc, docs: dict[str, Doc]) -> list[dict[str, str]]:
    """Return the pages that say the same, with ``print`` or ``syndicated`` as the kind of the pair."""
    pairs = [(d.path, {doc.meta.get("copy"), d.meta.get("copy")}) for d in related(doc, "source", docs)]
    return [
        {"page": path, "kind": "syndicated" if "syndicated" in kinds else "print"} for path, kinds in pairs
    ]


def dump(site: dict[str, Any], pages: list[dict[str, Any]]) -> str:
    """Return truth.json: a line per fact of a page, so that a difference can be read."""
    records = []
    for page in pages:
        facts = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in page.items()]
        records.append(" {\n" + ",\n".join(facts) + "\n }")
    head = {"site": site["name"], "base_url": BASE_URL, "roles": site["roles"]}
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in head.items()]
    return "{\n" + ",\n".join(lines) + ',\n"pages": [\n' + ",\n".join(records) + "\n]\n}\n"


def build(out: Path) -> int:
    """Write the site and its truth under a folder; return the number of pages."""
    site = load_site()
    docs = load_docs()
    docs += list_docs(docs, site)
    docs.sort(key=lambda d: d.path)
    env = environment(docs, site)
    by_path = {d.path: d for d in docs}
    shutil.rmtree(out / "site", ignore_errors=True)
    shutil.copytree(HERE / "assets", out / "site" / "assets")
    pages = []
    for doc in docs:
        html = render(doc, env, site)
        pages.append(truth(doc, html, by_path))
        file = out / "site" / doc.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(marks.strip(html).encode(doc.meta.get("charset", "utf-8")))
    (out / "truth.json").write_text(dump(site, pages), "utf-8", newline="\n")
    return len(pages)


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description="Build the sample site and its truth.")
    parser.add_argument("-o", "--output", type=Path, default=HERE, help="folder to write into")
    out = parser.parse_args().output
    print(f"{build(out)} pages in {out / 'site'}")


if __name__ == "__main__":
    main()
