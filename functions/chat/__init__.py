"""The synchronous function: the HTTPS endpoint and the turn behind it."""
