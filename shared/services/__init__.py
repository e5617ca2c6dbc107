"""Service code that several functions share; one folder per service."""
