import asyncio
from dataclasses import replace

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.domain import errors
from shared.domain.conversation import Budget, ConversationState
from shared.domain.mailbox import LEASE_TTL, QueuedMessage
from shared.engine.admission import Admission, Incoming, Limits
from shared.engine.retry import ARRIVALS
from shared.engine.user_usage import DANGER_FACTOR
from shared.ports.conversation_documents import Versioned
from tests.builders.small_service import CONVERSATION, PRESSING, FailingStore, SmallService, answered, ended, incoming


class EndedState(ConversationState):
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
    return admission_over(service, service.store)


def admission_over(service, store):
    return Admission(store, service.clock, service.limits, "one")


def pressing(message):
    return replace(incoming(message), screened=PRESSING)


async def spend(service, **spent):
    snapshot = await service.store.load(CONVERSATION)
    state = snapshot.session.state.model_copy(update={"budget": Budget(**spent)})
    await service.store.save_state(Versioned(state, snapshot.session.version), service.policy.view(state))


class TestANewMessage:
    async def test_is_stored_unchanged_together_with_the_lease(self, service, admission):
        text = "\x00\u202e👩‍👧 h̵i ﷽"
        admitted = await admission.admit(incoming("m1", text))
        box = await service.mailbox()
        assert admitted.claimed.mailbox == box
        assert box.box.inbox == (QueuedMessage(message_id="m1", text=text, received_at=service.clock.now()),)
        assert (box.box.lease.owner, box.box.lease.message_id) == ("one", "m1")

    @pytest.mark.parametrize("seconds", [0, LEASE_TTL.total_seconds()], ids=["a live turn", "an orphan"])
    async def test_is_queued_without_a_lease_behind_another(self, service, admission, seconds):
        await admission.admit(incoming("m1"))
        service.clock.advance(seconds)
        assert (await admission.admit(incoming("m2"))).claimed is None
        assert await service.inbox() == ("m1", "m2")


class TestAMessageSentAgain:
    @pytest.mark.parametrize(
        ("first", "other"),
        [
            (incoming("m1", "one"), incoming("m1", "two")),
            (replace(incoming("m1", "one"), declines="name"), incoming("m1", "one")),
        ],
        ids=["with another text", "with another declined slot"],
    )
    async def test_is_a_conflict_while_it_waits_and_after_its_answer(self, service, admission, first, other):
        turns = service.instance()
        service.flow.hold = asyncio.Event()
        stream = await turns.submit(first)
        with pytest.raises(errors.MessageIdConflict) as caught:
            await admission.admit(other)
        assert caught.value.message_id == "m1"
        assert (await service.mailbox()).box.head().text == "one"
        assert (await admission.admit(first)).answered is None
        service.flow.hold.set()
        await ended(stream)
        with pytest.raises(errors.MessageIdConflict):
            await admission.admit(other)
        assert (await admission.admit(first)).answered.text == "one"

    async def test_with_another_text_at_the_same_time_is_a_conflict_and_one_of_them_is_stored(self, service):
        admissions = [Admission(service.store, service.clock, service.limits, owner) for owner in ("one", "two")]
        outcomes = await asyncio.gather(
            *(admissions[n].admit(incoming("m1", f"text {n}")) for n in range(2)), return_exceptions=True
        )
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Admitted", "MessageIdConflict"]
        won = next(n for n, outcome in enumerate(outcomes) if not isinstance(outcome, Exception))
        assert [waiting.text for waiting in (await service.mailbox()).box.inbox] == [f"text {won}"]

    async def test_is_answered_even_when_a_new_one_would_be_refused(self, service, admission):
        await answered(service.instance(), "m1")
        await spend(service, llm_calls=10)
        assert (await admission.admit(incoming("m1"))).answered.result.reply == "re: hi"


class TestRefusals:
    async def refused(self, service, admission, error):
        before = await service.mailbox()
        with pytest.raises(error) as caught:
            await admission.admit(incoming("m9"))
        assert await service.mailbox() == before
        assert await service.store.turn(CONVERSATION, "m9") is None
        return caught.value

    async def test_another_users_conversation_is_refused_like_an_unknown_one(self, admission):
        with pytest.raises(errors.NotFound) as others:
            await admission.admit(incoming(user="u2"))
        with pytest.raises(errors.NotFound) as unknown:
            await admission.admit(Incoming("u1", "c2", "m1", "hi"))
        assert str(others.value) == str(unknown.value)

    async def test_too_many_waiting(self, service, admission):
        for number in range(3):
            await admission.admit(incoming(f"m{number}"))
        refusal = await self.refused(service, admission, errors.TooManyRequests)
        assert (refusal.what, refusal.retry_after) == ("waiting messages", 5)

    async def test_too_many_in_a_minute_until_the_minute_is_over(self, service, admission):
        turns = service.instance()
        for number in range(5):
            await answered(turns, f"m{number}")
        refusal = await self.refused(service, admission, errors.TooManyRequests)
        assert (refusal.what, refusal.retry_after) == ("messages", 60)
        service.clock.advance(60)
        assert (await admission.admit(incoming("m9"))).claimed is not None

    async def test_a_spent_budget_and_an_ended_session(self, service, admission):
        await spend(service, llm_calls=9, background_calls=500)
        await admission.admit(incoming("m1"))
        await spend(service, llm_calls=10)
        await self.refused(service, admission, errors.BudgetSpent)
        await spend(service)
        over = admission_over(service, DocumentConversationStore(service.database, EndedState))
        await self.refused(service, over, errors.SessionEnded)
        with pytest.raises(errors.SessionEnded):
            await over.admit(pressing("m2"))


async def test_a_message_that_the_crisis_protocol_answers_has_a_higher_limit_of_waiting_messages(admission):
    for number in range(3 * DANGER_FACTOR):
        await admission.admit(pressing(f"m{number}"))
    for one_more in (pressing("m98"), incoming("m99")):
        with pytest.raises(errors.TooManyRequests, match="waiting messages"):
            await admission.admit(one_more)


async def test_contention_is_retried_and_given_up_after_a_number_of_attempts(service):
    def contended(times):
        return FailingStore(service.store, "save_mailbox", *[errors.VersionConflict("mailboxes/c1")] * times)

    with pytest.raises(errors.StoreUnavailable):
        await admission_over(service, contended(ARRIVALS.attempts)).admit(incoming())
    assert await service.inbox() == ()
    store = contended(3)
    assert (await admission_over(service, store).admit(incoming())).claimed is not None
    assert store.errors == []
