"""When every model hangs, the degraded reply comes within the turn's limit, and at once while the breakers are open."""

import asyncio
from dataclasses import replace

import pytest

from shared.domain.errors import ModelTimeout, ModelTruncated
from shared.domain.turn import DecidedBy
from shared.engine.model_health import ModelHealth
from shared.engine.runner import AgentRunner
from shared.engine.send_budget import TURN_SENDS, SendBudget
from shared.engine.turn_worker import ANALYSIS_SECONDS, FIRST_WORD_SECONDS
from shared.engine.watched_model import WatchedModel
from shared.ports.model_answers import ModelChunk
from tests.builders.shipped_settings import shipped_settings
from tests.fakes.scripted_model import AlwaysThere

BETWEEN_TURNS_S = 2.0


class Hanging(AlwaysThere):
    """Lets every call time out; parallel calls time out at the same time.

    Attributes:
        sends: The number of requests of this turn.
    """

    def __init__(self, clock):
        self.clock = clock
        self.sends = 0

    async def _hang(self, seconds):
        self.sends += 1
        ends = self.clock.monotonic() + seconds
        await asyncio.sleep(0)
        self.clock.advance(max(ends - self.clock.monotonic(), 0))
        raise ModelTimeout("hung")

    async def generate(self, request):
        await self._hang(request.settings.timeout_s)

    async def stream(self, request):
        await self._hang(request.settings.first_token_s)
        yield


async def turns(talk, model, text, times, before_each=lambda number: None):
    """Take turns under the engine's limits; return the seconds, the requests and whether it was degraded for each."""
    talk.runner = AgentRunner(WatchedModel(model, ModelHealth(talk.clock)), shipped_settings(), talk.clock)
    taken = []
    for number in range(times):
        before_each(number)
        began, model.sends = talk.clock.monotonic(), 0
        turn = talk.turn(text)
        limits = {"answers_by": began + ANALYSIS_SECONDS, "first_word_by": began + FIRST_WORD_SECONDS}
        scope = replace(turn.scope, sends=SendBudget(TURN_SENDS), **limits)
        outcome = await talk.flow.run(replace(turn, scope=scope))
        talk.commit(turn, outcome)
        degraded = "degraded" in outcome.flags
        assert degraded is (scope.ledger.runs[-1].decided_by is DecidedBy.SAFE_DEFAULT)
        taken.append((talk.clock.monotonic() - began, model.sends, degraded))
        talk.clock.advance(BETWEEN_TURNS_S)
    return taken


@pytest.mark.parametrize("text", ["오늘은 그냥 집에 있었어요", "네, 그런 것 같기도 해요"])
async def test_a_turn_ends_within_its_limit_and_without_a_wait_once_the_breakers_are_open(talk, text):
    seconds, sends, degraded = zip(*await turns(talk, Hanging(talk.clock), text, 12), strict=True)
    assert all(degraded)
    assert max(seconds) <= FIRST_WORD_SECONDS
    assert max(sends) <= TURN_SENDS
    assert max(seconds[4:]) <= 2, "with open breakers a turn waits for one probe at most"
    assert (min(seconds[4:]), min(sends[4:])) == (0, 0)


class Slow(Hanging):
    """Its streams start after three seconds; its whole answers take `answers_after_s`."""

    async def generate(self, request):
        self.clock.advance(self.answers_after_s)
        raise ModelTruncated("an answer of no use")

    async def stream(self, request):
        if request.settings.first_token_s < 3:
            await self._hang(request.settings.first_token_s)
        await asyncio.sleep(0)
        self.clock.advance(3)
        yield ModelChunk(text="많이 지치셨을 것 같아요.")


async def test_streams_cut_by_the_turns_own_deadline_do_not_open_the_models_breaker(talk):
    model = Slow(talk.clock)
    model.answers_after_s = 2.6

    def quick_at_last(number):
        if number == 4:
            model.answers_after_s = 0.1

    taken = await turns(talk, model, "오늘은 그냥 집에 있었어요", 5, quick_at_last)
    assert [degraded for *_, degraded in taken] == [True] * 4 + [False], (
        "the first four streams had less than three seconds"
    )
