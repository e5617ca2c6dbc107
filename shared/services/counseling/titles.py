"""The title of a conversation in its user's list."""

import re

from shared.domain.counseling.session import Session
from shared.locale import Locale
from shared.safety.levels import RiskLevel

LONGEST = {Locale.KO: 32, Locale.EN: 56}
"""Maximum characters of a title: two lines of the list."""
_SENTENCE = re.compile(r".+?[.?!…](?=\s|$)|.+")
_COUNSELING = "counseling"


def title_of(session: Session) -> str:
    """Return the closing's first sentence, or its first goal if code made the closing; another service has its name.

    Empty without a closing, and after a danger: somebody may look over the user's shoulder.
    """
    if session.flow != _COUNSELING:
        return session.title
    if not session.closing_made or session.risk.level > RiskLevel.NONE or session.risk.found:
        return ""
    if session.closing_by_rule or session.stand_in_summary is not None:
        return shortened(next(iter(session.goals), ""), LONGEST[session.locale])
    first = _SENTENCE.search(session.summary_text)
    return shortened(first[0], LONGEST[session.locale]) if first else ""


def shortened(text: str, longest: int) -> str:
    """Return a text on one line without its full stop, cut between words."""
    line = " ".join(text.split()).rstrip(".")
    if len(line) <= longest:
        return line
    whole = line[:longest].rsplit(" ", 1)[0]
    return f"{whole.rstrip(',')}…"
