"""The session manager: reviews the session, keeps its summary, and does the closing work."""
