"""Pure models, rules and errors: no I/O, no vendor, no clock, no environment."""
