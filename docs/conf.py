"""Settings of the manual."""

from webgrain import __version__

project = "webgrain"
copyright = "2026, the webgrain developers"  # noqa: A001
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"webgrain {release}"
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "description"
