"""Reading pages and writing records."""
