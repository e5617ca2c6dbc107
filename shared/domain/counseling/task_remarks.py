"""The newest supervision's remarks for judging a task."""

from collections.abc import Mapping

from pydantic import JsonValue

from shared.domain.counseling.supervision import Criterion

_OF_THE_TASK = (Criterion.TASK_ADHERENCE, Criterion.INFORMATION_STAGE)


def _score(gist: Mapping[str, JsonValue]) -> float | None:
    scores = gist.get("scores")
    of_the_task = [scores.get(one.value) for one in _OF_THE_TASK] if isinstance(scores, dict) else []
    known = [float(one) for one in of_the_task if isinstance(one, int | float)]
    if known:
        return min(known)
    total = gist.get("total")
    return float(total) if isinstance(total, int | float) else None
