"""Counts the user's answers in a row that say little. Rules only."""

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.safety_plan_events import (
    SafetyPlanAnswered,
    SafetyPlanBegun,
    SafetyPlanDeclined,
    SafetyPlanStepGiven,
    SafetyPlanStepPassed,
)
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import WrapUpAgreed, WrapUpDeclined, WrapUpPassed
from shared.domain.counseling.short_answers import ShortAnswersCounted
from shared.domain.counseling.task_events import SlotFilled
from shared.engine.flow import Turn

_ANSWERED = (
    *(SlotFilled, WrapUpAgreed, WrapUpDeclined, WrapUpPassed, RiskRaised),
    *(SafetyPlanAnswered, SafetyPlanBegun, SafetyPlanDeclined, SafetyPlanStepGiven, SafetyPlanStepPassed),
)
"""A short message that answers what was asked ("네" to a question of yes or no) says enough."""


def count_short_answers(turn: Turn[Session], message: UserMessage, session: Session, found: Findings) -> Findings:
    """Return the length of the run that this message continues or ends, if it changes."""
    asked_about_danger = turn.state.in_danger or session.risk.follow_through
    little = message.words.says_little and not asked_about_danger and not found.of(*_ANSWERED)
    run = session.short_answers + 1 if little else 0
    return Findings() if run == session.short_answers else Findings(events=(ShortAnswersCounted(run=run),))
