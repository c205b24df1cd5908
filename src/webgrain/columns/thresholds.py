"""Hand-set thresholds of the features of blocks; set on the training pages and not tuned."""

WHOLE_PAGE = 0.97  # share of the letters of a page at which an element contains the whole page
PROSE_LETTERS, PROSE_LINKED, COMMON_WORDS = 60, 0.4, 0.2  # letters outside links, share in links, of prose
LONG_PROSE_LETTERS, LONG_PROSE_LINKED = 150, 0.3  # the same without a condition on common words

# Texts of a site (sitetable.py).
SHARED_PAGES = 2  # pages that must have a text
LINK_TEXT = 0.8  # share of a text in links at which it is that of a link
MOST_TEXTS = 50_000  # texts, places, and texts at places that are kept of a site, at most of each
