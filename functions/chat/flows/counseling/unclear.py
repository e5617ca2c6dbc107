"""Whether the reply says that the message could not be read, and asks for it once more."""

from functions.chat.flows.counseling.detectors import task_completion, user_state
from functions.chat.flows.counseling.findings import Findings
from shared.domain.counseling.directive import Ask, Stance
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import SlotFilled
from shared.domain.errors import ModelBlocked, ModelEmpty
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.flow import Turn

READERS = (task_completion.AGENT, user_state.AGENT)
"""The agents that read a message. Where the first was asked, it counts alone: it reads the values."""
_REFUSED = (ModelBlocked.code, ModelEmpty.code)
_FREE = (Stance.WORK, Stance.ACCOMPANY)
"""What leaves the reply free to ask for it; every other stance has a question of its own."""


def unclear(turn: Turn[Session], session: Session, found: Findings, stance: Stance, ask: Ask | None) -> bool:
    """Return whether the reply says so: never twice running, nor where it is known why an answer did not hold."""
    if stance not in _FREE or session.repeat_asked_seq == turn.state.seq:
        return False
    if ask is not None and ask.error is not None:
        return False
    return _unread(turn, found)


def asked_again(ask: Ask | None, last_asked: str | None) -> Ask | None:
    """Return the question that the message was to answer; anything else waits until the message was understood."""
    return ask if ask is not None and ask.slot == last_asked else None


def _unread(turn: Turn[Session], found: Findings) -> bool:
    """Whether what the message says was lost: values that no rule read either, or all that a model could find."""
    if found.of(SlotFilled):
        return False
    readers = {run.agent: run for run in turn.scope.ledger.runs if run.agent in READERS}
    checked = readers.get(task_completion.AGENT)
    if checked is not None and checked.decided_by is not DecidedBy.RULE:
        return _lost(checked)
    return any(_lost(run) for run in readers.values())


def _lost(run: AgentRun) -> bool:
    """Whether a model failed by itself; what the provider would not read or answer, it would not a second time."""
    return run.decided_by is DecidedBy.SAFE_DEFAULT and not (run.error or "").startswith(_REFUSED)
