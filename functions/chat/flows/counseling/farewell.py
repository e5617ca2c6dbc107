"""The last words of a session that its user ended, by a word or by the endpoint."""

from functions.chat.flows.counseling.safety_gate import voice_of
from shared.content.catalogue import Content
from shared.content.crisis_protocol import farewell_block
from shared.domain.counseling.session import Session
from shared.domain.safety.follow_through import needs_now
from shared.domain.safety.levels import RiskLevel


def farewell(content: Content, state: Session) -> str:
    """Return them. Nobody is kept, but whoever leaves with something open is told again whom to turn to."""
    words = content.messages(state.locale, state.register_).text("session_ended")
    if state.risk.level < RiskLevel.CONCERN:
        return words
    return f"{words}\n\n{farewell_block(voice_of(state), needs_now(state.risk))}"
