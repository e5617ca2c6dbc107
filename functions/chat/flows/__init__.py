"""One folder a service."""
