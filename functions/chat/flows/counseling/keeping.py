"""Messages that stay with the counselling whatever other service their words name."""

from functions.chat.flows.counseling.danger_in_context import split_message_risk
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.engine.flow import Turn
from shared.lexicon.session_words import questions_of
from shared.safety.levels import CrisisOutcome

HEARD_FIRST = 5
"""The least intensity, of 10, of a feeling that is heard before another service gets its answer."""


def keeps(turn: Turn[Session], content: Content) -> bool:
    """Return whether the user is or may be in danger, or needs a guardian's consent: only the safety gate answers."""
    if turn.state.in_danger or turn.state.under_14:
        return True
    message = UserMessage(turn, content)
    screened = message.screened
    signs = screened.outcome is not CrisisOutcome.NONE or bool(screened.crisis.hints) or screened.age is not None
    return signs or bool(split_message_risk(turn, message, content))


def claims(text: str, content: Content) -> bool:
    """Return whether the user tells a feeling or a hard thing, or asks to be heard, and does not ask a question.

    They are then heard although another service waits for an answer, which it gets later.
    """
    words = content.session_words
    if words.asks_to_be_heard(text):
        return True
    told = words.tells_hard_fact(text) or words.opens_up(text)
    felt = content.lexicon.read(text).emotion.intensity >= HEARD_FIRST
    return (told or felt) and not questions_of(text)
