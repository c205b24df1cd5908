"""The fields of the pages of a type: what differs from page to page at the same place of their template."""
