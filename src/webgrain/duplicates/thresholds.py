"""Thresholds and limits of the search for near-duplicates.

The parameters of the published duplicate test are in `webgrain.duplicates.shingles`. Their effect is
reported in ``docs/methods/duplicates.md``.
"""

from __future__ import annotations

# Levels: a shingle on fewer pages of a site than the first number, counted by their names, is of the first
# level, and so on. On more pages, or on a quarter of the pages of the site, it belongs to the site. Hand-set.
LEVEL_PAGES = (4, 8, 16, 48)
TEMPLATE_PART = 4

# Weight of a shingle by its level: a text that a site repeats is weaker evidence than one on two pages.
# Hand-set.
WEIGHTS = (1.0, 0.3, 0.05, 0.01)

# Pages from which something is known about a site. Hand-set: on two pages, a template and a copy look alike.
MIN_SITE_PAGES = 3

# Pages of a site from which all levels count; on fewer pages, and between sites, only the first. Hand-set.
KNOWN = 8

# Levels of which a page has its own text, and the number of such shingles below which there is too little
# text for a verdict (of sketches that do not contain every shingle, half of it). Hand-set.
OWN_LEVELS, LEAST_SPECIFIC = 2, 8

# Log-odds that two pages of a known site are related, and that they are then duplicates: a constant, and the
# factors of the features of `webgrain.duplicates.search.odds`. Learnt from labelled pairs of sites by
# ``experiments/duplicates_bench.py``, which also prints the scores of left-out sites.
RELATED = (10.27, 0.85, -1.80, -1.46)
DUPLICATES = (2.63, 1.39, -3.00, -2.82, -1.33)

# Share of the common shingles of a pair that a page must share with another one to share as much. Chosen
# from five values with the sites of the pairs left out; from .6 to .9 the scores differ by one pair.
ALIKE = 0.6

# Share of the specific shingles of a page that another page must contain, and their weights by level: more
# even than `WEIGHTS`, since a part that an archive repeats is a part. Chosen with labelled pairs.
CONTAINED, CONTAINED_WEIGHTS = 0.45, (1.0, 0.6, 0.3, 0.15)

# The same share from which two pages of a known site can be duplicates. Chosen from four values.
MOSTLY = 0.65

# Resemblance from which pages with other titles, headings, or numbers in their titles can be duplicates:
# products with one description, and parts of a series, are not. Chosen from four values.
NAMED_APART = 0.75

# Resemblance from which two pages of different sites, and of one site with few pages, are near-duplicates.
# Chosen with three sets of pairs.
NEAR_OTHER_SITE, NEAR_SAME_SITE = 0.15, 0.5

# Resemblance from which near-duplicates have the same content. Hand-set.
SAME = 0.9

# Resemblance of all shingles from which two pages of one site share a template. Hand-set, not tuned.
SAME_TEMPLATE = 0.3

# Limits up to which the hashes of pages are counted: 0, 1/64, ... 1/4, 1/2 and 1 of all values. Hand-set.
OCTAVES = 8

# Hashes of a sketch. The standard error of a resemblance is at most 0.5 / sqrt(KEPT), 0.03.
SKETCH_SIZE = 256

# Pages with an equal hash that are all compared with each other; in larger groups only neighbours are. Bounds
# the time of a search. Hand-set, not tuned.
CROWD = 64

# Preceding pages that each page of a larger group is compared with. Hand-set, not tuned.
NEAR = 8

# Hashes that a search sorts at a time. Bounds its memory. Hand-set, not tuned.
SORTED_KEYS = 2**20

# Pairs that are judged at a time, each with about 500 bytes. Bounds the memory of a search. Hand-set, not
# tuned.
JUDGED_PAIRS = 2**16

# Lines of a page in a comparison; further lines are counted only. Bounds the size of a report.
MAX_LINES = 2000
