"""A whole site in one run: page types, templates, texts, segments, duplicates, one model, one report."""
