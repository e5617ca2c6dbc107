"""Reads bookings from Korean and English messages, without a model."""
