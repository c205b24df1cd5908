"""Hand-set constants of the package: thresholds, regularisation and limits.

"Not tuned" means that no experiment set the value. The experiments are cross-validations over the 80 pages of
the Kreuzer data set, where they do not name other pages.
"""

from __future__ import annotations

# Limits of time and memory; they change results only on very large pages.

MAX_RATE_STEPS = 30
"""Steps of Dinkelbach's method in the learnt cut; about five suffice. Not tuned."""

# Features. A change of one of these changes the meaning of the shipped models.

ALIGNED = 4.0
"""px; the greatest distance of two aligned edges. Not tuned."""

LARGE_CHILD = 3
"""Leaves of a large child of a unit. Not tuned."""

NEAR_LEAVES = 1.5
"""A node near a segment has at most this many times the leaves below the common ancestor. Not tuned."""

FAR_AWAY = 5000.0
"""px; greater distances count as this. Not tuned."""

ALIKE_LEAVES = 5
"""Greatest ratio of the leaves of siblings that are treated alike. On left-out modern pages 3 / 5 / 8 / 16
give ARI .780 / .780 / .777 / .767 without a browser, and 8 / 6 / 6 / 3 of 433 groups are cut unequally."""

# Learnt cut.

RATE_SHIFT = 0.05
"""Added to the probability above which leaves are better in one segment. Cross-validation over sites, 0 / .05
/ .1: ARI of modern pages .766 / .780 / .759 without a browser, .766 / .758 / .766 with Chromium."""

MAX_RATE = 0.9
"""Leaves with a greater probability are always in one segment. Not tuned."""

INDEX_WEIGHT = 0.1
"""Share of the expected index in the expected agreement of a cut; the rest is F1. On left-out modern pages
without a browser 0 / .1 / .2 / .3 / .5 give ARI .793 / .793 / .784 / .782 / .779, on front pages of 2013 .650
/ .654 / .654 / .656 / .663. Chosen by hand on these pages."""

JOINED = 0.6
"""Least probability that two leaves are in one segment at which parts of a remaining segment are joined, on
pages without boxes. On left-out modern pages, with a share of the index of .15, 0 / .5 / .55 / .6 / .65 give
ARI .777 / .784 / .787 / .788 / .786; with boxes, .6 costs .009 on one fold. Chosen by hand on these pages."""

MAX_DEVIATIONS = 4.0
"""Standard deviations from the mean at which the features of units are clipped. Not tuned."""

OPENED_PENALTY = 0.1
"""Factor of half the squared weights of ``opened``, compared to the mean log loss. Cross-validation over
several divisions into folds; neighbouring values differ by less than .005 ARI."""

OUTSIDE_PENALTY = 0.3
"""The same for ``joins`` and ``passes``."""

TREES = {
    "max_iter": 100, "learning_rate": 0.07, "max_leaf_nodes": 16, "min_samples_leaf": 20,
    "l2_regularization": 5.0,
}  # fmt: skip
"""Settings of the boosted trees of each probability. Not tuned."""

MIN_TREE_PAGES = 100
"""Training pages from which boosted trees are learnt. Cross-validation over sites: with 183 modern pages
trees raise the ARI by .05, with the 80 pages of the Kreuzer data set they lower it by .02."""

REACHED_WEIGHT = 3.0
"""Training weight of units whose ancestors are all opened, compared to 1 for others. Not tuned."""

SURE = 0.98
"""Probability of what the pages of a type have decided about a node of their template. Not tuned."""

# Roles and confidence.

MIN_ROLE_ROWS = 5
"""Training rows of a role that is learnt; a fine marked segment gives two rows. Not tuned."""

ROLE_REGULARITY = 0.015
"""C of the role model, at which its probabilities are calibrated without a further step."""

MIN_ROLE_TREE_ROWS = 5000
"""Training rows from which the roles are learnt by trees, too. The labelled modern pages give 13,500. Not
tuned."""

ROLE_TREES = {
    "max_iter": 25, "learning_rate": 0.15, "max_leaf_nodes": 8, "min_samples_leaf": 10,
    "l2_regularization": 5.0,
}  # fmt: skip
"""Settings of the boosted trees of the roles. Not tuned."""

HINT_TRUST = 0.5
"""Scale of the hints of the markup, compared to 1 for other features: there are many, and most are rare. Not
tuned."""

SAME_SEGMENT = 0.8
"""Jaccard index, by leaves, at which a predicted segment counts as a true one. Not tuned."""

CONFIDENCE_REGULARITY = 0.003
"""C of the confidence model. Not tuned."""

# Blocks.

MARKED = 0.3
"""Probability of being marked at which a unit is a block of the tree. On left-out sites .05 / .3 / .5: it
contains .92 / .86 / .82 of the marked segments, and .50 / .69 / .74 of its blocks are marked."""

MAX_DEPTH = 20
"""Greatest number of blocks in one another; deeper ones are left out. Not tuned."""

# Sections.

BESIDE = 5
"""Greatest number of leaves beside the heading in its unit, such as links for editing. Not tuned."""

LONGEST = 90
"""Characters of the longest bold line that is a heading. Not tuned."""

LEAST_TEXT = 100
"""Characters of the sections of an element below bold lines, on average. Not tuned."""
