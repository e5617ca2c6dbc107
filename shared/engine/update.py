"""Changes outside a turn: read, apply, compare and set, until nobody came between."""

import asyncio
import random
from collections.abc import Callable, Sequence

from shared.domain.conversation import S
from shared.domain.errors import StoreUnavailable, VersionConflict
from shared.domain.event import Event, apply_all
from shared.domain.ids import ConversationId
from shared.engine.extra_writes import NOTHING, ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.overdue import marked
from shared.observability.trace_context import stamped
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore, Versioned

MAX_CONFLICTS = 12
"""Conflicts in a row before the caller is asked to try again."""


def nothing_beside(_state: object) -> ExtraWrites:
    """Leave nothing beside the session."""
    return NOTHING


async def update(
    store: ConversationStore[S],
    house: ServicePolicy[S],
    conversation_id: ConversationId,
    events_for: Callable[[S], Sequence[Event[S]]],
    *,
    clock: Clock,
    beside_for: Callable[[S], ExtraWrites] = nothing_beside,
) -> S | None:
    """Apply events to the newest state and store it.

    Args:
        store: Where the conversation is.
        house: Draws the client's view.
        conversation_id: The conversation.
        events_for: Tells from the state as read what is to happen; asked again after every conflict. No events
            means that there is nothing to do, and nothing is written. What it raises goes to the caller.
        clock: For the time of the change.
        beside_for: Tells from the state after the events what to store with it, in the same commit.

    Returns:
        The state as it is now; None when there is no such conversation (any more).

    Raises:
        DocumentExists: A record was written before: the work is done already.
        StoreUnavailable: The store does not answer, or there was no end of conflicts.
    """
    for conflict in range(MAX_CONFLICTS):
        snapshot = await store.load(conversation_id)
        if snapshot is None:
            return None
        before = snapshot.session
        events = events_for(before.state)
        if not events:
            return before.state
        now = clock.now()
        state = marked(house, before.state, apply_all(before.state, events, now), now)
        try:
            await _save(store, house, Versioned(state, before.version), beside_for(state))
        except VersionConflict:
            await asyncio.sleep(random.uniform(0, 0.01 * (conflict + 1)))  # noqa: S311 - jitter, not a secret
        else:
            return state
    raise StoreUnavailable("the session changed at every try")


async def _save(
    store: ConversationStore[S], house: ServicePolicy[S], session: Versioned[S], beside: ExtraWrites
) -> None:
    user = await beside.user.over(store) if beside.user else None
    view = house.view(session.state)
    await store.save_state(session, view, stamped(beside.records), user, beside.audit, beside.messages, beside.usage)
