"""Pages in and records out: files, archives, addresses, stores."""
