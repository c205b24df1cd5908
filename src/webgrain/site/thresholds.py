"""Hand-set numbers of the analysis of a site. They are not tuned, unless a comment gives an experiment."""

# Learning

SAMPLE = 600
"""Pages of a site that are learnt from, at most."""

MIN_TEMPLATE_PAGES = 3
"""Pages that a type needs to have a template: two pages share too much by chance."""

TEMPLATE_PAGES = 15
"""Pages of a type that its template is learnt from, at most: more add little, see
`webgrain.templates.sitetemplate`."""

CUT_MAJORITY = 0.9
"""Share of the votes of pages that decides about segments at a template node. On left-out modern pages .55 /
.67 / .8 / .95 give ARI .742 / .739 / .751 / .759, and .760 without decisions."""

ROLE_MAJORITY = 0.55
"""The same for roles. .55 / .67 / .8 / .95 for both give macro-F1 .650 / .652 / .657 / .640."""

READ_PAGES = 8
"""Pages of a type that are read in one task while it is learnt."""

TEXT_PAGES = 200
"""Pages that the texts of the site are learnt from, of each type in proportion to its size. The models judge
`TEMPLATE_PAGES` of each type, the others are counted."""

LEAST_TEXT_PAGES = 10
"""Pages of a site from which `webgrain extract` without a model learns its texts: texts of ten pages help,
see ``tests/quality/test_article.py``."""

LEARNT_NODES = (2**21, 2**17)
"""Nodes of all pages that are learnt from, at most: about 200 MB, and about a minute of work. The second
number applies if the memory is not sufficient for the first."""

LARGEST_SHARE = 16
"""A page with more than this part (1/16) of these nodes is not learnt from."""

KEPT_BYTES = 2**25
"""Bytes in their files of the sample pages that a process keeps in memory, hand-set: 600 pages of 56 kB.
Pages of a newspaper have 20 kB, of a shop 188 kB; in memory they take 1.1 and 2.3 times as much."""

LEARN_MEGABYTES = 4096
"""Megabytes of memory for learning a site."""

FEW_PAGES, FEW_SHARE = 10, 0.5
"""A site was learnt from few pages if there were fewer than this number, or than this share of the sample."""

# Reading a site

SHARD_PAGES = 64
"""Pages in a shard, at most."""

SHARDS, LEAST_SHARD_PAGES = 8, 16
"""Shards into which the pages of a small site are divided, and pages of each, at least: a shard is a
task for a worker."""

WAITING_PAGES, WAITING_BYTES = 1024, 64 * 2**20
"""Pages, and their bytes, that wait in memory before they are written to shards."""

BATCH_ROWS, BATCH_CHARACTERS = 64, 16 * 2**20
"""Rows that are read at a time, and characters of rows that wait before they are written."""

GROUP_BYTES = 2**20
"""Bytes of rows that are joined to a group of rows of a table."""

CELL_CHARACTERS = 64
"""Characters that a cell of a waiting row counts for besides its text, because it takes memory too."""

SHORT_ROWS = 2**14
"""Rows of a table of links that are read at a time."""

WAITING_PAIRS = 50_000
"""Pairs of duplicates that wait in memory, so that the files of many sites need not be open at a time."""

COMPARED_PAIRS = 300
"""Pairs of clusters whose texts are compared for the report."""

DIFFERENCE = 300
"""Characters of the text that only one page of a pair has, at most."""

# Results

SAMPLE_PAGES, PICTURES = 5, 3
"""Pages of each type that are laid out and segmented, and those that the report shows."""

MAX_SHOWN_NODES, SHOWN_TYPES = 20_000, 40
"""Nodes of a page that is shown, at most, and types of which pages are shown: the largest."""

FITTING, MISFITTING = 0.9, 0.5
"""Shares of the pages of a type that fit its template: below the first the report has a notice, at or below
the second an alarm."""

MISFIT = 0.1
"""Probability to fit below which a page is reported as a misfit: the highest at which no left-out site has
more than one page, and more than 2 % of its pages, that are reported (experiments/training/templates.py)."""

