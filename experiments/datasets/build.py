"""Build the data sets from their public sources, by the recipes in ``recipes/``.

A data set ``<group>/<name>`` becomes the files of its group in the data folder; its recipe is
``recipes/<group>/<name>.json``. Recipes contain paths, rules and choices, but no page. All archives are
written in the same order and with the same times, so that equal contents give equal files.

    bench           pages, types, truth and pseudo search log of a site, by `siterules` and `pseudolog`
    sites           pages, types and pseudo search log; for two sites also the articles
    news            pages, kinds, parts to learn from and to check, articles, texts of links
    duplicates      pages and pairs: two manuals in two languages or for three machines, and `grafting`
    segmentation    pages with marked blocks and the files that they load
    main-content    pages of WCXB with their texts; in ``suites`` pages and truths of suites, by `suitebuild`
    blocks          pages of many sites with style sheets and images
    pages-2         pages of many other sites, a part of them with style sheets and images
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from experiments.datasets.grafting import grafted
from experiments.datasets.pseudolog import Links, links_of, pseudo_log, target
from experiments.datasets.siterules import TruePage
from experiments.datasets.suitebuild import suite_files, wanted_paths
from webgrain.base.errors import InputError
from webgrain.io.local import replacing

RECIPES = Path(__file__).with_name("recipes")
Recipe = Mapping[str, Any]
Files = Mapping[str, bytes]


def build(name: str, downloads: Sequence[Path], folder: Path) -> None:
    """Write the files of a data set; downloads: its sources, in the order of the catalogue.

    `InputError` if a source is damaged or lacks pages of the recipe.
    """
    group, _, own = name.partition("/")
    place = folder / group
    place.mkdir(parents=True, exist_ok=True)
    recipe = json.loads((RECIPES / f"{name}.json").read_text(encoding="utf-8"))
    builder = BUILDERS.get(name.rpartition("/")[0], BUILDERS[group])
    builder(own, recipe, downloads, place)


def source_files(
    path: Path, folder: str = "", prefix: str = "", wanted: Callable[[str], bool] = bool
) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files below a folder of a downloaded archive.

    Archives are those of a GitHub repository, whose only folder is left out of the paths, and Debian
    packages, whose packed files (``.gz``) are unpacked. prefix: begins all paths that are yielded; wanted:
    whether a file of that path is read.
    """
    packed = path.suffix == ".deb"
    try:
        with path.open("rb") as file, tarfile.open(fileobj=_data_of(file) if packed else file) as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                name = name if packed else name.partition("/")[2]
                if not member.isfile() or not name.startswith(f"{folder}/" if folder else ""):
                    continue
                name = prefix + name[len(folder) :].lstrip("/")
                zipped = packed and name.endswith(".gz")
                name = name.removesuffix(".gz") if zipped else name
                if wanted(name):
                    body = tar.extractfile(member).read()  # type: ignore[union-attr]
                    yield name, gzip.decompress(body) if zipped else body
    except (OSError, EOFError, tarfile.TarError, lzma.LZMAError, ValueError) as error:
        raise InputError(f"{path} is not a readable archive: {error}.") from error


def _data_of(file: io.BufferedReader) -> io.BytesIO:
    """Return the archive with the files of a Debian package, itself an archive of the format of ``ar``."""
    if file.read(8) != b"!<arch>\n":
        raise ValueError("it is no Debian package")
    while head := file.read(60):
        size = int(head[48:58])
        if head.startswith(b"data.tar"):
            return io.BytesIO(file.read(size))
        file.seek(size + size % 2, io.SEEK_CUR)
    raise ValueError("the package has no files")


