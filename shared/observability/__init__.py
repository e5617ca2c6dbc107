"""Logs, traces and metrics for operators, without any user text."""
