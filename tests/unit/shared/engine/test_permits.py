"""Before every model call it is asked whether it may still be made: turns by their lease, jobs by the session."""

import asyncio
from datetime import timedelta

import pytest

from shared.contracts.events import Token
from shared.domain.consents import ConsentsWithdrawn, given
from shared.domain.errors import LeaseLost, StoreUnavailable
from shared.domain.mailbox import QueuedMessage, claim, receive
from shared.engine.jobs import FRESH_SECONDS, JobContext
from shared.engine.lease import CONFIRMED_SECONDS, HeldLease
from shared.engine.runner import AgentRunner
from shared.engine.speech import speak
from shared.engine.unit_of_work import update
from shared.ports.conversation_documents import VersionedMailbox
from shared.ports.model_settings import ModelSettings
from tests.fakes.echo import ECHO, Echo, EchoInput
from tests.fakes.engine import CONVERSATION, SmallFlow, SmallService, incoming, scope_of

TERMS = {"abroad": "2026-11-22"}
SETTINGS = {"echo": ModelSettings(model="m-1")}
GIVEN = EchoInput(text="안녕")


class AskingFlow(SmallFlow):
    """Asks a model, waits for a test, and asks again."""

    async def run(self, turn):
        await turn.runner.ask(ECHO, GIVEN, turn.scope)
        turn.scope.emit(Token(text="그러셨"))
        self.reached.set()
        await self.hold.wait()
        turn.scope.emit(Token(text="군요"))
        await turn.runner.ask(ECHO, GIVEN, turn.scope)
        return await super().run(turn)


@pytest.fixture
async def service():
    service = SmallService()
    service.terms = dict(TERMS)
    service.flow = AskingFlow()
    service.flow.hold = asyncio.Event()
    service.model.scripts["echo"] = Echo(word="네", count=0)
    await service.open(consents=given(TERMS, TERMS, service.clock.now()))
    return service


async def withdraw(service):
    gone = ConsentsWithdrawn(names=("abroad",), versions=TERMS, withdrawn_at=service.clock.now())
    await update(service.store, service.policy, service.clock, CONVERSATION, gone)


async def test_a_turn_that_is_stopped_asks_no_model_says_nothing_more_and_ends_without_a_consent(service):
    turns = service.instance(settings=SETTINGS)
    stream = await turns.submit(incoming("m1", "비밀이에요"))
    await service.flow.reached.wait()
    await withdraw(service)
    turns.stop(CONVERSATION)
    async with asyncio.timeout(10):
        ending = await stream.end()
    assert ending.code == "consent_required", "nobody had to let the flow go on for it"
    assert len(service.model.requests) == 1
    assert [event.text async for _, event in stream.listen() if isinstance(event, Token)] == ["그러셨"]
    assert await service.inbox() == ("m1",)
    assert await service.history() == []


async def test_a_turn_whose_conversation_is_erased_asks_no_model_and_says_nothing_more(service):
    turns = service.instance(settings=SETTINGS)
    stream = await turns.submit(incoming("m1", "비밀이에요"))
    await service.flow.reached.wait()
    await service.store.erase(CONVERSATION)
    turns.stop(CONVERSATION)
    async with asyncio.timeout(10):
        ending = await stream.end()
    assert ending.code == "not_found", "nobody had to let the flow go on for it"
    assert len(service.model.requests) == 1
    assert [event.text async for _, event in stream.listen() if isinstance(event, Token)] == ["그러셨"]


async def test_stopping_where_nothing_runs_does_nothing(service):
    turns = service.instance(settings=SETTINGS)
    service.flow.hold.set()
    await (await turns.submit(incoming("m1"))).end()
    turns.stop(CONVERSATION)
    assert len(await service.history()) == 2


class Deaf:
    """A store that does not answer to who writes a mailbox."""

    def __init__(self, store):
        self._store = store
        self.deaf = False

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def save_mailbox(self, mailbox):
        if self.deaf:
            raise StoreUnavailable
        return await self._store.save_mailbox(mailbox)


@pytest.fixture
async def held(service):
    now = service.clock.now()
    box = (await service.mailbox()).box
    claimed = claim(receive(box, QueuedMessage(message_id="m1", text="hi", received_at=now), now), "one", now)
    mailbox = await service.store.save_mailbox(VersionedMailbox(claimed, (await service.mailbox()).version))
    service.deaf = Deaf(service.store)
    return HeldLease(service.deaf, mailbox, service.clock)


async def test_a_lease_that_was_confirmed_of_late_costs_nothing_to_ask_for(service, held):
    service.deaf.deaf = True
    service.clock.advance(CONFIRMED_SECONDS - 1)
    await held.confirmed()


async def test_one_that_the_store_has_not_confirmed_for_long_is_asked_for_before_a_model_is(service, held):
    service.clock.advance(CONFIRMED_SECONDS)
    await held.confirmed()
    service.deaf.deaf = True
    await held.confirmed()
    service.clock.advance(CONFIRMED_SECONDS)
    with pytest.raises(StoreUnavailable):
        await held.confirmed()


async def test_one_that_is_lost_lets_no_model_be_asked(held):
    held.lose()
    with pytest.raises(LeaseLost):
        await held.confirmed()


class TestAJob:
    @pytest.fixture
    def context(self, service):
        return JobContext(service.store, service.policy, AgentRunner(service.model, SETTINGS, service.clock))

    @pytest.fixture
    async def scope(self, service, context):
        return context.scope(await service.state())

    async def test_asks_the_first_time_on_what_it_has_just_read(self, service, context, scope):
        await withdraw(service)
        assert (await context.runner.ask(ECHO, GIVEN, scope)).word == "네"

    async def test_looks_again_before_its_first_call_when_that_was_a_while_ago(self, service, context, scope):
        await withdraw(service)
        service.clock.advance(FRESH_SECONDS)
        assert await context.runner.ask(ECHO, GIVEN, scope) == ECHO.safe_default
        assert service.model.requests == []
        assert [run.error.split(":")[0] for run in scope.ledger.runs] == ["model_not_allowed"]
        assert scope.ledger.spent().llm_calls == 0

    async def test_asks_no_more_once_a_consent_is_withdrawn(self, service, context, scope):
        await context.runner.ask(ECHO, GIVEN, scope)
        await withdraw(service)
        assert await context.runner.ask(ECHO, GIVEN, scope) == ECHO.safe_default
        assert len(service.model.requests) == 1

    async def test_asks_no_more_once_the_conversation_is_erased(self, service, context, scope):
        await context.runner.ask(ECHO, GIVEN, scope)
        await service.store.erase(CONVERSATION)
        assert await context.runner.ask(ECHO, GIVEN, scope) == ECHO.safe_default
        assert len(service.model.requests) == 1

    async def test_goes_on_asking_while_it_may(self, service, context, scope):
        for _ in range(3):
            service.clock.advance(timedelta(seconds=5).total_seconds())
            assert (await context.runner.ask(ECHO, GIVEN, scope)).word == "네"


async def test_a_speaker_asks_too():
    service = SmallService()
    scope = scope_of(service.clock)

    async def refused():
        raise LeaseLost(CONVERSATION, 1)

    scope.permit = refused
    runner = AgentRunner(service.model, SETTINGS, service.clock)
    with pytest.raises(LeaseLost):
        await speak(runner, ECHO, GIVEN, (), scope)
    assert service.model.requests == []
