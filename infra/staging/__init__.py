"""Staging: one folder a function, with everything it imports and reads and nothing else, ready to be deployed."""
