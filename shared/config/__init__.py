"""Settings from the environment, validated once at start."""
