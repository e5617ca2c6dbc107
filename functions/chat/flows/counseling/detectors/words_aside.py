"""Finds messages about a danger or the user's safety: they cover no task, and are no evidence for one later."""

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import WordsSetAside
from shared.engine.flow import Turn
from shared.safety.levels import RiskLevel
from shared.safety.reassurance import Reassurance


def set_words_aside(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> Findings:
    """Return that the message is about a danger: told now, followed through or attended until now, or answered."""
    before, now = turn.state.risk, session.risk
    told = now.level is not RiskLevel.NONE and now.last_seq == turn.seq
    followed = before.follow_through or before.attended
    newest = before.level is not RiskLevel.NONE and before.last_seq == turn.state.seq
    asked = before.asked_seq is not None and before.asked_seq == turn.state.seq
    if told or followed or newest or asked or _is_about_safety(turn, message, content):
        return Findings(events=(WordsSetAside(seq=turn.seq),))
    return Findings()


def _is_about_safety(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether the message answers a question about safety, or says that a danger known before is over.

    What follows the question of a failed reply may be anything, since the message before it was not read. Company and
    calm are no such statement by themselves: users tell of them in any talk.
    """
    replied = turn.state.recent[-1] if turn.state.recent else None
    reply = replied.text if replied is not None and replied.role is Role.COUNSELOR else ""
    asked = content.session_words.asks_about_safety(reply) or content.crisis_answers.asks_directly(reply)
    if message.answers and asked and not message.answers_if_urgent:
        return True
    risk = turn.state.risk
    known = risk.level is not RiskLevel.NONE or risk.hurt_by or risk.over_seq is not None or risk.asked_seq is not None
    said = set(content.crisis_answers.reassurances(message.screened)) - {Reassurance.SUPPORT}
    return bool(known) and bool(said)
