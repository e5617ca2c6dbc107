"""Pictures of every screen (`make screenshots`)."""
