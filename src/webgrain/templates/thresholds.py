"""Hand-set thresholds of this package.

Not here: the parameters of `SiteTemplate` and `Sectioner`, which are those of the paper.
"""

# Generalisation of templates (`webgrain.templates.structure`).

# Similarity of shapes (common bits over all bits) from which two children with one tag are one TAG if they
# occur side by side, and if they never do. Hand-set, not tuned.
SIMILAR, RATHER_SIMILAR = 0.5, 0.15

# The former for elements that are items by their tags. Hand-set, not tuned.
SIMILAR_ITEMS = 0.2

# How much common names add to the similarity. Hand-set, not tuned.
COMMON_NAMES = 0.3

# Share of the nodes of a TAG that have the bits of its shape that it usually has. Hand-set, not tuned.
USUAL = 0.8

# Kinds of children (symbols with shapes) below one TAG; with more, shapes and then names do not count.
# Bounds time on hostile pages.
MAX_KINDS = 256

# Ids and classes of one element that count. Bounds time on hostile pages.
MAX_NAMES = 64

# Element types whose rows a template keeps; then it starts again. Bounds memory; hand-set.
MAX_ROWS = 4096

# Records within records of an expression (`webgrain.templates.crx`). Bounds time; hand-set.
MAX_RECORD_DEPTH = 4

# Share of the strings in which a symbol occurs once from which it separates what is before and after it.
ANCHOR_SHARE = 0.6

# Symbols that are separated by anchors, at most, and anchors within anchors. Bound time.
MAX_SEPARATED, MAX_ANCHORS = 64, 6

# Bits of a symbol of an expression in a comparison of expressions. Hand-set, not tuned.
TAG_BITS = 6.0

# Expected number of strings with two parts from which they are alternatives if no string has both. Hand-set.
CHANCE = 3.0

# Noise of features.

# Characters of a feature that are kept. Bounds memory; hand-set.
MAX_FEATURE = 200

# Folders above that of a page in whose links they are counted by a key; links further up are resolved.
MAX_FOLDERS = 16

# Median number of words up to which the texts of a node are compared word by word. Hand-set, not tuned.
MAX_WORDS = 20

# Words other than numbers from which texts that differ in numbers only are compared: "Chapter 3" is a name.
MIN_WORDS = 3

# Pages that must have a text for its words to be compared. Hand-set, not tuned.
MIN_WORD_PAGES = 3

# Matching.

# Node support from which a node counts as missing where it is absent. Hand-set, not tuned.
CORE = 0.9

# Levels below the root whose ids and classes decide whether a page fits. Hand-set, not tuned.
NEAR_ROOT = 4

# Steps of a selector in such a difference, at most. Hand-set.
MAX_STEPS = 4

# Differences that explain why a page does not fit, at most, and probability below which the length of a list
# is one. Hand-set, not tuned.
MAX_REASONS, RARE_LENGTH = 3, 0.02

# Drift.

# log10 of the probability, over all traits, from which a change is reported, and from which a loss is an
# alarm. Chosen by draws of unchanged pages on the other sites (`experiments/drift_bench.py`).
NOTICE, ALARM = -0.8, -3.1

# A change at least halves or doubles the share of the pages that have a trait. Hand-set, not tuned.
CHANGED = 0.5

# Share of the pages from which a new element is reported. Hand-set, not tuned.
GAINED = 0.2

# Pages that are tested: of more, small shares of change would become certain. Hand-set.
MAX_TESTED_PAGES = 100

# Paths of a page, and elements at one of them, that are counted, and distinct traits of all pages that are
# watched. Bound time and memory on hostile pages.
MAX_PATHS, MAX_TIMES, MAX_NEW_TRAITS = 2_000, 8, 100_000

# Lists of a template whose selectors are watched, and selectors that a report names. Bound time and length.
MAX_LISTS, MAX_BROKEN = 100, 5

# Repair.

# Share of the pages on which a new selector must work. Hand-set, not tuned.
REPAIRED = 0.8

# Sections.

# Items of a list, at least; a single item is handled as any other node.
MIN_LIST_ITEMS = 2

# Lines of a printed template, and characters of the names in its first column.
MAX_OUTLINE, MAX_OUTLINE_NAME = 200, 44

# Probability from which a page is accepted: 3 % of the pages of a type are below it on left-out sites
# (experiments/training/templates.py).
ACCEPTED = 0.5066437164933181

# Marked parts of a template (`webgrain.templates.markedparts`). Hand-set, by reading templates of six sites.

# Share of the pages with a template node from which a text there is repeated.
REPEATED_SHARE = 0.5

# Share of the characters of an element that are repeated, or differ, for the whole to be marked as such; and
# characters of a repeated part from which it is marked on its own.
MARK_PURE, MIN_MARKED = 0.9, 15

# Share of the pages that have a part, at least.
MARK_SUPPORT = 0.2

# Characters of a label, at most; share of the characters in links from which a repeated part is navigation.
SHORT_LABEL, NAVIGATION_LINKED = 80, 0.5

# Share of the characters of what repeats that are in links, or number of its places of text, and share of its
# characters that differ from page to page, from which it is items.
ITEM_LINKED, ITEM_PLACES, VARYING_ITEMS = 0.2, 3, 0.25

# Share of the characters of a page in each of two elements in a row from which they are its columns.
COLUMN_SHARE = 0.25

# Share of the characters of a page in an element that is named after a header, a footer or navigation, at
# most: names of larger ones state what they contain (``has-sidebar``).
LARGEST_NAMED = 0.5

# Share of the characters of a header or footer that differ, at most, if the whole is the frame.
VARYING_FRAME = 0.4

# Share of the characters of an element in items from which the items are marked and not the whole.
ITEMS_SHARE = 0.25

# Share of the characters of an element that are in no part that enough pages have, from which the whole is
# content.
FREE_SHARE = 0.3

# Share of the characters of a table that are labels, at least; share of those of the page in it, at most.
TABLE_LABELS, LARGEST_TABLE = 0.08, 0.5

# Texts that are shown of a marked part, their leaves and characters.
SHOWN_TEXTS, SHOWN_LEAVES, LONGEST_SHOWN = 2, 20, 80
