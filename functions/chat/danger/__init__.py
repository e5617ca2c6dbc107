"""Danger in a talk: found by rule and by the reader, answered by the protocol, followed through."""
