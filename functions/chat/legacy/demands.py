"""Answers by rule what the user asks of the AI that it is not or cannot do: in front of the reply, with any model."""

from functions.chat.legacy.asked_before import unheard
from functions.chat.legacy.user_message import UserMessage
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.safety.demands import Demand
from shared.safety.output_guard.categories import Category

_TRUE = frozenset({Demand.PRESENT, Demand.MACHINE})
"""Demands that a yes answers truthfully."""


def limits_told(message: UserMessage, session: Session, content: Content) -> tuple[str, tuple[Demand, ...]]:
    """Return the answer in a follow-through, or an empty text, and what it answers for the first time there.

    What was answered in this follow-through is answered again in the shorter words of other times, if it has some.
    """
    told, since, voice = session.help_seeking.limits, session.risk.since_seq or 0, voice_of(session)
    new = tuple(one for one in _heard(message) if told.get(one, -1) < since)[:1]
    if new:
        return content.demands.in_danger(new[0], voice), new
    again = (content.demands.otherwise(one, voice) for one in _heard(message))
    return next((unheard(some, session) for some in again if some), ""), ()


def is_a_yes_a_lie(message: UserMessage) -> bool:
    """Return whether the model must not say yes to the message; that it is there and a machine is true."""
    return message.words.asks_if_human or any(one not in _TRUE for one in message.demands)


def _heard(message: UserMessage) -> tuple[Demand, ...]:
    return tuple(one for one in message.demands if one is not Demand.MACHINE or not message.words.asks_if_human)


def explained(message: UserMessage) -> frozenset[Category]:
    """Return what the answer explains, so that a reply that is cut for it ends without the same words."""
    return frozenset(category for one in message.demands for category in one.explains)
