"""Keeps `due_since` true: a session that has work waiting for a queue can be found without its next turn."""

from datetime import datetime

from shared.domain.conversation import S
from shared.domain.event import Event
from shared.engine.flow import House


class HandedOver(Event[S]):
    """A sweep has queued all the work that was due."""

    def apply(self, state: S, at: datetime) -> S:
        """Take the session out of what the sweep looks for."""
        return state.model_copy(update={"due_since": None})


def marked(house: House[S], before: S, after: S, now: datetime) -> S:
    """Return the state after a change with its `due_since`.

    It is set by work that has newly fallen due, kept while any is due, and stays away once a sweep has handed the work
    over: the queue has it then.
    """
    due = {task.name for task in house.overdue(after)}
    since = after.due_since
    if not due:
        since = None
    elif since is None and not due <= {task.name for task in house.overdue(before)}:
        since = now
    return after if since == after.due_since else after.model_copy(update={"due_since": since})
