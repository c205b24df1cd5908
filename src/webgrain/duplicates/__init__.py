"""Near-duplicate pages: shingles, min-hash signatures, indexes and search."""
