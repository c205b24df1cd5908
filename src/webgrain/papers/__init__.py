"""Published methods, each readable on its own."""
