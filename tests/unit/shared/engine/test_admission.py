import asyncio
from dataclasses import replace

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.operations import CountedDatabase, Operations
from shared.domain.conversation import Budget, ConversationState
from shared.domain.errors import (
    BudgetSpent,
    MessageIdConflict,
    NotFound,
    SessionEnded,
    StoreUnavailable,
    TooManyRequests,
    VersionConflict,
)
from shared.domain.mailbox import LEASE_TTL, QueuedMessage
from shared.engine.admission import Admission, Incoming, Limits
from shared.engine.retry import ARRIVALS
from shared.engine.user_usage import DANGER_FACTOR
from shared.ports.conversation_documents import Versioned, VersionedMailbox
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import ScreenedMessage
from tests.fakes.engine import CONVERSATION, SmallService, incoming

EVERYTHING = "/" * 1680
"""The set of ids that any id may be in."""


class Contended:
    """A store where somebody else always writes the mailbox first."""

    def __init__(self, store, times):
        self._store = store
        self.left = times

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def save_mailbox(self, mailbox):
        if self.left:
            self.left -= 1
            raise VersionConflict("mailboxes/c1")
        return await self._store.save_mailbox(mailbox)


class Over(ConversationState):
    """Whatever is stored, it is over."""

    @property
    def ended(self):
        return True


@pytest.fixture
async def service():
    service = SmallService(limits=Limits(waiting=3, per_minute=5, llm_calls=10))
    await service.open()
    return service


@pytest.fixture
def admission(service):
    return Admission(service.store, service.clock, service.limits, "one")


async def set_state(service, **more):
    snapshot = await service.store.load(CONVERSATION)
    state = snapshot.session.state.model_copy(update=more)
    await service.store.save_state(Versioned(state, snapshot.session.version), service.policy.view(state))


class TestANewMessage:
    async def test_is_stored_and_the_lease_claimed_along_with_it(self, service, admission):
        admitted = await admission.admit(incoming("m1", "안녕"))
        box = await service.mailbox()
        assert admitted.claimed.mailbox == box
        assert box.box.inbox == (QueuedMessage(message_id="m1", text="안녕", received_at=service.clock.now()),)
        assert (box.box.lease.owner, box.box.lease.message_id) == ("one", "m1")

    async def test_behind_another_is_queued_without_the_lease(self, service, admission):
        await admission.admit(incoming("m1"))
        admitted = await admission.admit(incoming("m2"))
        assert admitted.claimed is None
        assert await service.inbox() == ("m1", "m2")

    async def test_behind_an_orphan_does_not_overtake_it(self, service, admission):
        await admission.admit(incoming("m1"))
        service.clock.advance(LEASE_TTL.total_seconds())
        assert (await admission.admit(incoming("m2"))).claimed is None

    async def test_keeps_whatever_characters_it_has(self, service, admission):
        text = "\x00\u202e👩‍👧 h̵i ﷽"
        await admission.admit(incoming("m1", text))
        assert (await service.mailbox()).box.head().text == text

    async def test_costs_two_reads_at_once_and_one_write(self, service):
        counted = CountedDatabase(service.database)
        store = DocumentConversationStore(counted, ConversationState)
        await Admission(store, service.clock, service.limits, "one").admit(incoming("m1"))
        assert counted.done == Operations(reads=2, writes=1, commits=1)

    async def test_that_is_taken_for_an_old_one_costs_a_read_more_and_is_stored_like_any_other(self, service):
        present = await service.mailbox()
        crowded = present.box.model_copy(update={"seen": EVERYTHING})
        await service.store.save_mailbox(VersionedMailbox(crowded, present.version))
        counted = CountedDatabase(service.database)
        store = DocumentConversationStore(counted, ConversationState)
        admitted = await Admission(store, service.clock, service.limits, "one").admit(incoming("m1"))
        assert (admitted.answered, admitted.claimed.mailbox) == (None, await service.mailbox())
        assert counted.done == Operations(reads=3, writes=1, commits=1)


class TestAMessageSentAgain:
    async def test_is_found_while_it_waits_and_stored_once(self, service, admission):
        await admission.admit(incoming("m1"))
        stored = await service.mailbox()
        again = await admission.admit(incoming("m1"))
        assert (again.answered, again.claimed) == (None, None)
        assert await service.mailbox() == stored
        assert await service.inbox() == ("m1",)

    async def test_with_another_text_is_a_conflict(self, service, admission):
        await admission.admit(incoming("m1", "one"))
        with pytest.raises(MessageIdConflict) as caught:
            await admission.admit(incoming("m1", "two"))
        assert caught.value.message_id == "m1"
        assert (await service.mailbox()).box.head().text == "one"

    async def test_with_another_text_is_a_conflict_after_its_answer_too(self, service, admission):
        await (await service.instance().submit(incoming("m1", "one"))).end()
        with pytest.raises(MessageIdConflict):
            await admission.admit(incoming("m1", "two"))
        assert (await admission.admit(incoming("m1", "one"))).answered.text == "one"

    async def test_that_declines_something_else_is_a_conflict(self, service, admission):
        declining = replace(incoming("m1", "one"), declines="name")
        await admission.admit(declining)
        with pytest.raises(MessageIdConflict):
            await admission.admit(incoming("m1", "one"))
        assert (await admission.admit(declining)).answered is None

    async def test_that_declines_something_else_is_a_conflict_after_its_answer_too(self, service, admission):
        declining = replace(incoming("m1", "one"), declines="name")
        await (await service.instance().submit(declining)).end()
        with pytest.raises(MessageIdConflict):
            await admission.admit(incoming("m1", "one"))
        assert (await admission.admit(declining)).answered.text == "one"

    async def test_with_another_text_at_once_is_a_conflict_and_one_of_them_is_stored(self, service):
        admissions = [Admission(service.store, service.clock, service.limits, owner) for owner in ("one", "two")]
        outcomes = await asyncio.gather(
            *(admissions[n].admit(incoming("m1", f"text {n}")) for n in range(2)), return_exceptions=True
        )
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Admitted", "MessageIdConflict"]
        won = next(n for n, outcome in enumerate(outcomes) if not isinstance(outcome, Exception))
        assert [waiting.text for waiting in (await service.mailbox()).box.inbox] == [f"text {won}"]

    async def test_is_answered_even_where_a_new_one_would_be_refused(self, service, admission):
        turns = service.instance()
        await (await turns.submit(incoming("m1"))).end()
        await set_state(service, budget=Budget(llm_calls=10))
        again = await admission.admit(incoming("m1"))
        assert again.answered.result.reply == "re: hi"


