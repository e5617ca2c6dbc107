"""Whether the reply is to say that the message could not be read, and ask for it once more (seed 004)."""

from functions.chat.flows.counseling.detectors import task_completion, user_state
from functions.chat.flows.counseling.progress import Progress
from shared.domain.counseling.directive import Ask, Stance
from shared.domain.counseling.task_events import SlotFilled
from shared.domain.turn import DecidedBy

_FREE = (Stance.WORK, Stance.ACCOMPANY)
"""What leaves the reply free to ask for it; every other stance has a question of its own."""


def unclear(progress: Progress, stance: Stance, ask: Ask | None) -> bool:
    """Tell whether the reply says so: never twice running, nor where the reason is known or the talk is of a danger."""
    state = progress.state
    if stance not in _FREE or state.risk.attended or state.repeat_asked_seq == progress.turn.state.seq:
        return False
    if ask is not None and ask.error is not None:
        return False
    return _unread(progress)


def asked_again(ask: Ask | None, progress: Progress) -> Ask | None:
    """Return the question that the message was to answer; anything else waits until the message was understood."""
    return ask if ask is not None and ask.slot == progress.turn.state.last_asked else None


def _unread(progress: Progress) -> bool:
    """Whether what the message says was lost: values that no rule heard either, or all that a model could find."""
    ledger = progress.turn.scope.ledger
    if any(isinstance(event, SlotFilled) for event in progress.events):
        return False
    if ledger.failed(task_completion.AGENT):
        return True
    read = any(run.agent == task_completion.AGENT and run.decided_by is DecidedBy.MODEL for run in ledger.runs)
    return ledger.failed(user_state.AGENT) and not read
