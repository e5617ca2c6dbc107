"""What the one commit of a turn holds."""

import asyncio

import pytest

from shared.contracts.tasks import JobKind
from shared.domain.conversation import Budget
from shared.domain.turn import Hook
from shared.engine.flow import Outcome
from shared.ports.model_settings import ModelSettings
from tests.fakes.echo import ECHO, Echo, EchoInput
from tests.fakes.engine import CONVERSATION, Heard, SmallService, incoming


class Asking:
    """A flow that asks the model and says what it answered."""

    def __init__(self, clock):
        self.clock = clock

    async def run(self, turn):
        self.clock.advance(0.5)
        answer = await turn.runner.ask(ECHO, EchoInput(text=turn.text), turn.scope)
        return Outcome(
            reply=answer.word,
            events=(Heard(word=answer.word),),
            hooks=(Hook(type="asked", data={"n": 1}),),
            flags=("f",),
            directive={"stance": "work"},
        )


@pytest.fixture
async def service():
    service = SmallService()
    await service.open(budget=Budget(llm_calls=1, prompt_tokens=5, output_tokens=5, cost_krw=1))

    def slowly(request):
        service.clock.advance(2)
        return Echo(word="네", count=0)

    service.model.scripts["echo"] = slowly
    settings = {"echo": ModelSettings(model="m", price_in=1000, price_out=20000)}
    turns = service.instance(flow=Asking(service.clock), settings=settings)
    async with asyncio.timeout(10):
        service.done = await (await turns.submit(incoming("m1", "안녕"))).end()
    return service


async def test_the_budget_grows_by_what_the_turn_spent(service):
    assert (await service.state()).budget == Budget(llm_calls=2, prompt_tokens=105, output_tokens=15, cost_krw=1.3)
    record = await service.store.turn(CONVERSATION, "m1")
    assert record.spent == Budget(llm_calls=1, prompt_tokens=100, output_tokens=10, cost_krw=0.3)


async def test_the_record_tells_the_models_time_from_ours(service):
    record = await service.store.turn(CONVERSATION, "m1")
    assert (record.total_ms, record.overhead_ms) == (2500, 500)


async def test_the_record_holds_directive_agents_events_and_result(service):
    record = await service.store.turn(CONVERSATION, "m1")
    assert record.directive == {"stance": "work"}
    assert [run.agent for run in record.agents] == ["intent", "echo"]
    assert record.events == ("Heard",)
    assert (record.result.hooks, record.result.flags) == ((Hook(type="asked", data={"n": 1}),), ("f",))
    assert record.result.reply == service.done.result.reply == "네"


async def test_retention_of_all_that_belongs_to_the_turn_counts_from_it(service):
    state = await service.state()
    record = await service.store.turn(CONVERSATION, "m1")
    assert record.expire_at == state.expire_at
    assert (await service.store.view(CONVERSATION)).expire_at == state.expire_at


async def test_the_clients_snapshot_is_that_of_the_stored_view(service):
    record = await service.store.turn(CONVERSATION, "m1")
    assert record.result.state_snapshot == (await service.store.view(CONVERSATION)).state_snapshot


async def test_a_turn_that_makes_work_due_marks_the_session_for_the_sweep():
    service = SmallService()
    await service.open()
    turns = service.instance()
    async with asyncio.timeout(10):
        await (await turns.submit(incoming("m1", "안녕"))).end()
        assert (await service.state()).due_since is None
        service.policy.due_kinds = [JobKind.SUPERVISE]
        await (await turns.submit(incoming("m2", "네"))).end()
    assert (await service.state()).due_since == service.clock.now()
