"""Readers of the development data sets, and synthetic pages, sites and texts."""
