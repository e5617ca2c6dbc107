"""Checks that the configured model accepts the agents' requests, by calling it once per agent."""
