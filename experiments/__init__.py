"""Experiments of the papers, data set readers and the training of the models; not part of the package."""
