"""Webstemmer layouts: learning, extraction and pattern files."""
