"""What the Counselor is told of earlier sessions: enough to open and to close with, and no more."""

from shared.domain.counseling.directive import CarriedGist
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part


def gist_carried(state: Session) -> CarriedGist | None:
    """Return all of it in Part 1 and the goals alone in Part 3; Part 2 has a goal of its own."""
    carried = state.carried
    if carried is None or state.current_part is Part.EXPLORATION:
        return None
    if state.current_part is Part.CLOSING:
        return CarriedGist(goals=carried.goals) if carried.goals else None
    return CarriedGist(summary=carried.summary, goals=carried.goals, next_plan=carried.next_plan)
