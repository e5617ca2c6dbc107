"""Plain domain objects for tests."""
