"""Selects what the Counselor's prompt shows of earlier sessions."""

from shared.domain.counseling.directive import CarriedGist
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part


def gist_carried(state: Session) -> CarriedGist | None:
    """Return summary, goals and next plan in Part 1, only the goals in Part 3, None in Part 2."""
    carried = state.carried
    if carried is None or state.current_part is Part.EXPLORATION:
        return None
    if state.current_part is Part.CLOSING:
        return CarriedGist(goals=carried.goals) if carried.goals else None
    return CarriedGist(summary=carried.summary, goals=carried.goals, next_plan=carried.next_plan)
