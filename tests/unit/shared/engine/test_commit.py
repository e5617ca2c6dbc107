"""What the one commit of a turn holds."""

from shared.domain.conversation import Budget
from shared.domain.turn import Hook
from shared.engine.flow import Outcome
from shared.ports.model_settings import ModelSettings
from tests.builders.small_service import CONVERSATION, Heard, SmallService, answered
from tests.fakes.echo import ECHO, Echo, EchoInput


class Asking:
    """A flow that asks the model and says what it answered."""

    def __init__(self, clock):
        self.clock = clock

    async def run(self, turn):
        self.clock.advance(0.5)
        answer = await turn.runner.ask(ECHO, EchoInput(text=turn.text), turn.scope)
        told = {"hooks": (Hook(type="asked", data={"n": 1}),), "flags": ("f",), "directive": {"stance": "work"}}
        return Outcome(reply=answer.word, events=(Heard(word=answer.word),), **told)


async def test_the_commit_holds_budget_times_directive_agents_events_result_and_retention():
    service = SmallService()
    await service.open(budget=Budget(llm_calls=1, prompt_tokens=5, output_tokens=5, cost_krw=1))

    def slowly(request):
        service.clock.advance(2)
        return Echo(word="네", count=0)

    service.model.scripts["echo"] = slowly
    settings = {"echo": ModelSettings(model="m", price_in=1000, price_out=20000)}
    done = await answered(service.instance(flow=Asking(service.clock), settings=settings), "m1", "안녕")

    record, state = await service.store.turn(CONVERSATION, "m1"), await service.state()
    assert state.budget == Budget(llm_calls=2, prompt_tokens=105, output_tokens=15, cost_krw=1.3)
    assert record.spent == Budget(llm_calls=1, prompt_tokens=100, output_tokens=10, cost_krw=0.3)
    assert (record.total_ms, record.overhead_ms) == (2500, 500), "the model's time and ours"
    assert record.directive == {"stance": "work"}
    assert [run.agent for run in record.agents] == ["intent", "echo"]
    assert record.events == ("Heard",)
    assert (record.result.hooks, record.result.flags) == ((Hook(type="asked", data={"n": 1}),), ("f",))
    assert record.result.reply == done.result.reply == "네"
    view = await service.store.view(CONVERSATION)
    assert record.expire_at == state.expire_at == view.expire_at
    assert record.result.state_snapshot == view.state_snapshot
