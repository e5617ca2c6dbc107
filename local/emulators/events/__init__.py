"""Eventarc's part between the Firestore emulator and the functions."""
