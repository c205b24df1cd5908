"""The program Webstemmer of 2007, where it differs from its description, and its pattern files.

Source: the program of Yusuke Shinyama, ``analyze.py`` and ``extract.py`` 0.7.1, and "Anatomy of Pattern
Files" in "Webstemmer - How it works", 2007. `webgrain.papers.webstemmer` has the description, its terms and
the steps that both have in common.

Differences from the description:

- ``span`` and ``font`` separate blocks, and blocks with fewer than five word characters are dropped.
- Common parts of pages and of texts are the matching blocks of `difflib`, not a longest common subsequence.
- Clustering is one greedy pass: a page joins the nearest cluster, by directory, all of whose pages are
  similar.
- The MainScore counts characters outside links.
- Title candidates are weighted by their DiffScore; the fallback has a separate threshold and similarity.

Departure: the pages are clustered in the order of their names, those of the program in the order of a hash.

A line of a pattern file is a comment (``#``), blank, ``!mangle_pat=`` with the characters kept of attribute
values, or a layout: a tuple ``(score, name, title, [(diffscore, mainscore, feature), ...])``, where ``title``
is the number of the section with the title. Older files have a fifth item before the list, the number of the
main section. Files are read as literals: nothing in them is executed. A tuple may extend over several lines
with comments between them, as in the printed example.

Cost: the pages of a cluster are compared with every page that may join it, each in O(blocks²).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce
from itertools import zip_longest
from pathlib import Path
from typing import Any, Self

import numpy as np

from webgrain.base.errors import InputError, ParameterError, writing
from webgrain.base.estimator import FORMAT, VERSION
from webgrain.base.modelfile import format_of, read_model
from webgrain.documents.article import Article
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.text import WEBSTEMMER
from webgrain.papers.webstemmer import (
    Anchors,
    BlockSequence,
    LayoutParameters,
    Pattern,
    Webstemmer,
    article_of,
    best_match,
    block_sequence,
    check_mangle,
    checked_pattern,
    diff_score,
    fitted_patterns,
    group_pages,
    largest_section,
    learn_patterns,
    main_scores,
    make_pattern,
    most_frequent_title,
    read_sequences,
    section_contents,
    sections_of_blocks,
    significant,
    similarities_to_links,
    similarities_to_text,
    without_repetitions,
)

FALLBACK_THRESHOLD = 1.0
"""What the similarity of title and main text, times the DiffScore of the title, must exceed."""


# The program.


@dataclass(kw_only=True, eq=False, repr=False)
class OriginalWebstemmer(LayoutParameters):
    """Layouts as the program Webstemmer 0.7.1 of 2007 learns them; parameters as in `Webstemmer`."""

    def fit(self, pages: Iterable[PageLike], anchors: Anchors | None = None) -> Self:
        """Learn the layouts of a site; the order of its pages makes no difference.

        anchors: the texts of the links to each page, by its id; default: those of the links on the pages.
        """
        sequences, texts, self.rejected_ = read_sequences(pages, anchors, self.sequence)
        groups, rejected = group_pages(
            sequences, lambda pages: cluster_greedily(pages, self.cluster_threshold)
        )
        self.rejected_ |= rejected
        return self.fit_groups(groups, texts)

    def fit_groups(self, groups: Sequence[Sequence[BlockSequence]], anchors: Anchors) -> Self:
        """Learn a layout from each group of two or more pages."""
        patterns, rejected = learn_patterns(groups, lambda pages: self._pattern(pages, anchors))
        self.rejected_ |= rejected
        self.patterns_ = significant(patterns, self.pattern_threshold)
        self.n_pages_ = sum(map(len, groups))
        return self

    def predict(self, page: PageLike) -> Article:
        """Return title, main text and other varying text of a page, by the layout that matches most of it.

        `ParameterError` before `fit`.
        """
        patterns = fitted_patterns(self, self.patterns_)
        match = best_match(self.sequence(as_page(page)), patterns, self.match_threshold, self.strict)
        return article_of(match, self.diff_threshold, self.main_threshold)

    def sequence(self, page: Page) -> BlockSequence:
        """Return a page as a sequence of layout blocks."""
        return block_sequence(page, WEBSTEMMER, self.mangle)

    def _pattern(self, pages: Sequence[BlockSequence], anchors: Anchors) -> Pattern:
        """Return the layout of the pages of a cluster."""
        features = reduce(matching_features, [without_repetitions(page.features) for page in pages])
        weights = [page.blocks.weight_noanchor for page in pages]
        texts, mean_weight = section_contents(pages, features, weights)
        diff = [diff_score(section, matching_letters) for section in texts]
        main = main_scores(diff, mean_weight)
        links = [list(anchors.get(page.page, ())) for page in pages]
        title = find_title_as_2007(texts, diff, main, links, self.title_threshold)
        return make_pattern(pages, features, diff, main, title)


LayoutMethod = Webstemmer | OriginalWebstemmer
"""A method that learns layouts."""


def matching_similarity(a: BlockSequence, b: BlockSequence) -> float:
    """Return the weight of the blocks of both pages with a common feature, divided by that of all."""
    common = matching_features(without_repetitions(a.features), without_repetitions(b.features))
    total = float(a.weight.sum() + b.weight.sum())
    matched = sum(float(page.weight[sections_of_blocks(page, common) >= 0].sum()) for page in (a, b))
    return matched / max(total, 1.0)


def cluster_greedily(pages: Sequence[BlockSequence], threshold: float) -> list[list[int]]:
    """Put each page into the cluster of the nearest directory all of whose pages are similar to it."""
    clusters: list[list[int]] = []
    for number, page in enumerate(pages):
        for cluster in sorted(clusters, key=lambda cluster: _distance(pages[cluster[0]].page, page.page)):
            if all(matching_similarity(pages[i], page) >= threshold for i in cluster):
                cluster.append(number)
                break
        else:
            clusters.append([number])
    return clusters


def _distance(a: str, b: str) -> int:
    """Return how far two pages are apart in the tree of directories; those near the root count most."""
    pairs = zip_longest(a.split("/")[:-1], b.split("/")[:-1])
    return sum(1 << max(31 - depth, 0) for depth, (x, y) in enumerate(pairs) if x != y)


def matching_features(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """Return the features in the matching blocks of difflib, the longer sequence first.

    >>> matching_features(["title", "h1", "p"], ["title", "p"])
    ['title', 'p']
    """
    if len(a) < len(b):
        a, b = b, a
    matches = SequenceMatcher(None, a, b).get_matching_blocks()
    return [feature for match in matches for feature in a[match.a : match.a + match.size]]


def matching_letters(a: str, b: str) -> int:
    """Return the number of characters in the matching blocks of difflib.

    >>> matching_letters("abcd", "cdab")
    2
    """
    return sum(match.size for match in SequenceMatcher(None, a, b).get_matching_blocks())


def find_title_as_2007(
    texts: Sequence[Sequence[str]],
    diff: Sequence[float],
    main: Sequence[float],
    links: Sequence[Sequence[str]],
    threshold: float,
) -> int:
    """Return the section that is the title on most pages, -1 if most have none.

    Arguments as those of `find_title` for the description; similarities are multiplied by the DiffScore.
    """
    if not texts:
        return -1
    largest = largest_section(main)
    weight = np.array(diff[:largest])
    by_links = similarities_to_links(texts[:largest], links, matching_letters) * weight
    by_text = similarities_to_text(texts, largest, squared_matches) * weight
    return most_frequent_title(by_links, by_text, threshold, FALLBACK_THRESHOLD)


def squared_matches(title: str, main: str) -> float:
    """Return the sum of the squared lengths of the common parts, divided by the length of the title.

    >>> squared_matches("abcd", "xabyd")
    1.25
    """
    matches = SequenceMatcher(None, title, main).get_matching_blocks()
    return sum(match.size**2 for match in matches) / max(len(title), 1)


# Pattern files.

MAX_FILE_BYTES = 64 * 2**20
"""Size of a pattern file up to which it is read."""
MAX_PATTERN = 2**20
"""Characters of one pattern."""
_FORMAT_OF_2007 = "0.6.1"
_MANGLE_LINE = "!mangle_pat="
_PARAMETER = re.compile(r"### (cluster_threshold|title_threshold|pages)=(\d{1,9}(?:\.\d{1,9})?)(?!\S)")
_PAGE_LINE = re.compile(r"^#(?:\t| {4,}+)\s*+([^\s(].*)")
_REMARK = re.compile(r"\s\([A-Z][A-Za-z ]*\)\s*$")
_STRING = re.compile(r"'(?:[^'\\]++|\\.?)*+'?|\"(?:[^\"\\]++|\\.?)*+\"?")


def read_patterns(path: Path) -> OriginalWebstemmer:
    """Return the layouts in a pattern file; `InputError` if it cannot be read or is not a pattern file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError(f"Cannot read patterns from {path}: {error.strerror or error}.") from error
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"{path} is not a pattern file: it has more than {MAX_FILE_BYTES:,} bytes.")
    if not content.strip():
        raise InputError(f"{path} is not a pattern file: it is empty.")
    try:
        return parse_patterns(content.decode("utf-8", "replace"))
    except ParameterError as error:
        raise InputError(f"{path} is not a pattern file: {error}") from error


