"""Templates of sites: what their pages have in common, and what is their own."""
