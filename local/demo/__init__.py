"""Scripted clients that talk whole sessions through the API, and transcripts with the product's decisions."""
