# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.extraction.authors` and `publication`: what a page states, as features of candidates.

n nodes, b text blocks, s statements, c candidates. x (f, c) float32: the features of the candidates, NaN for
missing ones; their names are in ``metadata.csv``, and the numbers of those that a function writes are a tuple
in the order of the function. A statement is a tuple: its value, the rank of its source, its node (-1 for
none), and its features, each with the number of its column; a feature that is NaN is the distance of the
node from the title.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Bytes = cython.typedef(cython.const[cython.uchar][::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
Flags = cython.typedef(cython.uchar[::1])
Floats = cython.typedef(cython.const[cython.float][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Numbers = cython.typedef(cython.longlong[:, ::1])
Places = cython.typedef(cython.const[cython.float][:, ::1])
Shorts = cython.typedef(cython.const[cython.ushort][::1])
Table = cython.typedef(cython.float[:, ::1])

PARTS = 0xFF
"""The bits for kinds of parts; those above are for other names."""
AT_TITLE: cython.Py_ssize_t = 0
AT_TEXT: cython.Py_ssize_t = 1
AT_END: cython.Py_ssize_t = 2
IN_UNIT: cython.Py_ssize_t = 3
NO_FOOTER: cython.Py_ssize_t = 4
NO_ASIDE: cython.Py_ssize_t = 5
NO_CARD: cython.Py_ssize_t = 6
OUTSIDE: cython.Py_ssize_t = 7
"""Rows of the places of statements; the last is the number of the three parts before it in which it is
not."""
FARTHEST: cython.longlong = 50  # blocks from the title or the text
FARTHEST_NODE: cython.double = 400.0  # nodes from the title
MOST_ORDERS: cython.int = 8  # sources of statements
NAN: cython.float = float("nan")


# Where the parts of a page are.


def line_marks(texts: tuple, line: cython.Py_ssize_t, byline: cython.Py_ssize_t):
    """Return the numbers of the texts that may have a date, and of short ones with " by": two lists.

    line: the first characters of a text, in which a date is searched; byline: those of a short text.
    """
    dated = []
    signed = []
    for k in range(len(texts)):
        text: str = texts[k]
        if may_be_dated(text, min(len(text), line)):
            dated.append(k)
        if len(text) <= byline and " by" in text:
            signed.append(k)
    return dated, signed


@cython.cfunc
def may_be_dated(text: str, size: cython.Py_ssize_t) -> cython.bint:
    """Whether the first characters of a text may have a date.

    It is a year from 1900 to 2099, numbers such as 3/4/20, a month between two of them as in 3-Apr-20, or an
    apostrophe and a year of two digits.
    """
    for i in range(size - 2):
        character: cython.Py_UCS4 = text[i]
        if character == "'" or character == "’":
            if digits(text, i + 1, size) == 2:
                return True
        elif "0" <= character <= "9":
            following: cython.Py_UCS4 = text[i + 1]
            if (character == "1" and following == "9") or (character == "2" and following == "0"):
                if digits(text, i + 2, size) >= 2:
                    return True
            elif is_separator(following):
                at: cython.Py_ssize_t = i + 2 + min(digits(text, i + 2, size), 2)
                if at == i + 2:
                    at += letters(text, at, size)
                if at > i + 2 and at < size and is_separator(text[at]) and digits(text, at + 1, size) == 2:
                    return True
    return False


@cython.cfunc
def digits(text: str, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return how many digits follow each other in the first characters of a text, 3 for more."""
    count: cython.Py_ssize_t = 0
    while start + count < size and count < 3 and text[start + count].isdecimal():
        count += 1
    return count


@cython.cfunc
def letters(text: str, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return how many letters follow each other in the first characters of a text; 0 if it is no month.

    The names of months have 3 to 12 letters.
    """
    count: cython.Py_ssize_t = 0
    while start + count < size and count < 13 and text[start + count].isalpha():
        count += 1
    return count if 3 <= count <= 12 else 0


@cython.cfunc
def is_separator(character: cython.Py_UCS4) -> cython.bint:
    """Whether a character separates the numbers of a date."""
    return character == "." or character == "/" or character == "-"


def article_place(first: Ints, last: Ints, parent: Ints, end: Ints, title_node: int, body: list, near: int):
    """Return where an article is: nine numbers, -1 for what it does not have.

    They are the blocks of the title, of the begin and the end of the main text; the first node of the element
    that contains title and main text, and the one behind it; the same of what is near the title or the begin;
    and the first block near them, and the one behind.

    first, last: (b,) nodes of the text blocks, at least one. body: the nodes of the main text. near: blocks.
    """
    b: cython.Py_ssize_t = len(first)
    title: cython.Py_ssize_t = blocks_before(title_node, first)
    begin: cython.Py_ssize_t = title
    stop: cython.Py_ssize_t = -1
    unit: cython.Py_ssize_t = 0
    unit_end: cython.Py_ssize_t = 0
    if body:
        head: cython.Py_ssize_t = body[0]
        tail: cython.Py_ssize_t = body[len(body) - 1]
        begin = blocks_before(head, first)
        stop = max(blocks_before(end[tail], first) - 1, begin)
        unit = min(title_node, head)
        while unit > 0 and end[unit] <= max(title_node, tail):
            unit = parent[unit]
        unit_end = end[unit]
    low: cython.Py_ssize_t = max(min(title, begin) - near, 0)
    high: cython.Py_ssize_t = min(max(title, begin) + near, b) - 1
    if title > begin + near or begin > title + 4 * near:
        low = max(title - near, 0)
        high = min(title + 2 * near, b - 1)
    head = first[low]
    tail = last[high] + 1
    if not body:
        begin = -1
    near_first: cython.Py_ssize_t = blocks_before(head, first)
    near_last: cython.Py_ssize_t = blocks_before(tail, first)
    return title, begin, stop, unit, unit_end, head, tail, near_first, near_last


@cython.cfunc
def blocks_before(node: cython.longlong, first: Ints) -> cython.Py_ssize_t:
    """Return how many of the text blocks begin before a node."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = len(first)
    while low < high:
        middle: cython.Py_ssize_t = (low + high) // 2
        if first[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low


def node_bits(n: int, node: Longs, bits: Shorts):
    """Return the bits (n,) uint16 of each node: those of its attributes (m,), whose nodes are given."""
    out_array = np.zeros(n, np.uint16)
    out: cython.ushort[::1] = out_array
    for i in range(len(node)):
        out[node[i]] |= bits[i]
    return out_array


def inside_parts(
    parent: Ints, end: Ints, tag: Ints, of_tag: Shorts, names: Shorts, comments: list, around: tuple
):
    """Return the kinds of parts (n,) uint8 with each node, as bits; those around title or article are none.

    of_tag: the bits of each tag; names: (n,) those of the names of each node, of which the lowest 8 are kinds
    of parts. comments: nodes, after the bit that they get. around: the node whose kinds do not count, -1 for
    none; the node of the title; a node, and where it ends: the kinds of those above it that do not end before
    do not count.
    """
    n: cython.Py_ssize_t = len(parent)
    inside: Flags = np.empty(n, np.uint8)
    parts: cython.int = PARTS
    body: cython.Py_ssize_t = around[0]
    first: cython.Py_ssize_t = around[1]
    node: cython.Py_ssize_t = around[2]
    stop: cython.Py_ssize_t = around[3]
    for i in range(n):
        inside[i] = (names[i] | of_tag[tag[i]]) & parts
    for k in range(1, len(comments)):
        i = comments[k]
        inside[i] |= comments[0]
    while 0 <= node < n:
        if end[node] >= stop:
            inside[node] = 0
        node = parent[node]
    node = first
    while 0 <= node < n:
        inside[node] = 0
        node = parent[node]
    if body >= 0:
        inside[body] = 0
    for i in range(n):
        above: cython.Py_ssize_t = parent[i]
        if above >= 0:
            inside[i] |= inside[above]
    return np.asarray(inside)


def bits_above(parent: Ints, bits: Shorts, nodes: list, steps: cython.Py_ssize_t):
    """Return the bits of each node and of those above it, ``steps`` in all: a list; none for no node."""
    above = []
    for k in range(len(nodes)):
        node: cython.Py_ssize_t = nodes[k]
        every: cython.int = 0
        for _ in range(steps):
            if node < 0:
                break
            every |= bits[node]
            node = parent[node]
        above.append(every)
    return above


# Candidates.


def described(
    statements: list,
    key: list,
    least: Bytes,
    columns: tuple,
    of_page: tuple,
    values: tuple,
    blocks: tuple,
    inside: Bytes,
    rules: tuple,
):
    """Return candidates: their features x, the numbers of their best statements, and their shares (c,).

    A candidate has the statements of a key that are not in other parts of the page. Its best statement is the
    first of those with the least order. Its share is the least share of the pages of the site with a text
    block that states it; 0 if a statement is in none.

    key: below s, -1 for none. least: (f,) whether the least value of a feature counts, not the greatest.
    columns: of statements, of sources (-1 for none), and the first one of the place of the nearest statement.
    of_page, values: the columns of the whole page, and what they contain.
    blocks: first, last: (b,) nodes of the text blocks; share: (b,) of the pages, empty if the site is not
    known; the first five numbers of `article_place`, and the node of the title. inside: of `inside_parts`.
    rules: the number of candidates, at most; the bits of three parts that are features; the bits of other
    parts; the blocks to the title at which only the following bits count; whether distances are in nodes.
    """
    s: cython.Py_ssize_t = len(statements)
    place: Table = np.empty((OUTSIDE + 1, s), np.float32)
    number: Numbers = np.empty((ROWS, s), np.int64)
    write_places(place, number, statements, blocks, inside, rules[1])
    c: cython.Py_ssize_t = number_candidates(number, place, statements, key, inside, rules)
    f: cython.Py_ssize_t = len(least)
    x: Table = np.empty((f, c), np.float32)
    for j in range(f):
        for k in range(c):
            x[j, k] = NAN
    for i in range(len(of_page)):
        column: cython.Py_ssize_t = of_page[i]
        value: cython.double = values[i]
        for k in range(c):
            x[column, k] = value
    write_features(x, number, place, statements, least, blocks[3], rules[5])
    share: Floats = blocks[2]
    shares: cython.float[::1] = np.empty(c, np.float32)
    write_shares(shares, number, share)
    best = write_best(x, number, place, columns)
    return np.asarray(x), best, np.asarray(shares)


NODE: cython.Py_ssize_t = 0
BLOCK: cython.Py_ssize_t = 1
ORDER: cython.Py_ssize_t = 2
ROW: cython.Py_ssize_t = 3
OF_KEY: cython.Py_ssize_t = 4
BEST: cython.Py_ssize_t = 5
NEAREST: cython.Py_ssize_t = 6
ROWS: cython.Py_ssize_t = 7
"""Numbers of statements: node, text block, order and candidate; of keys: candidate; of candidates: the best
and the nearest statement. Then the number of these rows."""


@cython.cfunc
def write_places(place: Table, number: Numbers, statements: list, blocks: tuple, inside: Bytes, bits: tuple):
    """Write where statements are: node, text block and order, and their place; NaN for no node."""
    first: Ints = blocks[0]
    last: Ints = blocks[1]
    article: tuple = blocks[3]
    title: cython.longlong = article[0]
    begin: cython.longlong = article[1]
    stop: cython.longlong = article[2]
    unit: cython.longlong = article[3]
    unit_end: cython.longlong = article[4]
    for i in range(len(statements)):
        statement: tuple = statements[i]
        node: cython.longlong = statement[2]
        number[NODE, i] = node
        number[ORDER, i] = statement[1]
        for j in range(OUTSIDE + 1):
            place[j, i] = NAN
        if node < 0:
            continue
        k: cython.longlong = block_at(node, first, last)
        number[BLOCK, i] = k
        if title >= 0:
            place[AT_TITLE, i] = limited(k - title)
        if begin >= 0:
            place[AT_TEXT, i] = limited(k - begin)
            place[AT_END, i] = limited(k - stop)
            place[IN_UNIT, i] = unit <= node < unit_end
        place[OUTSIDE, i] = 0.0
        for j in range(3):
            bit: cython.int = bits[j]
            outside: cython.float = not inside[node] & bit
            place[NO_FOOTER + j, i] = outside
            place[OUTSIDE, i] += outside


@cython.cfunc
def block_at(node: cython.longlong, first: Ints, last: Ints) -> cython.longlong:
    """Return the text block in which a node is or, if it is in none, the next one; 0 without blocks."""
    b: cython.Py_ssize_t = len(first)
    k: cython.longlong = blocks_before(node + 1, first) - 1
    if k >= 0 and node <= last[k]:
        return k
    return max(min(k + 1, b - 1), 0)


@cython.cfunc
def limited(blocks: cython.longlong) -> cython.float:
    """Return a number of blocks between -50 and 50."""
    return max(min(blocks, FARTHEST), -FARTHEST)


@cython.cfunc
def number_candidates(
    number: Numbers, place: Places, statements: list, key: list, inside: Bytes, rules: tuple
) -> cython.Py_ssize_t:
    """Write the candidate of each statement, -1 for none, and return the number of candidates."""
    most: cython.Py_ssize_t = rules[0]
    others: cython.int = rules[2]
    beside: cython.float = rules[3]
    never: cython.int = rules[4]
    s: cython.Py_ssize_t = len(statements)
    c: cython.Py_ssize_t = 0
    for i in range(s):
        number[OF_KEY, i] = -1
    for i in range(s):
        node: cython.longlong = number[NODE, i]
        k: cython.longlong = key[i]
        if node >= 0 and inside[node] & (never if abs(place[AT_TITLE, i]) <= beside else others):
            k = -1
        if k >= 0 and number[OF_KEY, k] < 0 and c < most:
            number[OF_KEY, k] = c
            c += 1
        number[ROW, i] = number[OF_KEY, k] if k >= 0 else -1
    return c


@cython.cfunc
def write_features(
    x: Table,
    number: Numbers,
    place: Places,
    statements: list,
    least: Bytes,
    article: tuple,
    in_nodes: cython.bint,
):
    """Write the features of the statements of each candidate."""
    has_title: cython.bint = article[0] >= 0
    title: cython.longlong = article[5]
    column: cython.Py_ssize_t
    value: cython.double
    for i in range(len(statements)):
        k: cython.Py_ssize_t = number[ROW, i]
        if k < 0:
            continue
        for column, value in statements[i][3]:
            if value != value:
                value = (
                    node_distance(number[NODE, i], title, has_title) if in_nodes else abs(place[AT_TITLE, i])
                )
            old: cython.double = x[column, k]
            if value == value and (old != old or (value < old if least[column] else value > old)):
                x[column, k] = value


@cython.cfunc
def node_distance(node: cython.longlong, title: cython.longlong, has_title: cython.bint) -> cython.double:
    """Return how many nodes a node is from the title, at most 400; those before it count as farther."""
    if not has_title:
        return FARTHEST_NODE
    if node < title:
        return min(title - node + 30.0, FARTHEST_NODE)
    return min(node - title, FARTHEST_NODE)


@cython.cfunc
def write_shares(shares: cython.float[::1], number: Numbers, share: Floats):
    """Write the least share of the statements of each candidate."""
    k: cython.Py_ssize_t
    for k in range(len(shares)):
        shares[k] = 1.0 if len(share) else 0.0
    for i in range(number.shape[1]):
        k = number[ROW, i]
        if k < 0:
            continue
        if number[NODE, i] < 0:
            shares[k] = 0.0
        elif len(share):
            shares[k] = min(shares[k], share[number[BLOCK, i]])


@cython.cfunc
def write_best(x: Table, number: Numbers, place: Places, columns: tuple):
    """Write what candidates have of all statements, and return the best statement of each as a list."""
    STATEMENTS: cython.Py_ssize_t = columns[0]
    SOURCES: cython.Py_ssize_t = columns[1]
    PLACE: cython.Py_ssize_t = columns[2]
    c: cython.Py_ssize_t = x.shape[1]
    sources: Flags = np.zeros(c, np.uint8)
    k: cython.Py_ssize_t
    for k in range(c):
        number[BEST, k] = -1
        number[NEAREST, k] = -1
        x[STATEMENTS, k] = 0.0
    for i in range(number.shape[1]):
        k = number[ROW, i]
        if k < 0:
            continue
        x[STATEMENTS, k] += 1.0
        sources[k] |= 1 << number[ORDER, i]
        if number[BEST, k] < 0 or number[ORDER, i] < number[ORDER, number[BEST, k]]:
            number[BEST, k] = i
        if number[NODE, i] >= 0 and (number[NEAREST, k] < 0 or is_nearer(place, i, number[NEAREST, k])):
            number[NEAREST, k] = i
    best = []
    for k in range(c):
        best.append(number[BEST, k])
        if SOURCES >= 0:
            x[SOURCES, k] = bits_of(sources[k])
        if number[NEAREST, k] >= 0:
            for j in range(OUTSIDE):
                x[PLACE + j, k] = place[j, number[NEAREST, k]]
    return best


@cython.cfunc
def is_nearer(place: Places, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether a statement is outside of more parts than another one or, of as many, nearer to the title."""
    if place[OUTSIDE, i] != place[OUTSIDE, j]:
        return place[OUTSIDE, i] > place[OUTSIDE, j]
    return remoteness(place[AT_TITLE, i]) < remoteness(place[AT_TITLE, j])


@cython.cfunc
def remoteness(blocks: cython.float) -> cython.float:
    """Return how many blocks something is from the title; what is before it counts as farther."""
    return -blocks + 5.0 if blocks < 0 else blocks


@cython.cfunc
def bits_of(bits: cython.uchar) -> cython.int:
    """Return the number of bits that are set."""
    count: cython.int = 0
    for j in range(MOST_ORDERS):
        count += bits >> j & 1
    return count


# Names.


def describe_names(
    x: Table,
    share: Floats,
    names: list,
    lines: tuple,
    page: tuple,
    limits: tuple,
    shape: tuple,
    declared: tuple,
    columns: tuple,
):
    """Write what the names of candidates look like, and what they share with each other and with the page.

    Returns whether other pages have each name (c,) bool; names that markup declares are not meant.

    share: (c,) of the pages of the site with all lines that state a name. names: of each candidate: the
    values of the columns ``shape``, the tokens, the different ones that do not only join names, the tokens
    together, and the name in lower case. lines: the texts of the text blocks, and their shares (b,), empty if
    unknown. page: the tokens of its title, those of the names of its site, the parts of its host. limits:
    characters of a short line; the shares of a line and of all lines with a name that other pages have.
    declared: columns that are missing if markup does not state a name, that of JSON-LD first. columns: the
    others, in the order of this function.
    """
    PLACE: cython.Py_ssize_t = columns[0]
    BLOCKS: cython.Py_ssize_t = columns[1]
    IN_TITLE: cython.Py_ssize_t = columns[2]
    IS_SITE: cython.Py_ssize_t = columns[3]
    WITHIN_ANOTHER: cython.Py_ssize_t = columns[4]
    CONTAINS_ANOTHER: cython.Py_ssize_t = columns[5]
    CANDIDATES: cython.Py_ssize_t = columns[6]
    VISIBLE_RANK: cython.Py_ssize_t = columns[7]
    VISIBLE_CANDIDATES: cython.Py_ssize_t = columns[8]
    STATED_IN_JSON: cython.Py_ssize_t = columns[9]
    title, sites, host = page
    c: cython.Py_ssize_t = x.shape[1]
    column: cython.Py_ssize_t
    visible: cython.Py_ssize_t = 0
    in_json: cython.bint = False
    for k in range(c):
        visible += x[PLACE, k] == x[PLACE, k]
        column = declared[0]
        in_json |= x[column, k] == x[column, k]
    shared_array = np.zeros(c, np.bool_)
    shared: Flags = shared_array.view(np.uint8)
    count = lines_with(names, lines, limits, shared)
    for k in range(c):
        values, tokens, words, joined, _ = names[k]
        for i in range(len(shape)):
            column = shape[i]
            x[column, k] = values[i]
        in_title: cython.double = 0.0
        for token in tokens:
            in_title += token in title
        within: cython.Py_ssize_t = 0
        contains: cython.Py_ssize_t = 0
        for j in range(c):
            within += words < names[j][2]
            contains += words > names[j][2]
        x[BLOCKS, k] = min(count[k], 10)
        x[IN_TITLE, k] = in_title / max(len(tokens), 1)
        x[IS_SITE, k] = tokens in sites or joined in host
        x[WITHIN_ANOTHER, k] = within
        x[CONTAINS_ANOTHER, k] = contains
        x[CANDIDATES, k] = c
        x[VISIBLE_CANDIDATES, k] = visible
        x[STATED_IN_JSON, k] = in_json
        if x[PLACE, k] == x[PLACE, k]:
            x[VISIBLE_RANK, k] = count_nearer(x, PLACE, abs(x[PLACE, k]))
        if share[k] >= limits[2]:
            shared[k] = True
        for column in declared:
            if x[column, k] == x[column, k]:
                shared[k] = False
    return shared_array


@cython.cfunc
def count_nearer(x: Table, place: cython.Py_ssize_t, distance: cython.float) -> cython.int:
    """Return how many candidates are nearer to the title."""
    count: cython.int = 0
    for j in range(x.shape[1]):
        count += abs(x[place, j]) < distance
    return count


@cython.cfunc
def lines_with(names: list, lines: tuple, limits: tuple, shared: Flags):
    """Return how many short text blocks are each name; mark names of text blocks that other pages have."""
    texts: tuple = lines[0]
    share: Floats = lines[1]
    longest: cython.Py_ssize_t = limits[0]
    least: cython.double = limits[1]
    number = {names[k][4]: k for k in range(len(names))}
    sizes = {len(name) for name in number}
    count = [0] * len(names)
    for k in range(len(texts)):
        text: str = texts[k]
        size: cython.Py_ssize_t = len(text)
        if size not in sizes and "\u0130" not in text:  # the one letter that is longer in lower case
            continue
        name = number.get(text.lower())
        if name is None:
            continue
        i: cython.Py_ssize_t = name
        count[i] += size <= longest
        if len(share) and share[k] >= least:
            shared[i] = True
    return count


# Days.


def compare_days(x: Table, days: list, least: Bytes, columns: tuple, offsets: tuple):
    """Write how the days of candidates are ordered, and how far they are from those that markup states.

    days: (c,) as numbers. least: (f,) whether the least value of a column is the best. columns: one that is
    missing for days that are in no line, that of the blocks from the title, and those that are written, in
    the order of this function. offsets: pairs of a column of relevance or rank, and of that with the days
    from the best day of it.
    """
    c: cython.Py_ssize_t = x.shape[1]
    line: cython.Py_ssize_t = columns[0]
    place: cython.Py_ssize_t = columns[1]
    DAYS: cython.Py_ssize_t = columns[2]
    LINE_DAYS: cython.Py_ssize_t = columns[3]
    RANK: cython.Py_ssize_t = columns[4]
    RANK_FROM_THE_LATEST: cython.Py_ssize_t = columns[5]
    LINE_RANK: cython.Py_ssize_t = columns[6]
    day: cython.longlong[::1] = np.array(days, np.int64)
    lines: cython.Py_ssize_t = 0
    for k in range(c):
        lines += x[line, k] == x[line, k]
    for k in range(c):
        earlier: cython.Py_ssize_t = 0
        later: cython.Py_ssize_t = 0
        nearer: cython.Py_ssize_t = 0
        distance: cython.float = abs(x[place, k])
        for j in range(c):
            earlier += day[j] < day[k]
            later += day[j] > day[k]
            nearer += x[line, j] == x[line, j] and abs(x[place, j]) < distance
        x[DAYS, k] = c
        x[LINE_DAYS, k] = lines
        x[RANK, k] = earlier
        x[RANK_FROM_THE_LATEST, k] = later
        if x[line, k] == x[line, k]:
            x[LINE_RANK, k] = nearer
    source: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    for source, offset in offsets:
        best: cython.Py_ssize_t = best_of(x, source, least[source])
        if best >= 0:
            for k in range(c):
                x[offset, k] = max(min(day[k] - day[best], 400), -400)


@cython.cfunc
def best_of(x: Table, column: cython.Py_ssize_t, is_least: cython.bint) -> cython.Py_ssize_t:
    """Return the first candidate with the best value of a column, -1 for none."""
    best: cython.Py_ssize_t = -1
    for k in range(x.shape[1]):
        value = x[column, k]
        if value == value and (
            best < 0 or (value < x[column, best] if is_least else value > x[column, best])
        ):
            best = k
    return best


IS_CHANGE, MAY_NOT_REPLACE, CHANGED, META_CHANGED, PROPERTY_CHANGED, SHOWN_CHANGE = (1 << k for k in range(6))
"""What is known of a day, as bits: it is only stated as that of a change; it may not replace the day that is
declared; what states that it is the day of a change."""


def best_day(x: Table, probability: Doubles, shared: Bytes, limits: tuple, columns: tuple):
    """Return the number of the day of publication, -1 if none is probable.

    probability, shared: (c,) of being this day, and whether other pages have all lines that state it. limits:
    the least probability, and that at which a day replaces a later one that is declared.
    """
    is_change: cython.int = IS_CHANGE
    may_not_replace: cython.int = MAY_NOT_REPLACE
    least: cython.double = limits[0]
    best: cython.Py_ssize_t = -1
    allowed: cython.Py_ssize_t = -1
    other: cython.Py_ssize_t = -1
    of_best: cython.double = least
    of_allowed: cython.double = -1.0
    of_other: cython.double = least
    for k in range(x.shape[1]):
        chance: cython.double = 0.0 if shared[k] else probability[k]
        flags: cython.int = flags_of(x, k, chance, limits[1], columns)
        if chance >= of_best if best < 0 else chance > of_best:
            best = k
            of_best = chance
        if flags & may_not_replace:
            chance = 0.0
        if chance > of_allowed:
            allowed = k
            of_allowed = chance
        if not flags & is_change and (chance >= of_other if other < 0 else chance > of_other):
            other = k
            of_other = chance
    if best < 0:
        return -1
    return other if other >= 0 else allowed


def day_flags(x: Table, shared: Bytes, columns: tuple):
    """Return what is known of the changes of each day, as bits; nothing for days of lines of other pages."""
    return [0 if shared[k] else flags_of(x, k, 0.0, 0.0, columns) for k in range(x.shape[1])]


@cython.cfunc
def flags_of(
    x: Table, k: cython.Py_ssize_t, probability: cython.double, replaces: cython.double, columns: tuple
) -> cython.int:
    """Return what is known of a day as bits, see the constants above."""
    ARTICLE: cython.Py_ssize_t = columns[0]
    META: cython.Py_ssize_t = columns[1]
    DATE_CHANGED: cython.Py_ssize_t = columns[2]
    DATE_META_CHANGED: cython.Py_ssize_t = columns[3]
    DATE_PROPERTY_CHANGED: cython.Py_ssize_t = columns[4]
    NAMED_DATE: cython.Py_ssize_t = columns[5]
    NAMED_CHANGE: cython.Py_ssize_t = columns[6]
    LABEL_PUBLISHED: cython.Py_ssize_t = columns[7]
    LABEL_CHANGED: cython.Py_ssize_t = columns[8]
    LABEL_OTHER: cython.Py_ssize_t = columns[9]
    FROM_DECLARED: cython.Py_ssize_t = columns[10]
    FROM_META: cython.Py_ssize_t = columns[11]
    in_json: cython.bint = x[DATE_CHANGED, k] == x[DATE_CHANGED, k]
    in_meta: cython.bint = x[DATE_META_CHANGED, k] == x[DATE_META_CHANGED, k]
    named: cython.bint = x[NAMED_CHANGE, k] == 1 and x[NAMED_DATE, k] == 0
    labelled: cython.bint = x[LABEL_CHANGED, k] == 1
    declared: cython.bint = x[ARTICLE, k] == x[ARTICLE, k] or x[META, k] == x[META, k]
    offset: cython.float = x[FROM_DECLARED, k]
    if offset != offset:
        offset = x[FROM_META, k]
    is_change: cython.bint = (in_json or in_meta or named or labelled) and not (
        declared or x[LABEL_PUBLISHED, k] == 1
    )
    unlikely: cython.bint = (
        offset > 1
        or (offset < -1 and probability < replaces)
        or ((in_json or in_meta) and (offset < 0 or offset > 0))
    )
    flags: cython.int = 0
    if is_change:
        flags |= 1
    if unlikely and not declared:
        flags |= 2
    if in_json:
        flags |= 4
    if in_meta:
        flags |= 8
    if x[DATE_PROPERTY_CHANGED, k] == x[DATE_PROPERTY_CHANGED, k]:
        flags |= 16
    if named or (labelled and x[LABEL_OTHER, k] == 0):
        flags |= 32
    return flags
