"""Keeps `due_since` true: a session whose background work waits can be found without its next turn."""

from datetime import datetime

from shared.domain.conversation import S
from shared.engine.flow import House


def marked(house: House[S], state: S, now: datetime) -> S:
    """Return a changed state with its `due_since`: set when work falls due, kept until none is."""
    since = (state.due_since or now) if house.overdue(state) else None
    return state if since == state.due_since else state.model_copy(update={"due_since": since})
