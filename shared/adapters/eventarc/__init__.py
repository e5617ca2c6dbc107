"""Firestore's events as Eventarc delivers them."""
