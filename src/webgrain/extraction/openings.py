"""The first post of a thread in an element before the others, such as a question beside its answers.

The model of first posts (`webgrain.extraction.threads`) learns from threads whose first post is mostly in the
group of the posts, so that it prefers the first answer. But then the question would be lost. So an element
before the posts is the first post if most of the text that would be lost is in it, and it is probable enough.
"""

from __future__ import annotations

import numpy as np

from webgrain.base.arrays import Float64, Int64
from webgrain.extraction import thresholds


def first_before(
    best: int,
    opening: Float64,
    elements: tuple[Int64, Int64],
    posts: tuple[Int64, Int64],
    main: Float64,
    letters: Float64,
    title: int,
) -> int:
    """Return the number of the element with the first post: one before the posts, or ``best``.

    best: the number of the first element of the posts; opening: (g,) the probabilities that elements are the
    first post. elements: (g,) and (g,), the first block and the end of each; posts: (p,) and (p,), the same
    of the posts. main, letters: (b,) of the blocks; title: the block of the title, -1 for the head.

    >>> answers = np.array([2, 3]), np.array([3, 4])
    >>> elements = np.array([1, 2]), np.array([2, 3])  # the question, and the first answer
    >>> main, letters = np.array([0.1, 0.9, 0.9, 0.9]), np.array([20.0, 90.0, 120.0, 120.0])
    >>> first_before(1, np.array([0.6, 0.8]), elements, answers, main, letters, 0)
    0
    >>> first_before(1, np.array([0.3, 0.8]), elements, answers, main, letters, 0)
    1
    """
    expected, size = np.append(0.0, (main * letters).cumsum()), np.append(0.0, letters.cumsum())
    start, stop = title + 1, int(posts[0][0])
    (first, last), (of_posts, end_of_posts) = elements, posts
    in_posts = expected[end_of_posts] - expected[of_posts]
    skipped = expected[stop] - expected[min(start, stop)]
    if skipped < thresholds.SKIPPED_TEXT * in_posts.mean():
        return best
    text = expected[last] - expected[first]
    least = thresholds.TEXT_BEFORE * in_posts.sum() / max((size[end_of_posts] - size[of_posts]).sum(), 1.0)
    may_be_first = (first >= start) & (last <= stop)
    may_be_first &= text >= thresholds.PART_OF_SKIPPED * skipped
    may_be_first &= text >= least * (size[last] - size[first])
    chances = np.where(may_be_first, opening, 0.0)
    k = int(chances.argmax())
    is_probable = chances[k] >= max(thresholds.OPENING, thresholds.FIRST_BEFORE * opening[best])
    return k if is_probable else best
