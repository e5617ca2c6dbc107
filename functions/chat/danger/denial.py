"""A plain denial of what a rule alone had found: believed if the model read no danger in either message."""

from collections.abc import Awaitable, Callable

from functions.chat.danger.danger_in_context import inquired
from functions.chat.danger.safety_gate import audit_line
from functions.chat.findings import Findings, FixedReply
from functions.chat.legacy.asked_before import unheard
from functions.chat.legacy.demands import limits_told
from functions.chat.legacy.user_message import UserMessage
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.help_events import LimitsTold
from shared.domain.counseling.readings import before
from shared.domain.counseling.risk_events import DenialBelieved, WishNotDenied
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import UserStateObserved
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.event import Event
from shared.engine.flow import Turn
from shared.safety.follow_through import needs_now
from shared.safety.help_seeking import Circumstance, Inquiry
from shared.safety.levels import RiskLevel
from shared.safety.matcher import Family
from shared.safety.reassurance import Reassurance

AGENT = "denial"
BELIEVED = "denial_believed"
"""Marks a follow-through that a plain denial ended, for staff review."""
_SIGNS = frozenset({Family.CRISIS, Family.SIGN})
_UNSAFE = frozenset({Circumstance.FEARS_HOME, Circumstance.UNSAFE_HOME, Circumstance.URGE})


NoneMeant = Callable[[Session, str], Awaitable[bool]]
"""Asks the turn's reader about an earlier message, in the session as it was then: whether it reads no danger in it."""


async def believe_denial(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    found: Findings,
    content: Content,
    none_meant: NoneMeant,
) -> FixedReply | Findings:
    """Return the reply that ends the questions, or what the message means for later denials.

    No model is asked before the protocol's reply to a danger that a rule finds. It is asked here, about the message
    that raised it; if it fails, or has failed at the denial itself, the follow-through goes on.
    """
    if not _plainly_denied(turn, message, found, content):
        return _not_denied(turn, message, session)
    if _told_of_danger(message, session, content):
        return Findings()
    if not await _none_was_meant(session, none_meant):
        return Findings()
    turn.scope.ledger.ruled(AGENT, True, "a plain denial of what a rule alone had found")
    outcome = session.risk.outcome
    events: tuple[Event[Session], ...] = (
        DenialBelieved(seq=turn.seq),
        FlaggedForReview(reason=reason_of(outcome), seq=turn.seq, rules=(BELIEVED,)),
    )
    said, new = limits_told(message, session, content)
    if new:
        events = (*events, LimitsTold(demands=new, seq=turn.seq))
    wordings = content.crisis_replies.believed(voice_of(session), needs_now(session.risk))
    reply = unheard(wordings, session, session.protocol_replies)
    audit = (audit_line(turn, outcome, BELIEVED, (), len(found.audit)),)
    text = "\n\n".join(filter(None, (said, reply)))
    return FixedReply(text, "a denial is believed", Findings(events=events, audit=audit))


def _plainly_denied(turn: Turn[Session], message: UserMessage, found: Findings, content: Content) -> bool:
    """Return whether the message denies a wish to die in words, or by a mere no to the question about it or a plan.

    The words are heard by rule or by the model.

    A mere no to the question about means tells of the means alone.
    """
    answers, state = content.crisis_answers, turn.state
    if not message.answers or message.words.hesitates:
        return False
    asked = state.risk.asked_seq == state.seq or inquired(state) is Inquiry.PLAN
    in_words = Reassurance.NO_INTENT in answers.reassurances(message.screened) or message.denies_wish_to_die
    read = any(one.denies_danger for one in found.of(UserStateObserved))
    return in_words or read or (asked and answers.says_only_no(message.screened))


def _not_denied(turn: Turn[Session], message: UserMessage, session: Session) -> Findings:
    """Return that the direct question was answered by no denial; who corrects a misreading denies it, too."""
    asked = turn.state.risk.asked_seq == turn.state.seq and session.risk.level is not RiskLevel.NONE
    denied = message.corrects or message.speaks_of_a_work
    return Findings(events=(WishNotDenied(seq=turn.seq),)) if asked and message.answers and not denied else Findings()


def _told_of_danger(message: UserMessage, session: Session, content: Content) -> bool:
    """Return whether anything but the rule's finding tells of danger, in this message or before.

    The words of dying in a denial are found, too, but lowered as denied; a rule's match that nothing lowers is a sign.
    """
    matches = content.screening.matches(message.text)
    sign = any(match.by is None and match.rule.family in _SIGNS for match in matches)
    told = bool(message.told) or bool(session.help_seeking.told_in)
    unsafe = not _UNSAFE.isdisjoint((*session.help_seeking.circumstances, *message.circumstances))
    return sign or told or unsafe or not session.risk.deniable


async def _none_was_meant(session: Session, none_meant: NoneMeant) -> bool:
    """Return whether the reader finds no danger in the message that raised it."""
    said = (one for one in session.recent if one.role is Role.USER and one.seq == session.risk.last_seq)
    raised = next((one for one in said if one.text.strip()), None)
    if raised is None:
        return False
    earlier = tuple(one for one in session.recent if one.seq < raised.seq)
    readings = before(session.readings, raised.seq)
    return await none_meant(session.model_copy(update={"recent": earlier, "readings": readings}), raised.text)
