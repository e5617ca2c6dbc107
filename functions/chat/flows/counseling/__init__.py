"""The counselling service; `turn.py` shows the whole turn in order."""
