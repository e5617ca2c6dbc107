"""Maintains `due_since`, so that the sweep finds a session with due work that gets no further turn.

If the sweep enqueued work that is still not done, it looks again after a pause that doubles each time, up to a day.
"""

from datetime import datetime, timedelta

from shared.domain.conversation import S
from shared.domain.event import Event
from shared.engine.flow import ServicePolicy

FIRST_PAUSE = timedelta(minutes=15)
"""Pause after the sweep first enqueued the work: the queue's attempts span about ten minutes."""
LONGEST = 96
"""Longest pause between two looks at work that stays undone, in first pauses: a day."""


class PutOff(Event[S]):
    """The sweep enqueued the due work; `first` is the pause after the first time."""

    first: timedelta = FIRST_PAUSE

    def apply(self, state: S, at: datetime) -> S:
        """Postpone the next look."""
        pause = self.first * min(LONGEST, 2 ** min(state.swept, LONGEST))
        return state.model_copy(update={"due_since": at + pause, "swept": state.swept + 1})


def marked(policy: ServicePolicy[S], before: S, state: S, now: datetime) -> S:
    """Return a changed state with its `due_since`: set when work falls due, cleared when none is due.

    Work that was not due in the previous state starts without a pause.
    """
    due = policy.overdue(state)
    if not due:
        return state.model_copy(update={"due_since": None, "swept": 0})
    if state.swept and {task.name for task in due} - {task.name for task in policy.overdue(before)}:
        return state.model_copy(update={"due_since": now, "swept": 0})
    return state if state.due_since else state.model_copy(update={"due_since": now})


def marked_by_turn(policy: ServicePolicy[S], state: S, now: datetime) -> S:
    """Return the state after a turn with its `due_since`; a turn resets the pauses."""
    fresh = state.model_copy(update={"due_since": None, "swept": 0}) if state.swept else state
    return marked(policy, state, fresh, now)
