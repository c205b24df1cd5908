"""Page types of a site: the default method, and what all methods of page types share."""
