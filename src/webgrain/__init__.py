"""webgrain finds the grain of the web: the blocks of a page, the template of a site, the kinds of its pages."""

from __future__ import annotations

__version__ = "0.1.0"
