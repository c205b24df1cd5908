"""Compiled loops of the layout estimate."""
