from datetime import timedelta

import pytest

from shared.domain.conversation import ConversationState
from shared.domain.errors import SessionOpen, StoreUnavailable, VersionConflict
from shared.domain.event import Event
from shared.domain.user_document import UserDocument
from shared.engine.extra_writes import DocumentUpdate, ExtraWrites
from shared.engine.retry import SESSION_WRITES
from shared.engine.unit_of_work import Decision, change, no_extra_writes
from shared.ports.conversation_documents import Snapshot, Versioned
from shared.ports.user_store import VersionedUser
from tests.builders.sessions import NOW, session
from tests.fakes.settable_clock import SettableClock

LATER = NOW + timedelta(hours=1)
CLOCK = SettableClock(LATER)


class Counted(Event[ConversationState]):
    def apply(self, state, at):
        return state.model_copy(update={"message_count": state.message_count + 1})


class House:
    """Work is due after the first message."""

    def view(self, state):
        return ("view", state.message_count)

    def overdue(self, state):
        return ["work"] if state.message_count == 1 else []


class Store:
    """One state; the first writes meet somebody else's."""

    def __init__(self, conflicts=0, state=None):
        self.versioned = Versioned(state or session(), "v1")
        self.conflicts = conflicts
        self.saved = []
        self.users = {}
        self.user_saved = None

    async def load(self, conversation_id):
        return Snapshot(self.versioned, None) if self.versioned else None

    async def user(self, user_id, model):
        return self.users.get(user_id)

    async def save_state(self, session, view, records=(), user=None, audit=(), *more):
        if self.conflicts:
            self.conflicts -= 1
            other = self.versioned.state.model_copy(update={"message_count": self.versioned.state.message_count + 10})
            self.versioned = Versioned(other, f"{self.versioned.version}+")
        if session.version != self.versioned.version:
            raise VersionConflict("sessions/c1")
        self.saved.append((session.state, view, records))
        self.user_saved = user


async def run(store, *events, writes=no_extra_writes):
    changed = await change(store, House(), CLOCK, "c1", lambda state: Decision(state.message_count, events, writes))
    return changed and changed.state


@pytest.mark.parametrize("stored", [None, "v7"])
async def test_a_users_document_is_changed_over_what_is_stored_at_every_try(stored):
    document = UserDocument(user_id="u1", updated_at=NOW, expire_at=NOW)
    store, met = Store(conflicts=2), []
    if stored:
        store.users = {"u1": VersionedUser(document, stored)}

    def revise(found):
        met.append(found)
        return document.model_copy(update={"updated_at": NOW + timedelta(days=1)})

    revised = DocumentUpdate("u1", UserDocument, revise)
    await run(store, Counted(), writes=lambda s: ExtraWrites(user=revised))
    assert met == [document if stored else None] * 3
    assert store.user_saved == VersionedUser(revise(None), stored)


async def test_after_a_conflict_the_newest_state_is_decided_on_anew_and_conflicts_without_end_are_given_up():
    store, decisions = Store(conflicts=3), []

    def decide(newest):
        decisions.append(newest.message_count)
        return Decision(newest.message_count, (Counted(),))

    changed = await change(store, House(), CLOCK, "c1", decide)
    assert (decisions, changed.value, changed.state.message_count) == ([0, 10, 20, 30], 30, 31)
    assert len(store.saved) == 1
    with pytest.raises(StoreUnavailable):
        await run(Store(conflicts=SESSION_WRITES.attempts), Counted())


async def test_nothing_is_written_without_events_for_a_conversation_that_is_gone_and_where_the_caller_refuses():
    def refuse(state):
        raise SessionOpen

    store = Store()
    assert await run(store) is store.versioned.state
    with pytest.raises(SessionOpen):
        await change(store, House(), CLOCK, "c1", refuse)
    store.versioned = None
    assert await run(store, Counted()) is None
    assert store.saved == []
