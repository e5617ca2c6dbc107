"""What code recognises in a user's words without a model; the words stand in `shared/content/data`."""
