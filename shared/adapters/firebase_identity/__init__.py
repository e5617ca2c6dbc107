"""The port `Identity` on Firebase ID tokens."""
