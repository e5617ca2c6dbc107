"""Leaves out of the user profile, which its owner can read, what alarms."""

from functions.session_manager.provenance import without_words
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.profile import NAME_SLOT
from shared.domain.counseling.session import Session
from shared.safety.text_rules import TextRules


def for_profile(session: Session, closing: Closing, rules: TextRules) -> tuple[Session, Closing]:
    """Return session and closing for the profile, without an alarming "name" and alarming quotes; their turns stay."""
    sources = dict(zip(session.info_sources, without_words(session.info_sources.values(), rules.alarming), strict=True))
    given = session.user_info
    name = given.get(NAME_SLOT)
    if isinstance(name, str) and rules.alarming(name):
        given = {slot: value for slot, value in given.items() if slot != NAME_SLOT}
    calm = {
        "summary_sources": without_words(closing.summary_sources, rules.alarming),
        "goal_sources": without_words(closing.goal_sources, rules.alarming),
    }
    told = session.model_copy(update={"user_info": given, "info_sources": sources})
    return told, closing.model_copy(update=calm)
