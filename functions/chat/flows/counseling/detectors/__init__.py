"""Detectors; they run in parallel before the turn decides anything."""
