"""The voice of fixed sentences in a session, and the wording that it has not heard, or heard longest ago."""

import re
from collections.abc import Sequence
from functools import lru_cache

from shared.content.crisis_protocol import Voice
from shared.domain.conversation import Role
from shared.domain.counseling.questions_said import digest
from shared.domain.counseling.session import Session
from shared.safety.help_seeking import Circumstance
from shared.safety.levels import CrisisOutcome

SENTENCE_END = re.compile(r"(?<=[.?!])\s")


def unsaid(wordings: Sequence[str], session: Session) -> str:
    """Return the first wording that no reply had, else the one said longest ago."""
    told = {one: place for place, one in enumerate(session.questions_said)}
    window = [one.text for one in session.recent if one.role is Role.COUNSELOR]

    def last_use(text: str) -> tuple[int, int]:
        opening = opening_of(text)
        shown = max((place for place, reply in enumerate(window) if opening in reply), default=-1)
        return told.get(digest(opening), -1), shown

    return min(wordings, key=last_use)


@lru_cache(4096)
def opening_of(wording: str) -> str:
    """Return the first sentence, which tells the wordings of a text apart and has no placeholder."""
    return SENTENCE_END.split(wording, maxsplit=1)[0]


def voice_of(session: Session) -> Voice:
    """Return the protocol's voice for this session."""
    return Voice(
        locale=session.locale,
        register_=session.register_,
        minor=session.minor,
        hurt_at_home=session.risk.hurt_at_home,
        fears_home=Circumstance.FEARS_HOME in session.help_seeking.circumstances,
        soldier=Circumstance.SOLDIER in session.help_seeking.circumstances,
        harming=CrisisOutcome.HARM_TO_OTHERS in session.risk.found,
    )
