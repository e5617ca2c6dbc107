"""Before every model call it is asked whether it may still be made: turns by their lease, jobs by the session."""

import asyncio

import pytest

from shared.contracts.events import Token
from shared.domain.consents import ConsentsWithdrawn, given
from shared.engine.jobs import FRESH_SECONDS, JobContext
from shared.engine.runner import AgentRunner
from shared.engine.unit_of_work import update
from shared.ports.model_settings import ModelSettings
from tests.builders.small_service import CONVERSATION, SmallFlow, SmallService, ended, heard, incoming
from tests.fakes.echo import ECHO, Echo, EchoInput

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
    service.terms, service.flow = dict(TERMS), AskingFlow()
    service.flow.hold = asyncio.Event()
    service.model.scripts["echo"] = Echo(word="네", count=0)
    await service.open(consents=given(TERMS, TERMS, service.clock.now()))
    return service


async def withdraw(service):
    gone = ConsentsWithdrawn(names=("abroad",), versions=TERMS, withdrawn_at=service.clock.now())
    await update(service.store, service.policy, service.clock, CONVERSATION, gone)


async def erase(service):
    await service.store.erase(CONVERSATION)


@pytest.mark.parametrize(("loses", "code"), [(withdraw, "consent_required"), (erase, "not_found")])
async def test_a_turn_that_is_stopped_asks_no_model_and_says_nothing_more(service, loses, code):
    turns = service.instance(settings=SETTINGS)
    stream = await turns.submit(incoming("m1", "비밀이에요"))
    await service.flow.reached.wait()
    await loses(service)
    turns.stop(CONVERSATION)
    assert (await ended(stream)).code == code, "though the flow was never let go on"
    assert len(service.model.requests) == 1
    assert [event.text for _, event in await heard(stream) if isinstance(event, Token)] == ["그러셨"]
    if loses is withdraw:
        assert (await service.inbox(), await service.history()) == (("m1",), [])


class TestAJob:
    @pytest.fixture
    async def ask(self, service):
        context = JobContext(service.store, service.policy, AgentRunner(service.model, SETTINGS, service.clock))
        self.scope = context.scope(await service.state())
        return lambda: context.runner.ask(ECHO, GIVEN, self.scope)

    async def test_looks_again_before_its_first_call_when_that_was_a_while_ago(self, service, ask):
        await withdraw(service)
        service.clock.advance(FRESH_SECONDS)
        assert await ask() == ECHO.safe_default
        assert service.model.requests == []
        assert [run.error.split(":")[0] for run in self.scope.ledger.runs] == ["model_not_allowed"]
        assert self.scope.ledger.spent().llm_calls == 0

    @pytest.mark.parametrize("loses", [withdraw, erase])
    async def test_asks_no_more_once_a_consent_is_withdrawn_or_the_conversation_erased(self, service, ask, loses):
        await loses(service)
        assert (await ask()).word == "네", "on what it has just read"
        assert await ask() == ECHO.safe_default
        assert len(service.model.requests) == 1
