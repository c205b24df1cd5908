"""Hand-set thresholds of text extraction.

Unless a comment names an experiment, a value was set by hand on the training pages and not tuned. Results are
in docs/methods/single-page.md and are checked by ``make quality``.
"""

# Chosen blocks (single.py).
SMOOTHING = 0.8  # how far the log odds of a block move to the mean of its path; of 0, 0.4 and 0.8 the best
# Of the log odds of the model with all features, of that of the site's texts, and of the page alone. Of 16
# settings on left-out sites; the text is .946 in the mean and more than .01 worse than that of the page alone
# on 5 of 57 sites. The highest mean is .947, with 6 such sites.
SITE_WEIGHTS, SITE_BIAS = (0.6, 0.2, 0.2), 0.0
# Expected F1 of the text by the page alone above which the log odds with the site are limited: what the site
# takes from a text, at most, if fewer than this share of the pages have the text, and from the second value
# on what it adds to any. Chosen on left-out sites of more than 150 settings; the manual has their results.
CERTAIN_PAGE, VERY_CERTAIN_PAGE = 0.9, 0.92
MOST_TAKEN, RARE_TEXT, MOST_ADDED = 2.0, 0.2, 0.5
REPEATED_LENGTH = 40  # characters at which a repeated text is dropped

# Share of the chosen letters that an `<article>` or `<main>` must have, or the only `<article>` of a page, so
# that what is behind it is no main text. Of the letters behind `<article>` with half of the letters .04 are
# true, on 17 pages of left-out sites; with .3 and .7 the same. No page had an only one with less than half.
ARTICLE_SHARE, ONLY_ARTICLE = 0.5, 0.25
# Share of the pages with the same path that repeat a text there, so that it is no main text at the beginning
# or end, and characters of a label, which is kept next to other texts. On left-out sites .007 of the letters
# that are dropped are true, and the texts have .919 from .909 by letters, also if the share is chosen on the
# other sites (of 0.2, 0.5, 0.7, 0.8 and 0.9).
REPEATED_END, LABEL = 0.8, 40
# Probability of main text with the site at which such a text stays (hand-set). Of the letters that would be
# dropped on left-out sites .96 are true above it (8 texts, two sites), and .01 of the others (660 texts).
SURE_END = 0.9

# Rows with a label that most pages repeat (`REPEATED_END`) of a table of fields before the text, and their
# share of its rows, hand-set. On 452 pages of the bench three tables have them, of tickets of one site, and
# no letter of them is true; of 2 to 3 rows and .6 to 1 all are equal.
LEAST_FIELDS, FIELDS_OF_TABLE = 2, 0.8
# Probability by the page alone of labels and values that a site shares, each and their mean, at least. Of .2
# to .6 and of .5 and .6, on the same pages: 5 texts change, 3 gain and 2 lose, and .92 of the added letters
# are true.
LEAST_SHARED_VALUE, SHARED_VALUES = 0.4, 0.5

# Letters of the first long text of an article, and characters of a line with a day before it, which is no
# main text. On left-out sites 57 of such lines are in the text of articles of 21 sites, and 2 sites have them
# in the true text; the texts of the 44 articles gain .001 to .003.
LONG_TEXT, DAY_LINE = 80, 40

# Parts within the text that do not belong to it (asides.py), hand-set. On 1 383 pages of left-out sites and
# domains, of the letters that are dropped .11 of 14 451 of teasers (5 pages), .33 of 598 around forms (5) and
# .31 of 2 323 of pointers (20) are true; no page has lines of a gallery.
COUNTER = 14  # characters of a line that counts the pictures of a gallery, at most
MOST_FORMS, MOST_FIELDS = 20, 50  # forms of a page, and fields of a form, that are read
FORM_SHARE = 0.15  # share of the chosen letters in a part with a form
LEAST_TEASERS, LINK_OF_TEASER = 3, 0.8  # headings; share of a heading in links
# Share of the teasers that lead to the same host, at least. Of the 8 pages with teasers among 1 249 of WCXB,
# 207 labelled ones and 82 of other suites, on which it was chosen, the two whose links lead to several hosts
# have lists of the author: their texts lost .32 and .20 without this limit.
SAME_HOST = 0.8
PARAGRAPH, TEXT_BEFORE_TEASERS = 60, 300  # letters of a paragraph, and of those before teasers, at least
POINTER, LAST_LINES = 200, 3  # characters of a line that points to other pages; last lines that may ask to
LABEL_OF_PRODUCTS, MOST_LABELS = 60, 20  # characters of a label such as "Related products"; labels of a page
LINK_OF_POINTER, LINK_ALONE = 0.3, 1.25  # share of a line in links; its letters per letter in links
# Share of a table in links, at least, whose blocks are not smoothed with others at the same path, and of all
# these, at most. On 328 pages of left-out sites (a fold) one text changes, by -.002.
TABLE_OF_LINKS = 0.8, 0.5

