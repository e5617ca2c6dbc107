"""AI disclosure: how often, and in which words."""

from datetime import timedelta

from shared.content.schemas.messages import Messages

NOTICE_EVERY = timedelta(hours=3)
"""California SB 243, Business and Professions Code 22602 (c)(2): at least every three hours of a continuing
interaction, and to minors with the reminder to take a break. The greeting is the first notice."""


def notice_words(messages: Messages, *, asked: bool, take_a_break: bool) -> str:
    """Return the answer if the user asked, else the reminder; with the break reminder if `take_a_break`."""
    said = messages.text("ai_notice" if asked else "ai_reminder")
    return f"{said} {messages.text('break_reminder')}" if take_a_break else said
