import asyncio
import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.errors import (
    ModelBlocked,
    ModelEmpty,
    ModelNotFound,
    ModelRateLimited,
    ModelStreamBroken,
    ModelTimeout,
    ModelUnavailable,
)
from shared.engine.model_health import ModelHealth
from shared.engine.runner import AgentRunner
from shared.engine.send_budget import TURN_SENDS, SendBudget
from shared.engine.speech import speak
from shared.engine.token_bucket import TokenBucket
from shared.engine.watched_model import WatchedModel
from shared.ports.model_answers import ModelChunk, ModelReply
from shared.ports.model_settings import ModelSettings
from tests.builders.small_service import scope_of
from tests.fakes.echo import ECHO, SPEAKER, EchoInput
from tests.fakes.scripted_model import AlwaysThere
from tests.fakes.settable_clock import SettableClock

FAULTS = [ModelUnavailable, ModelTimeout, ModelRateLimited, ModelEmpty, ModelBlocked, ModelNotFound, ModelStreamBroken]
GIVEN = EchoInput(text="", rule="r")


class Faulty(AlwaysThere):
    """A model with random faults that counts the requests sent, including the SDK's retries."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.sent = 0
        self.retries = 0

    def _draw(self, request):
        sends = self.chance.randint(1, request.attempts)
        self.sent += sends
        if self.chance.random() < 0.7:
            raise self.chance.choice(FAULTS)("drawn").billed(sends=sends)
        return sends

    async def generate(self, request):
        await asyncio.sleep(0)
        sends = self._draw(request)
        return ModelReply(text=self.chance.choice(["no json", '{"word": "네", "count": 0}']), sends=sends)

    async def stream(self, request):
        sends = self._draw(request)
        if self.chance.random() < 0.3:
            await asyncio.sleep(0.01)
        yield ModelChunk(text=self.chance.choice(["네", "그런 밤이 길게 느껴지셨겠어요."]), sends=sends)
        if self.chance.random() < 0.3:
            raise ModelStreamBroken("drawn")


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), agents=st.integers(0, 5), fallback=st.booleans())
async def test_no_turn_sends_more_than_its_budget_under_random_faults(seed, agents, fallback):
    clock, model = SettableClock(), Faulty(seed)
    first = ModelSettings(model="m-1", hedge_s=0.001)
    second = first.model_copy(update={"model": "m-2"}) if fallback else None
    used = first.model_copy(update={"fallback": second, "fallback_on_failure": seed % 2 == 0})
    runner = AgentRunner(WatchedModel(model, ModelHealth(clock)), {"echo": used, "speaker": used}, clock)
    for _ in range(3):
        scope, before = scope_of(clock), model.sent
        scope.sends = SendBudget(TURN_SENDS)
        await asyncio.gather(*(runner.ask(ECHO, GIVEN, scope) for _ in range(min(agents, 2))))
        for _ in range(agents - 2):
            await runner.ask(ECHO, GIVEN, scope)
        analysed = model.sent - before
        assert analysed <= max(agents, TURN_SENDS - 2), "only a turn without retries spends the second stream's request"
        await speak(runner, SPEAKER, GIVEN, (), scope)
        sent = model.sent - before
        assert sent <= TURN_SENDS
        assert scope.ledger.spent().llm_calls <= TURN_SENDS
        clock.advance(20)


class TestATurnsBudget:
    budget = pytest.fixture(lambda self: SendBudget(TURN_SENDS))

    def test_is_enough_to_ask_every_agent_once_and_to_speak(self, budget):
        for _ in range(5):
            budget.settle(budget.for_analyser(again=False), 1)
        assert (budget.for_stream(), budget.left) == (1, 1), "one more is for what is asked in vain"

    def test_reserves_two_streams_of_the_counselor_from_analysers_and_their_retries(self, budget):
        granted = []
        with suppress(ModelUnavailable):
            while True:
                granted.append(budget.for_analyser(again=True))
        assert (sum(granted), budget.left) == (TURN_SENDS - 2, 2)
        assert [budget.for_stream(), budget.for_stream()] == [1, 1]


def test_a_bucket_gives_its_burst_then_its_rate_and_saves_up_no_more_than_the_burst(clock):
    bucket = TokenBucket(rate=2, burst=3, clock=clock)
    for quiet in (0, 3600):
        clock.advance(quiet)
        for _ in range(3):
            assert bucket.wait_s() == 0
            bucket.take()
        for wait in (0.5, 0.25):
            assert bucket.wait_s() == wait
            clock.advance(0.25)
        assert bucket.wait_s() == 0
    for _ in range(3):
        bucket.take()
    assert bucket.wait_s() == 1.5, "a token taken too early is owed"
