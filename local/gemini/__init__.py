"""A server that speaks the Gemini API, for machines without a key: demo, tests, benchmarks."""
