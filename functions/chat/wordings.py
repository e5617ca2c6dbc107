"""Chooses among the wordings of a fixed sentence the one that the session has not heard, or heard longest ago."""

from collections.abc import Sequence

from shared.domain.conversation import Role
from shared.domain.counseling.questions_said import digest
from shared.domain.counseling.session import Session


def unsaid(wordings: Sequence[str], session: Session) -> str:
    """Return the first wording that no reply had, else the one said longest ago."""
    told = {one: place for place, one in enumerate(session.questions_said)}
    window = [one.text for one in session.recent if one.role is Role.COUNSELOR]

    def last_use(text: str) -> tuple[int, int]:
        shown = max((place for place, reply in enumerate(window) if text in reply), default=-1)
        return told.get(digest(text), -1), shown

    return min(wordings, key=last_use)
