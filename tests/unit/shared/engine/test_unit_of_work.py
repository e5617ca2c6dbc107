from copy import copy
from datetime import timedelta

import pytest

from shared.domain.errors import SessionOpen, StoreUnavailable
from shared.domain.user_document import UserDocument
from shared.engine.extra_writes import DocumentUpdate, ExtraWrites
from shared.engine.retry import SESSION_WRITES
from shared.engine.unit_of_work import Decision, change, no_extra_writes, update
from shared.ports.user_store import VersionedUser
from tests.builders.sessions import NOW
from tests.builders.small_service import CONVERSATION, Heard

HI = Heard(word="hi")


def contended(service, conflicts):
    """Return a store whose first writes conflict with another writer's."""
    store, others = copy(service.store), [Heard(word="other")] * conflicts

    async def save_state(*written):
        if others:
            await update(service.store, service.policy, service.clock, CONVERSATION, others.pop())
        await service.store.save_state(*written)

    store.save_state = save_state
    return store


async def run(service, store, *events, decide=None, writes=no_extra_writes):
    decide = decide or (lambda _state: Decision(None, events, writes))
    return await change(store, service.policy, service.clock, CONVERSATION, decide)


@pytest.mark.parametrize("stored", [False, True])
async def test_a_users_document_is_revised_from_the_stored_one_at_every_attempt(service, stored):
    document, found = UserDocument(user_id="u1", updated_at=NOW, expire_at=NOW), []
    if stored:
        await service.store.save_user(VersionedUser(document, None))

    def revise(present):
        found.append(present)
        return document.model_copy(update={"updated_at": NOW + timedelta(days=1)})

    revised = ExtraWrites(user=DocumentUpdate("u1", UserDocument, revise))
    await run(service, contended(service, 2), HI, writes=lambda _state: revised)
    assert found == [document if stored else None] * 3
    assert (await service.store.user("u1", UserDocument)).document == revise(None)


async def test_after_a_conflict_the_newest_state_is_decided_on_up_to_a_number_of_attempts(service):
    decisions = []

    def decide(newest):
        decisions.append(newest.summary_text)
        return Decision(newest.summary_text, (HI,))

    changed = await run(service, contended(service, 3), decide=decide)
    assert decisions == ["", "[other]", "[other]" * 2, "[other]" * 3]
    assert changed.value == decisions[-1]
    assert changed.state.summary_text == (await service.state()).summary_text == "[other]" * 3 + "[hi]"
    with pytest.raises(StoreUnavailable):
        await run(service, contended(service, SESSION_WRITES.attempts), HI)


async def test_nothing_is_written_without_events_without_a_session_or_when_the_caller_refuses(service):
    def refuse(_state):
        raise SessionOpen

    before = await service.state()
    assert (await run(service, service.store)).state == before
    with pytest.raises(SessionOpen):
        await run(service, service.store, decide=refuse)
    assert await service.state() == before
    await service.store.erase(CONVERSATION)
    assert await run(service, service.store, HI) is None
    assert await service.store.export(CONVERSATION) == []
