"""The supervisor: judges the newest turns after their replies."""
