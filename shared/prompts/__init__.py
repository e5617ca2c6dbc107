"""The prompt catalogue and its renderer; the templates live beside their agents."""
