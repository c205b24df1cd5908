"""A page as arrays: parsing, texts, leaves, blocks, links, paths and addresses."""
