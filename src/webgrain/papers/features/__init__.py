"""Features of nodes and of pairs of leaves, for the costs D and V of GCuts and CClus."""
