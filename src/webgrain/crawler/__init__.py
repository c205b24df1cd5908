"""Crawl web sites into web archives, on top of Scrapy."""
