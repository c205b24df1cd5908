"""Foundations: errors, array types, estimators, model files, boosted trees, scores."""
