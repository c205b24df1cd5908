"""Near-duplicates: texts that say the same. Which text of a page is compared is decided elsewhere."""
