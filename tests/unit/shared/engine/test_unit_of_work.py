from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.conversation import ConversationState
from shared.domain.errors import SessionOpen, StoreUnavailable, VersionConflict
from shared.domain.event import Event
from shared.domain.user_document import UserDocument
from shared.engine.extra_writes import DocumentUpdate, ExtraWrites
from shared.engine.retry import SESSION
from shared.engine.unit_of_work import Decision, change, no_extra_writes, update
from shared.ports.conversation_documents import Snapshot, Versioned
from shared.ports.user_store import VersionedUser

NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Counted(Event[ConversationState]):
    def apply(self, state, at):
        return state.model_copy(update={"message_count": state.message_count + 1})


class FixedClock:
    def now(self):
        return NOW + timedelta(hours=1)


class House:
    def view(self, state):
        return ("view", state.message_count)

    def overdue(self, state):
        return ()


class Store:
    """One state; the first writes meet somebody else's."""

    def __init__(self, state, conflicts=0):
        self.versioned = Versioned(state, "v1")
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


@pytest.fixture
def state():
    return ConversationState(
        conversation_id="c1",
        user_id="u1",
        consents={},
        age_band="adult",
        flow="f",
        created_at=NOW,
        updated_at=NOW,
        expire_at=NOW,
    )


async def run(store, events_for, writes=no_extra_writes):
    def decide(state):
        return Decision(state.message_count, events_for(state), writes)

    changed = await change(store, House(), FixedClock(), "c1", decide)
    return changed and changed.state


async def test_events_are_applied_and_stored_with_view_and_records(state):
    store = Store(state)
    after = await run(store, lambda s: (Counted(),), lambda s: ExtraWrites(records=(s.state_version,)))
    assert (after.message_count, after.state_version, after.updated_at) == (1, 1, NOW + timedelta(hours=1))
    assert store.saved == [(after, ("view", 1), (1,))]


async def test_a_change_that_makes_work_due_marks_the_session_for_the_sweep_and_one_that_does_it_unmarks(state):
    class Due(House):
        def overdue(self, state):
            return ["work"] if state.message_count == 1 else []

    store = Store(state)
    marked = await update(store, Due(), FixedClock(), "c1", Counted())
    store = Store(marked)
    done = await update(store, Due(), FixedClock(), "c1", Counted())

    assert marked.due_since == FixedClock().now()
    assert done.due_since is None


async def test_after_a_conflict_the_events_meet_the_newest_state(state):
    store = Store(state, conflicts=3)
    after = await run(store, lambda s: (Counted(),))
    assert after.message_count == 31
    assert len(store.saved) == 1


@pytest.mark.parametrize("stored", [None, "v7"])
async def test_a_users_document_is_changed_over_what_is_stored_at_every_try(state, stored):
    document = UserDocument(user_id="u1", updated_at=NOW, expire_at=NOW)
    store, met = Store(state, conflicts=2), []
    if stored:
        store.users = {"u1": VersionedUser(document, stored)}

    def revise(found):
        met.append(found)
        return document.model_copy(update={"updated_at": NOW + timedelta(days=1)})

    revised = DocumentUpdate("u1", UserDocument, revise)
    await run(store, lambda s: (Counted(),), lambda s: ExtraWrites(user=revised))

    assert met == [document if stored else None] * 3
    assert store.user_saved == VersionedUser(revise(None), stored)


async def test_the_value_is_of_the_decision_that_was_carried_out(state):
    decisions = []

    def decide(newest):
        decisions.append(newest.message_count)
        return Decision(newest.message_count, (Counted(),))

    changed = await change(Store(state, conflicts=2), House(), FixedClock(), "c1", decide)

    assert len(decisions) == 3
    assert changed.value == decisions[-1]


async def test_no_events_write_nothing(state):
    store = Store(state)
    assert await run(store, lambda s: ()) is state
    assert not store.saved


async def test_a_conversation_that_is_gone_is_none(state):
    store = Store(state)
    store.versioned = None
    assert await run(store, lambda s: (Counted(),)) is None


async def test_what_the_caller_raises_goes_through_and_nothing_is_written(state):
    store = Store(state)

    def refuse(s):
        raise SessionOpen

    with pytest.raises(SessionOpen):
        await run(store, refuse)
    assert not store.saved


async def test_conflicts_without_end_are_given_up(state):
    with pytest.raises(StoreUnavailable):
        await run(Store(state, conflicts=SESSION.attempts), lambda s: (Counted(),))
