"""Page-free optimisation: minimum cuts, dynamic programming, dual bounds."""
