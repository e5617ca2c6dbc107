"""The prompt catalogue and its renderer; templates are stored next to their agents."""
