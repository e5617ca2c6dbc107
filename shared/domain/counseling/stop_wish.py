"""A wish to stop that had to wait: a later turn asks whether to end."""
