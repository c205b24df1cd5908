"""Title and main text of pages: of a page by itself, and by all that is known of its site."""
