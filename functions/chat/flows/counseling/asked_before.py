"""What the session's replies have asked: a wording is chosen that was not used, or the least recent one."""

from collections.abc import Sequence

from shared.domain.conversation import Role
from shared.domain.counseling.questions_said import digest
from shared.domain.counseling.session import Session
from shared.lexicon.asking import asks_of


def said_before(session: Session) -> tuple[str, ...]:
    """Return the digests of what was asked, the least recent first; older sessions kept only their window."""
    window = (one.text for one in session.recent if one.role is Role.COUNSELOR)
    return (*(digest(words) for text in window for words in asks_of(text)), *session.questions_said)


def asks_again(spoken: str, session: Session) -> bool:
    """Return whether a reply asks what an earlier reply asked in the same words."""
    asks = asks_of(spoken)
    return bool(asks) and not {digest(words) for words in asks}.isdisjoint(said_before(session))


def fresh(wordings: Sequence[str], session: Session) -> str:
    """Return the first wording whose question was not asked; if all were, the one asked longest ago."""
    order = {one: place for place, one in enumerate(said_before(session))}
    return min(wordings, key=lambda text: max((order.get(digest(words), -1) for words in asks_of(text)), default=-1))


def unheard(wordings: Sequence[str], session: Session) -> str:
    """Return the wording of a sentence that asks nothing which the window does not have, or has longest ago."""
    said = [one.text for one in session.recent if one.role is Role.COUNSELOR]
    return min(wordings, key=lambda text: max((place for place, reply in enumerate(said) if text in reply), default=-1))
