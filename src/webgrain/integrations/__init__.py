"""Use webgrain inside other programs."""
