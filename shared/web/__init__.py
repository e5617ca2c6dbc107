"""The HTTP edge: requests in, typed answers, problems and event streams out. Knows Starlette and the contracts."""
