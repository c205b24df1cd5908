"""Hand-set thresholds of text extraction.

Unless a comment names an experiment, a value was set by hand on the training pages and not tuned. Results are
in docs/methods/single-page.md and docs/methods/article.md and are checked by ``make quality``.
"""

# Features and probabilities of blocks (features.py, single.py).
WHOLE_PAGE = 0.97  # share of the letters of a page at which an element contains the whole page
PROSE_LETTERS, PROSE_LINKED, FUNCTION_WORDS = 60, 0.4, 0.2  # letters outside links, share in links, of prose
LONG_PROSE_LETTERS, LONG_PROSE_LINKED = 150, 0.3  # the same without a condition on function words
SMOOTHING = 0.8  # how far the log odds of a block move to the mean of its siblings
LEAST_SMOOTHED = 1e-4  # least probability of a block when its log odds are computed
REPEATED_LENGTH = 40  # characters at which a repeated text is dropped
SIBLING_STEPS = 4  # elements of the path that siblings share
SITE_NOISE = 0.98  # factor by which noise of the site lowers a probability: never to 0
FORUM = 0.5  # share of the expected main content in comments at which they are what a page is for

# Pages whose content is written for other readers (single.py).
NOSCRIPT_LENGTH = 1000  # characters that a <noscript> must have
NOSCRIPT_FACTOR = 2  # how many times as much text as the page it must have

# Verdicts of single pages (single.py).
INDEX_LINKED = 0.25  # share of the letters of the main text in links at which a page is an index
CARDS = 4  # links in a row at which a page may be an index
CARD_PROSE = 60  # letters of prose on a page with a row of links, per link, at most
CARD_LETTERS = 12  # mean letters of the links of a row, at least: others are tags and page numbers
TEASERS = 3  # headings that lead to other pages at which an index consists of them, if most headings do
LINK_BLOCK = 0.5  # share of a block in links at which it is a link

# Titles (titles.py).
TITLE_AGREES = 0.6  # similarity to a link or <title> at which a heading agrees with it
MOST_HEADINGS, MOST_LINKS = 8, 5  # headings, and texts of links, that are compared, at most
TITLE_LENGTH = 300  # characters of a title, at most

# Evidence of a site (article.py).
COMMENTS_ONLY = 0.1  # share of a page outside its comments up to which comments are its content
INDEX_WEIGHT = 0.4  # weight of the log odds of the page itself on an index page: the site knows better
# Log odds added on a known site, and subtracted at noise 1 and in boilerplate; close to logistic regressions
# on four of the five sites each, see docs/methods/article.md.
QUIET, NOISE, BOILERPLATE = 1.0, 4.0, 9.0
LEAST_PROBABILITY = 1e-3  # probability of the least likely block
NOISY = 0.5  # noise at which a block is not content
SURE_INDEX = 0.75  # similarity to its layout at which a page is certainly an index
INDEX_PROSE = 0.8  # share of text outside links above which a doubtful index is not one

# Boilerplate of a site (boilerplate.py).
NOISY_ELEMENT = 0.8  # noise at which an element is boilerplate
NOISY_NAMED = 0.3  # the same if its name is that of boilerplate: a site may have two languages
NAVIGATION_LINKED = 0.6  # share of an element in links at which it is a menu
NAVIGATION_SIZE = 20  # characters that a menu has at least
EDGE = 0.1  # share of the content before or after a header or footer, at most; half of it without a name
MOST_ELEMENTS = 200  # boilerplate elements of a page, at most
SELECTOR_PRECISION = 0.85  # share, by size, of what a selector finds that must be boilerplate
SITE_SHARE, SITE_PAGES = 0.1, 3  # share of the pages, and number of pages, that must have a boilerplate part
SELECTOR_STEPS = 6  # steps of a selector, at most
