"""Readers of the user's words that danger, its follow-through and the safety plan still stand on; nothing else may."""
