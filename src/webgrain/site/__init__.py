"""A whole site: learning, prediction and the audit."""
