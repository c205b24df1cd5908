"""The labelling tool."""
