"""The user has hurt a child of theirs, or a pet: a fixed reply, and no rule takes the user for the victim."""

from functions.chat.findings import Findings, FixedReply
from functions.chat.legacy.asked_before import unheard
from functions.chat.legacy.user_message import UserMessage
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold
from shared.engine.flow import Turn
from shared.lexicon.asking import asks_of_wording
from shared.safety.abuse import AbuseFinding, AbuseKind
from shared.safety.levels import CrisisOutcome

_BEFORE = 3
"""Earlier messages that may name the child."""
_BY_NOBODY_NAMED = frozenset({AbuseKind.OTHER})


def harms_child(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the user tells of harm that they did; violence of a person who is named is another matter."""
    before = ". ".join([one.text for one in state.recent if one.role is Role.USER][-_BEFORE:])
    unnamed = _BY_NOBODY_NAMED.issuperset(message.screened.abuse.kinds)
    return unnamed and content.crisis_answers.harms_child(message.screened, before)


def abuse_suffered(message: UserMessage, state: Session, content: Content) -> AbuseFinding:
    """Return the violence that the message tells of against the user."""
    return AbuseFinding() if harms_child(message, state, content) else message.screened.abuse


def answer_harm_done(
    turn: Turn[Session], message: UserMessage, session: Session, content: Content
) -> FixedReply | None:
    """Return the reply to harm that the user did, once; None in a follow-through, which goes on.

    If the reply before took them for a victim, it begins with an apology.
    """
    state = turn.state
    if session.risk.follow_through or not harms_child(message, state, content):
        return None
    wordings = content.crisis_replies.harmed_child(voice_of(session))
    questions = [asks_of_wording(text)[-1] for text in wordings]
    replies = [one.text for one in session.recent if one.role is Role.COUNSELOR]
    if any(question in reply for question in questions for reply in replies):
        return None
    reply = unheard(wordings, session, turn.seq)
    misread = state.risk.last_seq == state.seq and CrisisOutcome.ABUSE in state.risk.found
    if not (misread or message.corrects):
        return FixedReply(reply, "harm done to a child", Findings())
    apology = content.crisis_replies.corrected(voice_of(session))
    return FixedReply(f"{apology} {reply}", "harm done to a child", Findings(events=(MisreadTold(seq=turn.seq),)))
