"""The HTTPS function that answers users' messages."""
