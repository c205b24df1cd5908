"""CRX: the regular expression of some strings, with records, choices between sequences, and anchors.

Source: Bex, Neven, Schwentick, Tuyls, Inference of concise DTDs from XML data, VLDB 2006, section 6 (CRX):

    1. a precedes b if b follows a directly in some string; symbols on a cycle of this relation form a class;
    2. classes that never occur together, with the same neighbours, are alternatives;
    3. the classes, in topological order, are the factors of the expression: each occurs once, or is optional,
       or repeated, as in the strings.

    ABCDE, AABCDE, ABDE, ABDF and ABCDF give (A)*B(C)?D(E|F).

Every string is in the language of the result. It does not depend on the order of the strings, and contains
each symbol once.

Departures:
  - `separate_symbols` runs first: a symbol before and after an anchor, a symbol that occurs once in most
    strings, is two symbols. So AXA gives AXB and not (A|X)*.
  - A repeated class that always begins with the same symbol is a sequence of records, ``(ab?c*)*`` rather
    than ``(a|b|c)*``, if that codes the strings in fewer bits.
  - Alternatives are sequences, ``(ab|cd)``. Classes that may be apart by chance stay optional.

Cost: the length of the distinct strings; c * c / 64 for c classes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import count, pairwise
from math import log2

from webgrain.templates import thresholds

TAG, SEQ, STAR, OPT, ALT = range(5)
# Names of the operators, by number.
OPS = ("tag", "seq", "star", "opt", "alt")

String = tuple[int, ...]
Class = tuple[int, ...]
Graph = dict[int, set[int]]


@dataclass(frozen=True)
class ExpressionPart:
    """A part of an expression: a symbol (op TAG), or an operator over parts.

    is_list: at a STAR, whether some string repeats a symbol of it; missing: whether some string lacks it.

    >>> tags = ExpressionPart(TAG, 1), ExpressionPart(TAG, 2)
    >>> print(ExpressionPart(OPT, parts=(ExpressionPart(ALT, parts=tags),)))
    (1|2)?
    """

    op: int
    symbol: int = -1
    parts: tuple[ExpressionPart, ...] = ()
    is_list: bool = False
    missing: bool = False

    def __str__(self) -> str:
        if self.op == TAG:
            return str(self.symbol)
        inside = ("|" if self.op == ALT else "").join(map(str, self.parts))
        if self.op == SEQ:
            return inside
        inside = inside if self.op != ALT and self.parts[0].op == ALT else f"({inside})"
        return inside + {STAR: "*", OPT: "?", ALT: ""}[self.op]

    @cached_property
    def symbols(self) -> String:
        """The symbols in it."""
        return (self.symbol,) if self.op == TAG else tuple(s for part in self.parts for s in part.symbols)

    @cached_property
    def lead(self) -> int:
        """The symbol that a record begins with."""
        return self.symbol if self.op == TAG else self.parts[0].lead


def learn_expression(strings: Iterable[Sequence[int]] | Mapping[String, int]) -> tuple[ExpressionPart, ...]:
    """Return the parts of the expression of all strings; of a mapping, how often each string occurs.

    >>> examples = [[1, 2, 3, 4, 5], [1, 1, 2, 3, 4, 5], [1, 2, 4, 5], [1, 2, 4, 6], [1, 2, 3, 4, 6]]
    >>> print(*learn_expression(examples), sep="")
    (1)*2(3)?4(5|6)
    >>> print(*learn_expression([[1, 2, 1, 2, 3, 1, 2], [1, 2]]))  # a list of records
    (12(3)?)*
    >>> print(*learn_expression([[1, 2], [3, 4]]))  # a choice between sequences
    (12|34)
    """
    known = strings if isinstance(strings, Mapping) else Counter(map(tuple, strings))
    return _learn(known, thresholds.MAX_RECORD_DEPTH)


def separate_symbols(strings: Mapping[String, int]) -> dict[String, String]:
    """Return strings with new numbers where one symbol stands at several places of a sequence.

    strings: the distinct strings and how often each occurs. A new number stands for one of the old ones only.

    >>> list(separate_symbols({(1, 2, 1): 9, (1, 2): 9, (1, 1, 2, 1): 9}).values())
    [(3, 4, 1), (3, 4), (3, 3, 4, 1)]
    >>> list(separate_symbols({(1, 2, 1, 2): 1, (1, 2): 1}).values())  # records
    [(1, 2, 1, 2), (1, 2)]
    """
    fresh = count(max((max(string, default=0) for string in strings), default=0) + 1)
    separated = _separate(list(strings), list(strings.values()), fresh, thresholds.MAX_ANCHORS)
    return dict(zip(strings, separated, strict=True))


def _separate(
    strings: Sequence[String], times: Sequence[int], fresh: Iterator[int], depth: int
) -> list[String]:
    separated = list(strings)
    if not depth:
        return separated
    for symbols in _components(_successors(strings)):
        if not 1 < len(symbols) <= thresholds.MAX_SEPARATED:
            continue
        members = set(symbols)
        runs = [tuple(symbol for symbol in string if symbol in members) for string in separated]
        better = _split_at_anchor(runs, times, fresh, depth)
        if better:
            pairs = zip(separated, better, strict=True)
            separated = [_with_run(string, members, run) for string, run in pairs]
    return separated


def _with_run(string: String, members: Container[int], run: String) -> String:
    """Return a string whose symbols that are members are replaced by those of a run, in order."""
    symbols = iter(run)
    return tuple(next(symbols) if symbol in members else symbol for symbol in string)


def _split_at_anchor(
    runs: Sequence[String], times: Sequence[int], fresh: Iterator[int], depth: int
) -> list[String]:
    """Return runs with new numbers up to an anchor if that codes them in fewer bits; else nothing."""
    counts = [(Counter(run), n) for run, n in zip(runs, times, strict=True) if run]
    once: Counter[int] = Counter()
    for numbers, n in counts:
        once.update({symbol: n for symbol, number in numbers.items() if number == 1})
    is_list = any(number > 1 for numbers, _ in counts for number in numbers.values())
    anchor = min(once, key=lambda symbol: (-once[symbol], symbol), default=-1)
    if anchor < 0 or (is_list and once[anchor] < thresholds.ANCHOR_SHARE * sum(n for _, n in counts)):
        return []
    if sum(map(len, runs)) > thresholds.MAX_SEPARATED**2:
        return []
    new: dict[int, int] = defaultdict(lambda: next(fresh))
    cuts = [run.index(anchor) if anchor in run else -1 for run in runs]
    left: list[String] = []
    right: list[String] = []
    for run, cut in zip(runs, cuts, strict=True):
        left.append(tuple(new[symbol] for symbol in run[: max(cut, 0)]))
        right.append(run[cut + 1 :])
    name = next(fresh)
    left = _separate(left, times, fresh, depth - 1)
    right = _separate(right, times, fresh, depth - 1)
    joined = [
        (*before, name, *behind) if cut >= 0 else (*before, *behind)
        for before, cut, behind in zip(left, cuts, right, strict=True)
    ]
    if is_list and _length(joined, times) >= _length(runs, times):
        return []
    return joined


def _length(strings: Sequence[String], times: Sequence[int]) -> float:
    """Return the bits that code an expression and its strings."""
    distinct: Counter[String] = Counter()
    for string, n in zip(strings, times, strict=True):
        distinct[string] += n
    parts = _learn(distinct, thresholds.MAX_RECORD_DEPTH)
    size = sum(len(part.symbols) for part in parts)
    return size * thresholds.TAG_BITS + sum(n * _bits(parts, string) for string, n in distinct.items())


def runs_of(parts: Sequence[ExpressionPart], string: Sequence[int]) -> list[String]:
    """Return the symbols of each part in a string."""
    of = {symbol: k for k, part in enumerate(parts) for symbol in part.symbols}
    runs: list[list[int]] = [[] for _ in parts]
    for symbol in string:
        if symbol in of:
            runs[of[symbol]].append(symbol)
    return list(map(tuple, runs))


def pieces(run: String, lead: int) -> list[String]:
    """Return the records of a run that begins with ``lead``, each from one ``lead`` to the next.

    >>> pieces((1, 2, 1, 1, 3), 1)
    [(1, 2), (1,), (1, 3)]
    """
    cuts = [place for place, symbol in enumerate(run) if symbol == lead] + [len(run)]
    return [run[start:stop] for start, stop in pairwise(cuts)]


def _learn(strings: Mapping[String, int], depth: int) -> tuple[ExpressionPart, ...]:
    after = _successors(strings)
    classes = _components(after)
    of = {symbol: k for k, symbols in enumerate(classes) for symbol in symbols}
    behind = [{of[other] for s in symbols for other in after[s]} - {k} for k, symbols in enumerate(classes)]
    rank = _topological(behind, _places(of, strings))
    runs: list[Counter[String]] = [Counter() for _ in classes]
    rows: Counter[frozenset[int]] = Counter()
    for string, times in strings.items():
        of_class: dict[int, list[int]] = defaultdict(list)
        for symbol in string:
            of_class[of[symbol]].append(symbol)
        for k, run in of_class.items():
            runs[k][tuple(run)] += times
        rows[frozenset(of_class)] += times
    total = sum(strings.values())
    parts = [
        _class_part(symbols, run, run.total() < total, depth)
        for symbols, run in zip(classes, runs, strict=True)
    ]
    return tuple(_arrange(rank, rows, parts))


def _successors(strings: Iterable[String]) -> Graph:
    after: Graph = {}
    for string in strings:
        for symbol in string:
            after.setdefault(symbol, set())
        for symbol, following in pairwise(string):
            after[symbol].add(following)
    return after


def _components(after: Graph) -> list[Class]:
    """Strongly connected components, each sorted (Tarjan 1972, without recursion)."""
    low: dict[int, int] = {}
    stack: list[int] = []
    components: list[Class] = []
    for root in sorted(after):
        work = [] if root in low else [(root, iter(sorted(after[root])), len(low))]
        while work:
            node, rest, index = work[-1]
            if node not in low:
                low[node] = index
                stack.append(node)
            for new in rest:
                if new not in low:
                    work.append((new, iter(sorted(after[new])), len(low)))
                    break
                low[node] = min(low[node], low[new])
            else:
                work.pop()
                if low[node] == index:
                    members = [stack.pop()]
                    while members[-1] != node:
                        members.append(stack.pop())
                    components.append(tuple(sorted(members)))
                    low.update(dict.fromkeys(members, len(after)))  # finished
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
    return components


def _topological(behind: list[set[int]], place: list[float]) -> list[int]:
    """Return the classes in topological order; those without an order by their places."""
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(behind)), ()))
    for k, others in enumerate(behind):
        for other in others:
            sorter.add(other, k)
    sorter.prepare()
    heap: list[tuple[float, int]] = []
    order: list[int] = []
    while sorter.is_active():
        for k in sorter.get_ready():
            heappush(heap, (place[k], k))
        order.append(heappop(heap)[1])
        sorter.done(order[-1])
    return order


def _places(of: Mapping[int, int], strings: Mapping[String, int]) -> list[float]:
    """Return the mean position in the strings where each class begins, 0..1."""
    n = max(of.values(), default=-1) + 1
    total = [0.0] * n
    number = [0] * n
    for string, times in strings.items():
        for place, k in enumerate(dict.fromkeys(of[symbol] for symbol in string)):
            total[k] += times * place / len(string)
            number[k] += times
    return [all_ / n for all_, n in zip(total, number, strict=True)]


def _class_part(symbols: Class, runs: Counter[String], missing: bool, depth: int) -> ExpressionPart:
    """Return the part of a class: a symbol, a STAR of it, of records, or of any of its symbols."""
    tags = tuple(ExpressionPart(TAG, symbol) for symbol in symbols)
    if all(len(run) == 1 for run in runs):
        return tags[0]
    mixed = any(len(set(run)) < len(run) for run in runs)
    if len(tags) == 1:
        return ExpressionPart(STAR, -1, tags, mixed, missing)
    record = _record(runs, depth) if mixed and depth else ()
    inner = ExpressionPart(SEQ, parts=record) if record else ExpressionPart(ALT, parts=tags)
    return ExpressionPart(STAR, -1, (inner,), mixed, missing)


def _record(runs: Counter[String], depth: int) -> tuple[ExpressionPart, ...]:
    """Return the parts of a record, if all runs begin with one symbol and it codes them in fewer bits."""
    leads = {run[0] for run in runs}
    if len(leads) > 1:
        return ()
    (lead,) = leads
    split: Counter[String] = Counter()
    for run, times in runs.items():
        for piece in pieces(run, lead):
            split[piece] += times
    record = _learn(split, depth - 1)
    width = log2(len({symbol for run in runs for symbol in run}))
    mixture = sum(n * (len(run) * width + _count_bits(len(run))) for run, n in runs.items())
    bits = sum(n * _bits(record, piece) for piece, n in split.items())
    bits += sum(n * _count_bits(run.count(lead)) for run, n in runs.items())
    return record if bits < mixture else ()


def _bits(parts: Sequence[ExpressionPart], string: String) -> float:
    """Return the bits that code a string of an expression."""
    return sum(_part_bits(part, run) for part, run in zip(parts, runs_of(parts, string), strict=True))


def _part_bits(part: ExpressionPart, run: String) -> float:
    if part.op == TAG:
        return 0.0
    if part.op == SEQ:
        return _bits(part.parts, run)
    if part.op == ALT:
        chosen = (choice for choice in part.parts if run and run[0] in choice.symbols)
        return log2(len(part.parts)) + sum(_part_bits(choice, run) for choice in chosen)
    inner = part.parts[0]
    if part.op == OPT:
        return 1.0 + (_part_bits(inner, run) if run else 0.0)
    if inner.op == SEQ and run:
        records = pieces(run, inner.lead)
        return _count_bits(len(records) + part.missing) + sum(_bits(inner.parts, piece) for piece in records)
    return _count_bits(len(run) + part.missing) + len(run) * log2(len(inner.symbols))


def _count_bits(n: int) -> float:
    """Return the length of the Elias gamma code of a number from 1."""
    return 2.0 * int(log2(n)) + 1.0


def _arrange(
    order: Sequence[int], rows: Mapping[frozenset[int], int], parts: Sequence[ExpressionPart]
) -> list[ExpressionPart]:
    """Return the parts of classes in topological order, by the classes (rows) that occur together."""
    present = Counter(k for row, n in rows.items() for k in row for _ in range(n))
    total = sum(rows.values())
    arranged: list[ExpressionPart] = []
    gap: list[int] = []  # classes that some strings lack, since the last class that all have
    for k in order:
        if present[k] < total:
            gap.append(k)
            continue
        arranged += _fill(gap, rows, parts)
        gap = []
        arranged.append(parts[k])
    return arranged + _fill(gap, rows, parts)


def _fill(
    gap: Sequence[int], rows: Mapping[frozenset[int], int], parts: Sequence[ExpressionPart]
) -> list[ExpressionPart]:
    """Return the parts of classes that no row has to have: optional ones, sequences, and alternatives."""
    single = [_optional(parts[k]) for k in gap]
    if not 2 <= len(gap) <= thresholds.MAX_SEPARATED:
        return single
    inside = Counter[frozenset[int]]()
    for row, n in rows.items():
        inside[row.intersection(gap)] += n
    inside.pop(frozenset(), None)
    if frozenset.intersection(*inside):
        return [_optional(_sequence(_arrange(gap, inside, parts)))]
    together: Graph = {k: set().union(*(row for row in inside if k in row)) for k in gap}
    choices = _connected(gap, together)
    if len(choices) > 1:
        alternatives = _alternatives(choices, inside, sum(rows.values()), parts)
        return alternatives or [part for choice in choices for part in _fill(choice, rows, parts)]
    series = _intervals(gap, _connected(gap, {k: set(gap) - together[k] for k in gap}))
    if len(series) == 1:
        return single
    rows_with = [[row for row in inside if row.intersection(classes)] for classes in series]
    merged: list[list[int]] = []
    for k, classes in enumerate(series):
        if k and rows_with[k] == rows_with[k - 1]:
            merged[-1] += classes
        else:
            merged.append(list(classes))
    smaller = merged if len(merged) > 1 else series  # each row can have a class of each group, and none all
    return [part for classes in smaller for part in _fill(classes, rows, parts)]


def _alternatives(
    choices: Sequence[Sequence[int]],
    rows: Mapping[frozenset[int], int],
    total: int,
    parts: Sequence[ExpressionPart],
) -> list[ExpressionPart]:
    """Return a choice between classes that never occur together; nothing if that can be chance."""
    inside = [{row: n for row, n in rows.items() if row.intersection(choice)} for choice in choices]
    covered = sum(rows.values())
    sizes = [sum(rows_of_choice.values()) for rows_of_choice in inside]
    expected = (covered**2 - sum(n * n for n in sizes)) / 2 / total
    if covered < total and expected < thresholds.CHANCE:
        return []
    sequences = []
    for choice, rows_of_choice in zip(choices, inside, strict=True):
        sequences.append(_sequence(_arrange(choice, rows_of_choice, parts)))
    part = ExpressionPart(ALT, parts=tuple(sequences))
    return [part if covered == total else _optional(part)]


def _connected(nodes: Sequence[int], edges: Graph) -> list[list[int]]:
    """Return the connected components of a symmetric graph, each in the order of the nodes."""
    component: dict[int, int] = {}
    for root in nodes:
        work = [] if root in component else [root]
        while work:
            node = work.pop()
            if node not in component:
                component[node] = root
                work.extend(edges[node])
    members: dict[int, list[int]] = defaultdict(list)
    for node in nodes:
        members[component[node]].append(node)
    return list(members.values())


def _intervals(nodes: Sequence[int], groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the nodes in order, cut where no group goes on."""
    last = {group[0]: group[-1] for group in groups}
    first = {node: group[0] for group in groups for node in group}
    intervals: list[list[int]] = []
    awaited = set[int]()
    for node in nodes:
        if not awaited:
            intervals.append([])
        intervals[-1].append(node)
        awaited.add(last[first[node]])
        awaited.discard(node)
    return intervals


def _optional(part: ExpressionPart) -> ExpressionPart:
    return part if part.op in (STAR, OPT) else ExpressionPart(OPT, parts=(part,))


def _sequence(parts: Sequence[ExpressionPart]) -> ExpressionPart:
    return parts[0] if len(parts) == 1 else ExpressionPart(SEQ, parts=tuple(parts))
