"""Kinds of pages of a site: KeyClus, and the methods it is held against."""
