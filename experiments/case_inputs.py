"""Pages and sites that show kinds of faults, written for `experiments.cases`.

Each function returns the files of a case by their paths. `KINDS` has those of the cases ``kinds/...``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Files = Mapping[str, bytes]
"""Content of files by path."""

_WHO = ("The gardener", "A neighbour", "The baker", "Our teacher", "A sailor", "The smith", "A visitor")
_DOES = ("remembers", "describes", "repairs", "measures", "paints", "carries", "compares", "sells", "counts")
_WHAT = (
    "the long fence behind the orchard",
    "eleven baskets of late pears",
    "a ladder that is missing two rungs",
    "the tiles of the small chapel",
    "an old clock with a loud bell",
    "three letters from the island",
    "the stove in the upper room",
    "a boat with a patched sail",
)
_WHEN = (
    "before the market opens in the morning",
    "whenever the wind turns to the north",
    "although nobody has asked for it",
    "because the winter was longer than usual",
    "while the children wait at the gate",
)

PLANTS = (
    "Fennel",
    "Borage",
    "Lovage",
    "Chervil",
    "Savory",
    "Sorrel",
    "Tansy",
    "Hyssop",
    "Angelica",
    "Costmary",
)
PLACES = ("of the coast", "of the hills", "of the marsh", "of the wood")
NAMES = ("Clara<br>Holm", "Emil<br>Lund", "Greta<br>Sand", "Hugo<br>Vik", "Ines<br>Dahl")
LAMPS = ("Amber", "Birch", "Cobalt", "Dune", "Ember", "Fjord", "Garnet", "Hazel")
SPONSORS = tuple(f"{word} Works" for word in (*LAMPS, "Iris", "Jade", "Kelp", "Larch", "Moss", "Nettle"))
STORIES = (
    "Pears in the rain",
    "The clock is late",
    "A patched sail",
    "Letters at last",
    "Cold stove",
    "New tiles",
)
CLOCKS = (("3 days ago", "Rosa"), ("5 days ago", "Nils"), ("2 weeks ago", "Olga"), ("6 weeks ago", "Pavel"))
TREES = (("Ash", "31 m"), ("Beech", "38 m"), ("Elm", "27 m"), ("Larch", "42 m"), ("Rowan", "12 m"))
POSTERS = ("oakleaf", "tidewater", "Marta", "quill", "sandpiper", "Jonas", "brook")


def sentence(number: int) -> str:
    """Return a sentence; equal numbers give equal sentences.

    >>> sentence(3) == sentence(3), sentence(3) == sentence(4)
    (True, False)
    """
    words = (_WHO[number % 7], _DOES[number // 3 % 9], _WHAT[number * 3 % 8], _WHEN[number // 2 % 5])
    return f"{' '.join(words)}, which took {number + 2} hours."


def paragraph(number: int, sentences: int = 3) -> str:
    """Return a paragraph of HTML with text that no paragraph of another number has."""
    return f"<p>{' '.join(sentence(number * 17 + k) for k in range(sentences))}</p>"


def page(title: str, body: str, head: str = "", main: str = "main") -> bytes:
    """Return a page of a small site with a menu and a footer."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        '<body><header><a href="/">Orchard Post</a><nav><a href="/fruit.html">Fruit</a>'
        ' <a href="/tools.html">Tools</a> <a href="/people.html">People</a></nav></header>'
        f"<{main}>{body}</{main}>"
        "<footer>Orchard Post, printed on Thursdays</footer></body></html>"
    ).encode()


def harmless_page(size: int, *, has_language: bool = True) -> bytes:
    """Return a plain page of about ``size`` bytes: a title and paragraphs.

    has_language: whether it states its language; else it is detected, by a model that takes time to read.
    """
    body, number = "<h1>A plain page</h1>", 0
    while len(body) + 500 < size:
        body += paragraph(number)
        number += 1
    plain = page("A plain page", body)
    return plain if has_language else plain.replace(_LANGUAGE, b"")


_LANGUAGE = b' lang="en"'


