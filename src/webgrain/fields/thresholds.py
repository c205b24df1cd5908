"""Hand-set numbers of fields. They are not tuned."""

MIN_SHARE = 0.4
"""Share of the pages that must have a field without a name of its meaning."""

MIN_NAMED_SHARE = 0.15
"""The same for a field whose name is known from markup, a label or a class; two pages at least."""

MAX_EQUAL = 0.8
"""Share of the pages with the most frequent value above which a text without a label is no field."""

MAX_EQUAL_LABELLED = 0.9
"""The same with a label."""

MAX_EQUAL_LISTS = 0.4
"""The same for lists: those of menus and footers are equal on most pages."""

MIN_VERIFIED = 0.8
"""Share of the pages on which a selector must select exactly the elements of a field."""

MIN_AGREEMENT = 0.5
"""Share of the pages with a declared value on which the text of an element must equal it."""

TYPICAL = 0.8
"""Share of the values of a field that must have a type."""

MAX_FIELDS = 60
"""Fields of a type, at most."""

SHORT = 80
"""Characters of a price, a date, a name or the item of a list, at most."""

LONGEST_LABEL = 40
"""Characters of a label such as ``Publisher:``, at most."""

LONGEST = 400
"""Median of the characters of a field without a name of its meaning, at most."""

MAX_LEVELS = 12
"""Elements above a field that its selectors may name."""

MAX_CANDIDATES = 40
"""Selectors of a field that are tried."""

MAX_PAIRS = 400
"""Pairs of a label and a value of a page that are read."""

MAX_JSON = 2000
"""Values of the JSON-LD of a page that are read."""

MAX_MARKED = 60
"""Combinations of elements of marked pages that are tried, see `webgrain.fields.field`."""

EXAMPLES = 3
"""Values of a field that are kept as examples, at most."""

EXAMPLE = 120
"""Characters of an example, at most."""

SINGLE = 0.9
"""Share of the pages on which a template node must have at most one element to be a slot."""

MIN_INNER_SHARE = 0.8
"""Share of the pages that must have a slot within a part that pages have several times."""

MIN_ITEMS = 2
"""Median of the items of a list on the pages, at least."""

LONGEST_ITEM = 120
"""Median of the characters of the items of a list, with white space, at most."""

WHOLE = 0.6
"""Share of the characters in a block that its own text must have, so that the block is a slot."""

FAR_BEFORE = 30.0
"""Nodes before the title from which an element is in the head of the page and states nothing about it."""

MOST_ORDERS = 3
"""Elements at a place at which pages have several that may be a field each."""

MIN_DISTINCT = 3
"""Different values of a field without a name of its meaning, at least: a button has a name per language."""

MAX_PARTS = 4
"""Elements within a line around a text that may be a field each."""

MAX_SLOTS = 1000
"""Slots of a template, at most."""
