"""Finds the turn in which the user named each goal of a closing."""

from collections.abc import Sequence

from functions.session_manager.closing_words import GOAL_LENGTH, GOAL_SLOT
from functions.session_manager.provenance import SpokenTurns, with_source
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import SourcedText


def goal_sources(
    goals: Sequence[str],
    session: Session,
    own: str,
    spoken: SpokenTurns | None = None,
    quotes: Sequence[tuple[str, str]] = (),
) -> tuple[SourcedText, ...]:
    """Return the goals with their sources; one whose turn is not known is left out.

    Args:
        goals: The goals of the closing.
        session: The session.
        own: The goal that the user stated when asked.
        spoken: The user's words at hand.
        quotes: Goals that a model proposed, with the user's words for each.
    """
    found: list[SourcedText] = []
    for goal in goals:
        stated = session.info_sources.get(GOAL_SLOT) if _same(goal, own) else None
        said = (spoken.anywhere(quote) for proposed, quote in quotes if spoken and _same(goal, proposed))
        if source := stated or next(filter(None, said), None):
            found.append(with_source(goal[:GOAL_LENGTH], source))
    return tuple(found)


def _same(goal: str, other: str) -> bool:
    return goal[:GOAL_LENGTH] == " ".join(other.split())[:GOAL_LENGTH]
