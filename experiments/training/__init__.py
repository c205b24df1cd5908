"""Training of the models that come with webgrain."""
