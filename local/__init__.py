"""CBot on one machine: the server of `make run`, embedded store and queue, the Gemini simulator."""
