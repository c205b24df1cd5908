"""Running a task many times: local processes or Ray."""
