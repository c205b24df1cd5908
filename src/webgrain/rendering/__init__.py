"""Boxes and styles of a page from Chromium, and the nodes that HTML and style sheets hide."""
