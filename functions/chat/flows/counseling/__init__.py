"""The counselling service: `turn.py` tells the whole turn from top to bottom."""
