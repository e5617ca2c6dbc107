"""A late stream gets a second one beside it: the first that speaks is shown, the other closed and counted."""

import asyncio

import pytest

from shared.contracts.events import Replace, Token
from shared.domain.errors import LeaseLost, ModelEmpty, ModelResting, ModelTimeout, ModelUnavailable
from shared.domain.turn import DecidedBy
from shared.engine.hedge_quota import HedgeQuota
from shared.engine.runner import AgentRunner
from shared.engine.send_budget import SendBudget
from shared.engine.speech import speak
from shared.ports.model_answers import ModelChunk, Usage
from shared.ports.model_settings import ModelSettings
from tests.builders.small_service import CONVERSATION, scope_of
from tests.fakes.echo import SPEAKER, EchoInput
from tests.fakes.settable_clock import SettableClock

WHOLE = "많이 지치셨을 것 같아요. 어떤 점이 가장 힘드셨나요?"
LATE_S = 0.02
COUNTED = Usage(prompt_tokens=90, output_tokens=4)


class Streams:
    """Each stream in turn: `hang` never speaks, an error is raised, a text is said.

    Attributes:
        models: Which model each stream was asked of.
        closed: Those that were closed before their end, by number.
    """

    def __init__(self, *acts, thinks=False):
        self.acts = acts
        self.thinks = thinks
        self.models = []
        self.closed = []
        self.hanging = asyncio.Event()

    async def warm(self):
        """Nothing is to be made."""

    async def stream(self, request):
        number = len(self.models)
        self.models.append(request.settings.model)
        assert request.attempts == 1, "the SDK retries no stream"
        act = self.acts[number]
        try:
            if isinstance(act, Exception):
                raise act
            if act == "hang":
                if self.thinks:
                    yield ModelChunk(text="", usage=COUNTED)
                self.hanging.set()
                await asyncio.Event().wait()
            for piece in act.split(" "):
                yield ModelChunk(text=f"{piece} ", usage=Usage(prompt_tokens=100, output_tokens=10))
        except (asyncio.CancelledError, GeneratorExit):
            self.closed.append(number)
            raise


class Stage:
    """A speaker whose first stream may be late."""

    def __init__(self, *acts, fallback="m-2", hedge_s=LATE_S, sends=None, thinks=False):
        self.clock = SettableClock()
        self.model = Streams(*acts, thinks=thinks)
        settings = ModelSettings(model="m-1", hedge_s=hedge_s, price_in=1000)
        second = fallback and settings.model_copy(update={"model": fallback})
        settings = settings.model_copy(update={"fallback": second, "fallback_on_failure": True})
        self.runner = AgentRunner(self.model, {"speaker": settings}, self.clock)
        self.events = []
        self.scope = scope_of(self.clock, emit=self.events.append)
        self.scope.sends = SendBudget(sends)

    async def speak(self):
        async with asyncio.timeout(10):
            return await speak(self.runner, SPEAKER, EchoInput(text="", rule="r"), (), self.scope)

    async def break_off_when_late(self):
        """End a turn whose first stream still hangs some time after a second one could have been asked for."""
        speaking = asyncio.create_task(self.speak())
        await self.model.hanging.wait()
        await asyncio.sleep(4 * LATE_S)
        assert not speaking.done()
        speaking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await speaking

    @property
    def runs(self):
        return self.scope.ledger.runs

    @property
    def shown(self):
        return "".join(event.text for event in self.events if isinstance(event, Token)).rstrip()


@pytest.mark.parametrize(("fallback", "asked"), [("m-2", "m-2"), (None, "m-1")])
async def test_a_second_stream_speaks_beside_a_silent_one_which_is_closed_and_counted(fallback, asked):
    stage = Stage("hang", WHOLE, fallback=fallback, thinks=True)
    assert (await stage.speak()).text == stage.shown == WHOLE
    assert (stage.model.models, stage.model.closed) == (["m-1", asked], [0])
    assert not any(isinstance(event, Replace) for event in stage.events)
    lost, won = stage.runs
    assert lost.reason == "cancelled: another stream spoke first"
    assert (lost.model, lost.attempts, lost.prompt_tokens, lost.output_tokens, lost.cost_krw) == ("m-1", 1, 90, 4, 0.09)
    assert (won.model, won.error) == (asked, None)
    assert won.decided_by is (DecidedBy.FALLBACK_MODEL if fallback else DecidedBy.MODEL)
    assert stage.scope.ledger.spent().llm_calls == 2
    assert not stage.scope.ledger.failed("speaker")


@pytest.mark.parametrize("second", [ModelUnavailable("503"), ModelEmpty("blank")])
async def test_a_second_stream_that_fails_leaves_the_first_one_its_time(second):
    stage = Stage("hang", second)
    await stage.break_off_when_late()
    assert stage.model.closed == [0], "a turn that is broken off closes its streams"
    assert stage.model.models == ["m-1", "m-2"]


async def test_where_the_fallback_rests_the_second_stream_is_the_same_models():
    stage = Stage("hang", ModelResting("left alone"), WHOLE)
    assert (await stage.speak()).text == WHOLE
    assert stage.model.models == ["m-1", "m-2", "m-1"]
    assert [run.model for run in stage.runs] == ["m-1", "m-1"]


@pytest.mark.parametrize(
    ("acts", "sends", "asked", "left"),
    [([ModelEmpty("blank")], 1, ["m-1"], 0), ([ModelResting("left alone")] * 2, 2, ["m-1", "m-2"], 2)],
    ids=["the turn's last request leaves none for a second stream", "a model that rests costs nothing"],
)
async def test_each_stream_is_paid_from_the_turns_budget(acts, sends, asked, left):
    stage = Stage(*acts, sends=sends)
    assert await stage.speak() is None
    assert (stage.model.models, stage.scope.sends.left) == (asked, left)


async def test_a_first_word_is_waited_for_until_the_turns_limit_only():
    stage = Stage(ModelTimeout("late"), hedge_s=None)
    stage.scope.first_word_by = stage.clock.monotonic() + 3
    asked = []

    async def stream(request):
        asked.append(request.settings.first_token_s)
        stage.clock.advance(3)
        raise ModelTimeout("late")
        yield

    stage.model.stream = stream
    assert await stage.speak() is None
    assert asked == [3], "and not asked again behind it"


async def test_a_lost_lease_ends_both_streams():
    async def refused():
        if stage.model.models:
            raise LeaseLost(CONVERSATION, 1)

    stage = Stage("hang", WHOLE)
    stage.scope.permit = refused
    with pytest.raises(LeaseLost):
        await stage.speak()
    assert (stage.model.models, stage.model.closed) == (["m-1"], [0])


async def test_second_streams_stay_rare_and_without_allowance_a_late_stream_is_waited_for():
    quota, hedged = HedgeQuota(), 0
    for _ in range(200):
        quota.opened()
        hedged += quota.take()
    assert hedged <= 200 * 0.1 + 5
    stage = Stage("hang")
    while stage.runner.hedges.take():
        pass
    await stage.break_off_when_late()
    assert stage.model.models == ["m-1"]
