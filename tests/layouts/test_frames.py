"""The index of frames against the comparison of all pairs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.layouts.sitelayouts import FrameIndex, group_frames, path_weights

frames = st.lists(st.frozensets(st.integers(0, 12), max_size=8), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(frames, st.sampled_from([0.2, 0.4, 0.6, 0.97, 1.0]))
def test_the_nearest_frame_is_the_nearest_of_all(found: list[frozenset[int]], threshold: float) -> None:
    index = FrameIndex(path_weights(found), threshold)
    for frame in found[:-1]:
        index.add(frame)
    asked = index.known(found[-1])
    similar = [index.similarity(asked, frame) for frame in index.frames]
    best = max(similar, default=0.0)
    number, similarity = index.nearest(asked)
    if asked and best >= threshold:
        assert (number, similarity) == (similar.index(best), best)
    elif asked:
        assert number == -1


@settings(max_examples=100, deadline=None)
@given(frames, st.randoms())
def test_groups_do_not_depend_on_the_order(found: list[frozenset[int]], rng: object) -> None:
    groups, _ = group_frames(found, 0.6)
    order = list(range(len(found)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    shuffled, _ = group_frames([found[i] for i in order], 0.6)
    assert [groups[i] for i in order] == shuffled


def test_categories_and_comments_weigh_less() -> None:
    found = [frozenset([1, 2, 9]), frozenset([1, 2, 8]), frozenset([3, 9]), frozenset([3, 8])]
    assert group_frames(found, 0.6)[0] != [0, 0, 1, 1]
    assert group_frames(found, 0.6, light={8, 9})[0] == [0, 0, 1, 1]
