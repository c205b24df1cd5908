"""Where boxes and styles come from: a real browser, or an estimate from the markup alone."""
