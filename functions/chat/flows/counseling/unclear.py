"""Decides whether the reply says that the message could not be read, and asks for it again."""

from functions.chat.flows.counseling.detectors import task_completion, user_state
from functions.chat.flows.counseling.findings import Findings
from shared.domain.counseling.directive import Ask, Stance
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import SlotContradicted, SlotFilled, SlotTakenBack
from shared.domain.errors import ModelBlocked, ModelEmpty
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.flow import Turn

READERS = (task_completion.AGENT, user_state.AGENT)
"""Agents that read a message. If the first was asked, only it counts, because it reads the values."""
_REFUSED = (ModelBlocked.code, ModelEmpty.code)
_FREE = (Stance.WORK, Stance.GATHER, Stance.ACCOMPANY)
"""Stances without a question of their own."""


def unclear(turn: Turn[Session], session: Session, found: Findings, stance: Stance, ask: Ask | None) -> bool:
    """Return whether the reply says so: never twice in a row, nor if the slot's error explains the failure."""
    if stance not in _FREE or session.repeat_asked_seq == turn.state.seq:
        return False
    if ask is not None and ask.error is not None:
        return False
    return _unread(turn, found)


def asked_again(ask: Ask | None, last_asked: str | None) -> Ask | None:
    """Return the question that the message should have answered; None if the next question is another."""
    return ask if ask is not None and ask.slot == last_asked else None


def _unread(turn: Turn[Session], found: Findings) -> bool:
    """Return whether the message was not read: no rule found a value, and the model that reads it failed."""
    if found.of(
        SlotFilled, SlotContradicted, SlotTakenBack, SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed
    ):
        return False
    readers = {run.agent: run for run in turn.scope.ledger.runs if run.agent in READERS}
    checked = readers.get(task_completion.AGENT)
    if checked is not None and checked.decided_by is not DecidedBy.RULE:
        return _lost(checked)
    return any(_lost(run) for run in readers.values())


def _lost(run: AgentRun) -> bool:
    """Return whether the model failed; a message that the provider refused does not count, since it would be again."""
    return run.decided_by is DecidedBy.SAFE_DEFAULT and not (run.error or "").startswith(_REFUSED)
