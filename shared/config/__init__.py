"""What the environment sets; validated once, at start."""
