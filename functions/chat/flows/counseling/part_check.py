"""Part check: starts a due transition and suggests the closing. Rules only."""

from functions.chat.flows.counseling.findings import Findings, after
from functions.chat.flows.counseling.short_answers import has_said_all
from functions.chat.flows.counseling.user_message import UserMessage
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import ALL_SAID, BOUNDED, part2_bounded, transition_due, transition_id
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import may_suggest_all_said, may_suggest_wrap_up
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.session_events import PartCompleted
from shared.domain.counseling.task import Part
from shared.engine.flow import Turn

AGENT = "part_check"


def check_part(turn: Turn[Session], message: UserMessage, session: Session) -> Findings:
    """Return a due transition, whose record triggers the planner, and suggestions to close."""
    found = Findings()
    due = transition_due(session)
    if due is not None:
        before, following = due
        moved = part_transition(turn, session, following, "every task is covered")
        found += Findings(events=(PartCompleted(part=before),), records=(moved,))
    if part2_bounded(session) and may_suggest_wrap_up(session):
        found += Findings(events=(WrapUpSuggested(reason=BOUNDED),))
    if has_said_all(message, session) and may_suggest_all_said(after(session, found.events, turn.now)):
        found += Findings(events=(WrapUpSuggested(reason=ALL_SAID),))
    under_way = after(session, found.events, turn.now).plan_status is PlanStatus.PLANNING
    reason = f"{due[0]}-{due[1]} due" if due else "transition under way" if under_way else "no transition due"
    turn.scope.ledger.ruled(AGENT, int(session.current_part), reason)
    return found


def part_transition(turn: Turn[Session], session: Session, following: Part, reason: str) -> PartTransition:
    """Return the record of a move to another Part."""
    return PartTransition(
        record_id=transition_id(session, session.current_part, following),
        created_at=turn.now,
        expire_at=turn.state.expire_at,
        from_part=session.current_part,
        to_part=following,
        seq=turn.seq,
        reason=reason,
    )
