"""Hand-set thresholds of this package.

Not here: the parameters of KeyClus, which are the parameters of the class, and its limits for tabs, which are
in `webgrain.pagetypes.keyclus` beside the section of the paper that they belong to.
"""

# Ids and classes in DOM paths (`webgrain.pagetypes.sitepaths`).

# Pages that must share an id or a class to keep it in paths. With 9 to 12 pages the mean ARI of
# `experiments/keyclus_accuracy.py` is .87, with 15 .86 and with 20 .87; on the sample site 3 pages give an
# ARI of .20.
MIN_PAGES = 12

# Share of the pages of a site that must share an id or a class. Hand-set, not tuned.
MIN_SHARE = 0.01

# The share that is enough on a site with few pages, where it is less than `MIN_PAGES` pages. Hand-set with
# the sample site in view.
SMALL_SITE_SHARE = 0.15

# Pages that must share an id or a class on any site. Hand-set, not tuned.
MIN_PAGES_SMALL_SITE = 3

# Ids at one path on one page from which these ids number elements (``l00001``, ``l00002``). Hand-set, not
# tuned.
ENUMERATION = 3

# What is stored of a site (`webgrain.pagetypes.pathcounts`).

# Pages with queries whose text is read. Bounds memory; hand-set.
MAX_TEXT_PAGES = 500

# Pages whose snippets are kept to describe the types. Bounds memory; hand-set.
MAX_SNIPPET_PAGES = 300

# Characters of a snippet, the beginning of the text of an element.
SNIPPET = 80

# Characters of an element up to which its text can be the name of a tab. Hand-set, not tuned.
MAX_CONTENT = 40

# Share of the pages above which an anchor text, a title or a heading belongs to the template and is no
# pseudo-query. Hand-set, not tuned.
MENU_SHARE = 0.2

# Characters of a pseudo-query, at least and at most; pseudo-queries of one page. Hand-set, not tuned.
MIN_QUERY, MAX_QUERY, MAX_QUERIES = 3, 120, 25

# Choice of key paths (`webgrain.pagetypes.pagetypes`). Set together on the eight sites of
# `experiments/keyclus_accuracy.py`; `docs/methods/pagetypes.md` states how far the result depends on this
# choice.

# Power of the stability of a path in the weight of its bits.
SHARPNESS = 3

# Power of the stability of a path in its worth as a split.
STABILITY = 2

# Shares of the pages between which a path can split them. A key path of a larger share marks no type.
RARE, COMMON = 0.02, 0.98

# Share of the pages from which a path is coded.
CODED_SHARE = 0.01

# Pages of a group, and pages from which a path is coded.
MIN_GROUP = 5

# Paths that are coded, and paths that can split. Bounds time; hand-set.
MAX_CODED, MAX_SPLITS = 1500, 600

# Share of the worth of a path that its rank by queries decides.
RANK_WORTH = 0.25

# Power of a group's share of all bits: what a split of a small group saves counts less.
SMALL_GROUPS = 0.25

# Splits from the whole site down to a group. Bounds time; hand-set.
MAX_DEPTH = 12

# Share of the best F1 from which a path marks a group equally well. Hand-set, not tuned.
MARK_TOLERANCE = 0.95

# Descriptions of types (`webgrain.pagetypes.descriptions`). None changes the types; all are hand-set, not
# tuned.

# Share of a type's pages from which a path belongs to its core, and paths of a core.
CORE_SHARE, MAX_CORE = 0.95, 64

# Pages and contents that are shown of a type.
MAX_EXAMPLES, MAX_SHOWN_CONTENTS = 10, 5

# Fields of a type, and the share of its pages from which a path is a field.
MAX_FIELDS, FIELD_SHARE = 8, 0.8

# Share of the pages of a type that a pattern of addresses, or the beginning of titles, must cover.
PATTERN_SHARE = 0.8

PATTERN_F1 = 0.5
"""F1 of a pattern and a type of a few pages below which their addresses are listed instead."""

# Folders of an address that patterns distinguish; pages of a small type; words of a title and characters in a
# name.
MAX_FOLDERS, FEW_PAGES, MAX_WORDS, MAX_NAME = 4, 3, 6, 80

# Evaluation as in section 4 of the paper (`webgrain.pagetypes.keyclus`).

# Share of a type's pages from which a path counts as one of its usual paths. Hand-set, not tuned.
COMMON_IN_TYPE = 0.5
