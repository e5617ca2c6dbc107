"""One folder per service."""