MOST_AUTHORS = 50  # elements that name an author, on a page whose bylines are left out

# Comments (threads.py).
LEAST_GROUP, LEAST_SHARE = 15, 0.04  # letters of a group, and its expected share of main text and comments
MOST_GROUPS = 32  # groups of a page that are judged
# Probability of comments, at least, and the same if they take that share of the expected main text; of 15
# triples the one that finds most without worse texts on left-out sites that have no comments.
LEAST_POSTS, LEAST_POSTS_OF_TEXT, MUCH_TEXT = 0.2, 0.4, 0.3
# With that share of the expected main text, they are the text. Without this limit the texts of 1 134 pages of
# left-out domains (WCXB without forums) have .8837, with 0.85 .8860.
MOST_TEXT = 0.85
LEAST_POSTS_OF_THREAD = 0.05  # the same of a page that is a thread
LEAST_REPLIES = 0.15  # the same of comments between its posts
OPENING = 0.3  # probability of the first post of a thread, at least
# An element before the posts is the first post (openings.py) if it has that share of the probability of the
# first element of the posts, the expected text before the posts is that share of a post or more, the element
# has that share of this text, and the mean probability of its letters is that share of that of the posts. The
# first is one of 0.85, 0.7, 0.5 and 0.3, the second of 0.5, 0.3 and 0.2, the last of 0.7 to 0.85. On left-out
# sites and domains the first posts of 2 of 190 threads change: one that was wrong, and one that was right (a
# summary is above its posts). Of 282 such threads that were altered so that the first post is in a separate
# element, .80 in place of .53 are right.
FIRST_BEFORE, SKIPPED_TEXT, PART_OF_SKIPPED, TEXT_BEFORE = 0.5, 0.3, 0.5, 0.75
# A group of several elements inside the first element of the most probable group has the posts if it has that
# share of the probability and of the text. The first is one of 0.3 to 0.9, the second of 0.2 to 0.7. On
# left-out sites and domains, with five models, the F1 of the posts of 176 threads rises by .00 to .01 (WCXB)
# and .01 to .02 (bench), that of 282 altered ones by .00 to .02, and that of threads of WCXB whose replies
# were removed falls by .00 to .04: there paragraphs become posts. Lower shares lose more of those.
POSTS_INSIDE, TEXT_OF_POSTS_INSIDE = 0.75, 0.4
# Probability at which a page may be a thread, whose text has all posts; of 0.4 to 0.7 in steps of 0.05. On
# left-out sites and domains 150 of 179 threads and 7 of 2 353 other pages are then threads, with the rule
# below. With its site (`kinds_on_site`) 54 of 55 threads of the bench, 11 of 14 tickets and answers, and 8 of
# 169 other pages of these sites and of sites of articles with comments have more.
THREAD = 0.45
# A page below this probability is a thread only if its first post is an element of the same group as the
# others, and they have that share of the expected main text. On left-out sites texts of threads are then .881
# in place of .885 on the bench, those of other pages that look like threads .958 in place of .890 (WCXB .846
# as without, .867 and .781).
SURE_THREAD, TEXT_OF_THREAD = 0.85, 0.5
# The same if the pages of its type on the site are known. Of 0.5 to 0.85 in steps of 0.05 the best, with 0.5:
# texts with the site of seven left-out forums of the bench have .875 in place of .847 with 0.85 (none is
# worse), those of 12 other sites are equal. Without any one of the forums no other value is better.
SURE_THREAD_OF_TYPE = 0.55
# Threads by their parts (conversations.py): the probability of a thread by the kind, below which they are not
# sought; elements of a group, at least and at most; the share of them with an author and with a date, that of
# the expected text in them, that of dates that do not decrease; and the probability of such a thread. Chosen
# on 2 689 pages of WCXB, the bench and labelled ones, of which 165 are threads: 67 threads are found, and no
# other page. With .8 of the text and without an order of the dates 31 other pages are.
LEAST_THREAD = 0.014
LEAST_CONVERSATION, MOST_CONVERSATION = 3, 500
OF_CONVERSATION, TEXT_OF_CONVERSATION, IN_ORDER = 0.8, 0.85, 0.9
CERTAIN_THREAD = 0.9
# Short texts with a date behind a heading such as "Answers", at least, for a question to be a thread.
# Hand-set: of the same 2 689 pages none has such a heading and a title that is a question.
DATED_ANSWERS = 2
# Mean probability of text, of the blocks of posts at the same path. Of 0.1, 0.15, 0.2 and 0.3, texts of
# threads are best with 0.3, and posts one to one with 0.15.
LEAST_TEXT_OF_POST = 0.2
NEAR_POST = 6  # blocks before and after a comment that may belong to it
BYLINE = 120  # characters of a text with an author or a date, at most

