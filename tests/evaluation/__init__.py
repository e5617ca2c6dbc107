"""Evaluations of the models' answers by rules over written cases."""
