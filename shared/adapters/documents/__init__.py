"""The conversation store over any `DocumentDatabase`: paths and contents of its documents."""
