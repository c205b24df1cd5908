"""Read pages and search logs; write records and page stores."""
