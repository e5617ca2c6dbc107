"""Part check: starts a due transition, hears when all is said, and suggests the closing. Rules only."""

from functions.chat.findings import Findings, after
from functions.chat.legacy.user_message import UserMessage
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import ALL_SAID, BOUNDED, part2_bounded, transition_due, transition_id
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import may_suggest_all_said, may_suggest_wrap_up
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan_events import (
    SafetyPlanAnswered,
    SafetyPlanBegun,
    SafetyPlanDeclined,
    SafetyPlanPostponed,
    SafetyPlanStepGiven,
    SafetyPlanStepPassed,
)
from shared.domain.counseling.session import PlanStatus, Session, WrapUpStage
from shared.domain.counseling.session_events import PartCompleted, WrapUpAgreed, WrapUpDeclined, WrapUpPassed
from shared.domain.counseling.short_answers import ShortAnswersCounted
from shared.domain.counseling.task import Part
from shared.domain.counseling.task_events import SlotFilled
from shared.engine.flow import Turn
from shared.safety.help_seeking import Circumstance

DONE_AFTER = 3
"""Answers in a row that say little after a no to closing, of which the last ends what was gone on with."""
_ANSWERED = (
    *(SlotFilled, WrapUpAgreed, WrapUpDeclined, WrapUpPassed, RiskRaised),
    *(SafetyPlanAnswered, SafetyPlanBegun, SafetyPlanDeclined, SafetyPlanPostponed),
    *(SafetyPlanStepGiven, SafetyPlanStepPassed),
)
"""A short message that answers what was asked ("네" to a question of yes or no) says enough."""


def count_short_answers(turn: Turn[Session], message: UserMessage, session: Session, found: Findings) -> Findings:
    """Return the length of the run that this message continues or ends, if it changes."""
    asked_about_danger = turn.state.in_danger or session.risk.follow_through
    says_little = message.words.says_little or (_declined_to_close(session) and message.words.has_nothing_to_say)
    little = says_little and not asked_about_danger and not found.of(*_ANSWERED)
    run = session.short_answers + 1 if little else 0
    return Findings() if run == session.short_answers else Findings(events=(ShortAnswersCounted(run=run),))


def has_said_all(message: UserMessage, session: Session) -> bool:
    """Return whether the user says that all is said, or after a no to closing has nothing to say time and again."""
    words = message.words
    again = _declined_to_close(session) and session.short_answers >= DONE_AFTER
    nothing = words.has_nothing_to_say and Circumstance.NO_ONE not in message.circumstances
    return not message.wants_more and (words.says_all_is_said or (again and nothing))


def _declined_to_close(session: Session) -> bool:
    return session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.DECLINED


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
