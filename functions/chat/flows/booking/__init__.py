"""Makes, changes and cancels the next session: slots, gate, confirmation, execution."""
