"""Keeps `due_since` true: a session whose background work waits can be found without its next turn.

Work that the sweep has queued without it getting done is looked for again after a pause, and each pause is twice as
long as the one before: an hour of outage costs minutes more, and a dead session costs one look a day until it expires.
"""

from datetime import datetime, timedelta

from shared.domain.conversation import S
from shared.domain.event import Event
from shared.engine.flow import ServicePolicy

FIRST_PAUSE = timedelta(minutes=15)
"""After the sweep's first look: a queue's attempts span some ten minutes."""
LONGEST_PAUSE = timedelta(days=1)
"""Between two looks at work that cannot be done for long."""
MOST_DOUBLINGS = 7
"""Doublings of the first pause after which it is the longest in any case."""


class PutOff(Event[S]):
    """The sweep has queued what is due."""

    def apply(self, state: S, at: datetime) -> S:
        """Put off the next look."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(state.swept, MOST_DOUBLINGS))
        return state.model_copy(update={"due_since": at + pause, "swept": state.swept + 1})


def marked(policy: ServicePolicy[S], before: S, state: S, now: datetime) -> S:
    """Return a changed state with its `due_since`: set when work falls due, kept until none is.

    The pauses that old work has earned do not hold for work that was not due in the state before.
    """
    due = policy.overdue(state)
    if not due:
        return state.model_copy(update={"due_since": None, "swept": 0})
    if state.swept and {task.name for task in due} - {task.name for task in policy.overdue(before)}:
        return state.model_copy(update={"due_since": now, "swept": 0})
    return state if state.due_since else state.model_copy(update={"due_since": now})


def marked_by_turn(policy: ServicePolicy[S], state: S, now: datetime) -> S:
    """Return the state after a turn with its `due_since`: nothing is put off while somebody talks."""
    fresh = state.model_copy(update={"due_since": None, "swept": 0}) if state.swept else state
    return marked(policy, state, fresh, now)
