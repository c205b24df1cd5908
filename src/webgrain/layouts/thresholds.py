"""Hand-set thresholds of `SiteLayouts`; those of Webstemmer are parameters of `webgrain.layouts.webstemmer`.

Unless a comment names an experiment, a value was set by hand on the news sites and not tuned. The results on
five sites (docs/methods/site-layouts.md) are checked by ``make quality``.
"""

# Tokens of ids and classes, and paths.
TOKEN_SHARE, TOKEN_PAGES = 0.02, 2  # a token counts if this share of the pages, and this number, has it
DISTINGUISHES = 0.5  # share of its pages on which a token must distinguish siblings to be part of paths

# Similarity of pages.
REPEATED_WEIGHT = 0.25  # factor of the weight of a path in repeated parts, or of a token outside paths
COMMON_WEIGHT = 0.02  # weight of a path that all pages have
MIN_SIMILARITY = 0.2  # similarity to a layout that a page must have, whatever ``match_threshold`` is

# Containers and their parts.
RECORD_PART = 0.8  # share of the copies of a record that must have a part
HELD = 0.9  # share of the varying text that a child must hold for the container to be inside it
USUAL = 0.7  # share of the pages that must have what belongs to the layout
ONCE = 1.2  # copies per page, at most, of what occurs once
MIN_PAGES = 3  # pages that are needed to know what all pages of a layout have
LINKED = 0.5  # share of the characters in links at which a section is a list of links
FIELD_LENGTH = 500  # characters per page at which a section is not a field, whatever ``main_threshold`` is
RECORDS_HEADING = 50  # characters beside the records of an element up to which it is their heading
LEADING_FIELDS = 4  # fields before the text that are recognised by their position, at most

# Titles and verdicts.
AFFIX_SHARE = 0.5  # share of the pages whose <title> begins or ends with the name of the site
VOTERS = 60  # pages of a layout that vote for the place of the title, about
MOST_ANCHORS = 5  # texts of links to a page that are used, the most frequent ones
TITLE_NOVELTY = 0.2  # novelty up to which a block is not a title
TITLE_LENGTH = 300  # characters of a title, at most
TITLE_ELEMENT_LENGTH = 500  # characters of a <title> that are used
TEASED = 0.5  # share of the text of a page in teasers or links at which it is an index