def warc(answers: Mapping[str, tuple[int, bytes]]) -> bytes:
    """Return an archive with the answer (status, body) of each address; a redirect has its target as body."""
    return b"".join(_response(url, status, body) for url, (status, body) in answers.items())


def _response(url: str, status: int, body: bytes) -> bytes:
    location = b""
    if 300 <= status < 400:
        location, body = b"Location: " + body + b"\r\n", b""
    answer = (
        f"HTTP/1.1 {status} Answer\r\nContent-Type: text/html; charset=utf-8\r\n".encode()
        + location
        + f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-06-01T08:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{abs(hash_of(url)):012d}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    return head.encode() + answer + b"\r\n\r\n"


def hash_of(text: str) -> int:
    """Return a number of at most twelve digits that depends on the text alone."""
    value = 7
    for character in text:
        value = (value * 131 + ord(character)) % 10**12
    return value


def names_with_breaks() -> Files:
    """Return a list whose names contain line breaks."""
    towns = ("Norhavn", "Estby", "Sudvik", "Vestero", "Midfell")
    items = (
        f"<li><a href=person{k}.html><h6>{name}</h6>{town}</a></li>"
        for k, (name, town) in enumerate(zip(NAMES, towns, strict=True))
    )
    return {"page.html": page("People", f"<h1>People</h1><ul>{''.join(items)}</ul>")}


def cells_with_breaks() -> Files:
    """Return a table in which a cell contains a date, a line break and a name."""
    rows = (
        f"<tr><td><a href=/t{k}>{title}</a></td><td>{k + 3}</td><td>{ago}<br />by {name}</td></tr>"
        for k, (title, (ago, name)) in enumerate(zip(STORIES, CLOCKS, strict=False))
    )
    head = "<tr><th>Subject</th><th>Replies</th><th>Last post</th></tr>"
    return {"page.html": page("Forum", f"<h1>Forum</h1><table>{head}{''.join(rows)}</table>")}


def cards_of_a_shop() -> Files:
    """Return eight products, each with two headings in two parts of a card."""
    cards = (
        "<li class=grid__item><div class=card><div class=card__inner>"
        f"<a href=/lamp/{k}><img src=/pic/{k}.jpg></a><h3><a href=/lamp/{k}>{name} lamp</a></h3></div>"
        f"<div class=card__content><h3 class=h5><a href=/lamp/{k}>{name} lamp</a></h3>"
        f"<span class=price>${k + 11}.50</span></div></div></li>"
        for k, name in enumerate(LAMPS)
    )
    return {"page.html": page("Lamps", f"<h1>Lamps</h1><ul id=product-grid>{''.join(cards)}</ul>")}


def list_twice() -> Files:
    """Return a page that contains one list of articles twice, for wide and for narrow screens."""
    items = "".join(
        f"<div class=item><a href=/story/{k}><h3>{title}</h3></a><p>{sentence(k * 5)}</p></div>"
        for k, title in enumerate(STORIES)
    )
    lists = f"<div class='list wide'>{items}</div><div class='list narrow'>{items}</div>"
    return {"page.html": page("Stories", f"<h1>Stories</h1>{lists}")}


def table_without_tbody() -> Files:
    """Return a list in a table whose source has no ``tbody``."""
    rows = (
        f"<tr><td><a href=/tree/{name}>{name}</a></td><td>{height}</td><td>{sentence(k)}</td></tr>"
        for k, (name, height) in enumerate(TREES)
    )
    return {"page.html": page("Trees", f"<h1>Trees</h1><table class=trees>{''.join(rows)}</table>")}


def list_of_terms() -> Files:
    """Return a list in which each item is a term and the definition that follows it."""
    terms = (f"<dt>{name}</dt><dd>{height} and <a href=/tree/{name}>more</a></dd>" for name, height in TREES)
    return {"page.html": page("Trees", f"<h1>Trees</h1><dl>{''.join(terms)}</dl>")}


def late_doctype() -> Files:
    """Return a page with markup before its doctype and its ``html`` element."""
    text = "".join(map(paragraph, range(4)))
    return {
        "page.html": (
            "<b>Notice</b><!DOCTYPE html><html><head><title>Pears in the rain</title></head><body><main>"
            f"<h1>Pears in the rain</h1>{text}</main></body></html>"
        ).encode()
    }


def shared_labels() -> Files:
    """Return a site about plants whose pages share headings, labels and values in the main container."""
    files = {}
    for k in range(40):
        name = f"{PLANTS[k % 10]} {PLACES[k // 10]}"
        values = {
            "Light": ("Full sun", "Half shade")[k % 2],
            "Height": ("30-90 cm", "60-120 cm")[k % 3 == 0],
            "Ground": ("Chalk", "Sand", "Clay")[k % 3],
        }
        fields = (
            f"<div class=field><h3>{label}</h3><div>{value}</div></div>" for label, value in values.items()
        )
        body = (
            f"<h1>{name}</h1><div class=intro>{paragraph(k * 4, 2)}</div>{''.join(fields)}"
            f"<h3>Examples</h3><ul><li>{sentence(k)}</li><li>{sentence(k + 50)}</li></ul>"
            f"<h3>Care</h3>{paragraph(k * 4 + 2, 2)}"
        )
        files[f"site/plant{k:02}.html"] = page(f"{name} - Orchard Post", body)
    return files


def system_table() -> Files:
    """Return a site of reports whose pages begin with a table of fields of the system."""
    files = {}
    for k in range(20):
        fields = {
            "Status": ("Open", "Closed", "Confirmed")[k % 3],
            "Product": ("Ladder", "Stove")[k % 2],
            "Component": ("Hinges", "Rungs", "Paint", "Door")[k % 4],
            "Assigned to": POSTERS[k % 7],
            "Reported": f"2023-0{k % 9 + 1}-1{k % 10}",
        }
        table = "".join(f"<tr><th>{name}:</th><td>{value}</td></tr>" for name, value in fields.items())
        history = "<table class=history><tr><th>Date</th><th>User</th><th>Size</th></tr>" + "".join(
            f"<tr><td>2023-03-{row + 10}</td><td>{POSTERS[(k + row) % 7]}</td><td>{k * 7 + row} kB</td></tr>"
            for row in range(3)
        )
        body = (
            f"<h1>Report {k + 100}: {STORIES[k % 6].lower()}</h1><table class=fields>{table}</table>"
            f"<div class=description>{paragraph(k * 3)}{paragraph(k * 3 + 1)}</div>"
            f"<h2>File history</h2>{history}</table>"
        )
        files[f"site/report{k:02}.html"] = page(f"Report {k + 100} - Orchard Post", body)
    return files


def first_posts() -> Files:
    """Return a site of threads whose first post has the markup of all posts, below a banner of the site."""
    files = {}
    for k in range(20):
        posts = "".join(
            f"<div class=post id=p{k}-{n}><div class=user>{POSTERS[(k + n) % 7]}</div>"
            f"<div class=when>{n + 3} June 2023, 1{n}:05</div>"
            f"<div class=body>{paragraph(k * 9 + n, 2)}</div></div>"
            for n in range(4)
        )
        banner = (
            "<div class=banner><p>Welcome to the board of the Orchard Post. You can read everything here, "
            "but you have to register before you can write.</p></div>"
        )
        body = f"{banner}<h1>{STORIES[k % 6]} ({k})</h1>{posts}"
        files[f"site/thread{k:02}.html"] = page(f"{STORIES[k % 6]} ({k})", body, main="div")
    return files


def shared_dates() -> Files:
    """Return a site with a date in the footer of a third of the pages and a column "Message" on all."""
    files = {}
    for k in range(21):
        footer = "<div class=bar>Last stock count: <time datetime=2022-02-15>15 February 2022</time></div>"
        table = (
            "<table><tr><th class=author>Author</th><th>Message</th></tr>"
            f"<tr><td></td><td>{paragraph(k * 3)}{paragraph(k * 3 + 1)}</td></tr></table>"
        )
        body = f"<h1>{STORIES[k % 6]} {k}</h1>{table}{footer if k % 3 == 0 else ''}"
        files[f"site/note{k:02}.html"] = page(f"{STORIES[k % 6]} {k}", body)
    return files


def share_lines() -> Files:
    """Return a site on which every text ends with the same two lines."""
    files = {}
    for k in range(24):
        end = (
            f"<p>Share this article with your friends.</p><p><a href=/print?id={k}>Printable version</a></p>"
        )
        text = "".join(paragraph(k * 4 + n) for n in range(4))
        body = f"<article><h1>{STORIES[k % 6]} {k}</h1>{text}{end}</article>"
        files[f"site/story{k:02}.html"] = page(f"{STORIES[k % 6]} {k} - Orchard Post", body)
    return files


def common_titles() -> Files:
    """Return pages whose titles have a common beginning, a breadcrumb, or the sign of a link."""
    files = {}
    for k in range(12):
        story = f"{PLANTS[k % 10]} and {LAMPS[k % 8].lower()}"
        text = "".join(paragraph(k * 3 + n) for n in range(3))
        files[f"topics/t{k:02}.html"] = page(f"View topic: {story}", f"<div class=topic>{text}</div>")
        crumb = f"Board » Garden » {story}"
        files[f"crumbs/c{k:02}.html"] = page(crumb, f"<div class=crumb>{crumb}</div><div>{text}</div>")
        sign = f'<h1>{story}<a class="headerlink" href="#s{k}">\uf0c1</a></h1>'
        files[f"signs/s{k:02}.html"] = page(f"{story} - Orchard Post", f"<article>{sign}{text}</article>")
    return files


def sections_without_containers() -> Files:
    """Return a page of a manual: a table of contents, then six sections without containers."""
    parts = ("Ladders", "Baskets", "Fences", "Clocks", "Stoves", "Sails")
    contents = "".join(f"<li><a href=#{part}>{part}</a></li>" for part in parts)
    sections = "".join(
        f"<h2 id={part}>{part}</h2>{paragraph(k * 3)}"
        f"<pre>check --{part.lower()}\nreport --{part.lower()}</pre>"
        f"{paragraph(k * 3 + 1)}<ul><li>First of {part.lower()}</li><li>Second of {part.lower()}</li>"
        f"<li>Third of {part.lower()}</li></ul>"
        for k, part in enumerate(parts)
    )
    html = f"<!DOCTYPE html><title>Manual</title><h1>Manual</h1>{paragraph(90)}<ul>{contents}</ul>{sections}"
    return {"page.html": html.encode()}


def sponsors() -> Files:
    """Return a page with an article and fourteen cards of a logo and a name below the heading "Sponsors"."""
    cards = "".join(
        f"<div class=sponsor><a href=https://s{k}.example/><img src=/logo/{k}.png width=120 height=60></a>"
        f"<div>{name}</div></div>"
        for k, name in enumerate(SPONSORS)
    )
    text = "".join(map(paragraph, range(3)))
    body = f"<h1>The fair</h1>{text}<h2>Sponsors</h2><div class=sponsors>{cards}</div>"
    return {"page.html": page("The fair", body)}


def posts_of_a_thread() -> Files:
    """Return a thread of seven posts, of which some are long and some are short."""
    posts = "".join(
        f"<div class=post id=p{n}><h3><a href=/user/{name}>{name}</a></h3>"
        f"<span class=date>{n + 1} June 2023</span>"
        f"<div class=body>{''.join(paragraph(n * 5 + k) for k in range((3, 1, 2)[n % 3]))}</div></div>"
        for n, name in enumerate(POSTERS)
    )
    return {"page.html": page("Late pears", f"<h1>Late pears</h1>{posts}", main="div")}


def long_replies() -> Files:
    """Return a forum whose topics begin with a short question and have long replies."""
    files = {}
    for k in range(24):
        posts = [f"<p>Which {LAMPS[k % 8].lower()} lamp fits room {k}?</p>"]
        posts += ["".join(paragraph(k * 31 + n * 4 + part, 4) for part in range(3)) for n in range(5)]
        thread = "".join(
            f"<div class=post><div class=user>{POSTERS[(k + n) % 7]}</div>"
            f"<div class=when>2023-05-{n + 10}</div><div class=body>{text}</div></div>"
            for n, text in enumerate(posts)
        )
        links = "".join(f'<a href="/topic{n:02}.html">Topic {n}</a> ' for n in range(24))
        body = f"<h1>Lamp for room {k}</h1><div class=thread>{thread}</div><div class=more>{links}</div>"
        files[f"site/topic{k:02}.html"] = page(f"Lamp for room {k}", body)
    return files


def manual() -> Files:
    """Return a manual of one template: its pages differ in length, code, lists and tables only."""
    files = {}
    for k in range(36):
        parts = [paragraph(k * 11 + n) for n in range(2 + k % 5)]
        if k % 3 == 0:
            parts.insert(1, f"<pre>start --step {k}\nstop</pre>")
        if k % 4 == 1:
            parts.append(f"<ul><li>{sentence(k)}</li><li>{sentence(k + 1)}</li></ul>")
        if k % 6 == 2:
            parts.append(
                f"<table><tr><th>Option</th><th>Use</th></tr><tr><td>-{k}</td><td>x</td></tr></table>"
            )
        if k % 9 == 4:
            parts.append(f"<div class=note><p>Note</p>{paragraph(k * 11 + 9)}</div>")
        text = f"<h1>Chapter {k}</h1>{parts[0]}<h2>Use</h2>{''.join(parts[1:])}"
        links = (
            f"<div class=nextprev><a href=/c{k - 1:02}.html>back</a> <a href=/c{k + 1:02}.html>on</a></div>"
        )
        files[f"site/c{k:02}.html"] = page(f"Chapter {k}", f"<div class=document>{text}</div>{links}")
    return files


def dead_menu_link() -> Files:
    """Return an archive of forty pages whose menu links to an address that answers 404."""
    answers = {}
    for k in range(40):
        links = "".join(f'<a href="/s{n:02}.html">Story {n}</a> ' for n in range(40))
        menu = f'<div class=side><a href="/dead.html">Old shop</a> {links}</div>'
        body = (
            f"{menu}<article><h1>{STORIES[k % 6]} {k}</h1>{paragraph(k * 2)}{paragraph(k * 2 + 1)}</article>"
        )
        address = "" if k == 0 else f"s{k:02}.html"
        answers[f"http://orchard.example/{address}"] = (200, page(f"{STORIES[k % 6]} {k}", body))
    answers["http://orchard.example/s00.html"] = (200, page("Story", f"<h1>Story</h1>{paragraph(99)}"))
    answers["http://orchard.example/dead.html"] = (404, page("Not here", "<h1>Not here</h1>"))
    for name in ("fruit", "tools", "people"):
        answers[f"http://orchard.example/{name}.html"] = (200, page(name, f"<h1>{name}</h1>{paragraph(300)}"))
    return {"crawl.warc": warc(answers)}


def served_site() -> Files:
    """Return the files of a site with robots.txt and a sitemap; `ANSWERS` has the other answers.

    ``ADDRESS`` in a file stands for the address of the server.
    """
    addresses = (
        "",
        "open1.html",
        "open2.html",
        "absent.html",
        "gone.html",
        "moved.html",
        "private/page.html",
    )
    locations = "".join(f"<url><loc>ADDRESS/{path}</loc></url>" for path in addresses)
    links = '<a href="open1.html">One</a> <a href="open2.html">Two</a> <a href="private/page.html">Secret</a>'
    return {
        "site/index.html": page(
            "Home of the post", f"<h1>Home</h1><p>{links}</p>{paragraph(1)}{paragraph(2)}"
        ),
        "site/open1.html": page("First open page", f"<h1>First</h1>{paragraph(3)}{paragraph(4)}"),
        "site/open2.html": page("Second open page", f"<h1>Second</h1>{paragraph(5)}{paragraph(6)}"),
        "site/private/page.html": page("Secret", f"<h1>Secret</h1>{paragraph(7)}"),
        "site/fruit.html": page("Fruit", f"<h1>Fruit</h1>{paragraph(8)}"),
        "site/tools.html": page("Tools", f"<h1>Tools</h1>{paragraph(9)}"),
        "site/people.html": page("People", f"<h1>People</h1>{paragraph(10)}"),
        "site/robots.txt": b"User-agent: *\nDisallow: /private/\nSitemap: ADDRESS/sitemap.xml\n",
        "site/sitemap.xml": f"<urlset>{locations}</urlset>".encode(),
    }


ANSWERS = {"/gone.html": (410, ""), "/moved.html": (301, "/open1.html")}
"""Status and target of the addresses of `served_site` without a file; other addresses answer 404."""


def dates_of_languages() -> Files:
    """Return pages with the date 11/01/2021: German by attribute, by words, and with a declared date."""
    words = (
        "<p>Der alte Zaun hinter dem Garten wurde im Herbst von den Nachbarn repariert, und die Kinder haben "
        "dabei geholfen. Am Abend gab es Suppe und Brot für alle, die noch da waren.</p>"
    )
    declared = '<meta property="article:published_time" content="2021-11-01T09:00:00Z">'
    date = "<div class=date>11/01/2021</div>"
    english = "".join(map(paragraph, range(3)))
    german = page("Der Zaun", f"<article><h1>Der Zaun</h1>{date}{words * 3}</article>")
    both = page("Der Zaun", f"<article><h1>Der Zaun</h1>{date}{words * 3}</article>", declared)
    return {
        "attribute.html": page("Zaun", f"<article><h1>Zaun</h1>{date}{english}</article>").replace(
            b'lang="en"', b'lang="de"'
        ),
        "words.html": german.replace(b' lang="en"', b""),
        "declared.html": both.replace(b'lang="en"', b'lang="de"'),
    }


def _without_language(title: str, head: str) -> bytes:
    """Return a page whose ``html`` element states no language, so that those of its head are read."""
    body = f"<h1>{title}</h1>{paragraph(1)}{paragraph(2)}"
    return page(title, body, head).replace(_LANGUAGE, b"")


def endless_locale() -> Files:
    """Return a page whose ``og:locale`` has fifty underscores."""
    head = f'<meta property="og:locale" content="en{"_" * 50}!">'
    return {"page.html": _without_language("Late pears", head)}


def endless_language() -> Files:
    """Return a page whose structured data names a language with fifty underscores."""
    data = f'{{"@type": "Article", "headline": "Late pears", "inLanguage": "en{"_" * 50}!"}}'
    head = f'<script type="application/ld+json">{data}</script>'
    return {"page.html": _without_language("Late pears", head)}


def plain_page() -> Files:
    """Return a plain article, and a second one for commands that compare pages."""
    return {"page.html": harmless_page(3000), "other.html": harmless_page(4000)}


KINDS: dict[str, Callable[[], Files]] = {
    "br-in-names": names_with_breaks,
    "br-in-cells": cells_with_breaks,
    "cards-of-a-shop": cards_of_a_shop,
    "list-twice": list_twice,
    "table-without-tbody": table_without_tbody,
    "list-of-terms": list_of_terms,
    "late-doctype": late_doctype,
    "dates-of-languages": dates_of_languages,
    "shared-labels": shared_labels,
    "system-table": system_table,
    "first-posts": first_posts,
    "shared-dates": shared_dates,
    "share-lines": share_lines,
    "common-titles": common_titles,
    "sections-without-containers": sections_without_containers,
    "sponsors": sponsors,
    "posts-of-a-thread": posts_of_a_thread,
    "long-replies": long_replies,
    "manual": manual,
    "dead-menu-link": dead_menu_link,
    "robots-and-sitemap": served_site,
    "output-file": plain_page,
    "hostile-locale": endless_locale,
    "hostile-language": endless_language,
}
"""The files of each kind of fault, by the name of its case without ``kinds/``."""


def inputs_of(files: Sequence[str]) -> list[str]:
    """Return the arguments that name all files: files beside each other, and folders.

    >>> inputs_of(["site/a.html", "site/b.html", "page.html"])
    ['page.html', 'site']
    """
    return sorted({name.split("/")[0] for name in files})
