"""Learning the layouts of a site: paths, frames, then for each layout its container, title and fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from webgrain.arrays import Bool, Int64
from webgrain.layouts.pagesteps import LEAST, SHARE, Outline, Sketch, shared_tokens, sketch, telling_contexts
from webgrain.layouts.sitelayouts import (
    Called,
    Container,
    FrameIndex,
    Survey,
    Thresholds,
    affixes,
    find_container,
    find_fields,
    find_records,
    group_frames,
    measure,
    noise,
    survey,
    trimmed,
)
from webgrain.layouts.sitemodel import (
    Feature,
    KnownPaths,
    Layout,
    Reading,
    SiteModel,
    find_places,
    named,
    read_page,
    share_of_teasers,
)

LEAST_LIKENESS = 0.2
"""Likeness to a layout that a page has in any case, whatever the threshold."""
VOTERS = 60
"""Pages of a layout that are asked for their title, about."""
MOST_ANCHORS = 5
"""Texts of links to a page that are looked at, the most frequent ones."""
NEARLY_STATIC = 0.2
"""Novelty up to which a block is no title."""
LONGEST = 300
"""Letters that a title has at most."""


def learn_site(
    outlines: Iterable[Outline],
    anchors: Mapping[str, Mapping[str, int]],
    cluster: float,
    title: float,
    lowest: Thresholds,
) -> SiteModel:
    """Learn the layouts of a site; the order of its pages makes no difference.

    anchors: the texts of the links to a page by its id, see `webgrain.page.links.anchor_texts`. cluster:
    least likeness of the frames of a layout. title: least likeness, in the mean, of titles to what links and
    ``<title>`` say. lowest: the thresholds that pages will be read by; its ``match`` is the least there can
    be.
    """
    outlines = sorted(outlines, key=lambda one: one.page)
    if not outlines:
        none = np.zeros(0, np.int64)
        paths = KnownPaths((), none, none, none.astype(np.int8), none.astype(np.float64))
        return SiteModel(0, {}, paths, (), FrameIndex({}, LEAST_LIKENESS), ())
    tokens = shared_tokens(outlines, SHARE, LEAST)
    shared = np.array(sorted(tokens), np.uint64)
    telling = telling_contexts(outlines, shared)
    sketches = [sketch(one, shared, telling) for one in outlines]
    found = survey(sketches)
    learner = _Learner(found, [_most_frequent(anchors.get(one.page, {})) for one in outlines], title, lowest)
    parts = [one.frame() for one in sketches]
    lighter = _lighter(parts)
    groups, frames = group_frames([frozenset(frame) for frame in parts], cluster, lighter)
    members = [np.flatnonzero(np.array(groups) == number).tolist() for number in range(len(frames.frames))]
    kept = [number for number, pages in enumerate(members) if len(pages) >= LEAST]
    index = FrameIndex(frames.weight, LEAST_LIKENESS)
    for number in kept:
        index.add(frames.frames[number])
    layouts = tuple(learner.layout(members[number], str(rank + 1)) for rank, number in enumerate(kept))
    paths = learner.known_paths()
    told = _features(parts, frames, paths, tokens, lighter)
    return SiteModel(len(outlines), tokens, paths, told, index, layouts)


@dataclass(frozen=True, eq=False)
class _Learner:
    """What all layouts are learnt from; anchors: texts of links to each page; the rest as in `learn_site`."""

    survey: Survey
    anchors: Sequence[Sequence[str]]
    title: float
    lowest: Thresholds

    @cached_property
    def paths(self) -> KnownPaths:
        """All paths of the site."""
        paths = self.survey.paths
        return KnownPaths(paths.names, paths.up, paths.pages, noise(paths), paths.diff.round(4))

    @cached_property
    def _head(self) -> Bool:
        return self.survey.paths.head

    def layout(self, members: list[int], name: str) -> Layout:
        """Learn one layout from its pages."""
        records = find_records(self.survey, members)
        measured = measure(self.survey, members, records)
        chain = find_container(self.survey.paths, measured)
        affix = affixes([named(self.survey.sketches[page]) for page in members])
        fields = find_fields(self.survey.paths, measured, chain[-1])
        container = Container(chain, fields, records=frozenset(np.flatnonzero(records).tolist()))
        container = replace(container, title=self._title(members, affix))
        container = replace(container, places=find_places(self._readings(members, container)))
        main, teased = self._main(members, container)
        return Layout(name, len(members), main, teased, self._renumbered(container), affix)

    def known_paths(self) -> KnownPaths:
        """Return the paths that several pages have."""
        paths, known = self.paths, np.flatnonzero(self.paths.pages >= LEAST)
        names = tuple(paths.names[path] for path in known.tolist())
        up = self._rank[paths.up[known]]
        return KnownPaths(names, up, paths.pages[known], paths.reason[known], paths.diff[known])

    def _readings(self, members: list[int], container: Container) -> list[tuple[Sketch, Reading]]:
        sketches, of, lowest = self.survey.sketches, self.survey.of, self.lowest
        reason = self.paths.reasons(lowest.diff)
        return [
            (sketches[page], read_page(sketches[page], of[page], container, reason, lowest.main))
            for page in members
        ]

    def _main(self, members: list[int], container: Container) -> tuple[float, float]:
        """Varied letters of main text outside links, a page, and the share of a page that is teasers."""
        main = teased = 0.0
        for page, (one, reading) in zip(members, self._readings(members, container), strict=True):
            own = reading.main[~one.teaser[reading.main]]
            main += float((self.survey.novelty[page] * one.blocks.weight_noanchor)[own].sum())
            teased += share_of_teasers(one, reading)
        return round(main / len(members), 1), round(teased / len(members), 4)

    def _title(self, members: list[int], affix: tuple[str, str]) -> int:
        """Path of the title: that whose first blocks fit best, in the mean over the pages; -1 for none."""
        voters = members[:: 1 + len(members) // VOTERS]
        votes: Counter[int] = Counter()
        for page in voters:
            votes.update(self._votes(page, affix))
        heading = {path: self.survey.paths.names[path][:1] == "h" for path in votes}
        best = max(votes, key=lambda path: (round(votes[path], 6), heading[path], -path), default=-1)
        return best if best >= 0 and votes[best] >= self.title * len(voters) else -1

    def _votes(self, page: int, affix: tuple[str, str]) -> dict[int, float]:
        """How well the first block on each path fits as the title of a page."""
        one, of, novelty = self.survey.sketches[page], self.survey.of[page], self.survey.novelty[page]
        called = Called([trimmed(named(one), affix), *self.anchors[page]])
        found = dict[int, float]()
        for block in np.flatnonzero((novelty > NEARLY_STATIC) & (one.blocks.weight < LONGEST)).tolist():
            path = int(of[one.blocks.holder[block]])
            if path not in found and not self._head[path]:
                found[path] = called.closeness(one.blocks.texts[block])
        return found

    def _renumbered(self, container: Container) -> Container:
        """Return a container with the numbers that its paths have among those of several pages."""
        rank = self._rank
        return replace(
            container,
            chain=tuple(int(rank[path]) for path in container.chain if rank[path] >= 0),
            fields={int(rank[path]): mean for path, mean in container.fields.items() if rank[path] >= 0},
            title=int(rank[container.title]),
            records=frozenset(int(rank[path]) for path in container.records if rank[path] >= 0),
        )

    @cached_property
    def _rank(self) -> Int64:
        """(q + 1,) number of each path among those that several pages have, -1 for others and for none."""
        several = self.paths.pages >= LEAST
        return np.append(np.where(several, np.cumsum(several) - 1, -1), -1)


def _lighter(parts: Sequence[Mapping[int, tuple[int, int, bool]]]) -> set[int]:
    """Return the features that count less: mostly in what repeats, or with a token of no path."""
    repeats: Counter[int] = Counter()
    for frame in parts:
        for key, (_, token, repeated) in frame.items():
            repeats[key] += 1 if repeated or token else -1
    return {key for key, count in repeats.items() if count > 0}


def _features(
    parts: Sequence[Mapping[int, tuple[int, int, bool]]],
    frames: FrameIndex,
    paths: KnownPaths,
    tokens: Mapping[int, str],
    lighter: set[int],
) -> tuple[Feature, ...]:
    """Return what the frames are made of, in the order of their weights."""
    number = {key: i for i, key in enumerate(paths.key.tolist())}
    pages: Counter[int] = Counter(key for frame in parts for key in frame)
    known = {key: told for frame in parts for key, told in frame.items()}
    return tuple(
        (number[known[key][0]], tokens.get(known[key][1], ""), pages[key], key in lighter)
        for key in frames.weight
    )


def _most_frequent(anchors: Mapping[str, int]) -> list[str]:
    return sorted(anchors, key=lambda text: (-anchors[text], text))[:MOST_ANCHORS]
