"""Measures the search of agreements on questions with a known answer, without a model."""
