"""Runs agents and flows; knows no service."""
