"""The HTTP layer: parses requests and returns typed answers, problems and event streams."""