def parse_patterns(text: str) -> OriginalWebstemmer:
    r"""Return the layouts in the text of a pattern file; `ParameterError` if it is not one.

    >>> text = "### pages=2\n(9.5, 'a.html', 0, [(0.7, 20.0, 'title'), (0.9, 300.0, 'div/p')])\n"
    >>> parse_patterns(text).patterns_[0].sections[1]
    Section(diff=0.9, main=300.0, feature='div/p')
    """
    params: dict[str, Any] = {}
    patterns: list[Pattern] = []
    pages: list[str] = []
    unfinished: list[str] = []
    depth = 0  # brackets that are open at the end of a line
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            pages += [page.rstrip() for page in _PAGE_LINE.findall(line)]
            if match := _PARAMETER.match(line):
                params[match[1]] = float(match[2])
        elif line.startswith(_MANGLE_LINE) and not unfinished:
            params["mangle"] = check_mangle(str(_literal(line.removeprefix(_MANGLE_LINE), number)))
        elif line.strip():
            unfinished.append(_REMARK.sub("", line))
            depth += _brackets(unfinished[-1])
            if depth <= 0:
                patterns.append(_parsed_pattern(" ".join(unfinished), number, tuple(pages)))
                pages = []
                unfinished = []
                depth = 0
    if unfinished:
        raise ParameterError("its last pattern does not end.")
    n_pages = int(params.pop("pages", 0))
    method = OriginalWebstemmer(**params)
    method.patterns_ = tuple(patterns)
    method.n_pages_ = n_pages
    return method


