"""The platform on one machine: the Firestore emulator, a Cloud Tasks emulator, and the functions."""
