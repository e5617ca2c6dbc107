"""What code hears in Part 1: the reason for coming and the counselling level, each with the user's words."""

from dataclasses import dataclass

from functions.planner.material import Material
from shared.content.catalogue import Content
from shared.domain.counseling.level import (
    RAISES,
    LevelGround,
    LevelSign,
    LevelSource,
    grounds_of_state,
    level_of,
)
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.reason import ReasonHeard
from shared.domain.counseling.session import Session

PRIOR_COUNSELING = "prior_counseling"
"""Slot of the first session's persona task: whether the user was in counselling before."""


@dataclass(frozen=True)
class Heard:
    """The findings.

    Attributes:
        reason: None if the user's words name none of the usual ones.
        grounds: Signs of the level; empty if the level was given or carried over.
    """

    reason: ReasonHeard | None = None
    grounds: tuple[LevelGround, ...] = ()


def hear(content: Content, session: Session, told: Material) -> Heard:
    """Find the reason and, unless the level is set, its signs; turns about safety say nothing of either."""
    reason = content.part1_words.reason(told.words, session.user_info)
    unset = session.user_persona.level_source is LevelSource.DEFAULT
    return Heard(reason, _grounds(content, session, told.words) if unset else ())


def at_heard_level(persona: UserPersona, heard: Heard) -> UserPersona:
    """Return the persona at the level that its grounds show; the same object without grounds."""
    if not heard.grounds:
        return persona
    return persona.model_copy(update={"counseling_level": level_of(heard.grounds), "level_source": LevelSource.HEARD})


def _grounds(content: Content, session: Session, words: str) -> tuple[LevelGround, ...]:
    answered = session.user_info.get(PRIOR_COUNSELING)
    shown = {sign: content.part1_words.sign(sign, words) for sign in LevelSign if sign in RAISES}
    if answered is False:
        shown[LevelSign.EXPERIENCE] = ""
    found = [LevelGround(sign=sign, quote=quote) for sign, quote in shown.items() if quote]
    if answered is True and not shown[LevelSign.EXPERIENCE]:
        found.append(LevelGround(sign=LevelSign.EXPERIENCE))
    return (*found, *grounds_of_state(session.readings, endangered=session.protocol_replies > 0))
