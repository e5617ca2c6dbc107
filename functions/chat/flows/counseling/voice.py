"""The voice of the fixed safety texts in a session."""

from shared.content.crisis_protocol import Voice
from shared.domain.counseling.session import Session
from shared.safety.help_seeking import Circumstance
from shared.safety.levels import CrisisOutcome


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
