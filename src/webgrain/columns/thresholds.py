"""Hand-set thresholds of the features of blocks; set on the training pages and not tuned."""

WHOLE_PAGE = 0.97  # share of the letters of a page at which an element contains the whole page
PROSE_LETTERS, PROSE_LINKED, COMMON_WORDS = 60, 0.4, 0.2  # letters outside links, share in links, of prose
LONG_PROSE_LETTERS, LONG_PROSE_LINKED = 150, 0.3  # the same without a condition on common words

# Texts of a site (sitetable.py).
SHARED_PAGES = 2  # pages that must have a text
LINK_TEXT = 0.8  # share of a text in links at which it is that of a link
MOST_TEXTS = 50_000  # texts, places, and texts at places that are kept of a site, at most of each
# Share of the pages of a site that declare an image or a description, and number of pages, from which an
# equal one is not that of a page. On the second half of the pages of 57 sites of the bench, judged by the
# first half: .05 / .1 / .25 take an image from 1 280 / 1 274 / 1 122 of 2 249 pages and a description from
# 1 219 / 1 201 / 1 152 of 3 340. The 49 values at .1 were read: all are logos, slogans and texts of several
# pages.
SHARED_DECLARED, DECLARED_ON = 0.1, 5
