"""A polite crawler on top of Scrapy."""
