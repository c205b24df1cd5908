"""Mathematics that the papers borrow, over plain arrays: no page is known in here.

Modules that import ``cython`` hold hot loops in its pure-Python mode: the same file runs compiled and not.
The others are their typed fronts, or numpy alone.
"""
