"""What the turn finds out before anything is decided; these run in parallel."""
