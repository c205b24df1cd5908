"""Features of nodes, pairs of leaves, units and segments."""