MIN_DRIFT_PAGES = 10
"""Pages of a type that a notice or an alarm of the report needs."""

WATCHED_PAGES = 200
"""Pages that are compared with the templates of an earlier audit, at most."""

# Links and findings. The lengths are those that site audits commonly use; they are not measured.

LINK_EXAMPLES = 5
"""Pages that are named for each target of broken links and redirects."""

MOST_CAUSES = 50_000
"""Causes of faults of references that are listed; ``links.parquet`` has all references."""

REQUESTED_FILES = 500
"""Images, style sheets and other files that the audit of an address requests, at most; hand-set: with a
second between requests, about eight minutes."""

LEAST_OF_HOST, SHARE_OF_HOST = 5, 0.25
"""Pages of a folder, and their share, to whose paths links on a host lead, if it is the host of the site;
hand-set."""

MOST_REDIRECTS = 10
"""Redirects in a row that are followed."""

MOST_SITEMAPS, MOST_ENTRIES = 500, 200_000
"""Sitemaps of a site that are read, and their entries."""

SITEMAP_BYTES = 50_000_000
"""Bytes of a sitemap that are read (limit of the sitemap protocol, sitemaps.org)."""

SITEMAPS_BYTES = 4 * SITEMAP_BYTES
"""Bytes of all sitemaps of a site in web archives that are read; they are in memory together."""

MOST_SHEETS, NESTED_SHEETS = 500, 5
"""Style sheets of a site whose references are followed, and how deep ``@import`` may be nested."""

SHEET_ADDRESSES = 100_000
"""Addresses of all style sheets in web archives; they are in memory together."""

ENTRY_CHARACTERS = 2048
"""Characters of an address in a sitemap (limit of the sitemap protocol); longer ones are left out."""

ROBOTS_BYTES = 500 * 1024
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5)."""

LONG_TITLE, SHORT_TITLE = 70, 5
"""Characters of ``<title>``: search engines cut longer ones, shorter ones rarely describe the page."""

SHORT_HEADING = 60
"""Characters of a heading with a number, at most, that is compared with those of other pages."""

ERROR_WORDS = 150
"""Words of the main text above which a page is not an error page, whatever its title."""

SAME_WORDS = 0.9
"""Share of the words that a page and the answer to an address that does not exist have in common, from which
the page is an error page; hand-set."""

SLOW_SECONDS, SLOW_RATIO = 1.8, 3.0
"""Seconds until the server answers from which a page is slow (web.dev: a longer time to first byte is poor),
and how many times as long as the median of the site it must take; the latter is hand-set."""

LARGE_NODES = 5_000
"""Nodes above which a page is large; Lighthouse warns of more than 1 400 elements."""

THIN_WORDS = 50
"""Words of the main text below which an article is thin."""

DEEP_CLICKS = 4
"""Clicks from the start page above which a page is deep."""

USUAL, RARE = 0.9, 0.1
"""Share of the pages of a type that have what is usual, and share of those that lack it, at most."""

USUAL_PAGES = 5
"""Pages of a type in which something can be usual."""

FEW_MISSING = 3
"""Elements that a page lacks, at most, so that they are the finding, and not that the page is a misfit."""

INCOMPLETE = 0.3
"""Share of the targets on the site that are missing files, or of the links that lead to unknown addresses of
the site, above which the input is probably incomplete."""

HARM = {"error": 100.0, "warning": 10.0, "notice": 1.0}
"""How much a fault of a level harms, in relation to the others, for the order of actions; hand-set."""

MOST_ACTIONS, ACTIONS_OF_A_FINDING = 10, 3
"""Actions that the report and the terminal list, and causes of a finding that are listed one by one."""

CHANGE_EXAMPLES = 100
"""New and resolved rows of a finding that the report lists; ``changed-findings.csv`` has all."""

FINDING_EXAMPLES = 200
"""Rows of a finding that the report lists; its CSV file has all."""
