"""The stages of an audit, each from files to files; `webgrain.site.audit` has their list."""
