"""A server with the Gemini API for machines without a key: demo, tests, benchmarks."""
