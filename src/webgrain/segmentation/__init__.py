"""Segmentation of a page into blocks: GCuts, CClus and the learnt cut."""
