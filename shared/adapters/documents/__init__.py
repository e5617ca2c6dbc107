"""The conversation store over any `DocumentDatabase`: which documents there are, and what is in them."""
