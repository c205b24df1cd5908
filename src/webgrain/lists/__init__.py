"""Lists: the repeated items of a page, which of them is its list, their records and selectors."""
