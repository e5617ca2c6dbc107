"""The newest supervision's remarks for judging a task."""

from collections.abc import Mapping

from pydantic import JsonValue

from shared.domain.counseling.lifecycle import SUPERVISE_EVERY
from shared.domain.counseling.session import Session
from shared.domain.counseling.supervision import SATISFACTORY, Criterion
from shared.model import Model

FRESH = 2 * SUPERVISE_EVERY
"""Turns for which a supervision counts."""
ASTRAY = 5.0
"""A score below this means that the talk has left its task: the rubric's cap for a violated restriction."""
_OF_THE_TASK = (Criterion.TASK_ADHERENCE, Criterion.INFORMATION_STAGE)


class TaskRemarks(Model):
    """Remarks for judging a task.

    Attributes:
        improvements: Improvements that the supervisor asks for; empty if the scores are good.
        astray: The talk has left its task, so that only the newest message is evidence.
    """

    improvements: tuple[str, ...] = ()
    astray: bool = False


def task_remarks(session: Session, seq: int) -> TaskRemarks:
    """Return the remarks for turn `seq`, from the newest supervision if it is recent and low.

    The lower of the scores for the task and its stage counts; if only the total is known, the total.
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
