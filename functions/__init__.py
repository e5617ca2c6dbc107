"""The four functions that the platform runs."""
