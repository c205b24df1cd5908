r"""Document trees as Markdown: CommonMark, with tables, deleted text and formulas as on GitHub.

What Markdown has no markup for is written as HTML, which CommonMark allows: subscript, superscript, ruby
annotations, formulas of which only MathML is known, and links with an id, which lead to footnotes and back.
Formulas in TeX are code of the language ``math``. A definition list is a list whose items begin with the term
in bold type. A line break in a cell is ``<br>``. Text that Markdown would read as markup is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from webgrain.documents.parts import Part, part_text

_SPECIAL = re.compile(r"[\\`*\[\]]|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(
    r"^(\d*)([.)](?=\s|$)|#{1,6}(?=\s|$)|[-+](?=\s|$)|=+(?=\s*$)|-{2,}|~{3,}|\||>|:(?=-))", re.MULTILINE
)
_AT_END = re.compile(r"(?:(?<=\s)|^)(#+)$")
_IN_ADDRESS = re.compile(r"[\s()<>\\|]")
_HTML = {"subscript": "sub", "superscript": "sup"}
_STARS = {"strong": "**", "emphasis": "*", "deleted": "~~"}


def markdown(title: str, blocks: Iterable[Part]) -> str:
    r"""Return a title, empty for none, and blocks as Markdown.

    >>> item = Part("item", 5, (Part("paragraph", 5, ("one ", Part("strong", 6, ("two",)))),))
    >>> blocks = [Part("paragraph", 4, ("Why *not*",)), Part("list", 4, (item,), {"ordered": True}),
    ...           Part("code", 7, ("a\n  b",), {"language": "c"})]
    >>> print(markdown("T", blocks))
    # T
    <BLANKLINE>
    Why \*not\*
    <BLANKLINE>
    1. one **two**
    <BLANKLINE>
    ```c
    a
      b
    ```
    <BLANKLINE>
    """
    lines = [f"# {_heading(_within(' '.join(title.split())))}"] if title else []
    body = _blocks(blocks)
    return "\n".join([*lines, *([""] if lines and body else []), *body, ""])


# Blocks: each is a list of lines.


def _blocks(parts: Iterable[Part], tight: bool = False) -> list[str]:
    """Return the lines of blocks; tight: without blank lines between a text and a list after it."""
    lines: list[str] = []
    before: Part | None = None
    for part in parts:
        if not (inner := _block(part)):
            continue
        if before and not (tight and before.kind == "paragraph" and part.kind == "list"):
            lines.append("")
        if before and before.kind == part.kind == "list" and inner[0]:
            lines += ["<!-- -->", ""]  # otherwise two lists become one
        lines += inner
        before = part
    return lines


def _block(part: Part) -> list[str]:
    """Return the lines of a block; none if it is empty."""
    kind, children = part.kind, part.children
    if kind == "heading":
        text = _heading(_inline(children).replace("\\\n", " "))
        return [f"{'#' * min(max(int(part.attributes.get('level', 2)), 2), 6)} {text}"] if text else []
    if kind == "code":
        return _fenced(part_text(part), str(part.attributes.get("language", "")))
    if kind == "math":
        tex = part.attributes.get("tex")
        return _fenced(tex, "math") if tex else [f"<p>{part.attributes.get('mathml', '')}</p>"]
    if kind == "list":
        return _list(part)
    if kind == "definitions":
        return _definitions(part)
    if kind == "table":
        return _table(part)
    if kind in ("quote", "comment"):
        inside = _blocks([*_byline(part), *part.parts])
        return [f"> {line}".rstrip() for line in inside]
    if kind in ("section", "document", "figure", "item", "definition", "cell"):
        return _blocks(_as_block(child) for child in part.parts)
    text = _inline(children)
    if kind == "caption" and text:
        return [_inline((Part("emphasis", part.node, children),)).replace("\\\n", " ")]
    return _at_start(text).split("\n") if text else []


def _as_block(part: Part) -> Part:
    """Return an image as a paragraph, and a block unchanged."""
    return Part("paragraph", part.node, (part,)) if part.kind in ("image", "embed", "link") else part


def _byline(part: Part) -> list[Part]:
    """Return author and date of a comment as a paragraph."""
    known = [part.attributes.get("author", ""), part.attributes.get("date", "")]
    text = ", ".join(filter(None, known))
    return [Part("paragraph", part.node, (Part("strong", part.node, (text,)),))] if text else []


def _fenced(text: str, language: str) -> list[str]:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return [f"{fence}{language}", *text.splitlines(), fence]


def _list(part: Part) -> list[str]:
    """Return the lines of a list; its items are tight if each has one text, perhaps with lists after it."""
    items = [_tight(item) for item in part.parts]
    tight, lines = all(items), list[str]()
    number = int(part.attributes.get("start", 1))
    for item in part.parts:
        mark = f"{number}. " if part.attributes.get("ordered") else "- "
        number += 1
        lines += [""] if lines and not tight else []
        lines += _indented(mark, _blocks(item.parts, tight=tight))
    return lines


def _tight(item: Part) -> bool:
    kinds = [child.kind for child in item.parts]
    return kinds[:1] in ([], ["paragraph"]) and all(following == "list" for following in kinds[1:])


def _indented(mark: str, lines: list[str]) -> list[str]:
    """Return lines with a mark before the first one and room for it before the others."""
    room = " " * len(mark)
    first, *rest = lines or [""]
    return [f"{mark}{first}".rstrip(), *(f"{room}{line}".rstrip() for line in rest)]


def _definitions(part: Part) -> list[str]:
    lines: list[str] = []
    item: list[Part] = []

    def close() -> None:
        nonlocal item
        if item:
            lines.extend([""] if lines else [])
            lines.extend(_indented("- ", _blocks(item)))
        item = []

    for child in part.parts:
        if child.kind == "term":
            if any(child.kind == "definition" for child in item):
                close()
            item.append(Part("paragraph", child.node, (Part("strong", child.node, child.children),)))
        else:
            item.append(child)
    close()
    return lines


def _table(part: Part) -> list[str]:
    """Return a table with the lines of its caption above it."""
    captions = [line for child in part.parts if child.kind == "caption" for line in [*_block(child), ""]]
    rows = [child for child in part.parts if child.kind == "row"]
    grid = _grid(rows)
    width = max(map(len, grid), default=0)
    if not width:
        return captions[:-1]
    if not all(cell.attributes.get("header") for cell in rows[0].parts):
        grid.insert(0, [])  # a table in Markdown begins with its head
    lines = [f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |" for cells in grid]
    return [*captions, lines[0], "|" + " --- |" * width, *lines[1:]]


def _grid(rows: list[Part]) -> list[list[str]]:
    """Return the cells of each row; the other columns and rows that a cell spans are empty."""
    grid: list[list[str]] = []
    below: dict[int, int] = {}  # rows that a cell above still covers, by column
    for row in rows:
        cells: list[str] = []
        for cell in row.parts:
            while below.get(len(cells), 0) > 0 and len(cells) < _MOST_COLUMNS:
                below[len(cells)] -= 1
                cells.append("")
            text = _cell(cell)
            free = max(_MOST_COLUMNS - len(cells), 1)
            for _ in range(min(int(cell.attributes.get("colspan", 1)), free)):
                below[len(cells)] = int(cell.attributes.get("rowspan", 1)) - 1
                cells.append(text)
                text = ""
        grid.append(cells)
    return grid


_MOST_COLUMNS = 100  # columns up to which cells span others (hand-set)


def _cell(cell: Part) -> str:
    """Return the blocks of a cell on one line."""
    lines: list[str] = []
    for part in cell.walk():
        if part.kind in ("paragraph", "heading", "term", "caption"):
            lines.append(_inline(part.children))
        elif part.kind == "code":
            lines += [_code(line) for line in part_text(part).splitlines() if line.strip()]
        elif part.kind == "math" and part.attributes.get("display"):
            lines.append(_inline((part,)))
        elif part.kind == "figure":
            lines.append(_inline([child for child in part.parts if child.kind in ("image", "embed", "link")]))
    text = "<br>".join(filter(None, lines)).replace("\\\n", "<br>").replace("\n", " ")
    return text.replace("|", "\\|")


# Inline parts.


def _inline(children: Sequence[Part | str], before: str = "", after: str = "") -> str:
    """Return inline parts as Markdown; before, after: the characters around them."""
    done: list[str] = []
    line = ""
    for k, child in enumerate(children):
        rest = (children[later] for later in range(k + 1, len(children)))
        following = next((text[:1] for text in map(_beginning, rest) if text), after)
        line = _written(line, child, before, following)
        if len(line) > _LONG:  # only the end of the line can still change
            done.append(line[:-2])
            line = line[-2:]
    return "".join([*done, line])


_LONG = 1000  # characters (hand-set)
_TILDES = re.compile(r"^~|(?<!\\)~$")


def _beginning(child: Part | str) -> str:
    """Return the first characters of a child as they are written, roughly."""
    if isinstance(child, str):
        return child[:1]
    if child.kind in _STARS:
        return next(filter(None, map(_beginning, child.children)), "")
    return {"break": "\\", "image": "!", "link": "[", "embed": "[", "literal": "`", "math": "$"}.get(
        child.kind, "<"
    )


def _written(line: str, child: Part | str, before: str, after: str) -> str:
    """Return a line with a child added."""
    if isinstance(child, str):
        return line + _within(child)
    kind, attributes, last = child.kind, child.attributes, line[-1:] or before
    if kind == "break":
        return f"{line.rstrip(' ')}\\\n"
    if kind in ("image", "embed"):
        return line + _shown(child)
    if kind == "math":
        tex = attributes.get("tex")
        return f"{line}${_code(' '.join(tex.split()))}$" if tex else line + attributes.get("mathml", "")
    if kind == "literal":
        text = "".join(map(part_text, child.children))
        core = " ".join(text.split())
        left, right = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        ok = core and (left or last != "`")
        return f"{line}{' ' * bool(left)}{_code(core) if ok else _within(core)}{' ' * bool(right)}"
    stars = _STARS.get(kind, "")
    inner = _inline(child.children, last, after)
    core = inner.strip(" ")
    if not core:
        return line + inner
    left, right = inner[: len(inner) - len(inner.lstrip(" "))], inner[len(inner.rstrip(" ")) :]
    if kind == "link":
        text = core.replace("\\\n", " ")
        line = f"{line[:-1]}\\!" if line[-1:] == "!" and not left and not line.endswith("\\!") else line
        return f"{line}{left}{_link(text, attributes)}{right}"
    if stars:
        core = _TILDES.sub(r"\\~", core) if stars == "~~" else core  # those at the ends are no marks
        words = core.strip("*") if _is_marked(child) else core  # stars beside stars are read together
        opens = _are_marked(words, left or last, right or after)
        return f"{line}{left}{stars}{core}{stars}{right}" if opens else line + inner
    if kind == "ruby" and "annotation" in attributes:
        return f"{line}{left}<ruby>{core}<rt>{escape(attributes['annotation'])}</rt></ruby>{right}"
    name = _HTML.get(kind)
    return f"{line}{left}<{name}>{core}</{name}>{right}" if name else line + inner


def _is_marked(part: Part) -> bool:
    """Whether all the text of a part is in one part with stars, and both are written with stars."""
    inner = [child for child in part.children if not isinstance(child, str) or child.strip()]
    kinds = [child.kind for child in (part, *inner) if isinstance(child, Part)]
    return len(inner) == 1 and sorted(kinds) == ["emphasis", "strong"]


def _link(text: str, attributes: Mapping[str, str]) -> str:
    """Return a link, as HTML if it has an id."""
    if "id" in attributes:
        return f'<a id="{escape(attributes["id"])}" href="{escape(attributes["url"])}">{text}</a>'
    return f"[{text}]({_address(attributes['url'])})"


def _shown(part: Part) -> str:
    """Return an image, or a link to an embedded object."""
    address = _address(part.attributes["url"])
    if part.kind == "image":
        return f"![{_within(part.attributes.get('alt', ''))}]({address})"
    return f"[{_within(part.attributes.get('title') or part.attributes['url'])}]({address})"


def _delimits(outside: str, inside: str) -> bool:
    """Whether Markdown recognises stars between two characters (CommonMark 0.31, 6.2)."""
    return outside[-1:] in ("", " ", "\n") or (outside[-1] not in "*~" and inside.isalnum())


def _are_marked(words: str, before: str, after: str) -> bool:
    """Whether Markdown recognises stars around words between two texts."""
    if not words or words[0] == words[-1] == "*":
        return False
    return _delimits(before, words[0]) and _delimits(after, words[-1])


def _code(text: str) -> str:
    """Return a span of code.

    >>> _code("a`b"), _code("`x")
    ('``a`b``', '`` `x ``')
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    room = " " * (text[:1] == "`" or text[-1:] == "`")
    return f"{fence}{room}{text}{room}{fence}"


def _address(url: str) -> str:
    return _IN_ADDRESS.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace")), url
    )


def _within(text: str) -> str:
    r"""Return a text with the characters escaped that would be markup within a line.

    >>> print(_within("*not* a list, some_name, 1 < 2 &amp;"))
    \*not\* a list, some_name, 1 < 2 \&amp;
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


def _at_start(lines: str) -> str:
    r"""Return lines with the characters escaped that would begin a block.

    >>> print(_at_start("1. no list"))
    1\. no list
    """
    return _AT_START.sub(r"\1\\\2", lines)


def _heading(line: str) -> str:
    r"""Return the text of a heading: Markdown drops # at its end.

    >>> print(_heading("2. C #"))
    2. C \#
    """
    return _AT_END.sub(r"\\\1", line.strip())
