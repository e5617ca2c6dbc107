"""Between the Firestore emulator and the functions: the part of Eventarc."""
