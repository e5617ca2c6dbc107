"""The last words of a session that its user ended, by a word or by the endpoint."""

from functions.chat.flows.counseling.safety_gate import voice_of
from shared.content.catalogue import Content
from shared.domain.consents import refused
from shared.domain.counseling.session import Session
from shared.safety.follow_through import needs_now
from shared.safety.levels import RiskLevel


def farewell(content: Content, state: Session) -> str:
    """Return them. Nobody is kept, but whoever leaves with something open is told again whom to turn to.

    After a crisis no pleasant evening is wished. Of a child, and of somebody who took a consent back, nothing is put
    together for a next time.
    """
    voice, grave = voice_of(state), state.risk.follow_through or state.under_14
    ended = "session_ended_withdrawn" if refused(state.consents) else "session_ended"
    words = (
        content.crisis_replies.goodbye(voice) if grave else content.messages(state.locale, state.register_).text(ended)
    )
    if not grave and state.risk.level < RiskLevel.CONCERN:
        return words
    return f"{words}\n\n{content.crisis_replies.farewell_block(voice, needs_now(state.risk))}"
