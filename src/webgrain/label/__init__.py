"""The labelling tool: a local page on which people mark the segments of pages."""