def read_sources(
    recipe: Recipe, downloads: Sequence[Path], wanted: Callable[[str], bool] = bool
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of all sources of a recipe; see `source_files`."""
    for path, (folder, prefix) in zip(downloads, recipe["folders"], strict=True):
        yield from source_files(path, folder, prefix, wanted)


def read_site(recipe: Recipe, downloads: Sequence[Path]) -> dict[str, bytes]:
    """Return the pages of the recipe, and everything else in the sources that may be a page."""
    paths = set(recipe["paths"])
    return dict(read_sources(recipe, downloads, lambda name: name in paths or has_page_name(name)))


def has_page_name(name: str) -> bool:
    """Return whether a file may be a page by its name.

    >>> [has_page_name(name) for name in ("a/b.html", "a/index.php?x=1", "a/list", "a.css")]
    [True, True, True, False]
    """
    path = PurePosixPath(name)
    return path.suffix.lower() in PAGES or not path.suffix or path.name.startswith("index")


PAGES = (".html", ".htm", ".xhtml", ".php", ".aspx", ".asp")


def is_page(body: bytes) -> bool:
    """Return whether a file with the name of a page is one: no short file, and no page that only redirects.

    >>> is_page(b"<p>" + 200 * b"a"), is_page(b"<p>"), is_page(b"<meta http-equiv=refresh>" + 200 * b" ")
    (True, False, False)
    """
    redirects = len(body) < 1500 and _REDIRECT.search(body)
    return len(body) > 200 and b"<" in body[:2000] and not redirects


_REDIRECT = re.compile(rb"http-equiv=.?refresh|location\.(replace|href)", re.IGNORECASE)


def chosen(recipe: Recipe, files: Files) -> dict[str, bytes]:
    """Return the files of the recipe, in its order; `InputError` if one is missing."""
    missing = [path for path in recipe["paths"] if path not in files]
    if missing:
        raise InputError(
            f"{len(missing)} of {len(recipe['paths'])} pages are not in the source, such as {missing[0]}."
        )
    return {path: files[path] for path in recipe["paths"]}


# Groups.


def build_bench(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write a site with types, truth and pseudo search log."""
    files = read_site(recipe, downloads)
    pages = chosen(recipe, files)
    truth = []
    for path, body in pages.items():
        page = TruePage(body)
        rule = page.rule(path, recipe["types"])
        if rule is None:
            raise InputError(f"{name}: no rule fits the page {path}, so the source differs from the recipe.")
        truth.append({"path": path, **page.record(rule)})
    write_archive(place / f"{name}.tar.xz", pages)
    rows = [(one["path"], one["type"], one["role"]) for one in truth]
    write_table(place / f"{name}.types.tsv", ("path", "type", "role"), rows)
    write_records(place / f"{name}.truth.jsonl.xz", truth)
    write_log(place / f"{name}.queries.tsv", recipe, files)
    about = {key: value for key, value in recipe.items() if key not in ("paths", "folders")}
    _write_json(place / f"{name}.json", about)


def build_site(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write a site with types and pseudo search log, and its articles if the recipe has rules for them."""
    files = read_site(recipe, downloads)
    pages = chosen(recipe, files)
    write_archive(place / f"{name}.tar.xz", pages)
    rules = {path: TruePage(body).rule(path, recipe["types"]) for path, body in pages.items()}
    write_table(
        place / f"{name}.types.tsv", ("path", "type"), [(p, r["type"]) for p, r in rules.items() if r]
    )
    write_log(place / f"{name}.queries.tsv", recipe, files)
    if "article" in recipe:
        write_records(place / f"{name}.articles.jsonl.xz", _articles(recipe, pages, recipe["articles"]))


def build_news(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write a site with the articles by a rule, the parts of the recipe, and the texts of links."""
    files = read_site(recipe, downloads)
    pages = chosen(recipe, files)
    write_archive(place / f"{name}.tar.xz", pages)
    articles = list(_articles(recipe, pages, recipe["articles"]))
    part = {path: part for part, paths in recipe["parts"].items() for path in paths}
    urls = {path: f"http://{recipe['host']}/{path}" for path in pages}
    own = {article["path"] for article in articles}
    kinds = [(p, urls[p], "article" if p in own else "index", part[p]) for p in pages]
    write_table(place / f"{name}.pages.tsv", ("path", "url", "kind", "part"), kinds)
    write_records(
        place / f"{name}.articles.jsonl.xz",
        ({**one, "url": urls[one["path"]], "part": part[one["path"]]} for one in articles),
    )
    texts: Counter[tuple[str, str]] = Counter()
    for path, body in files.items():
        if path.endswith((".html", ".htm")):
            tree = TruePage(body).tree
            for node in tree.css("a[href]"):
                goal = target(path, node.attributes.get("href") or "", recipe["host"], pages)
                if goal and (text := " ".join((node.text() or "").split())):
                    texts[goal, text] += 1
    anchors = [(*key, number) for key, number in sorted(texts.items())]
    write_table(place / f"{name}.anchors.tsv", ("path", "anchor", "links"), anchors)


def _articles(recipe: Recipe, pages: Files, paths: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the articles by the rule of the recipe: path, title, body."""
    for path in paths:
        record = TruePage(pages[path]).record({"type": "", "role": "article", **recipe["article"]})
        yield {"path": path, "title": record["title"], "body": record["text"].replace("\n", "\n\n")}


def build_duplicates(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write pages, and replace their pairs in ``pairs.tsv``."""
    if name == "grafted":
        wanted = {f"{site}/{page}" for _, _, site, page in recipe["pages"]}
        frames = dict(read_sources(recipe, downloads, wanted.__contains__))
        pages, table, articles = grafted(recipe, frames, place.parent)
        write_table(place / "grafted.pages.tsv", *table)
        write_records(place / "grafted.articles.jsonl.xz", articles)
    else:
        pages = chosen(recipe, dict(read_sources(recipe, downloads, set(recipe["paths"]).__contains__)))
    write_archive(place / f"{name}.tar.xz", pages)
    head = ("set", "path_a", "path_b", "label")
    old = _rows(place / "pairs.tsv") if (place / "pairs.tsv").exists() else []
    rows = [tuple(row[key] for key in head) for row in old if row["set"] != name]
    for label in ("duplicate", "distinct"):
        for first, second in recipe[label]:
            rows.append((name, recipe["paths"][first], recipe["paths"][second], label))
    write_table(place / "pairs.tsv", head, rows)


def build_segmentation(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write the pages of the Kreuzer data set with the files that they may load, and its parts."""
    sites = {site for part in recipe["split"].values() for site in part}
    files = {}
    for path, body in read_sources(recipe, downloads):
        site, last = "/".join(path.split("/")[:2]), path.rsplit("/", 1)[-1]
        other = last in ("index.html", "index.html.orig", "index.dom.html")
        if site in sites and not other and not last.endswith((".js", ".swf")):
            files[path] = body
    pages = {"/".join(path.split("/")[:2]) for path in files if path.endswith("/index.blocks.html")}
    if missing := sorted(sites - pages):
        raise InputError(f"{len(missing)} of {len(sites)} pages are not in the source, such as {missing[0]}.")
    write_archive(place / f"{name}.tar.xz", dict(sorted(files.items())))
    _write_json(place / "split.json", recipe["split"])


def build_main_content(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write the pages of WCXB that share no domain with its test split, with their ground truth."""
    files, ids = {}, set(recipe["ids"])
    for path, body in read_sources(recipe, downloads):
        if path == "LICENSE" or (path.startswith("dev/") and PurePosixPath(path).name.split(".")[0] in ids):
            unpacked = path.endswith(".gz")
            files[path.removesuffix(".gz")] = gzip.decompress(body) if unpacked else body
    kinds = ("dev/html/{}.html", "dev/ground-truth/{}.json")
    paths = [kind.format(one) for one in recipe["ids"] for kind in kinds]
    write_archive(place / f"{name}.tar.xz", chosen({"paths": ["LICENSE", *paths]}, files))


def build_suite(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write the pages of a test suite of another program, and the records of their truths."""
    files = dict(read_sources(recipe, downloads, wanted_paths(recipe).__contains__))
    suite = name.rpartition("/")[2]
    try:
        pages, records = suite_files(suite, recipe, files)
    except (KeyError, ValueError) as error:
        raise InputError(f"The truths of {suite} are not in the source as expected: {error}.") from error
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    write_archive(place / f"{name}.tar.xz", pages)
    write_records(place / f"{name}.jsonl.xz", records)


def build_pages(name: str, recipe: Recipe, downloads: Sequence[Path], place: Path) -> None:
    """Write the files of the recipe; its `renamed` maps paths of the sources to those of the recipe."""
    renamed = recipe.get("renamed", {})
    wanted = {*recipe["paths"], *renamed}.__contains__
    files = {renamed.get(path, path): body for path, body in read_sources(recipe, downloads, wanted)}
    write_archive(place / f"{name}.tar.xz", chosen(recipe, files))


BUILDERS: dict[str, Callable[[str, Recipe, Sequence[Path], Path], None]] = {
    "bench": build_bench,
    "sites": build_site,
    "news": build_news,
    "duplicates": build_duplicates,
    "segmentation": build_segmentation,
    "main-content": build_main_content,
    "main-content/suites": build_suite,
    "blocks": build_pages,
    "pages-2": build_pages,
}


# Files.


def write_archive(path: Path, files: Files) -> None:
    """Write files to a tar archive packed with xz; the same files give the same archive."""
    with replacing(path) as part, tarfile.open(part, "w:xz", preset=6) as tar:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            tar.addfile(member, io.BytesIO(body))


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table with tabs between the columns, without quoting."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for row in (head, *rows):
            print("\t".join(map(str, row)).replace("\n", " "), file=file)


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines packed with xz."""
    with replacing(path) as part, lzma.open(part, "wt", encoding="utf-8", newline="\n") as file:
        for record in records:
            print(json.dumps(record, ensure_ascii=False), file=file)


def write_log(path: Path, recipe: Recipe, files: Files) -> None:
    """Write the pseudo search log of a site; files: all files of its source."""
    links: dict[str, Links] = {}
    drop = re.compile(recipe.get("drop") or "(?!)")
    for name in sorted(files, key=PurePosixPath):
        if is_page(files[name]) and not drop.search(name):
            page = TruePage(files[name])
            if page.rule(name, recipe["types"]):
                links[name] = links_of(page)
    rows = pseudo_log(links, recipe["host"], recipe["paths"])
    write_table(path, ("query", "path", "clicks"), rows)


def _write_json(path: Path, content: Any) -> None:
    with replacing(path) as part:
        part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
