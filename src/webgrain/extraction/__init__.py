"""Title, main text and comments of a page."""
