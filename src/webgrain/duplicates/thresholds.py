"""Hand-set thresholds and limits of the search for near-duplicates.

The parameters of the published duplicate test are in `webgrain.duplicates.shingles`. The effect of the first
five values is reported in ``docs/methods/duplicates.md``.
"""

from __future__ import annotations

# Levels: a shingle on fewer pages of a site than the first number, counted by their names, is of the first
# level, and so on. On more pages, or on a quarter of the pages of the site, it belongs to the site. Hand-set.
LEVELS = (4, 8, 16, 48)
TEMPLATE_PART = 4

# Weight of a shingle by its level: a text that a site repeats is weaker evidence than one on two pages. The
# strict weights decide where both could be the frame of a few pages. Chosen with the pairs of sites.
WEIGHTS = (1.0, 0.5, 0.25, 0.1)
STRICT_WEIGHTS = (1.0, 0.3, 0.05, 0.01)

# Pages from which something is known about a site. Hand-set: on two pages, a template and a copy look alike.
FEW = 3

# Pages of a site from which all levels count; on fewer pages, and between sites, only the first. Hand-set.
KNOWN = 8

# Specific shingles of either page below which there is too little text for a verdict.
LEAST_SPECIFIC = 8

# Resemblance from which two pages are near-duplicates: pages of different sites, pages of one site, and pages
# of one known site with different names, often two products; and from which they have the same content.
NEAR_OTHER_SITE, NEAR_SAME_SITE, NEAR_RENAMED, SAME = 0.15, 0.5, 0.8, 0.9

# Share of the specific shingles of a page that another page must contain; by the first level only.
CONTAINED, CONTAINED_RAREST = 0.4, 0.5

# Resemblance of near-duplicates, and containment, by the strict weights.
SURE = 0.3

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
