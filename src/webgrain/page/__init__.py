"""What a page is: its tree, its look, its text."""
