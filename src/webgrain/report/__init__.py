"""Pictures of results: overlays on screenshots and the gallery."""
