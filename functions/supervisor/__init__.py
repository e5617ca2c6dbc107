"""The supervisor: judges the newest turns after the reply went out."""
