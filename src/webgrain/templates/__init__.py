"""Templates as tree regular expressions, and what they are used for."""
