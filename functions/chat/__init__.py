"""The synchronous function: the HTTPS endpoint and the turn that answers it."""
