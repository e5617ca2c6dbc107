"""Benchmarks: `python -m tests.load.bench` (design: performance.md)."""