class TestRefusals:
    async def test_another_users_conversation_looks_like_none(self, admission):
        with pytest.raises(NotFound) as others:
            await admission.admit(incoming(user="u2"))
        with pytest.raises(NotFound) as nobodys:
            await admission.admit(Incoming("u1", "c2", "m1", "hi"))
        assert str(others.value) == str(nobodys.value)

    async def refused(self, service, admission, error, message="m9"):
        before = await service.mailbox()
        with pytest.raises(error) as caught:
            await admission.admit(incoming(message))
        assert await service.mailbox() == before
        assert await service.store.turn(CONVERSATION, message) is None
        return caught.value

    async def test_too_many_waiting(self, service, admission):
        for number in range(3):
            await admission.admit(incoming(f"m{number}"))
        refusal = await self.refused(service, admission, TooManyRequests)
        assert (refusal.what, refusal.retry_after) == ("waiting messages", 5)

    async def test_too_many_a_minute_and_welcome_again_after_it(self, service, admission):
        turns = service.instance()
        for number in range(5):
            await (await turns.submit(incoming(f"m{number}"))).end()
        refusal = await self.refused(service, admission, TooManyRequests)
        assert (refusal.what, refusal.retry_after) == ("messages", 60)
        service.clock.advance(60)
        assert (await admission.admit(incoming("m9"))).claimed is not None

    async def test_a_spent_budget(self, service, admission):
        await set_state(service, budget=Budget(llm_calls=9, background_calls=500))
        await admission.admit(incoming("m1"))
        await set_state(service, budget=Budget(llm_calls=10))
        await self.refused(service, admission, BudgetSpent)

    async def test_an_ended_session(self, service):
        store = DocumentConversationStore(service.database, Over)
        await self.refused(service, Admission(store, service.clock, service.limits, "one"), SessionEnded)


PRESSING = ScreenedMessage(crisis=Finding(outcome=CrisisOutcome.CRISIS, rule_ids=("r",)))


def pressing(message):
    return replace(incoming(message), screened=PRESSING)


class TestAMessageThatTheProtocolAnswers:
    async def test_may_wait_behind_more_and_not_behind_any_number(self, admission):
        for number in range(3 * DANGER_FACTOR):
            await admission.admit(pressing(f"m{number}"))
        for one_more in (pressing("m98"), incoming("m99")):
            with pytest.raises(TooManyRequests) as caught:
                await admission.admit(one_more)
            assert caught.value.what == "waiting messages"

    async def test_may_come_more_often_and_not_any_number_of_times(self, service, admission):
        turns = service.instance()
        for number in range(5 * DANGER_FACTOR):
            await (await turns.submit(pressing(f"m{number}"))).end()
        with pytest.raises(TooManyRequests) as caught:
            await admission.admit(pressing("m99"))
        assert caught.value.what == "messages"

    async def test_is_not_refused_for_what_models_cost(self, service, admission):
        await set_state(service, budget=Budget(llm_calls=10))
        assert (await admission.admit(pressing("m1"))).claimed is not None

    async def test_is_refused_in_an_ended_session_as_any_is(self, service):
        store = DocumentConversationStore(service.database, Over)
        with pytest.raises(SessionEnded):
            await Admission(store, service.clock, service.limits, "one").admit(pressing("m1"))


class TestContention:
    async def test_is_met_with_another_try(self, service):
        contended = Contended(service.store, times=3)
        admission = Admission(contended, service.clock, service.limits, "one")
        assert (await admission.admit(incoming())).claimed is not None
        assert contended.left == 0

    async def test_without_end_is_given_up(self, service):
        admission = Admission(Contended(service.store, ARRIVALS.attempts), service.clock, service.limits, "one")
        with pytest.raises(StoreUnavailable):
            await admission.admit(incoming())
        assert await service.inbox() == ()

    async def test_of_many_copies_stores_one_and_claims_once(self, service, admission):
        admitted = await asyncio.gather(*(admission.admit(incoming("m1")) for _ in range(10)))
        assert sum(each.claimed is not None for each in admitted) == 1
        assert await service.inbox() == ("m1",)
