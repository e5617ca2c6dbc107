"""Changes a session outside a turn: load it, decide, and write it if it is unchanged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from shared.domain.conversation import S
from shared.domain.event import Event, apply_all
from shared.domain.ids import ConversationId
from shared.engine.extra_writes import NOTHING, ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.overdue import marked
from shared.engine.retry import SESSION_WRITES, retry_conflicts
from shared.observability.trace_context import stamped
from shared.ports.clock import Clock
from shared.ports.conversation_documents import Versioned
from shared.ports.conversation_store import ConversationStore

V = TypeVar("V")


def no_extra_writes(_state: object) -> ExtraWrites:
    """Return no extra writes."""
    return NOTHING


@dataclass(frozen=True)
class Decision(Generic[S, V]):
    """A decision about a session.

    Attributes:
        value: Returned to the caller.
        events: Applied to the session; if empty, nothing is written.
        extra_writes: Returns further documents for the same commit from the state after the events.
    """

    value: V
    events: Sequence[Event[S]] = ()
    extra_writes: Callable[[S], ExtraWrites] = no_extra_writes


@dataclass(frozen=True)
class Changed(Generic[S, V]):
    """The newest state of a session and the value of the decision."""

    state: S
    value: V


async def change(
    store: ConversationStore[S],
    policy: ServicePolicy[S],
    clock: Clock,
    conversation_id: ConversationId,
    decide: Callable[[S], Decision[S, V]],
) -> Changed[S, V] | None:
    """Apply a decision to the newest state.

    Args:
        store: Stores the conversation.
        policy: Computes the client's view.
        clock: Dates the change.
        conversation_id: The conversation.
        decide: Called with the state as read, again after every conflict. Its errors are passed on.

    Returns:
        None if the conversation does not exist.

    Raises:
        DocumentExists: A record exists already: the work is done.
        StoreUnavailable: The store does not answer or every attempt met a conflict.
    """

    async def attempt() -> Changed[S, V] | None:
        snapshot = await store.load(conversation_id)
        if snapshot is None:
            return None
        before = snapshot.session
        decision = decide(before.state)
        if not decision.events:
            return Changed(before.state, decision.value)
        now = clock.now()
        state = marked(policy, before.state, apply_all(before.state, decision.events, now), now)
        await _save(store, policy, Versioned(state, before.version), decision.extra_writes(state))
        return Changed(state, decision.value)

    return await retry_conflicts(SESSION_WRITES, attempt, "the session")


async def update(
    store: ConversationStore[S],
    policy: ServicePolicy[S],
    clock: Clock,
    conversation_id: ConversationId,
    *events: Event[S],
) -> S | None:
    """Apply events to the newest state unconditionally; see `change`."""
    changed = await change(store, policy, clock, conversation_id, lambda _: Decision[S, Any](None, events))
    return changed.state if changed else None


async def _save(
    store: ConversationStore[S], policy: ServicePolicy[S], session: Versioned[S], extra: ExtraWrites
) -> None:
    user = await extra.user.over(store) if extra.user else None
    view = policy.view(session.state)
    await store.save_state(session, view, stamped(extra.records), user, extra.audit, extra.messages, extra.usage)
