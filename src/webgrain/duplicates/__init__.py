"""Near-duplicate pages: shingles, min-hash signatures, indexes, search and comparison."""
