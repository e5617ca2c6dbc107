"""How good what the models make is, judged by rules over cases that were written down."""
