"""Changes of a session outside a turn: load, decide, write if the session is still as it was read."""

from collections.abc import Callable, Sequence

from shared.domain.conversation import S
from shared.domain.event import Event, apply_all
from shared.domain.ids import ConversationId
from shared.engine.extra_writes import NOTHING, ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.overdue import marked
from shared.engine.retry import SESSION, retry_conflicts
from shared.observability.trace_context import stamped
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore, Versioned


def no_extra_writes(_state: object) -> ExtraWrites:
    """Write nothing but the session."""
    return NOTHING


async def update(
    store: ConversationStore[S],
    house: ServicePolicy[S],
    conversation_id: ConversationId,
    events_for: Callable[[S], Sequence[Event[S]]],
    *,
    clock: Clock,
    extra_writes_for: Callable[[S], ExtraWrites] = no_extra_writes,
) -> S | None:
    """Apply events to the newest state and store it.

    Args:
        store: Where the conversation is.
        house: Draws the client's view.
        conversation_id: The conversation.
        events_for: Tells from the state as read what is to happen; asked again after every conflict. No events
            means that there is nothing to do, and nothing is written. What it raises goes to the caller.
        clock: For the time of the change.
        extra_writes_for: Tells from the state after the events what to store with it, in the same commit.

    Returns:
        The state as it is now; None when there is no such conversation (any more).

    Raises:
        DocumentExists: A record was written before: the work is done already.
        StoreUnavailable: The store does not answer, or there was no end of conflicts.
    """

    async def attempt() -> S | None:
        snapshot = await store.load(conversation_id)
        if snapshot is None:
            return None
        before = snapshot.session
        events = events_for(before.state)
        if not events:
            return before.state
        now = clock.now()
        state = marked(house, before.state, apply_all(before.state, events, now), now)
        await _save(store, house, Versioned(state, before.version), extra_writes_for(state))
        return state

    return await retry_conflicts(SESSION, attempt, "the session")


async def _save(
    store: ConversationStore[S], house: ServicePolicy[S], session: Versioned[S], extra: ExtraWrites
) -> None:
    user = await extra.user.over(store) if extra.user else None
    view = house.view(session.state)
    await store.save_state(session, view, stamped(extra.records), user, extra.audit, extra.messages, extra.usage)
