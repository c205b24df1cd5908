"""Hand-set constants of the published methods: limits, and what the papers leave open.

Constants that the papers name are in the modules of the methods. "Not tuned" means that no experiment set the
value. The experiments with GCuts and CClus are cross-validations over the 80 pages of the Kreuzer data set.
"""

from __future__ import annotations

# GCuts and CClus: limits of time and memory; they change results only on very large pages.

MAX_COSTS = 2**24
"""Entries of D computed for one page by GCuts (128 MB): nodes times depth. Not tuned."""

MAX_COST = 1e9
"""Greatest amount of a cost that is a parameter of GCuts; sums of greater ones lose digits. Not tuned."""

MAX_STEPS_OF_ANCESTORS = 2**28
"""Sum of the numbers of leaves that may have each label, times the levels of one page in CertifiedGCuts: at
most about ten seconds. Not tuned."""

MAX_STEPS_OF_ALL = 2**22
"""The same in GCuts, where all leaves may have each label. The 80 pages of its figures have at most 3.9e6
steps, one of 183 modern pages has more than 4.2e6. Not tuned."""

MAX_LEAVES = 4096
"""Leaves that CClus clusters at once; v then takes 64 MB. GCuts tries each label once on pages with more.
Not tuned."""

PAIR_CHUNK = 2**14
"""Pairs whose features are computed at once (10 MB). Not tuned; does not change results."""

# GCuts: neighbouring leaves ("visually close", which the paper does not define).

NEIGHBOUR_GAP = 400.0
"""px; the greatest gap between neighbours. Not tuned."""

NEIGHBOUR_OVERLAP = 1.0
"""px; the extent that neighbours must share. Not tuned."""

NEIGHBOUR_SLACK = 2.0
"""px by which the boxes of neighbours may overlap, since line boxes often do. Not tuned."""

NEIGHBOUR_TRIES = 4096
"""Leaves examined in the search for one neighbour. Not tuned."""

# GCuts and CClus: learning of the weights.

SAMPLED_NODES = 100
"""Nodes per page from which the metric is learnt. Not tuned."""

SAMPLED_PAIRS = 600
"""Pairs of leaves drawn from a page for the model of any two leaves. Not tuned."""

PAIR_REGULARITY = 0.4
"""C of the logistic regressions of V, each page of weight 1: the inverse strength of the penalty. Chosen by
the log loss of held-out pages; ten times this value raises the log loss by 6 to 14 %."""

METRIC_STEPS = 10
"""Steps of L-BFGS between two searches for impostors. Not tuned."""

LEARNING_FOLDS = 4
"""Parts of the training pages; each is segmented with weights learnt from the others. Not tuned."""
