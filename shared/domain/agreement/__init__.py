"""Documents whose articles are cited in answers: counselling agreements and contracts."""
