"""The last reply of a session that the user ended, in the chat or by the endpoint."""

from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.domain.consents import refused
from shared.domain.counseling.session import Session
from shared.safety.follow_through import needs_now
from shared.safety.levels import RiskLevel


def farewell(content: Content, state: Session) -> str:
    """Return the farewell, with the help lines in a follow-through, under 14 or after a concern.

    It wishes no pleasant evening after a crisis, and promises no summary to a child or after a withdrawn consent.
    """
    voice, grave = voice_of(state), state.risk.follow_through or state.under_14
    ended = "session_ended_withdrawn" if refused(state.consents) else "session_ended"
    words = (
        content.crisis_replies.goodbye(voice) if grave else content.messages(state.locale, state.register_).text(ended)
    )
    if not grave and state.risk.level < RiskLevel.CONCERN:
        return words
    return f"{words}\n\n{content.crisis_replies.farewell_block(voice, needs_now(state.risk))}"
