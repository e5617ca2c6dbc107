"""The demo's counsellor: rules in place of a model, so that a whole conversation can be had without a key."""
