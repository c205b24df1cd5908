"""The document tree: parts, how they are made from text blocks, and Markdown of them."""