def _brackets(line: str) -> int:
    """Return how many more brackets open than close in a line, outside of strings."""
    code = _STRING.sub("", line)
    return sum(map(code.count, "([")) - sum(map(code.count, ")]"))


def _literal(text: str, line: int) -> object:
    """Return the value of a Python literal."""
    if len(text) > MAX_PATTERN:
        raise ParameterError(f"line {line}: a pattern has more than {MAX_PATTERN:,} characters.")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ParameterError(f"line {line}: expected a tuple of numbers and strings.") from error


def _parsed_pattern(text: str, line: int, pages: tuple[str, ...]) -> Pattern:
    wrong = ParameterError(f"line {line}: expected (score, name, title, [(diff, main, feature), ...]).")
    value = _literal(text, line)
    if not isinstance(value, tuple) or len(value) not in (4, 5) or not isinstance(value[-1], list):
        raise wrong
    score, name, title = value[:3]
    try:
        return checked_pattern(score, name, title, value[-1], pages)
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong from error


def format_patterns(method: LayoutMethod, source: str = "") -> str:
    """Return layouts as the text of a pattern file; source: what they were learnt from.

    >>> from webgrain.papers.webstemmer import Section
    >>> method = OriginalWebstemmer()
    >>> method.patterns_ = (Pattern(9.5, "a", 0, (Section(0.7, 20.0, "p"),), ("a", "b")),)
    >>> print(format_patterns(method, "site").replace(chr(9), " "))
    ### version=0.6.1
    ### fname='site'
    ### cluster_threshold=0.970000
    ### title_threshold=0.600000
    ### pages=0
    <BLANKLINE>
    # 9.5 <a>
    # a
    # b
    (9.5, 'a', 0, [(0.7, 20.0, 'p')])
    <BLANKLINE>
    """
    lines = [
        f"### version={_FORMAT_OF_2007}",
        f"### fname={source!a}",
        f"### cluster_threshold={method.cluster_threshold:f}",
        f"### title_threshold={method.title_threshold:f}",
        f"### pages={method.n_pages_}",
    ]
    if method.mangle:
        lines.append(f"{_MANGLE_LINE}{method.mangle!a}")
    lines.append("")
    for pattern in method.patterns_ or ():
        sections = [tuple(section) for section in pattern.sections]
        lines.append(f"# {pattern.score!r} <{ascii(pattern.name)[1:-1]}>")  # ascii: a name stays on its line
        lines += [f"#\t{ascii(page)[1:-1]}" for page in pattern.pages]
        lines.append(ascii((pattern.score, pattern.name, pattern.title, sections)))
        lines.append("")
    return "\n".join(lines)


def write_patterns(path: Path, method: LayoutMethod, source: str = "") -> None:
    """Write layouts to a pattern file; `InputError` if that fails."""
    with writing(path):
        path.write_text(format_patterns(method, source), encoding="utf-8")


# Files of layouts of either form.


def read_layouts(path: Path, **params: Any) -> LayoutMethod:
    """Return the fitted method in a file of ``save`` or in a pattern file; params: to replace.

    `InputError` if the file cannot be read, is damaged, or contains something else.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     OriginalWebstemmer().fit([]).save(Path(folder) / "layouts.json")
    ...     read_layouts(Path(folder) / "layouts.json", match_threshold=0.4)
    OriginalWebstemmer(match_threshold=0.4)
    """
    method: LayoutMethod
    if format_of(path) is None:
        method = read_patterns(path)
    elif read_model(path, FORMAT, VERSION)[0].get("estimator") == OriginalWebstemmer.__name__:
        method = OriginalWebstemmer.load(path)
    else:
        method = Webstemmer.load(path)
    return method.set_params(**params)
