"""Whether the reply is to say that the message could not be read, and ask for it once more (seed 004)."""

from functions.chat.flows.counseling.detectors import task_completion, user_state
from functions.chat.flows.counseling.progress import Progress
from shared.domain.counseling.directive import Ask, Stance
from shared.domain.counseling.task_events import SlotFilled
from shared.domain.errors import ModelBlocked, ModelEmpty
from shared.domain.turn import AgentRun, DecidedBy

READERS = (task_completion.AGENT, user_state.AGENT)
"""Who find out what a message says. Where the first was asked, it counts alone: it reads the values."""
_REFUSED = (ModelBlocked.code, ModelEmpty.code)
_FREE = (Stance.WORK, Stance.ACCOMPANY)
"""What leaves the reply free to ask for it; every other stance has a question of its own."""


def unclear(progress: Progress, stance: Stance, ask: Ask | None) -> bool:
    """Tell whether the reply says so: never twice running, nor where it is known why an answer did not hold."""
    state = progress.state
    if stance not in _FREE or state.repeat_asked_seq == progress.turn.state.seq:
        return False
    if ask is not None and ask.error is not None:
        return False
    return _unread(progress)


def asked_again(ask: Ask | None, progress: Progress) -> Ask | None:
    """Return the question that the message was to answer; anything else waits until the message was understood."""
    return ask if ask is not None and ask.slot == progress.turn.state.last_asked else None


def _unread(progress: Progress) -> bool:
    """Whether what the message says was lost: values that no rule heard either, or all that a model could find."""
    if any(isinstance(event, SlotFilled) for event in progress.events):
        return False
    readers = {run.agent: run for run in progress.turn.scope.ledger.runs if run.agent in READERS}
    checked = readers.get(task_completion.AGENT)
    if checked is not None and checked.decided_by is not DecidedBy.RULE:
        return _lost(checked)
    return any(_lost(run) for run in readers.values())


def _lost(run: AgentRun) -> bool:
    """Whether a model failed by itself; what the provider would not read or answer, it would not a second time."""
    return run.decided_by is DecidedBy.SAFE_DEFAULT and not (run.error or "").startswith(_REFUSED)
