"""Hand-set thresholds of this package.

Not here: the parameters and limits of KeyClus, which are in `webgrain.papers.keyclus`.
"""

# Ids and classes in DOM paths (`webgrain.pagetypes.pathcounts`).

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

# Pages whose snippets are kept to describe the types. Bounds memory; hand-set.
MAX_SNIPPET_PAGES = 300

# Characters of a snippet, the beginning of the text of an element.
SNIPPET = 80

# Pseudo-queries (`webgrain.pagetypes.pseudoqueries`).

# Share of the pages above which an anchor text, a title or a heading belongs to the template and is no
# pseudo-query. Hand-set, not tuned.
MENU_SHARE = 0.2

# Characters of a pseudo-query, at least and at most; pseudo-queries of one page. Hand-set, not tuned.
MIN_QUERY, MAX_QUERY, MAX_QUERIES = 3, 120, 25

# Traits of pages (`webgrain.pagetypes.traits`). Hand-set, not tuned.

# Characters from which a text is prose, and up to which it can be a label.
LONG_TEXT, SHORT_TEXT = 40, 50

# Share of the prose of a page that the element with its main text contains.
PROSE_SHARE = 0.6

# Share of the characters of an element in links from which it is a menu.
DENSE_LINKS = 0.75

# Steps below the root up to which classes and ids describe the whole page.
ROOT_DEPTH = 2

# Characters of text up to which a page can be a redirect stub, or an error page.
REDIRECT_CHARACTERS, ERROR_CHARACTERS = 300, 1500

# Paragraphs and articles of an error page, at most.
MAX_PARAGRAPHS = 10

# Steps whose classes and ids are kept in memory. Bounds memory.
MAX_KNOWN_NAMES = 2**16

# Mean probability from which pages are one group, before pairs of groups are compared. With .7 to .9 the
# mean ARI of left-out sites differs by less than .01.
FINE = 0.8

# Weight of the log odds of two groups beside those of their pages, on a site with at least `GROUP_PAGES`; on
# a smaller one the weight is proportional. Mean ARI of left-out sites with the weights 0, .3, .5 and 1: .82,
# .83, .84, .84 on all pages (58 to 250), and .84, .84, .83, .82 on samples of 25.
GROUP_SHARE, GROUP_PAGES = 0.5, 100

# Log odds by which pages of one earlier type are more probably of the same type, and others less.
EARLIER_ODDS = 1.0

# New types (`webgrain.pagetypes.newtypes`). Hand-set, not tuned.

# Log odds that learnt pages of one type stay together, and those of different types apart.
CERTAIN_ODDS = 30.0

# Pages of a new type, at least: as many as a template needs.
MIN_NEW_TYPE = 3

# Pages that are stored of those that the types were learnt from, and of those that wait for a type. Bounds
# the size of models.
LEARNT_PAGES, WAITING_PAGES = 150, 50

# Types (`webgrain.pagetypes.pagetypes`). Hand-set.

# Pages of a type, except on a site with one page.
MIN_TYPE = 2

# Columns of the classifier of pages, and keys that are kept of a column. Bounds the size of models.
MAX_COLUMNS, MAX_KEYS = 800, 3

# Columns of traits that all pages have, and their weight relative to the traits that separate types.
MAX_COMMON, COMMON_WEIGHT = 50, 0.5

# Mean log-likelihood by which a page may fit a type worse than the type's own pages do.
FIT_TOLERANCE = 0.6

# Share of the best F1 from which a path marks a type equally well; paths of a condition.
MARK_TOLERANCE, MAX_LITERALS = 0.95, 6

# Score from which a word can be the label of a type; the score is the F measure (with twice the weight for
# recall) of the pages with the word and those of the type, times a weight: of a word in the URL, in metadata,
# in the classes of the body, in titles. Chosen by the share of the pages of the bench that keep their label
# between two halves of a site; no type is changed.
NAME_SCORE, NAME_WEIGHTS = 0.3, (1.0, 0.9, 0.8, 0.6)

# Share of the pages of the type that must have the word. On 63 sites .5 / .6 / .7 / .8 of two halves give
# .79 / .81 / .80 / .79 of the pages the same label.
NAME_SHARE = 0.6

# Times that the word of each source must be more frequent among the pages of the type than among others. With
# 1.3 / 3 / 6 for titles, of which many have the name of the site, .803 / .806 / .809 keep their label.
NAME_LIFTS = (1.3, 1.3, 1.3, 6.0)

# Difference of the score of such a word to the best one, at most.
NAME_TOLERANCE = 0.1

# Characters of such a word, at least.
MIN_NAME = 3

# Share of the pages of a type that an earlier type must contain to pass its label on.
INHERITED_SHARE = 0.5

# Descriptions of types (`webgrain.pagetypes.descriptions`). None changes the types; all are hand-set, not
# tuned.

# Pages and contents that are shown of a type.
MAX_EXAMPLES, MAX_SHOWN_CONTENTS = 10, 5

# Fields of a type, and the share of its pages from which a path is a field.
MAX_FIELDS, FIELD_SHARE = 8, 0.8

# Share of the pages of a type that the beginning of titles must cover.
PATTERN_SHARE = 0.8

# Share of the pages of a type that a pattern of addresses must cover, so that a name that states a folder is
# true of its pages. On 63 sites .6 / .7 / .8 / .9 / .95 state a place for .90 / .85 / .81 / .76 / .73 of the
# pages, which is wrong for 5.7 / 3.4 / 2.2 / .7 / .2 % of them.
PLACE_SHARE = 0.9

FOLDER_SHARE, LONG_FOLDERS = 0.1, 60
"""Share of the pages of a type that each of several folders in its name must have, and the characters of all
these folders, at most (hand-set)."""

# Share of the pages of a type that are of one kind from which it is named by this kind.
KIND_SHARE = 0.6

PATTERN_F1 = 0.5
"""F1 of a pattern and a type of a few pages below which their addresses are listed instead."""

# Folders of an address that patterns distinguish; pages of a small type; words of a title and characters in a
# name.
MAX_FOLDERS, FEW_PAGES, MAX_WORDS, MAX_NAME = 4, 3, 6, 80

LONG_PLACE = 40
"""Characters from which the addresses of a few pages are too long for a name."""
