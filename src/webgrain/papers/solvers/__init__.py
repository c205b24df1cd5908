"""Page-free optimisation for GCuts and CertifiedGCuts."""
