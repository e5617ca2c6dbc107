"""Answers questions on an agreement, each statement with the article that it rests on."""
