"""Models learnt from labelled pages, judged on pages that they were not learnt from, and shipped."""
