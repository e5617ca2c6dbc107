"""Scripted clients that talk whole sessions through the API, and the transcripts of what the product did meanwhile."""
