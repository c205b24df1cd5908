"""Hand-set thresholds and limits of the search for near-duplicates.

The parameters of the published duplicate test are in `webgrain.duplicates.shingles`. Effects of the first
four values are reported in ``docs/methods/duplicates.md``.
"""

from __future__ import annotations

# Similarity of the frames of two pages from which they share a template. Set on the pages of the sets of
# duplicate pairs and of three news sites.
SAME_FRAME = 0.5

# Share of a main content. Similar pages are not duplicates if less than this share of either main content
# occurs on the other page: they have only the frame in common. Set on the same pages.
OTHER_CONTENT = 0.25

# Words of the shortest main content that is compared. Set on the same pages.
MIN_CONTENT = 24

# Pages of a site from which a line counts as repeated. Set on the same pages: with it, the pairs of different
# articles that are reported as duplicates fall from 253 to 0 on the site krisold and from 92 to 1 on asa.
REPEATS = 4

# Probability that two texts whose similarity is the threshold have a band in common. Hand-set, not tuned.
MEETING_PROBABILITY = 0.99

# Pages with an equal key that are all compared with each other; in larger groups only neighbours are. Bounds
# the time of a search. Hand-set, not tuned.
CROWD = 256

# Preceding pages that each page of a larger group is compared with. Hand-set, not tuned.
NEAR = 8

# Keys that a search sorts at a time. Bounds its memory. Hand-set, not tuned.
KEYS = 2**22

# Lines of a page in a comparison; further lines are counted only. Bounds the size of a report.
MAX_LINES = 2000
