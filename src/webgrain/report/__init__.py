"""HTML reports, galleries and pictures."""
