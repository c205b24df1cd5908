"""Page types of a site: KeyClus, its baselines and the default method."""
