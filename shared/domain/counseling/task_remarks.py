"""What the supervisor's newest word means for judging a task (seed 001, "Task Completion Checker Service")."""

from collections.abc import Mapping

from pydantic import JsonValue

from shared.domain.counseling.lifecycle import SUPERVISE_EVERY
from shared.domain.counseling.session import Session
from shared.domain.counseling.supervision import SATISFACTORY, Criterion
from shared.model import Model

FRESH = 2 * SUPERVISE_EVERY
"""Turns for which a supervision counts: while the next one is missing it does not go on for ever."""
ASTRAY = 5.0
"""A score below this says that the talk has left its task: the rubric's cap for a broken restriction. Own threshold."""
_OF_THE_TASK = (Criterion.TASK_ADHERENCE, Criterion.INFORMATION_STAGE)


class TaskRemarks(Model):
    """What to heed when a task is judged.

    Attributes:
        improvements: What the supervisor wants mended; empty while the scores are good.
        astray: The talk has left its task: what was said before counts for nothing, only the newest message does.
    """

    improvements: tuple[str, ...] = ()
    astray: bool = False


def task_remarks(session: Session, seq: int) -> TaskRemarks:
    """Return the remarks as turn `seq` heeds them: of the newest supervision, while it is fresh and low.

    Low is the lower of the scores for the task and for its stage; where only the total is known, the total.
    """
    newest = session.supervision_log[-1] if session.supervision_log else None
    if newest is None or seq - newest.seq > FRESH:
        return TaskRemarks()
    score = _score(newest.data)
    if score is None or score >= SATISFACTORY:
        return TaskRemarks()
    improvements = newest.data.get("improvements")
    texts = tuple(str(text) for text in improvements) if isinstance(improvements, list) else ()
    return TaskRemarks(improvements=texts, astray=score < ASTRAY)


def _score(gist: Mapping[str, JsonValue]) -> float | None:
    scores = gist.get("scores")
    of_the_task = [scores.get(one.value) for one in _OF_THE_TASK] if isinstance(scores, dict) else []
    known = [float(one) for one in of_the_task if isinstance(one, int | float)]
    if known:
        return min(known)
    total = gist.get("total")
    return float(total) if isinstance(total, int | float) else None
