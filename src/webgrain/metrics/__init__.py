"""Measures of how well a result agrees with the truth."""
