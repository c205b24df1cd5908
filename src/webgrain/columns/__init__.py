"""Features of the text blocks of a page, which all methods share."""
