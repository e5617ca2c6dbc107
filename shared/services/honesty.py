"""That it is an AI: how often it is said by rule, and in which words; no model is needed."""

from datetime import timedelta

from shared.content.schemas.messages import Messages

NOTICE_EVERY = timedelta(hours=3)
"""California SB 243, Business and Professions Code 22602 (c)(2): at least every three hours of a continuing
interaction, and to minors with the reminder to take a break. The greeting is the first notice."""


def notice_words(messages: Messages, *, asked: bool, take_a_break: bool) -> str:
    """Return what is said about it; who asks is answered, and needs no reminder besides."""
    said = messages.text("ai_notice" if asked else "ai_reminder")
    return f"{said} {messages.text('break_reminder')}" if take_a_break else said
