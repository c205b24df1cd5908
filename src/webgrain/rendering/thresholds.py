"""Hand-set limits and constants of rendering, with their units and reasons.

None of them was tuned on data with known answers, except where a comment names measurements.
"""

from __future__ import annotations

# Chromium

LOADING = 0.5
"""Share of the time for a page that loading may take; the rest is for layout and capture."""
START_SECONDS = 60.0
"""Seconds for the start of a browser."""
STOP_SECONDS = 5.0
"""Seconds for the end of Playwright's driver."""
CONNECT_SECONDS = 10.0
"""Seconds for a connection to one address of a host."""
IDLE_SECONDS = 2.0
"""Seconds to wait, with scripts, until the page makes no more requests."""
SCREENSHOT_PAUSES = (0.05, 0.2, 0.8, 2.0, 0.0)
"""Seconds between attempts at a screenshot that a busy browser refuses."""
MAX_WIDTH, MAX_HEIGHT = 4_000, 16_000
"""CSS px of a screenshot; the rest of the page is cut off."""
MAX_FOLDERS = 8
"""Folders above a page that may be the root of its host."""
SPECK = 1.0
"""Square px: smaller boxes are for trackers and screen readers, and count as invisible."""

# Hidden nodes: limits for hostile style sheets

MAX_STYLE = 4_096
"""Characters of one block of declarations that are read."""
MAX_CHARS, MAX_SELECTORS = 2_000_000, 30_000
"""Of the style sheets of one page: characters and selectors that are read."""
COMPARISONS = 20_000_000
"""Comparisons of a node with a compound, see `webgrain.page.addresses.Selectors.find`.

The largest count measured on real pages is 8 million."""
REVEALED = 2.0
"""Times the visible text of a page, from which text with ``visibility: hidden`` counts as visible: scripts of
such pages show it. Not tuned."""
MAX_IMPORTS = 32
"""Style sheets of one page that other style sheets import."""
