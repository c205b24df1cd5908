"""Hand-set thresholds and limits of the search for near-duplicates.

The parameters of the published duplicate test are in `webgrain.duplicates.shingles`. The effect of the first
five values is reported in ``docs/methods/duplicates.md``.
"""

from __future__ import annotations

# Pages of a site, by their names, from which a shingle belongs to the site and not to a page. Chosen in a
# study on three sets of manuals and shops; 3 and 6 have the same effect on the three sets of pairs.
COMMON = 4

# Pages from which something is known about a site. Hand-set: on two pages, a template and a copy look alike.
FEW = 3

# Specific shingles of either page below which there is too little text for a verdict.
LEAST_SPECIFIC = 8

# Resemblance of the specific shingles of pages of different sites, and of pages of one site, from which they
# are near-duplicates; and from which they have the same content.
NEAR_OTHER_SITE, NEAR_SAME_SITE, SAME = 0.15, 0.5, 0.9

# Share of the specific shingles of a page that another page must contain.
CONTAINED = 0.5

# Resemblance of all shingles from which two pages of one site share a template. Hand-set, not tuned.
SAME_TEMPLATE = 0.3

# Hashes of a sketch. The standard error of a resemblance is at most 0.5 / sqrt(KEPT), 0.03.
KEPT = 256

# Pages with an equal hash that are all compared with each other; in larger groups only neighbours are. Bounds
# the time of a search. Hand-set, not tuned.
CROWD = 64

# Preceding pages that each page of a larger group is compared with. Hand-set, not tuned.
NEAR = 8

# Hashes that a search sorts at a time. Bounds its memory. Hand-set, not tuned.
KEYS = 2**22

# Lines of a page in a comparison; further lines are counted only. Bounds the size of a report.
MAX_LINES = 2000
