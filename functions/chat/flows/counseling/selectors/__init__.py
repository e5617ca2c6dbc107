"""What the turn decides: the task, then the module."""
