"""The last reply of a session that the user ended, in the chat or by the endpoint, and what follows it."""

from functions.chat.wordings import unsaid, voice_of
from shared.content.catalogue import Content
from shared.domain.consents import refused
from shared.domain.counseling.session import Session
from shared.safety.follow_through import needs_now
from shared.safety.levels import RiskLevel


def farewell(content: Content, state: Session) -> str:
    """Return the farewell, with the help lines in a follow-through, under 14 or after a concern.

    After a danger that is over it names a line once. It wishes no pleasant evening after a crisis, and promises no
    summary to a child or after a withdrawn consent.
    """
    grave = _grave(state)
    ended = "session_ended_withdrawn" if refused(state.consents) else "session_ended"
    words = (
        content.crisis_replies.goodbye(voice_of(state))
        if grave
        else content.messages(state.locale, state.register_).text(ended)
    )
    if _over(state):
        return f"{words}\n\n{content.help_seeking.reach_again(voice_of(state))}"
    return _with_the_help_lines(words, state, content)


def after_the_end(content: Content, state: Session) -> str:
    """Return the answer to a message that came after the farewell, in a wording that the session has not heard."""
    words = unsaid(content.messages(state.locale, state.register_).variants("after_the_end"), state)
    return _with_the_help_lines(words, state, content)


def _grave(state: Session) -> bool:
    return state.risk.follow_through or state.under_14


def _over(state: Session) -> bool:
    known = state.risk.over_seq is not None or state.risk.asked_seq is not None
    return known and state.risk.level is RiskLevel.NONE and not _grave(state)


def _with_the_help_lines(words: str, state: Session, content: Content) -> str:
    if not _grave(state) and state.risk.level < RiskLevel.CONCERN:
        return words
    return f"{words}\n\n{content.crisis_replies.farewell_block(voice_of(state), needs_now(state.risk))}"
