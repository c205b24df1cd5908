"""webgrain inside other programs."""
