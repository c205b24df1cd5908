"""Page-free optimisation: the dynamic programs of the learnt cut."""
