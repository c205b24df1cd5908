"""The features by the site and by the context of a block as array operations, and the counts of a site.

Kernels and `SiteTable` compute the same values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from tests.tables import FeatureColumns

from webgrain.base.arrays import Float32, Float64, Int64, UInt64
from webgrain.columns.blocks import PageFacts, title_keys
from webgrain.columns.sitetable import exact, pair_keys
from webgrain.columns.thresholds import LINK_TEXT, SHARED_PAGES
from webgrain.extraction.sitetexts import _COLUMNS, OWN

MANY, WINDOW, SPANS, VOTING = 5, 5, [0, 1, 3], 3
CONTAINERS, WINDOWS, NONE, FAR, EDGES = (0, 1, 2, 3, 5), (2, 5, 15), -9.0, 50, (0.05, 0.95)


class PageTexts:
    """The texts and places of the b blocks of a page. judged: (b, 3); article: of the page."""

    def __init__(self, facts: PageFacts, judged: Float32, article: float = 0.0) -> None:
        self.text, self.place, self.tag_place = facts.text_key, facts.path, facts.tag_path
        self.letters, self.linked, self.heading = (
            facts.letters,
            facts.linked,
            facts.is_heading | facts.is_title,
        )
        self.titles = title_keys(facts.title_parts)
        self.judged, self.article = judged, article


def places(page: PageTexts) -> dict[str, tuple[UInt64, UInt64]]:
    """Return the places of a page of both kinds, and the pairs of place and text."""
    pairs = {"places": page.place, "tag_places": page.tag_place}
    return {name: (place, pair_keys(place, page.text)) for name, place in pairs.items()}


class SiteCounts:
    """The counts of a site, by one page after the other."""

    def __init__(self, pages: Sequence[PageTexts]) -> None:
        self.pages = len(pages)
        self.articles = exact(np.array([page.article for page in pages])).sum()
        self.text, self.linked, self.heading = (Counter[int]() for _ in range(3))
        self.values = {
            name: defaultdict[int, Float64](lambda: np.zeros(10)) for name in ("places", "tag_places")
        }
        self.pairs = {name: Counter[int]() for name in self.values}
        for page in pages:
            self.add(page)

    def add(self, page: PageTexts) -> None:
        self.text.update({*page.text.tolist(), *page.titles.tolist()})
        self.linked.update(set(page.text[page.linked > LINK_TEXT].tolist()))
        self.heading.update(set(page.text[page.heading & (page.linked < LINK_TEXT)].tolist()))
        for name, (place, pair) in places(page).items():
            values, pairs = self.values[name], self.pairs[name]
            for key in set(place.tolist()):
                values[key] += [1, 0, 0, 0, 0, 0, 0, 0, 0, *exact(np.array([page.article]))]
            for k, key in enumerate(place.tolist()):
                weight = np.log1p(max(page.letters[k], 1.0))
                main, comment, title = page.judged[k].astype(np.float64)
                sums = (
                    np.log1p(page.letters[k]),
                    page.linked[k],
                    weight,
                    weight * main,
                    weight * comment,
                    title,
                )
                values[key] += [0, 1, 0, *exact(np.array(sums)), 0]
            for key, of_pair in dict(zip(pair.tolist(), place.tolist(), strict=True)).items():
                values[of_pair][2] += key not in pairs
                pairs[key] += 1

    def of_places(self, name: str, place: UInt64) -> Float64:
        """Return the values (b, 10) at places, as stored."""
        values = [self.values[name].get(key, np.zeros(10)) for key in place.tolist()]
        return np.array(values, np.float32).astype(np.float64).reshape(-1, 10)

    def of_pairs(self, name: str, pair: UInt64) -> Float64:
        number = np.array([self.pairs[name][key] for key in pair.tolist()], np.float64)
        return np.where(number >= SHARED_PAGES, number, 0.0)


def site_columns(site: SiteCounts, page: PageTexts, facts: PageFacts) -> FeatureColumns:
    """Yield the features of the blocks of a page by its site."""
    n, b = max(site.pages, 1), len(page.text)
    counters = (site.text, site.linked, site.heading)
    text, linked, heading = (np.array([of[key] for key in page.text.tolist()], float) for of in counters)
    text = np.where(text >= SHARED_PAGES, text, 0.0)
    with_text, at_tags = (site.of_pairs(name, pair) for name, (_, pair) in places(page).items())
    pages, occurs, different, letters, links = site.of_places("places", page.place).T[:5]
    of_tags, _, different_tags = site.of_places("tag_places", page.tag_place).T[:3]
    most_pages, most_tags = np.maximum(pages, 1.0), np.maximum(of_tags, 1.0)
    same, same_tags = with_text / most_pages, at_tags / most_tags
    unknown = np.where(pages > 0, 0.0, np.nan)
    unknown_tags = np.where(of_tags > 0, 0.0, np.nan)
    yield "pages", np.full(b, np.log(n))
    yield "text", text / n
    yield "text on", np.minimum(text, MANY)
    yield "path", pages / n
    yield "tag path", of_tags / n
    yield "same", same + unknown
    yield "same at tags", same_tags + unknown_tags
    most = np.maximum(occurs, 1.0)
    varies = different / most
    yield "varies", varies + unknown
    yield "varies at tags", different_tags / most_tags + unknown_tags
    yield "times", np.log(most / most_pages) + unknown
    yield "letters", letters / most + unknown
    yield "links", links / most + unknown
    yield "linked", np.minimum(linked, MANY)
    yield "heading", np.minimum(heading, MANY)
    weight = page.letters + 1.0
    before = np.zeros((5, b + 1))  # of each block, the letters of all blocks and of those with a property
    columns = (np.ones(b), text > 0, np.minimum(same_tags, 1.0), varies, heading > 0)
    np.cumsum(weight * np.array(columns), axis=1, out=before[:, 1:])
    size, repeated, differs = before[0], before[1], before[3]
    first, last = facts.spans[:, SPANS]
    inside = before[:, last] - before[:, first]  # (5, spans, b)
    shares = inside[1:] / np.maximum(inside[0], 1e-9)
    names = [f"{name} in {k}" for k in SPANS for name in ("text", "same", "varies", "heading")]
    yield names, shares.transpose(1, 0, 2).reshape(len(names), b)
    at = np.arange(b)
    first, last = np.maximum(at - WINDOW, 0), np.minimum(at + WINDOW + 1, b)
    yield "text within", (repeated[last] - repeated[first]) / (size[last] - size[first])
    yield "page text", np.full(b, repeated[-1] / size[-1])
    yield "page path", np.full(b, (weight * (pages > 0)).sum() / size[-1])
    yield "page varies", np.full(b, differs[-1] / size[-1])


def judged_columns(site: SiteCounts, page: PageTexts) -> FeatureColumns:
    """Yield what the models find on the pages of the site."""
    b = len(page.text)
    at_path, at_tags = (site.of_places(name, place) for name, (place, _) in places(page).items())
    for name, sums in (("path", at_path), ("tags", at_tags)):
        pages, weight, main, comment, title, article = sums.T[[0, 5, 6, 7, 8, 9]]
        with np.errstate(invalid="ignore", divide="ignore"):
            yield f"main at {name}", np.where(pages > 0, main / weight, np.nan)
            yield f"comment at {name}", np.where(pages > 0, comment / weight, np.nan)
            yield f"title at {name}", np.where(pages > 0, title / pages, np.nan)
            yield f"article at {name}", np.where(pages > 0, article / pages, np.nan)
    _, first = np.unique(page.place, return_index=True)
    pages, article = at_path[first, 0], at_path[first, 9]
    n = max(site.pages, 1.0)
    rare = np.where(pages > 0, np.log((n + 1.0) / np.maximum(pages, 1.0)), 0.0)
    share = article / np.maximum(pages, 1.0)
    vote = (rare @ share) / rare.sum() if rare.sum() > 0 else np.nan
    mean = site.articles / n
    yield "page article", np.full(b, vote)
    yield "all articles", np.full(b, mean)
    yield "page article above all", np.full(b, vote - mean)
    voting = share[pages >= VOTING]
    yield "page least article", np.full(b, voting.min() if len(voting) else np.nan)
    yield "page most article", np.full(b, voting.max() if len(voting) else np.nan)


def log_odds(probability: Float64) -> Float64:
    """Return the log odds of probabilities, limited to those of 0.0001 and 0.9999."""
    clipped = np.minimum(np.maximum(probability, 1e-4), 1.0 - 1e-4)
    odds: Float64 = np.log(clipped / (1.0 - clipped))
    return odds


def context_columns(facts: PageFacts, features: Float32, main: Float64, comment: Float64) -> FeatureColumns:
    """Yield the features of the blocks of a page by the probabilities around them."""
    n, weight = len(main), facts.letters + 1.0
    at, odds, of_comment = np.arange(n), log_odds(main), log_odds(comment)
    yield "main", odds
    yield "comment", of_comment
    for name, x, farthest in (("main", odds, 2), ("comment", of_comment, 1)):
        padded = np.concatenate([[NONE] * 2, x, [NONE] * 2])
        for step in range(1, farthest + 1):
            yield f"{name} {step} before", padded[2 - step : n + 2 - step]
            yield f"{name} {step} behind", padded[2 + step : n + 2 + step]
    summed = (weight, weight * main, weight * comment)
    size, mass, replies = (np.concatenate([[0.0], np.cumsum(x)]) for x in summed)
    total, of_replies = max(float(mass[-1]), 1e-9), max(float(replies[-1]), 1e-9)
    for width in WINDOWS:
        first, last = np.maximum(at - width, 0), np.minimum(at + width + 1, n)
        yield f"main within {width}", (mass[last] - mass[first]) / (size[last] - size[first])
    first, last = facts.spans
    letters, inside = np.maximum(size[last] - size[first], 1e-9), mass[last] - mass[first]
    parts = {"main in": inside / letters, "comment in": (replies[last] - replies[first]) / letters}
    parts["share of"] = inside / total
    names = [f"{name} {steps}" for steps in CONTAINERS for name in parts]
    yield names, np.stack([*parts.values()], axis=1).reshape(len(names), -1)
    for name, group in (("path", facts.path_group), ("tag path", facts.tag_group)):
        yield f"main at {name}", _mean(group, weight, main)
        yield f"comment at {name}", _mean(group, weight, comment)
        yield f"number at {name}", np.log1p(np.bincount(group))[group]
    yield "main before", mass[:-1] / total
    yield "comment before", replies[:-1] / of_replies
    highest, behind = np.maximum.accumulate(odds), np.maximum.accumulate(odds[::-1])[::-1]
    yield "highest before", np.concatenate([[NONE], highest[:-1]])
    yield "highest behind", np.concatenate([behind[1:], [NONE]])
    yield "comments before", np.concatenate([[NONE], np.maximum.accumulate(of_comment)[:-1]])
    start, end = np.searchsorted(mass[1:] / total, EDGES).tolist()
    yield "from the start", (at - start).clip(-FAR, FAR)
    yield "from the end", (at - end).clip(-FAR, FAR)
    order = np.argsort(-main, kind="stable")
    true = np.cumsum(weight[order] * main[order])
    f1 = 2.0 * true / np.maximum(np.cumsum(weight[order]) + true[-1], 1e-9)
    best = int(f1.argmax())
    whole = {
        "page main": np.log1p(total),
        "page comment": np.log1p(of_replies),
        "page share of main": total / size[-1],
        "page share of comment": of_replies / size[-1],
        "page F1": f1[best],
    }
    yield [*whole], np.array([*whole.values()])[:, None]
    yield "above the cut", odds - odds[order[best]]
    last_heading = np.maximum.accumulate(np.where(facts.is_heading, at, -1))
    yield "main of the heading", np.where(last_heading >= 0, odds[last_heading], NONE)
    yield "main below the heading", _mean(last_heading + 1, weight, main)
    yield "comment below the heading", _mean(last_heading + 1, weight, comment)
    yield OWN, features[:, _COLUMNS].T


def _mean(group: Int64, weight: Float64, x: Float64) -> Float64:
    """Return the weighted mean of the group of each block (b,)."""
    mean: Float64 = (np.bincount(group, weight * x) / np.maximum(np.bincount(group, weight), 1e-9))[group]
    return mean
