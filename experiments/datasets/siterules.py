r"""The type, title, text, comments and list of each page of a site, by rules that a person wrote.

A recipe (``recipes/bench/<name>.json``) contains the source of a site, the paths of its pages, and the rules,
but nothing of the pages themselves. A rule of ``types`` has

    type, role                the name of the type; article, index or other
    path, has, not            a regular expression that is searched in the path of the page; CSS that the page
                              must match, or must not match; each may be omitted
    title, date, author       CSS of the element with the value; ``attr:content meta[name=author]`` is the
                              attribute ``content`` of the element
    main, without             lists of CSS: the parts of the main text, and what is left out inside
    comments                  CSS of each comment
    list                      ``items``, CSS of each record, and ``fields``, the CSS of each of its values; an
                              empty field is the text of the whole record

The first rule that fits a page is used; a page without a rule is not part of the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "dd", "details", "div", "dl", "dt", "fieldset"),
        *("figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li"),
        *("main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "td", "th", "tr", "ul"),
    )
)
"""Elements that begin a new line."""
INVISIBLE = frozenset(("script", "style", "noscript", "template", "svg"))
_CHARSET = re.compile(rb"charset=[\"']?([\w-]+)")

Rule = Mapping[str, Any]
Record = dict[str, Any]


class TruePage:
    """A page whose truth is read by rules.

    >>> page = TruePage(b"<h1>A <i>lamp</i></h1><p>Bright.<div class=ad>Buy!</div>")
    >>> rule = {"type": "product", "role": "article", "title": "h1", "main": ["body"]}
    >>> page.record({**rule, "without": [".ad", "h1"]})
    {'type': 'product', 'role': 'article', 'title': 'A lamp', 'text': 'Bright.'}
    """

    def __init__(self, body: bytes) -> None:
        self.tree = LexborHTMLParser(decoded(body))

    def rule(self, path: str, rules: Sequence[Rule]) -> Rule | None:
        """Return the first rule that fits the page at a path."""
        for rule in rules:
            if "path" in rule and not re.search(rule["path"], path):
                continue
            if "has" in rule and self.tree.css_first(rule["has"]) is None:
                continue
            if "not" in rule and self.tree.css_first(rule["not"]) is not None:
                continue
            return rule
        return None

    def record(self, rule: Rule) -> Record:
        """Return what is true of the page according to its rule."""
        found: Record = {"type": rule["type"], "role": rule["role"]}
        found["title"] = value(self.tree, rule.get("title"))
        if rule.get("main"):
            found["text"] = "\n".join(filter(None, self._main(rule)))
        if rule.get("comments"):
            found["comments"] = [text_of(node) for node in self.tree.css(rule["comments"])]
        if rule.get("list"):
            fields = rule["list"]["fields"]
            found["records"] = [
                {name: value(item, css) if css else _line(item) for name, css in fields.items()}
                for item in self.tree.css(rule["list"]["items"])
            ]
        for name in ("date", "author"):
            if rule.get(name):
                found[name] = value(self.tree, rule[name])
        return found

    def _main(self, rule: Rule) -> Iterator[str]:
        """Yield the texts of the outermost elements of the main text, each once."""
        left_out = [*rule.get("without", ()), *([rule["comments"]] if rule.get("comments") else ())]
        without = {node.mem_id for css in left_out for node in self.tree.css(css)}
        matches = {node.mem_id: node for css in rule["main"] for node in self.tree.css(css)}
        for key, node in matches.items():
            if key not in without and not any(above.mem_id in matches for above in _ancestors(node)):
                yield text_of(node, without)


def value(node: LexborHTMLParser | LexborNode, css: str | None) -> str | None:
    """Return the text, or the attribute, of the first element that CSS selects, or None."""
    attribute, selector = "", css or ""
    if selector.startswith("attr:"):
        attribute, _, selector = selector.removeprefix("attr:").partition(" ")
    found = node.css_first(selector) if selector else None
    if found is None:
        return None
    return " ".join((found.attributes.get(attribute) or "").split()) if attribute else _line(found)


def text_of(node: LexborNode, without: set[int] | frozenset[int] = frozenset()) -> str:
    """Return the visible text of an element by lines; without: ``mem_id`` of the nodes that are left out."""
    parts: list[str] = []
    left: list[LexborNode | str | None] = [node.child]
    while left:
        one = left.pop()
        if one is None:
            continue
        if isinstance(one, str):
            parts.append(one)
            continue
        left.append(one.next)
        tag = one.tag
        if tag == "-text":
            parts.append(one.text_content or "")
        elif tag and tag not in INVISIBLE and not tag.startswith("-") and one.mem_id not in without:
            if tag in BLOCKS:
                parts.append("\n")
                left.append("\n")
            left.append(one.child)
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(filter(None, lines))


def decoded(body: bytes) -> str:
    r"""Return the markup of a page: in the charset that it states, else UTF-8, else windows-1252.

    >>> decoded(b"<meta charset=latin-1>\xe9")[-1], decoded(b"\xc3\xa9"), decoded(b"\xe9")
    ('é', 'é', 'é')
    """
    stated = _CHARSET.search(body[:4096])
    for charset in (*([stated[1].decode()] if stated else ()), "utf-8", "windows-1252"):
        try:
            return body.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("utf-8", "replace")


def _line(node: LexborNode) -> str:
    return " ".join(text_of(node).split())


def _ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent
