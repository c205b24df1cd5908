"""CRX: a regular expression from strings in which every symbol occurs once, and records.

Source: Bex, Neven, Schwentick, Tuyls, Inference of concise DTDs from XML data, VLDB 2006, section 6 (CRX):

    1. a precedes b if b follows a directly in some string; symbols on a cycle of this relation form a class;
    2. classes of one symbol with the same neighbours before and after are alternatives: one class;
    3. the classes, in topological order, are the factors of the expression: each occurs once, or is optional,
       or repeated, as in the strings.

    ABCDE, AABCDE, ABDE, ABDF and ABCDF give (A)*B(C)?D(E|F).

Every string is in the language of the result. It does not depend on the order of the strings, and contains
each symbol once.

Departures:
  - A repeated class that always begins with the same symbol is a sequence of records, ``(ab?c*)*`` rather
    than ``(a|b|c)*``, if that codes the strings in fewer bits.
  - Repeated symbols are no alternatives in step 2: (a|b)* would allow mixtures, which no string contains.

Cost: the length of the distinct strings; c * c / 64 for c classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from math import log2

from webgrain.templates.thresholds import MAX_RECORD_DEPTH

String = tuple[int, ...]

Class = tuple[int, ...]
Graph = dict[int, set[int]]


@dataclass(frozen=True, slots=True)
class Factor:
    """A part of an expression: one of some symbols, or a record.

    symbols: the symbols that can occur here; optional: it may be missing; repeated: it may occur several
    times; mixed: some symbol does, otherwise only the order of the symbols differs; record: the parts of one
    repetition, of which the first occurs exactly once; empty if a repetition is any of the symbols.

    >>> print(Factor((1, 2), optional=True))
    (1|2)?
    """

    symbols: tuple[int, ...]
    optional: bool = False
    repeated: bool = False
    mixed: bool = False
    record: tuple[Factor, ...] = ()

    def __str__(self) -> str:
        inside = "".join(map(str, self.record)) if self.record else "|".join(map(str, self.symbols))
        sign = "*" if self.repeated else "?" if self.optional else ""
        return f"({inside}){sign}" if sign or len(self.symbols) > 1 else inside


def learn_expression(strings: Iterable[Sequence[int]]) -> tuple[Factor, ...]:
    """Return the factors of the expression of all strings.

    >>> examples = [[1, 2, 3, 4, 5], [1, 1, 2, 3, 4, 5], [1, 2, 4, 5], [1, 2, 4, 6], [1, 2, 3, 4, 6]]
    >>> print(*learn_expression(examples), sep="")
    (1)*2(3)?4(5|6)
    >>> print(*learn_expression([[1, 2, 1, 2, 3, 1, 2], [1, 2]]))  # a list of records
    (12(3)?)*
    """
    return _learn(Counter(tuple(string) for string in strings), MAX_RECORD_DEPTH)


def accepts(factors: Sequence[Factor], string: Sequence[int]) -> bool:
    """Return whether a string is in the language of the expression; a repeated factor may be missing.

    >>> factors = learn_expression([[1, 2, 1, 2], [1, 2]])
    >>> accepts(factors, [1, 2, 1, 2, 1, 2]), accepts(factors, [2, 1]), accepts(factors, [])
    (True, False, True)
    """
    place = 0
    for factor in factors:
        stop = place
        while stop < len(string) and string[stop] in factor.symbols:
            stop += 1
        if not _accepts_run(factor, string[place:stop]):
            return False
        place = stop
    return place == len(string)


def pieces(run: Sequence[int], lead: int) -> list[Sequence[int]]:
    """Return the records of a run that begins with ``lead``, each from one ``lead`` to the next.

    >>> pieces([1, 2, 1, 1, 3], 1)
    [[1, 2], [1], [1, 3]]
    """
    cuts = [place for place, symbol in enumerate(run) if symbol == lead] + [len(run)]
    return [run[start:stop] for start, stop in pairwise(cuts)]


def _accepts_run(factor: Factor, run: Sequence[int]) -> bool:
    if not run:
        return factor.optional or factor.repeated
    if not factor.record:
        return factor.repeated or len(run) == 1
    lead = factor.record[0].symbols[0]
    return run[0] == lead and all(accepts(factor.record, piece) for piece in pieces(run, lead))


def _learn(strings: Mapping[String, int], depth: int) -> tuple[Factor, ...]:
    after = _successors(strings)
    once = set(after) - {symbol for string in strings for symbol, n in Counter(string).items() if n > 1}
    classes = _alternatives(_components(after), after, once)
    behind = _behind(classes, after)
    rank = _topological(behind, _places(classes, strings))
    runs = _runs([classes[k] for k in rank], strings)
    return tuple(_factor(classes[k], run, depth) for k, run in zip(rank, runs, strict=True))


def _successors(strings: Iterable[String]) -> Graph:
    after: Graph = {}
    for string in strings:
        for symbol in string:
            after.setdefault(symbol, set())
        for one, other in pairwise(string):
            after[one].add(other)
    return after


def _components(after: Graph) -> list[Class]:
    """Strongly connected components, each sorted (Tarjan 1972, without recursion)."""
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[Class] = []
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
                    cut = stack.index(node)
                    found.append(tuple(sorted(stack[cut:])))
                    low.update(dict.fromkeys(stack[cut:], len(after)))  # finished
                    del stack[cut:]
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
    return found


def _alternatives(classes: list[Class], after: Graph, once: set[int]) -> list[Class]:
    """Merge classes of one symbol with the same neighbours on both sides, until none is left."""
    while True:
        groups: dict[object, Class] = {}
        for symbols, sides in zip(classes, _sides(_behind(classes, after)), strict=True):
            key: object = sides if len(symbols) == 1 and symbols[0] in once else symbols
            groups[key] = groups.get(key, ()) + symbols
        if len(groups) == len(classes):
            return classes
        classes = [tuple(sorted(symbols)) for symbols in groups.values()]


def _behind(classes: list[Class], after: Graph) -> list[set[int]]:
    """Return the classes that follow each one in some string."""
    of = {symbol: k for k, symbols in enumerate(classes) for symbol in symbols}
    return [{of[other] for s in symbols for other in after[s]} - {k} for k, symbols in enumerate(classes)]


def _sides(behind: list[set[int]]) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Return the neighbours of each class, before and after it: those without another class in between."""
    reach = [0] * len(behind)  # sets of classes, as bits
    for k in reversed(_topological(behind, [0.0] * len(behind))):
        for other in behind[k]:
            reach[k] |= reach[other] | 1 << other
    before: list[set[int]] = [set() for _ in behind]
    nearest = []
    for k, others in enumerate(behind):
        beyond = 0
        for other in others:
            beyond |= reach[other]
        nearest.append(frozenset(other for other in others if not beyond >> other & 1))
        for other in nearest[k]:
            before[other].add(k)
    return [(frozenset(one), other) for one, other in zip(before, nearest, strict=True)]


def _topological(behind: list[set[int]], place: list[float]) -> list[int]:
    """Return the classes in topological order; those without an order by their places."""
    waits = [0] * len(behind)
    for others in behind:
        for other in others:
            waits[other] += 1
    heap = [(place[k], k) for k in range(len(behind)) if not waits[k]]
    heap.sort()
    order = []
    while heap:
        k = heappop(heap)[1]
        order.append(k)
        for other in behind[k]:
            waits[other] -= 1
            if not waits[other]:
                heappush(heap, (place[other], other))
    return order


def _places(classes: list[Class], strings: Mapping[String, int]) -> list[float]:
    """Return the mean position in the strings where each class begins, 0..1."""
    of = {symbol: k for k, symbols in enumerate(classes) for symbol in symbols}
    total, count = [0.0] * len(classes), [0] * len(classes)
    for string, times in strings.items():
        for place, k in enumerate(dict.fromkeys(of[symbol] for symbol in string)):
            total[k] += times * place / len(string)
            count[k] += times
    return [all_ / n for all_, n in zip(total, count, strict=True)]


def _runs(classes: list[Class], strings: Mapping[String, int]) -> list[Counter[String]]:
    """Return for each class its symbols in the strings."""
    of = {symbol: k for k, symbols in enumerate(classes) for symbol in symbols}
    runs: list[Counter[String]] = [Counter() for _ in classes]
    for string, times in strings.items():
        parts: list[list[int]] = [[] for _ in classes]
        for symbol in string:
            parts[of[symbol]].append(symbol)
        for run, part in zip(runs, parts, strict=True):
            run[tuple(part)] += times
    return runs


def _factor(symbols: Class, runs: Counter[String], depth: int) -> Factor:
    optional = () in runs
    repeated = any(len(run) > 1 for run in runs)
    mixed = any(len(set(run)) < len(run) for run in runs)
    record = _record(runs, depth) if len(symbols) > 1 and mixed and depth else ()
    return Factor(symbols, optional, repeated, mixed, record)


def _record(runs: Counter[String], depth: int) -> tuple[Factor, ...]:
    """Return the parts of a record, if all runs begin with one symbol and it codes them in fewer bits."""
    leads = {run[0] for run in runs if run}
    if len(leads) > 1:
        return ()
    (lead,) = leads
    split: Counter[String] = Counter()
    for run, times in runs.items():
        for piece in pieces(run, lead):
            split[tuple(piece)] += times
    record = _learn(split, depth - 1)
    optional, width = () in runs, log2(len({symbol for run in runs for symbol in run}))
    mixture = sum(n * (len(run) * width + _count_bits(len(run), optional)) for run, n in runs.items())
    bits = sum(n * _bits(record, piece) for piece, n in split.items())
    bits += sum(n * _count_bits(run.count(lead), optional) for run, n in runs.items())
    return record if bits < mixture else ()


def _bits(factors: Sequence[Factor], string: String) -> float:
    """Return the bits that code a string of an expression."""
    bits = 0.0
    for factor in factors:
        run = [symbol for symbol in string if symbol in factor.symbols]
        if factor.record and run:
            lead = factor.record[0].symbols[0]
            parts = pieces(run, lead)
            bits += sum(_bits(factor.record, tuple(part)) for part in parts)
            bits += _count_bits(len(parts), factor.optional)
            continue
        bits += len(run) * log2(len(factor.symbols))
        bits += _count_bits(len(run), factor.optional) if factor.repeated else float(factor.optional)
    return bits


def _count_bits(n: int, optional: bool) -> float:
    """Return the length of the Elias gamma code of a number, from 1, or from 0 if optional."""
    return 2.0 * int(log2(n + optional)) + 1.0
