"""Counts the user's answers in a row that say little, and hears when all is said. Rules only."""

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan_events import (
    SafetyPlanAnswered,
    SafetyPlanBegun,
    SafetyPlanDeclined,
    SafetyPlanPostponed,
    SafetyPlanStepGiven,
    SafetyPlanStepPassed,
)
from shared.domain.counseling.session import Session, WrapUpStage
from shared.domain.counseling.session_events import WrapUpAgreed, WrapUpDeclined, WrapUpPassed
from shared.domain.counseling.short_answers import ShortAnswersCounted
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
