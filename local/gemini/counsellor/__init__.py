"""The demo's counsellor: rules instead of a model, for conversations without a key."""
