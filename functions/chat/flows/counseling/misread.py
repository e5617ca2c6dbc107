"""The user says that the last reply misread them: the next reply repairs it, and it is counted. Rules only."""

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold, WrapUpAgreed, WrapUpDeclined, WrapUpUnclear
from shared.engine.flow import Turn

AGENT = "misread"


def hear_correction(turn: Turn[Session], message: UserMessage, session: Session, found: Findings) -> Findings:
    """Return that the user corrects the last reply; a denial of danger and an answer to a proposal correct nothing."""
    asked_about_danger = turn.state.risk.asked_seq == turn.state.seq or turn.state.risk.follow_through
    answered = found.of(WrapUpAgreed, WrapUpDeclined, WrapUpUnclear)
    if not message.answers or not message.corrects or asked_about_danger or answered or session.risk.follow_through:
        return Findings()
    turn.scope.ledger.ruled(AGENT, True, "the user says that the last reply misread them")
    return Findings(events=(MisreadTold(seq=turn.seq),))
