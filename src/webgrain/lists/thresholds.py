"""Hand-set thresholds of this package."""

# Items of a list, at least; a single item is handled as any other node.
MIN_ITEMS = 2

# Candidates of a page that are ranked, those with the most text. Bounds time on hostile pages.
MAX_CANDIDATES = 800

# Classes of an element that count. Bounds time on hostile pages.
MAX_CLASSES = 32

# Classes of an element that are tried one by one in a selector. Bounds time.
MAX_TRIED_CLASSES = 6

# Share of the items of a list that must have a class for it to distinguish fields. Hand-set.
COMMON_CLASS = 0.1

# Share of the items of a list that is typical of it. Hand-set.
TYPICAL = 0.6

# Probability below which a row of the first list is left out. On 49 left-out bench sites, no record is left
# out with .1, .2 and .3, and some with .4 and .5.
RECORD = 0.3

# Siblings of one tag without classes that are separate fields; further ones belong to the last. Hand-set.
MAX_PLACE = 4

# Fields of a list. Bounds memory on hostile pages.
MAX_FIELDS = 64

# Probability of the best candidate from which a page has a list, and of the others from which they are lists.
# Of left-out bench sites, 98 % of the index pages and 45 % of the other pages have a list.
MIN_PROBABILITY, OTHER_PROBABILITY = 0.08, 0.02

# Probability of rows, as a share of that of a part of each row that is the best candidate, from which the
# rows are the list in its place. Chosen from .3 to .9 on four fifths of the sites, five times: each time .3.
WHOLE_ROWS = 0.3

# Lists of a page. Bounds time and memory.
MAX_LISTS = 10

# Selectors of a site that are kept: of lists, containers, items and columns. Bounds memory.
MAX_KNOWN = 4096