# Pages whose content is written for other readers (single.py).
NOSCRIPT_LENGTH = 1000  # characters that a <noscript> must have
NOSCRIPT_FACTOR = 2  # how many times as much text as the page it must have

# Verdict (single.py).
# Probability at which a page is an article. On left-out sites articles and index pages are then about equally
# far from .95 and .90 of the pages; of 0.5 to 0.58 in steps of 0.02.
ARTICLE = 0.52

# Share of the letters of the main text that the page may hide (hidden.py); if it hides more, scripts show it.
# A hidden copy of the whole text has half of the letters, or some more.
MOST_HIDDEN = 0.55

# Detected languages (languages.py): characters of the main text that are read, characters that it must have,
# and the least probability. Of 1 161 pages that are as sure, all state the detected language.
LANGUAGE_TEXT, LEAST_LANGUAGE_TEXT, LANGUAGE = 1000, 100, 0.9

# Text in the data of a page (pagedata.py).
DATA_LENGTH = 500  # characters, at least
MORE_DATA = 2  # times the characters of the main text, at least
PLACEHOLDER = 200  # characters of the main text of a page that scripts build, at most
MOST_VALUES = 100_000  # objects, arrays and texts of one script that are read

# Candidates for the title (titles.py).
TITLE_LENGTH = 300  # characters of a title, at most
MOST_CANDIDATES = 24  # blocks that are ranked, at most
NEAR_TITLE, SHORT_TITLE = 8, 150  # blocks before the main text, and characters, of a title that is no heading
COMMON_TITLE = 0.1  # share of pages with a title, at most; of 0.05, 0.1, 0.2 and 0.4 the last three are equal

# Author and publication (metadata.py).
# Probabilities at which a name is the author and a day the publication: of 0.05 to 0.4 those with many right
# and few invented values on left-out domains.
AUTHOR, PUBLISHED = 0.15, 0.15
# Probability at which a visible day replaces a later one that markup declares; such days were right on 8 of 9
# pages of left-out domains.
REPLACES_DECLARED = 0.5
# Share of the pages of a site, and number of pages, that have a name as a line, or each line with a day: then
# it is no author or day of a page, unless markup declares it. On pages of 57 sites, no right author that was
# chosen had a share above .12, and no right day one above .05. At SHARED_BYLINE also a name in a line such as
# "by Kim" does not count.
SHARED_VALUE, SHARED_ON, SHARED_BYLINE = 0.25, 5, 0.9

# Texts of a site (sitetexts.py).
# Texts at the same path that a page must have in common with its site; a page with fewer is read by itself.
# Of 200 pages of unrelated sites in one folder 20 % have two, of the pages of eight whole sites 89 to 100 %.
KNOWN_TEXTS = 2

# Boilerplate of a site (boilerplate.py).
# Probability at which a text is boilerplate: the lowest with precision .98 of words on left-out sites, where
# the recall is .88 (experiments/training/boilerplate.py).
BOILERPLATE = 0.84
NOISY_ELEMENT = 0.8  # noise at which an element is boilerplate
NOISY_NAMED = 0.3  # the same if its name is that of boilerplate: a site may have two languages
NAVIGATION_LINKED = 0.6  # share of an element in links at which it is a menu
NAVIGATION_SIZE = 20  # characters that a menu has at least
EDGE = 0.1  # share of the content before or after a header or footer, at most; half of it without a name
MOST_ELEMENTS = 200  # boilerplate elements of a page, at most
SELECTOR_PRECISION = 0.85  # share, by size, of what a selector finds that must be boilerplate
SITE_SHARE, SITE_PAGES = 0.1, 3  # share of the pages, and number of pages, that must have a boilerplate part
SELECTOR_STEPS = 6  # steps of a selector, at most
