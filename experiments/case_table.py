"""What is expected of each case, as checks: the table of `experiments.cases`.

The names are those of the folders of the data, ``pages/`` and ``hostile/`` with the name of a page, and
``kinds/`` for the inputs of `experiments.case_inputs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.case_checks import (
    Audit,
    Check,
    Run,
    all_pages,
    any_column,
    audit,
    authors,
    blocks,
    cheap,
    column,
    day,
    fences,
    field_selector,
    field_selectors_valid,
    finding_rows,
    has,
    in_html,
    in_order,
    lacks,
    link,
    linked_notes,
    once,
    one_role,
    own_blocks,
    page_value,
    pattern,
    record,
    rendered,
    reported,
    row_count,
    rows_lack,
    segment,
    selectors_select,
    together,
    unreported,
    value,
)
from experiments.case_inputs import (
    CLOCKS,
    LAMPS,
    NAMES,
    POSTERS,
    SPONSORS,
    STORIES,
    TREES,
    paragraph,
    sentence,
)

# Beginnings and ends of paragraphs that many cases share.
MILL = "The old mill at the edge ... was measured."
REPORT = "A report of the water ... that followed."
MACHINERY = "What is left of the machinery ... in the region."
SOCIETY = "The society that looks ... before they come."
PLANS = "Plans for a small turbine ... use the electricity."
OPPONENTS = "Opponents point out ... above the stairs."
COMPROMISE = "A compromise is on the table ... ever before."
WHATEVER = "Whatever is decided ... with the soup."
FIVE = (MILL, REPORT, MACHINERY, SOCIETY, PLANS)

RUST = "fn flow(level: f64, width: f64) -> f64 {\n    1.84 * width * level.powf(1.5)\n}"
PYTHON = (
    'def flow(level, width):\n    """Litres per second over the weir."""\n'
    "    if level <= 0:\n        return 0.0\n"
    "    for _ in range(2):\n        level = level * 0.98\n\n    return 1.84 * width * level ** 1.5"
)
BASH = '# read the gauge\nfor f in *.csv; do\n    flow "$f"\ndone'

CARD_NAMES = (
    "Repairs at the weir",
    "Bees and roads",
    "A quarrel about electricity",
    "Bread for travellers",
    "The first frost",
    "Stones from the coast",
    "Old maps",
    "Summer of low water",
)
CARD_TEXTS = (
    "The oak boards were replaced in a single night.",
    "Why foragers follow hedges.",
    "The turbine divides the valley.",
    "Eleven languages in one guest book.",
    "An early end of the season.",
    "How millstones came up the river.",
    "What surveyors left out.",
    "Three dry years in a row.",
)
CARD_DATES = ("7 August", "24 July", "10 July", "26 June", "12 June", "29 May", "15 May", "1 May")
WALKS = (
    "To the weir",
    "Along the hedges",
    "Old maps walk",
    "The quarry",
    "Two bridges",
    "Up to the barn",
    "Lost village",
    "Evening walk",
)
LENGTHS = ("2.5 km", "4 km", "7 km", "3 km", "9.5 km", "5 km", "11 km", "1.5 km")
MILLS = ("Upper mill", "Lower mill", "Saw mill", "Paper mill", "Oil mill", "Hammer mill")
ROADS = ("Bridge Road 1", "Bridge Road 44", "Wood Lane 3", "Station Road 9", "Church Square 2", "Old Road 71")
GAUGES = ("Bridge", "Weir", "Sluice", "Barn", "Quarry")
HEADLINES = (
    "The mayor wants a marina",
    "Storm takes the roof",
    "A painter for every house",
    "The ferry is late again",
    "Forty cats and one baker",
    "The last lighthouse keeper",
)
CODINGS = (
    "gzip",
    "chunked",
    "chunked-gzip",
    "says-chunked",
    "says-gzip",
    "deflate",
    "raw-deflate",
    "header-charset",
    "length-wrong",
    "xhtml",
    "no-type",
    "br",
    "zstd",
)
SLOPPY = (
    "a-newline-in-string",
    "b-semicolon",
    "c-cdata",
    "d-html-comment",
    "e-trailing-comma",
    "f-escaped-entities",
    "g-graph",
    "h-microdata",
)


MISSING_FILES = ("gone.png", "gone-2x.png", "text=a,b.webp", "gone-lazy.png", "gone.css", "gone.js")
UNREACHED = ("/private/page.html", "/absent.html", "/gone.html", "/moved.html")


def mentions(record: Mapping[str, Any], words: str) -> bool:
    """Return whether a note of a record matches a regular expression."""
    return any(re.search(words, note, re.I) for note in record["notes"])


def has_all(record: Mapping[str, Any], edges: Sequence[str]) -> bool:
    """Return whether the text of a record is exactly these blocks."""
    return not blocks(*edges).fault_of(record["text"])


def script_is_noted(record: Mapping[str, Any]) -> bool:
    """Return whether a record without the article has a note about scripts or a confidence below .3."""
    return has_all(record, FIVE) or mentions(record, "script") or (record["confidence"] or 0) < 0.3


def is_whole_or_marked(record: Mapping[str, Any]) -> bool:
    """Return whether a text is whole, or is the teaser and the record states that the page is not free."""
    six = (*FIVE, OPPONENTS)
    teaser = re.fullmatch(r"The old mill at the edge[^\n]*almo …", record["text"])
    marked = mentions(record, "free|subscri|paywall") or record.get("free") is False
    return has_all(record, six) or bool(teaser and marked)


def has_four_comments(record: Mapping[str, Any]) -> bool:
    """Return whether the comments are the four of the case."""
    names = [comment["author"] for comment in record["comments"]]
    texts = [comment["text"] for comment in record["comments"]]
    starts = ("I walked along", "The society pays", "Does anybody know", "You can rent")
    return names == ["Reader One", "millfriend", "Third", "Reader One"] and all(
        text.startswith(start) for text, start in zip(texts, starts, strict=True)
    )


def has_comment_dates(record: Mapping[str, Any]) -> bool:
    """Return whether each of the four comments has its day, as written or in ISO 8601."""
    days = ("4 May|05-04", "4 May|05-04", "5 May|05-05", "5 May|05-05")
    dates = [comment["date"] or "" for comment in record["comments"]]
    return len(dates) == 4 and all(re.search(day, date) for day, date in zip(days, dates, strict=True))


def names_month(record: Mapping[str, Any]) -> bool:
    """Return whether the date May 2004 is in the text or is the date of publication."""
    return "May 2004" in record["text"] or (record["published"] or "").startswith("2004-05")


def is_left_out_or_failed(records: Mapping[str, Any]) -> str:
    """Return whether the page ``binary`` is neither left out nor a failure with a reason."""
    each = records.get("binary")
    return "" if each is None or each.get("error") else "binary is read as a page"


def has_answers(record: Mapping[str, Any]) -> bool:
    """Return whether the two answers are posts of the first level."""
    posts = [comment["text"] for comment in record["comments"] if comment["level"] == 0]
    starts = ("Rivers are a little salty.", "Much of the salt")
    return all(any(post.startswith(start) for post in posts) for start in starts)


def has_nested_comments(record: Mapping[str, Any]) -> bool:
    """Return whether the short comments of the answers follow their answer on a deeper level."""
    pairs = (("Rivers are", "Thanks, this"), ("Much of the salt", "Do you have a source"))
    comments = record["comments"]
    for post, short in pairs:
        at = next((k for k, comment in enumerate(comments) if comment["text"].startswith(post)), None)
        if at is None or at + 1 == len(comments):
            return False
        reply = comments[at + 1]
        if not reply["text"].startswith(short) or reply["level"] <= comments[at]["level"]:
            return False
    return True


def captions_fault(html: str) -> str:
    """Return which picture of the gallery is not in a figure with its caption."""
    from lxml import html as lxml_html

    tree = lxml_html.fromstring(html)
    starts = ("The mayor said on Monday", "A storm took the roof", "More than two hundred", "The ferry from")
    for k, start in enumerate(starts):
        figures = tree.xpath(f"//figure[.//img[contains(@src, '/g/{k}.jpg')]]")
        if not any(start in figure.text_content() for figure in figures):
            return f"picture {k} has no caption"
    return ""


def aria_fault(formats: Mapping[str, str]) -> str:
    """Return whether the formats differ in the paragraph that is hidden from screen readers."""
    present = {name for name, text in formats.items() if "A hidden paragraph" in text}
    return (
        "" if len(present) in (0, len(formats)) else f"the paragraph is in {', '.join(sorted(present))} only"
    )


def types_fault(run: Run) -> str:
    """Return whether ``webgrain types`` ended with a traceback or without types."""
    if run.code is None or "Traceback" in run.err:
        return "types was stopped" if run.code is None else "types ends with a traceback"
    return "" if run.code == 0 and run.out.strip() else f"types ends with exit code {run.code}"


def learnt_fault(audit: Audit) -> str:
    """Return whether a harmless page lacks a type, or the hostile one is neither a page nor a failure."""
    types = {row["page"]: row["type_name"] for row in audit.pages}
    typed = [name for name, each in types.items() if re.fullmatch(r"p\d\d\.html", name) and each]
    if len(typed) != 14:
        return f"{len(typed)} of 14 pages have a type"
    failed = any("redos-idhash" in each["page"] for each in audit.failures)
    return (
        "" if failed or types.get("redos-idhash.html") else "the hostile page is neither a page nor a failure"
    )


def shared_labels_fault(record: Mapping[str, Any]) -> bool:
    """Return whether a text has the labels, in their order, with a value after each of three."""
    return bool(
        re.search(
            r"Light\W+(Full sun|Half shade)\W+Height\W+(30-90|60-120) cm\W+Ground\W+(Chalk|Sand|Clay)\W.*"
            r"Examples\W.*Care\W",
            record["text"],
            re.S,
        )
    )


def plain_sentence(number: int) -> str:
    """Return the first words of a paragraph of the constructed inputs."""
    return paragraph(number).removeprefix("<p>")[:30]


def thread_is_split(record: Mapping[str, Any]) -> bool:
    """Return whether three posts are comments, and the text is another post, or of a thread all four."""
    comments = [comment["text"] for comment in record["comments"]]
    first, *rest = record["text"].strip().split("\n\n")
    is_whole = rest == (comments if record["kind"] == "thread" else [])
    return len(comments) == 3 and is_whole and first not in comments and "Welcome" not in first


def sponsor_fault(segments: Sequence[Mapping[str, Any]]) -> str:
    """Return what is wrong with the block of the sponsors."""
    holding = [each for each in segments if all(name in each["text"] for name in SPONSORS)]
    if not holding:
        return "no segment has all sponsors"
    role = min(holding, key=lambda each: len(each["text"]))["role"]
    return "" if role == "linklist" else f"the block of sponsors has the role {role}"


def misfits_fault(audit: Audit) -> str:
    """Return whether a third or more of the pages are misfits, or one of them without a reason."""
    rows = audit.findings.get("misfits", ())
    if len(rows) >= len(audit.pages) / 3:
        return f"{len(rows)} of {len(audit.pages)} pages are misfits"
    return "" if all(row["detail"] for row in rows) else "a misfit has no reason"


def dead_link_fault(audit: Audit) -> str:
    """Return what is wrong with the report of a dead link in a menu: one row with the number of pages."""
    rows = [row for row in audit.rows("broken-links") if "/dead.html" in row]
    if len(rows) != 1:
        return f"{len(rows)} rows for one dead link"
    return "" if re.search(r"\b(39|40) pages", rows[0]) else "the row does not have the number of pages"


def guide_reaches(page: str) -> Check:
    """Check that a link in the text of docs/guide.html reaches a page."""

    def fault(audit: Audit) -> str:
        links = [
            each
            for each in audit.links
            if each["source"] == "docs/guide.html" and each["position"] == "content"
        ]
        reached = [each["page"] for each in links if each["outcome"] == "page"]
        return "" if page in reached else f"no link of docs/guide.html reaches {page}"

    return Check("audit", f"a link in the text of docs/guide.html reaches {page}", fault)


def limited_fault(audit: Audit) -> str:
    """Return whether the link to an address that answered 429 is called broken."""
    links = [each for each in audit.links if each["target"].endswith("/limited")]
    if not links:
        return "no link to /limited"
    return "the link to /limited has the outcome broken" if links[0]["outcome"] == "broken" else ""


def segmentation_fault(each: Mapping[str, Any]) -> str:
    """Return why a record of ``webgrain segment`` is no result."""
    return "" if "segments" in each else str(each.get("error", "no segments"))


def plain_title(each: Mapping[str, Any]) -> bool:
    """Return whether a title has the form "Fennel and amber"."""
    return bool(re.fullmatch(r"[A-Z][a-z]+ and [a-z]+", each["title"] or ""))


def files_of(command: str) -> Check:
    """Check that ``-o new.jsonl`` of a command is a file."""

    def fault(outputs: Mapping[str, str]) -> str:
        present = outputs.get(command, "nothing")
        return "" if present == "file" else f"{command} -o new.jsonl writes a {present}"

    return Check("outputs", f"{command} -o new.jsonl writes a file", fault)


def crawled(path: str) -> Check:
    """Check that a record of a crawl states what happened to an address."""

    def fault(records: Mapping[str, Mapping[str, Any]]) -> str:
        each = records.get(path)
        stated = each and (each.get("error") or each.get("outcome") in ("excluded", "redirect"))
        return "" if stated else f"the crawl has no record of {path}"

    return Check("crawl", f"the crawl reports {path}", fault)


NO_FAILURE = audit("no page failed", lambda result: result.failures[0]["error"] if result.failures else "")

CASES: dict[str, tuple[Check, ...]] = {
    "03-code-language": (
        pattern("markdown", r"^```python$", "fence named python"),
        pattern("markdown", r"^```rust$", "fence named rust"),
        pattern("markdown", r"^```bash$", "fence named bash"),
        has("markdown", PYTHON, RUST, BASH),
        fences(("python", PYTHON), ("rust", RUST), ("bash", BASH)),
    ),
    "12-hidden": (
        lacks("text", "Machine summary"),
        lacks("text", "is not recognised"),
        lacks("text", "Draft paragraph"),
        lacks("text", "Spare paragraph"),
        blocks(*FIVE),
    ),
    "14-declarative-shadow": (value("title", "The old mill"), blocks(*FIVE)),
    "15-index-page": (
        record("verdict is index, or no text", lambda each: each["verdict"] == "index" or not each["text"]),
        row_count(8),
        column("name", CARD_NAMES),
        column("link", [f"/news/{k}.html" for k in range(8)]),
        column("text", CARD_TEXTS),
        column("date", CARD_DATES),
        field_selector("date"),
    ),
    "19-read-also": (
        lacks("text", "Read also", "Bees find their way"),
        lacks("text", "More on this topic", "The first frost ends", "Old maps show"),
        lacks("text", "Never miss a story", "Sign up for our newsletter"),
        lacks("text", "Follow us on"),
        blocks(*FIVE, OPPONENTS, COMPROMISE, WHATEVER),
    ),
    "20-comments": (
        blocks("The repair of the weir ... being set.", "The cost was lower than expected."),
        record("four comments with author and text", has_four_comments),
        record("a date in each of the four comments", has_comment_dates),
        value("author", None),
    ),
    "24-json-in-script": (
        lacks("text", "Loading"),
        record("a note about scripts or a low confidence, or the article", script_is_noted),
        blocks(*FIVE),
    ),
    "25-article-body": (
        lacks("text", "Continue reading with", "Subscribe for the first", "Already a subscriber", "Log in"),
        record("six paragraphs, or the teaser and a mark", is_whole_or_marked),
    ),
    "29-old-essay": (
        value("title", "The Old Mill"),
        record("the date May 2004", names_month),
        own_blocks(MILL, REPORT, "Whoever raises the weir ... say here.", MACHINERY, SOCIETY),
        has("text", "[1] The reports are kept in the archive of the district."),
        lacks("text", "|"),
        lacks("text", "Bees and roads", "German translation"),
    ),
    "30-jsonld-array": (
        authors("Kim Meadow", "Robin Alder"),
        value("published", "2024-05-03T10:00:00+02:00"),
        value("modified", "2024-05-06"),
        value("site_name", "Valley Notes"),
        value("tags", ["mill", "river"]),
    ),
    "33-dates": (day("published", "2019-03-04"), day("modified", "2023-11-20")),
    "34-dates-ambiguous": (value("published", "2021-02-03T14:30:00+01:00"), day("modified", "2022-12-11")),
    "37-jsonld-sloppy": (
        *(authors("Kim Meadow", page=name) for name in SLOPPY),
        *(value("published", "2024-05-03", page=name) for name in SLOPPY),
    ),
    "38-markdown-details": (
        rendered(
            "//a[@href='/wiki/Mill_%28valley%29' or @href='/wiki/Mill_(valley)']", "a link with parentheses"
        ),
        rendered(
            "//a[@href='/a%20b.html' or @href='/a b.html'][.='a name with a space']", "a link with a space"
        ),
        rendered("//a[@href='/c.html'][.//strong or ancestor::strong][.='bold link']", "the bold link", 1),
        rendered("//strong[.='bold']", "bold words", 2),
        rendered("//strong[.='both'][.//em or ancestor::em] | //em[.='both'][.//strong]", "both"),
        rendered("//a[@href='/d.html'][.='brackets [1] here']", "the brackets", 1),
        rendered("//a[@href='/e.html']/img[@src='/t.jpg'][contains(@alt, '[x]')]", "the linked picture", 1),
        rendered("//ul | //ol | //li", "lists", 0),
        rendered("//*[self::h2 or self::h3 or self::h4][.='A heading within a link']", "the heading", 1),
        rendered("//h1 | //h2 | //h3 | //h4 | //h5 | //h6", "headings", 2),
        rendered("//a[@href='/f.html']", "the link of the heading"),
        rendered("//p[starts-with(., '1. This paragraph begins')]", "the paragraph with a number", 1),
        rendered("//p[.='# This one begins with a hash.']", "the paragraph with a hash", 1),
        rendered("//p[starts-with(., '- This one begins with a dash')]", "the paragraph with a dash", 1),
        rendered("//p[contains(., '2 * 3 * 4 is 24; snake_case_word, <tag> and a | pipe.')]", "the signs", 1),
        rendered("//p[contains(., 'Line one')]/br", "the line break", 1),
        rendered("//a//br | //a//h1 | //a//h2 | //a//h3 | //a//p", "breaks or headings in a link", 0),
        lacks("markdown", "[#", "[\n"),
    ),
    "45-br-records": (
        row_count(6),
        column("name", MILLS),
        column("link", [f"http://mill{k}.example/" for k in range(6)]),
        any_column(ROADS, "addresses"),
        any_column([f"Tel. {k}" for k in range(201, 207)], "telephones"),
    ),
    "46-two-cards-a-row": (
        row_count(8),
        column("name", WALKS),
        column("link", [f"/walks/{k}.html" for k in range(1, 9)]),
        column("image", [f"/img/w{k}.jpg" for k in range(1, 9)]),
        any_column(LENGTHS, "lengths"),
    ),
    "48-linked-tables": (
        in_order("text", "Appendix A", "Bridge | 0.82", "Weir | 1.10", "Appendix B"),
        in_order("text", "Appendix B", *(f"{name} | {name.lower()}.csv" for name in GAUGES)),
        has("text", "River | Alder", "Height | 212 m"),
        rendered("//tr[td='Bridge'][td='0.82'] | //tr[td='Weir'][td='1.10']", "the rows of appendix A", 2),
        rendered("//tr[td[1]/a[starts-with(@href, '/g/')]][td[2]/a]", "the rows of appendix B", len(GAUGES)),
        *(rendered(f"//td/a[@href='/g/{name.lower()}.csv']", f"the file of {name}", 1) for name in GAUGES),
        rendered("//tr[td='River'][td='Alder'] | //tr[th='River'][td='Alder']", "the row of the river", 1),
    ),
    "50-base-href": (
        guide_reaches("a.html"),
        guide_reaches("files/plan.html"),
        reported("none.html", "broken-links", 1),
        finding_rows("broken-links", 1),
    ),
    "54-broken-images": (
        *(reported(name) for name in MISSING_FILES),
        unreported("data:"),
        unreported("ok.png"),
        unreported("400w"),
    ),
    "55-redirects-warc": (
        unreported("valley.example/docs (", "redirected-links"),
        link("/docs/one.html", "page", "/docs/one.html"),
        link("/docs/two.html", "page", "/docs/two.html"),
        link("/old", "redirect", "/a.html"),
        reported("/older", "redirected-links"),
        reported("/loop1", "broken-links"),
        reported("/gone", "broken-links"),
        unreported("/limited", "broken-links"),
        reported("/limited"),
        audit("the link to /limited is not broken", limited_fault),
        reported("valley.example/soft", "soft-404"),
        link(":80/a.html", "page", "valley.example/a.html"),
        link("/b.html", "page", "valley.example/b.html"),
    ),
    "57-soft-404": (
        *(reported(f"valley.example/soft{k}", "soft-404", 1) for k in range(1, 7)),
        unreported("/lost", "soft-404"),
        finding_rows("soft-404", 6),
    ),
    "58-query-links": (
        link("a.html?lang=en", "page", "a.html"),
        link("e.html?from=home", "page", "e.html"),
        page_value("e.html", "incoming_links", 1),
        page_value("e.html", "depth", 1),
        unreported("e.html", "orphan-pages"),
    ),
    "72-warc-codings": (
        *(value("title", "Die alte Mühle", page=name) for name in CODINGS),
        *(
            record(
                "readable umlauts", lambda each: "lässt sich" in each["text"] and "3 €" in each["text"], name
            )
            for name in CODINGS
        ),
        Check("records", "binary is left out or a failure with a reason", is_left_out_or_failed),
    ),
    "75-archive-toolbar": (
        blocks(*FIVE, "See the bees."),
        lacks("text", "captures", "About this capture", "Collected by"),
        value("published", None),
        value("modified", None),
    ),
    "83-code-in-quote": (
        in_order(
            "text", "Install it first", "pip install gauge", "Reset", "Sets all levels", "gauge --reset"
        ),
        in_order(
            "text", "gauge --reset", "Level", "Prints the last level.", "gauge --level", "Read the rule."
        ),
        has("text", "Nobody resets the gauge while the sluice is open."),
        rendered("//blockquote[.//pre[contains(., 'pip install gauge')]]", "the command within the quote", 1),
        rendered("//pre[contains(., 'gauge --reset')]", "the command of the first definition", 1),
        rendered("//pre[contains(., 'gauge --level')]", "the command of the second definition", 1),
        has("markdown", "Reset", "Sets all levels to nothing.", "Level", "Prints the last level."),
        rendered("//li//blockquote[contains(., 'Nobody resets')]", "the quote within the item", 1),
    ),
    "84-consent-bar": (
        lacks("text", "cookies", "refuse them", "I agree"),
        blocks("The society cooks soup ... in the barn.", "We begin at nine."),
    ),
    "85-review-author": (
        *(value("author", None, page=name) for name in ("a-json-ld-review", "b-review-cards")),
        *(value("published", None, page=name) for name in ("a-json-ld-review", "b-review-cards")),
    ),
    "pages/author-follow": (authors("Kim Doe"), lacks("text", "Follow")),
    "pages/author-two": (authors("Kim Doe", "Lee Poe"), lacks("text", "Kim Doe", "Lee Poe")),
    "pages/author-view-all": (authors("Kim Doe"), lacks("text", "View all posts")),
    "pages/canonical-date": (day("published", "2021-10-20"),),
    "pages/class-hide": (
        lacks("text", "come for the wind", "belongs to its dogs"),
        lacks("text", "Another story"),
        has("text", "belongs to its cats"),
    ),
    "pages/code-figure-caption": (
        rendered("//pre[contains(., 'import boat')]", "the code", 1),
        has("text", "import boat"),
        in_order("markdown", "boat.py", "import boat"),
    ),
    "pages/code-lang-github": (fences(("rust", "fn main() {}")),),
    "pages/code-sphinx-linenos": (fences(("python", "import boat\nboat.sail()")), lacks("text", "1import")),
    "pages/date-dmy-german": (day("published", "2021-01-11"),),
    "pages/date-two-digit-year": (day("published", "2019-12-02"),),
    "pages/dateline-old": (day("published", "2021-11-12"),),
    "pages/details": (in_order("text", "How deep is it?", "Nine metres at low tide"),),
    "pages/display-none-duplicate": (
        once("text", "Nobody has counted them"),
        once("text", "It took them nine years"),
        lacks("text", "2024-01-02"),
    ),
    "pages/dl": (
        in_order("text", "Quay", "A place to moor.", "Mole", "Pier", "A wall in the sea."),
        in_order("markdown", "Quay", "A place to moor.", "Mole", "Pier", "A wall in the sea."),
    ),
    "pages/footnotes": (
        in_order("text", "Nine years", "it took.", "Some say ten."),
        linked_notes("markdown"),
        linked_notes("html"),
    ),
    "pages/gallery-captions": (
        lacks("text", "1of4", "2of4", "3of4", "4of4"),
        Check("html", "each picture is in a figure with its caption", captions_fault),
    ),
    "pages/headlines-inside": (lacks("text", *HEADLINES), has("text", "belongs to its cats")),
    "pages/hidden-aria": (
        Check("formats", "text, Markdown and HTML agree about the hidden paragraph", aria_fault),
        has("manual", "aria-hidden"),
    ),
    "pages/hidden-display-none": (lacks("text", "A hidden paragraph"),),
    "pages/iframe-youtube": (
        rendered("//a[contains(@href, 'youtu') and contains(@href, 'abc123')]", "a link to the video"),
        in_html(
            "//*[contains(concat(@href, @src), 'youtu')][contains(concat(@href, @src), 'abc123')]",
            "the video",
        ),
    ),
    "pages/img-in-figure-caption": (
        rendered("//img[@src='/a/boat.jpg'][@alt='A boat']", "the picture", 1),
        in_order("markdown", "/a/boat.jpg", "A boat in the harbour. Photo: Kim"),
        in_html(
            "//figure[.//img[@src='/a/boat.jpg']]/figcaption[contains(., 'Photo: Kim')]", "the figure", 1
        ),
    ),
    "pages/img-lazy-noscript": (
        rendered("//img[@src='/a/boat.jpg'][@alt='A boat']", "the picture with its text", 1),
        rendered("//img", "pictures", 1),
        in_html("//img[@src='/a/boat.jpg'][@alt='A boat']", "the picture with its text", 1),
    ),
    "pages/label-datum": (day("published", "2022-01-26"),),
    "pages/list-of-links": (
        in_order("text", "BBEdit", "Acorn", "MarsEdit", "Transmit", "Napkin"),
        rendered("//li/a[starts-with(@href, 'https://example.org/')] | //li/p/a", "items with a link", 5),
    ),
    "pages/math-mathjax3": (
        pattern("text", r"^It is \$?E\$? here\.$", "paragraph with the formula"),
        once("text", "E "),
        in_html("//p[contains(., 'It is') and contains(., 'here.')]", "the paragraph", 1),
        in_html("//math", "formulas", 1),
    ),
    "pages/qa-comments": (
        record("kind or verdict is thread", lambda each: "thread" in (each.get("kind"), each.get("verdict"))),
        blocks("I have read that rivers ... every year?"),
        record("the two answers are posts", has_answers),
        record("the short comments follow their posts, one level deeper", has_nested_comments),
    ),
    "pages/soft-hyphen": (
        lacks("text", "\xad"),
        has("text", "harbour master", "evening", "number in a book"),
    ),
    "pages/table-body-lost": (
        in_order("text", "Original size", "Farm Hero", "71.1 MB", "13.4 MB (-81%)"),
        in_order("text", "Maps", "32.7 MB", "17.5 MB", "Mail", "17.8 MB", "7.6 MB (-57%)"),
        rendered("//tr[td][contains(., 'MB')]", "rows", 3),
    ),
    "pages/table-rowheaders": (
        rendered("//tr[contains(., 'Depth') and contains(., '9 m')]", "the row of the depth", 1),
        rendered("//tr[contains(., 'Length') and contains(., '120 m')]", "the row of the length", 1),
        in_html("//tr[th='Depth'][td='9 m'] | //tr[th='Length'][td='120 m']", "rows with their headers", 2),
    ),
    "pages/teasers-after": (lacks("text", *HEADLINES, "lessons will be held"), value("verdict", "article")),
    "pages/teasers-inside-article": (
        lacks("text", *HEADLINES, "lessons will be held"),
        value("verdict", "article"),
    ),
    "pages/time-published-footer": (day("published", "2019-08-02"),),
    "pages/title-ruby": (value("title", "The old harbour"), lacks("markdown", "oldalt")),
    "pages/tweet": (
        rendered("//blockquote[contains(., 'The ferry is back!')]", "the quote", 1),
        rendered("//blockquote//a[@href='https://twitter.com/harbour/status/1']", "its link", 1),
    ),
    "pages/video": (
        rendered("//a[@href='/a/film.mp4']", "a link to the video"),
        in_html("//*[@href='/a/film.mp4' or @src='/a/film.mp4']", "a link to the video"),
    ),
    "pages/wiki-edit-link": (
        pattern("markdown", r"^## Ferries$", "the heading Ferries"),
        lacks("text", "edit]", "[edit"),
    ),
    "hostile/one-page-breaks-learning": (
        audit("the 14 other pages have a type, the hostile page is a page or a failure", learnt_fault),
        Check("types", "types ends with a model", types_fault),
    ),
    "hostile/redos-lang": (cheap("extract"),),
    "hostile/redos-refresh": (cheap("audit"), cheap("crawl")),
    "hostile/redos-idhash": (cheap("audit"), cheap("types")),
    "hostile/refresh-quoted": (link("refresh-quoted.html", "redirect", "other.html"),),
    "hostile/ld-id-list": (
        value("title", "A walk"),
        has("text", "One step, then another"),
        page_value("ld-id-list.html", "title", "A walk"),
        NO_FAILURE,
    ),
    "hostile/segment-keyerror": (
        Check("segmentation", "segment gives a record with segments", segmentation_fault),
        page_value("segment-keyerror.html", "page", "segment-keyerror.html"),
        NO_FAILURE,
    ),
    "kinds/br-in-names": (
        row_count(5),
        column("name", [name.replace("<br>", " ") for name in NAMES]),
        rows_lack(*(name.replace("<br>", "") for name in NAMES), "HolmNorhavn"),
        any_column(("Norhavn", "Estby", "Sudvik", "Vestero", "Midfell"), "towns"),
    ),
    "kinds/br-in-cells": (
        row_count(len(CLOCKS)),
        column("name", STORIES[: len(CLOCKS)]),
        rows_lack("agoby"),
        any_column([f"{ago} by {name}" for ago, name in CLOCKS], "date and name"),
    ),
    "kinds/cards-of-a-shop": (
        row_count(8),
        column("name", [f"{name} lamp" for name in LAMPS]),
        column("link", [f"/lamp/{k}" for k in range(8)]),
        column("image", [f"/pic/{k}.jpg" for k in range(8)]),
        any_column([f"${k}.50" for k in range(11, 19)], "prices"),
    ),
    "kinds/list-twice": (
        row_count(6),
        column("name", STORIES),
        column("link", [f"/story/{k}" for k in range(6)]),
    ),
    "kinds/table-without-tbody": (
        row_count(len(TREES)),
        column("name", [name for name, _ in TREES]),
        any_column([height for _, height in TREES], "heights"),
        any_column([sentence(k) for k in range(len(TREES))], "texts"),
        selectors_select(len(TREES)),
        field_selectors_valid(),
    ),
    "kinds/list-of-terms": (
        row_count(len(TREES)),
        any_column([name for name, _ in TREES], "terms"),
        any_column([f"{height} and more" for _, height in TREES], "definitions"),
        selectors_select(len(TREES)),
        field_selectors_valid(),
    ),
    "kinds/late-doctype": (
        value("title", "Pears in the rain"),
        page_value("page.html", "document_title", "Pears in the rain"),
        finding_rows("missing-title", 0),
    ),
    "kinds/dates-of-languages": (
        day("published", "2021-01-11", page="attribute"),
        day("published", "2021-01-11", page="words"),
        day("published", "2021-11-01", page="declared"),
    ),
    "kinds/shared-labels": (all_pages("labels and values of the main container", shared_labels_fault, 40),),
    "kinds/system-table": (
        all_pages("no table of the system before the text", lambda each: "Component" not in each["text"], 20),
        all_pages("no file history", lambda each: "File history" not in each["text"], 20),
        all_pages("two paragraphs", lambda each: each["text"].count("hours.") == 6, 20),
    ),
    "kinds/first-posts": (
        all_pages("the first post as text, three comments", thread_is_split, 20),
        all_pages("no banner of the site", lambda each: "Welcome" not in each["text"], 20),
    ),
    "kinds/shared-dates": (
        all_pages("no date", lambda each: each["published"] is None, 21),
        all_pages("no author", lambda each: each["author"] is None, 21),
    ),
    "kinds/share-lines": (
        all_pages("no share line", lambda each: "Share this" not in each["text"], 24),
        all_pages("no printable version", lambda each: "Printable" not in each["text"], 24),
        all_pages("four paragraphs", lambda each: each["text"].count("hours.") == 12, 24),
    ),
    "kinds/common-titles": (
        all_pages("no common beginning of titles", plain_title, 12, "site topics"),
        all_pages("no breadcrumb in the title", plain_title, 12, "site crumbs"),
        all_pages("no sign of a link in the title", plain_title, 12, "site signs"),
    ),
    "kinds/sections-without-containers": (
        together(
            *(
                (plain_sentence(k * 3), f"check --{part}", plain_sentence(k * 3 + 1), f"Second of {part}")
                for k, part in enumerate(("ladders", "baskets", "fences", "clocks", "stoves", "sails"))
            )
        ),
    ),
    "kinds/sponsors": (
        segment("one block of fourteen sponsors with the role linklist", sponsor_fault),
        row_count(14),
        any_column(SPONSORS, "names"),
    ),
    "kinds/posts-of-a-thread": (one_role(*(f"{name} {k + 1} June 2023" for k, name in enumerate(POSTERS))),),
    "kinds/long-replies": (finding_rows("thin-pages", 0),),
    "kinds/manual": (audit("less than a third misfits, each with a reason", misfits_fault),),
    "kinds/dead-menu-link": (
        audit("one row with target and number of pages", dead_link_fault),
        unreported("/dead.html", "failed-pages"),
    ),
    "kinds/robots-and-sitemap": (
        *(reported(path) for path in UNREACHED),
        *(reported(path, view="archive") for path in UNREACHED),
        *(crawled(path) for path in UNREACHED),
    ),
    "kinds/hostile-locale": (cheap("extract"),),
    "kinds/hostile-language": (cheap("extract"),),
    "kinds/output-file": tuple(files_of(command) for command in ("extract", "segment", "dupes")),
}
"""The checks of each case."""
