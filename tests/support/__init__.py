"""Starts real processes for tests and benchmarks, and speaks to them as a client would."""
