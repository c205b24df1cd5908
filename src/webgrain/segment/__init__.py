"""Page segmentation: energy-minimising cuts (GCuts) and correlation clustering (CClus)."""
