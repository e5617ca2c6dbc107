"""The platform's parts, built from the settings of a function's environment; only composition roots import it."""
