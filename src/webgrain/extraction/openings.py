"""The first post of a thread in an element before the others, and posts in an element with all of them.

The model of first posts (`webgrain.extraction.threads`) learns from threads whose first post is mostly in the
group of the posts, so that it prefers the first answer. But then the question would be lost. So an element
before the posts is the first post if most of the text that would be lost is in it, and it is probable enough.
The model of posts often prefers the element around a question and its answers, which is no post.
"""

from __future__ import annotations

import numpy as np

from webgrain.base.arrays import Float32, Float64, Int64
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


def group_inside(best: int, posts: Float64, text: Float32, offset: Int64, first: Int64, last: Int64) -> int:
    """Return the number of a group, or of the most probable one in its first element if that has all others.

    best: the most probable group; posts, text: (g,) the probabilities of groups, and their shares of the text
    of the page; offset, first, last: of `webgrain.extraction.threads.Groups`. A group inside has several
    elements and much of the text, and is nearly as probable.

    >>> offset, first, last = np.array([0, 1, 3]), np.array([0, 1, 3]), np.array([6, 3, 6])
    >>> group_inside(0, np.array([0.8, 0.7]), np.array([0.9, 0.6], np.float32), offset, first, last)
    1
    """
    begin = first[offset[:-1]]
    end = last[offset[:-1]]  # of the first element of each group
    stop = np.maximum.reduceat(last, offset[:-1])
    is_several = stop > end
    if is_several[best]:
        return best
    is_inside = is_several & (begin >= begin[best]) & (stop <= end[best])
    is_inside &= text >= thresholds.TEXT_OF_POSTS_INSIDE * text[best]
    chances = np.where(is_inside, posts, 0.0)
    k = int(chances.argmax())
    is_probable = is_inside[k] and chances[k] >= thresholds.POSTS_INSIDE * posts[best]
    return k if is_probable else best
