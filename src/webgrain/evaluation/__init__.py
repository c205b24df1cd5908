"""Metrics, data sets, baselines and cross-validation."""
