"""How the paths of a site are written: with the values that its pages share, without mere wrappers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.cluster.vocabulary import ANCHOR, SharedValues
from webgrain.kernels.pathtable import merge_paths, path_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.cluster.statistics import PathRecord
    from webgrain.page.dom import Int32
    from webgrain.page.paths import UInt64


@dataclass(frozen=True, slots=True, eq=False)
class PagePaths:
    """The paths (s,) of one page as the site has them.

    Attributes:
        of: (r,) the path of each path of the page's table.
        up: (s,) the path one step shorter, -1 at the root.
        key: (s,) uint64, the same for the same path on every page; first: (s,) a path of the table with it.
    """

    of: Int32
    up: Int32
    key: UInt64
    first: Int32

    def told(self, record: PathRecord) -> tuple[NDArray[np.uint16], UInt64]:
        """Return how many elements have each path (s,), and what a single one says, from the page's table."""
        left_out = (record.up >= 0) & (self.of == self.of[record.up])
        count = np.bincount(self.of, np.where(left_out, 0, record.count), len(self.key))
        content = np.where(count == 1, record.content[self.first], np.uint64(0))
        return np.minimum(count, np.iinfo(np.uint16).max).astype(np.uint16), content


@dataclass(frozen=True, slots=True)
class PathRules:
    """How the paths of a site are written: the values in them, and the wrappers that are left out.

    wrappers: keys of the paths that end with one.
    """

    values: SharedValues
    wrappers: frozenset[int] = frozenset()

    def read(self, up: Int32, step: UInt64) -> PagePaths:
        """Return the paths of a page; up, step (r,): its table, with the keys of the steps by these rules."""
        whole = merged(up, step)
        left_out = np.array([key in self.wrappers for key in whole.key.tolist()], bool)
        return merged(up, np.where(left_out[whole.of], np.uint64(0), step)) if left_out.any() else whole


def merged(up: Int32, step: UInt64) -> PagePaths:
    """Merge paths of a page that are the same by the keys of their steps; 0 leaves a step out."""
    of, above, first, _, _ = merge_paths(up, step)
    last = step[first]
    above = np.where(last % 2 == ANCHOR, -1, above).astype(np.int32)
    key = path_keys(above, last, np.array([0, len(above)]))
    return PagePaths(of, above, key, first)
