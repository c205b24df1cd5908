"""Pairs found in an index: against brute force over exact sets, and the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from experiments.datasets.synthetic_texts import make_texts

from webgrain.duplicates import search as module
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import PAIR_VERDICTS, Pairs, PairVerdict, Search, find_pairs, meetings
from webgrain.duplicates.shingles import shingles
from webgrain.duplicates.sketches import PageText, site_name


def words(name: str, n: int) -> str:
    return " ".join(f"{name}{k}" for k in range(n))


OPENED = ExitStack()


@pytest.fixture(autouse=True)
def close_indexes() -> Iterator[None]:
    with OPENED:
        yield


def index_of(texts: list[PageText]) -> DuplicateIndex:
    index = OPENED.enter_context(DuplicateIndex())
    for text in texts:
        assert isinstance(index.add(text), int)
    return index


def found(pairs: Pairs) -> dict[tuple[int, int], str]:
    verdicts = [PAIR_VERDICTS[v].value for v in pairs.verdict]
    return dict(zip(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True), verdicts, strict=True))


def shop(site: str, bodies: list[str], menu: int = 80) -> list[PageText]:
    """Pages of a site: the same menu around each text."""
    around = words(f"{site}menu", menu)
    return [
        PageText(f"{site}/{k}", f"{around}\n{body}", title=f"page {chr(97 + k)}", site=site)
        for k, body in enumerate(bodies)
    ]


OURS = shop("ours", [words(f"o{k}x", 90) for k in range(12)])


def test_pages_that_share_only_a_template_are_no_pair() -> None:
    assert not len(find_pairs([index_of(OURS)]))


def test_copies_on_another_site_are_found_under_any_template() -> None:
    bodies = [
        *(words(f"t{k}x", 90) for k in range(8)),
        words("o3x", 90),
        f"{words('o5x', 90)} {words('y', 60)}",
    ]
    pairs = found(find_pairs([index_of(OURS + shop("theirs", bodies, 200))]))
    assert pairs == {(3, 20): "near-duplicate", (5, 21): "near-duplicate"}
    long = [words(f"l{k}x", 300) for k in range(12)]
    pairs = found(find_pairs([index_of(shop("ours", long) + shop("theirs", [*long[:1], *bodies], 200))]))
    assert pairs == {(0, 12): "same-content"}


def test_page_that_contains_another_is_named() -> None:
    listing = shop(
        "theirs", [f"{words('o1x', 90)} {words('extra', 400)}", *(words(f"t{k}", 90) for k in range(9))]
    )
    pairs = find_pairs([index_of(OURS + listing)])
    assert found(pairs) == {(1, 12): "near-duplicate"}  # on another site, a fifth in common is enough
    same = [
        *OURS,
        PageText("ours/all", f"{words('o1x', 90)} {words('extra', 300)}", title="all", site="ours"),
    ]
    pairs = find_pairs([index_of(same)])
    assert found(pairs) == {(1, 12): "contains"}
    assert pairs.in_b[0] == 1.0
    assert pairs.in_a[0] == pytest.approx(85 / 385, abs=0.05)


def test_missing_evidence_never_means_same() -> None:
    products = shop("ours", [f"Lamp no {words(f'{k}n', 3)} in stock" for k in range(10)])
    assert not len(find_pairs([index_of(products)]))
    verdicts = set(found(find_pairs([index_of(products)], search=Search(templates=True))).values())
    assert verdicts == {"too-little-text"}


def test_pages_of_one_template_are_found_on_request() -> None:
    pairs = found(
        find_pairs(
            [index_of(shop("ours", [words(f"o{k}", 30) for k in range(9)], 150))],
            search=Search(templates=True),
        )
    )
    assert set(pairs.values()) == {"same-template"}
    assert len(pairs) == 36


def test_equal_words_are_the_same_page_however_short() -> None:
    texts = [PageText("a", "Yes."), PageText("b", "No."), PageText("c", "yes")]
    assert found(find_pairs([index_of(texts)])) == {(0, 2): "same-page"}


def test_texts_of_no_site_are_compared_as_they_are() -> None:
    texts = [PageText(str(k), f"{words('letter', 60)} {words(f'own{k}', 5)}") for k in range(9)]
    assert set(found(find_pairs([index_of(texts)])).values()) == {"near-duplicate"}
    assert len(find_pairs([index_of(texts)])) == 36


def test_versions_of_a_page_count_as_one() -> None:
    """A text on ten versions of one page is specific to that page."""

    def version(name: str, v: int) -> PageText:
        text = f"{words('menu', 60)} {words(name, 80)} {words(f'v{v}x', 4)}"
        return PageText(f"docs/{v}.0/{name}.html", text, title=f"{name} {v}.0", site="docs")

    names = ("flow", "state", "join", "window", "source", "sink", "table", "graph")
    versions = [version(name, v) for v in range(10) for name in names]
    pairs = found(find_pairs([index_of(versions)]))
    assert set(pairs.values()) == {"same-content"}
    assert len(pairs) == 8 * 45


@pytest.mark.parametrize("n", [3, 5, 9])
def test_sites_with_few_pages(n: int) -> None:
    pages = shop("ours", [words(f"o{k}x", 60) for k in range(n)], 120)
    assert not len(find_pairs([index_of(pages)]))
    copy = PageText("ours/copy", pages[0].text + " more", title="copy", site="ours")
    assert set(found(find_pairs([index_of([*pages, copy])]))) == {(0, n)}


def test_two_pages_of_a_site_are_compared_with_their_template() -> None:
    assert not len(find_pairs([index_of(shop("ours", [words("a", 100), words("b", 100)], 60))]))


def test_languages_without_spaces() -> None:
    rng = np.random.default_rng(0)
    bodies = ["".join(map(chr, rng.integers(0x4E00, 0x9FA5, 120))) for _ in range(16)]
    texts = shop("ours", bodies[:8]) + shop("theirs", [bodies[2], *bodies[8:]])
    assert found(find_pairs([index_of(texts)])) == {(2, 8): "same-content"}


MADE = [PageText(made.id, made.text) for made in make_texts(300, words=120, random_state=1)]


def test_short_texts_are_compared_exactly() -> None:
    pairs = find_pairs([index_of(MADE)], search=Search(threshold=0.3))
    sets = [set(shingles(text.text).tolist()) for text in MADE]
    exact = {
        (a, b): len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a, b in combinations(range(len(MADE)), 2)
    }
    duplicates = {pair: share for pair, share in exact.items() if share >= 0.3}
    near = pairs.take(pairs.verdict <= PAIR_VERDICTS.index(PairVerdict.NEAR_DUPLICATE))
    assert dict(
        zip(zip(near.a.tolist(), near.b.tolist(), strict=True), near.resemblance.tolist(), strict=True)
    ) == pytest.approx(duplicates)
    assert len(duplicates) > 20


def test_resemblance_of_long_texts_is_estimated() -> None:
    errors = []
    for seed in range(40):
        texts = [PageText(x, f"{words(f's{seed}', 1500)} {words(f'{x}{seed}', 500)}") for x in "ab"]
        [value] = find_pairs([index_of(texts)]).resemblance.tolist()
        errors.append(value - 1495 / 2495)
    assert abs(np.mean(errors)) < 0.02
    assert np.std(errors) < 0.05


@pytest.mark.parametrize(
    ("limit", "value"), [("SORTED_KEYS", 50), ("SORTED_KEYS", 1), ("JUDGED_PAIRS", 5), ("JUDGED_PAIRS", 1)]
)
def test_limits_of_memory_change_nothing(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(MADE[:25])
    before = find_pairs([index])
    monkeypatch.setattr(module, limit, value)
    after = find_pairs([index])
    for name in Pairs.__slots__:
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


def test_only_pairs_with_a_wanted_page() -> None:
    texts = [PageText(x, words("text", 50)) for x in "abc"]
    index = index_of(texts)
    assert set(found(find_pairs([index], np.array([1])))) == {(0, 1), (1, 2)}
    assert not len(find_pairs([index], np.zeros(0, np.int64)))


def test_two_indexes_are_searched_as_one() -> None:
    texts = [*OURS, *shop("theirs", [words("o3x", 90), *(words(f"t{k}x", 90) for k in range(6))])]
    expected = found(find_pairs([index_of(texts)]))
    assert found(find_pairs([index_of(texts[:5]), index_of(texts[5:])])) == expected
    assert expected


def test_large_groups_are_connected_without_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CROWD", 6)
    monkeypatch.setattr(module, "NEAR", 2)
    pairs = find_pairs([index_of([PageText(str(k), f"{words('copy', 40)} {k}") for k in range(30)])])
    reached = {0}
    for a, b in sorted(found(pairs)):
        if a in reached or b in reached:
            reached |= {a, b}
    assert reached == set(range(30))
    assert len(pairs) < 100


@pytest.mark.parametrize("seed", range(20))
def test_meetings_are_all_pairs_of_equal_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = np.sort(rng.integers(0, 9, 25))
    pages = np.arange(25)
    expected = Counter((a, b) for a, b in combinations(range(25), 2) if keys[a] == keys[b])
    pairs = Counter(
        (a, b)
        for left, right in meetings(pages, keys)
        for a, b in zip(left.tolist(), right.tolist(), strict=True)
    )
    assert pairs == expected


def test_an_empty_index() -> None:
    assert not len(find_pairs([index_of([])]))


def test_posts_that_archives_repeat_are_found_in_each_archive() -> None:
    """A post on six pages of a site is no template; the menu of all pages is."""
    posts = [words(f"p{k}x", 90) for k in range(30)]
    archives = [f"{words(f'tag{k}x', 4)} {posts[3]} {words(f'other{k}x', 150)}" for k in range(5)]
    pairs = found(find_pairs([index_of(shop("ours", [*posts, *archives]))]))
    assert {(3, 30 + k) for k in range(5)} <= pairs.keys()
    assert {pairs[3, 30 + k] for k in range(5)} == {"contains"}
    assert all(3 in pair or min(pair) >= 30 for pair in pairs)


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (("Red lamp", "Blue lamp"), "contains"),
        (("Red lamp - Shop", "Red lamp (print)"), "near-duplicate"),
        (("", ""), "near-duplicate"),
    ],
)
def test_pages_with_other_titles_need_more_in_common(titles: tuple[str, str], expected: str) -> None:
    two = [
        PageText(f"ours/two{k}", f"{words('text', 80)} {words(f'own{k}', 14)}", title=title, site="ours")
        for k, title in enumerate(titles)
    ]
    assert found(find_pairs([index_of([*OURS, *two])])) == {(12, 13): expected}


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([("A talk", "A talk"), ("A talk", "A talk")], "near-duplicate"),
        ([("A talk, part 1", ""), ("A talk, part 2", "")], "contains"),
        ([("Talks", "Season 15"), ("Talks", "Season 16")], "contains"),
    ],
)
def test_parts_of_a_series_are_no_duplicates(named: list[tuple[str, str]], expected: str) -> None:
    two = [
        PageText(f"ours/two{k}", f"{words('text', 80)} {words(f'own{k}', 14)}", None, *own, "ours")
        for k, own in enumerate(named)
    ]
    assert found(find_pairs([index_of([*OURS, *two])])) == {(12, 13): expected}


def test_a_heading_of_all_pages_is_that_of_the_site() -> None:
    pages = [replace(page, heading="The shop") for page in OURS]
    copy = replace(pages[3], id="ours/copy", text=f"{pages[3].text} {words('more', 6)}", heading="Lamp")
    assert found(find_pairs([index_of([*pages, copy])])) == {(3, 12): "same-content"}


def test_addresses_of_one_page_are_the_same_page() -> None:
    urls = ["http://a.org/x", "https://a.org/x", "https://a.org/x/", "https://www.a.org/x?PHPSESSID=1f"]
    texts = [PageText(url, words("text", 50), url, site=site_name(url, url)) for url in urls]
    pairs = found(find_pairs([index_of(texts)]))
    assert len(pairs) == 6
    assert set(pairs.values()) == {"same-page"}


def test_a_long_list_contains_a_post_that_several_lists_repeat() -> None:
    """The sketch of a list is a sample: only the hashes of the post that it covers are compared."""
    posts = [words(f"p{k}x", 200) for k in range(40)]
    lists = [" ".join([posts[0], *posts[5 * k + 1 : 5 * k + 6]]) for k in range(5)]
    pairs = find_pairs(
        [
            index_of(
                shop("ours", [*(f"{post} {words(f'own{k}y', 20)}" for k, post in enumerate(posts)), *lists])
            )
        ]
    )
    verdicts = found(pairs)
    assert {verdicts.get((0, 40 + k)) for k in range(5)} == {"contains"}
    own = [pairs.in_b[k] for k in range(len(pairs)) if pairs.a[k] == 0]
    assert own == pytest.approx([0.7] * 5, abs=0.25)


def test_pages_with_a_frame_of_their_own_do_not_contain_each_other() -> None:
    """A frame of 20 pages of 100 is no content, although it is most of their text."""
    frame = words("frame", 400)
    framed = [f"{frame} {words(f'f{k}x', 30)}" for k in range(20)]
    texts = shop("ours", [*framed, *(words(f"o{k}x", 90) for k in range(80))])
    assert not len(find_pairs([index_of(texts)]))


def test_an_archive_contains_a_smaller_one_whose_posts_are_on_many_pages() -> None:
    posts = [words(f"p{k}x", 30) for k in range(40)]
    archives = [
        [0, 1, 2, 3],
        list(range(8)),
        *([k % 4, *range(8 + 4 * k, 12 + 4 * k)] for k in range(8)),
        *([k] for k in range(4)),
    ]
    texts = [" ".join([words(f"head{k}y", 8), *(posts[p] for p in own)]) for k, own in enumerate(archives)]
    others = [words(f"o{k}x", 90) for k in range(60)]
    assert found(find_pairs([index_of(shop("ours", [*texts, *others]))]))[0, 1] == "contains"


@pytest.mark.parametrize("cell", ["for i in range({0}): x[{0}] += f(y{0}, {1})\n", "{0}\t{1}\t{0}.{1}\n"])
def test_pages_of_code_or_tables(cell: str) -> None:
    """Similar lines are different; the same listing with another address is found."""
    bodies = ["".join(cell.format(seed * 1000 + k, k) for k in range(40)) for seed in range(12)]
    texts = shop("ours", [*bodies, bodies[4] + "last line\n"])
    assert set(found(find_pairs([index_of(texts)]))) == {(4, 12)}


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("at_a_time", [2**16, 7, 1])
def test_other_pages_that_share_as_much(seed: int, at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JUDGED_PAIRS", at_a_time)
    rng = np.random.default_rng(seed)
    ends = [(a, b) for a, b in combinations(range(9), 2) if rng.random() < 0.6]
    a, b = np.array(ends).T
    shared = rng.integers(1, 20, len(ends)).astype(float)
    expected = [
        [
            sum(
                page in ends[j] and shared[j] >= module.thresholds.ALIKE * shared[k] for j in range(len(ends))
            )
            - 1
            for k, page in enumerate(column)
        ]
        for column in (a, b)
    ]
    assert module._alike(a, b, shared).tolist() == expected
