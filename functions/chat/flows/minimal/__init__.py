"""Template of a new service: one agent that answers."""
