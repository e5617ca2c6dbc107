"""Selectors: the task, then the module."""
