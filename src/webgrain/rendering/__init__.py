"""Boxes and styles of a page, from Chromium or estimated from HTML and CSS."""
