"""webgrain inside of other programs: a file for each, imported by those who have the program."""
