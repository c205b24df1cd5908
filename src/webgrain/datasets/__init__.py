"""Labelled data: public data sets in their own layouts, a format of our own, made-up pages."""
