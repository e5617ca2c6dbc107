import asyncio
import logging
from contextlib import suppress

import pytest

from shared.domain.errors import (
    ModelAccessDenied,
    ModelBlocked,
    ModelError,
    ModelNotAllowed,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelResting,
    ModelStreamBroken,
    ModelTimeout,
    ModelTruncated,
    ModelUnavailable,
    Refusal,
)
from shared.engine.circuit_breaker import FIRST_REST_S, OPENS_AFTER
from shared.engine.model_health import (
    LASTING_S,
    REST_S,
    SILENT_FOR_S,
    TELL_AGAIN_S,
    UNANSWERED,
    ModelHealth,
    ModelState,
)
from shared.engine.watched_model import PROBE_S, PROBES_APART_S, WatchedModel
from shared.ports.language_model import ModelMessage, ModelRequest
from shared.ports.model_settings import ModelSettings
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

GONE = ModelNotFound("404 NOT_FOUND")
REFUSED = ModelRejected("400 INVALID_ARGUMENT")
DENIED = ModelAccessDenied("403 PERMISSION_DENIED", Refusal.PERMISSION)


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def health(clock):
    return ModelHealth(clock)


def request(agent="counselor", model="m-1"):
    words = (ModelMessage(role="user", text="안녕"),)
    return ModelRequest(agent=agent, system="", messages=words, settings=ModelSettings(model=model))


class Errors:
    """The lines that were logged at ERROR."""

    def __init__(self, caplog):
        self._caplog = caplog

    @property
    def lines(self):
        return [one.getMessage() for one in self._caplog.records if one.levelno == logging.ERROR]


@pytest.fixture
def errors(caplog):
    return Errors(caplog)


def silence(health, clock, error, model="m-1", agent="counselor", seconds=SILENT_FOR_S):
    """Let calls fail over some time."""
    for step in range(UNANSWERED):
        health.failed(error, model, agent)
        if step + 1 < UNANSWERED:
            clock.advance(seconds / (UNANSWERED - 1))


class TestTheStatus:
    def test_is_ok_as_long_as_nothing_failed(self, health):
        assert (health.status.state, health.status.reason, health.problems) == (ModelState.OK, None, ())

    @pytest.mark.parametrize("error", [GONE, ModelAccessDenied("403", Refusal.PERMISSION)])
    def test_is_degraded_while_one_model_is_dead_and_another_answers(self, health, error):
        health.failed(error, "m-1", "counselor")
        health.answered("m-2", "counselor")
        assert health.status.state is ModelState.DEGRADED
        assert health.status.reason == f"m-1: {error.code}"

    @pytest.mark.parametrize(
        ("error", "reason"),
        [(GONE, "m-1: model_not_found; m-2: model_not_found"), (DENIED, "access denied: permission")],
    )
    def test_is_unreachable_when_every_model_is_dead(self, health, error, reason):
        health.failed(error, "m-1", "counselor")
        health.failed(error, "m-2", "counselor")
        assert (health.status.state, health.status.reason) == (ModelState.UNREACHABLE, reason)

    def test_is_degraded_while_one_agents_requests_are_refused(self, health):
        health.answered("m-1", "closer")
        health.failed(REFUSED, "m-1", "counselor")
        health.answered("m-1", "closer")
        assert health.status.state is ModelState.DEGRADED
        assert health.status.reason == "m-1 for counselor: model_rejected"

    def test_is_unreachable_when_every_request_is_refused(self, health):
        health.failed(REFUSED, "m-1", "counselor")
        health.failed(REFUSED, "m-1", "closer")
        assert health.status.state is ModelState.UNREACHABLE

    @pytest.mark.parametrize("refusal", [one for one in Refusal if one is not Refusal.PERMISSION])
    def test_is_unreachable_without_access_and_says_why(self, health, refusal):
        health.answered("m-1", "counselor")
        health.failed(ModelAccessDenied("403", refusal), "m-1", "counselor")
        assert health.status.state is ModelState.UNREACHABLE
        assert refusal.value in health.status.reason

    @pytest.mark.parametrize("error", [ModelUnavailable("503"), ModelTimeout("slow"), ModelRateLimited("429")])
    def test_is_degraded_while_one_model_is_silent_though_another_answers_all_the_time(self, health, clock, error):
        for _ in range(UNANSWERED):
            health.failed(error, "m-1", "counselor")
            health.answered("m-2", "closer")
            clock.advance(SILENT_FOR_S)
        assert health.status.state is ModelState.DEGRADED
        assert health.status.reason == f"m-1: {error.code}"

    def test_is_unreachable_when_nothing_answers_any_more(self, health, clock):
        health.answered("m-1", "counselor")
        silence(health, clock, ModelUnavailable("503"))
        assert health.status.state is ModelState.UNREACHABLE

    def test_takes_calls_that_fail_in_one_moment_for_one_hiccup(self, health, clock):
        silence(health, clock, ModelTimeout("slow"), seconds=SILENT_FOR_S / 2)
        assert health.status.state is ModelState.OK

    def test_takes_an_answer_of_no_use_for_an_answer(self, health, clock):
        for _ in range(3 * UNANSWERED):
            health.failed(ModelTimeout("slow"), "m-1", "counselor")
            health.failed(ModelBlocked("SAFETY"), "m-1", "closer")
            clock.advance(SILENT_FOR_S)
        assert health.status.state is ModelState.OK

    def test_names_an_agent_whose_answers_are_cut_each_time(self, health):
        for _ in range(UNANSWERED):
            health.failed(ModelTruncated("MAX_TOKENS"), "m-1", "planner")
        assert health.status.reason == "m-1 for planner: model_truncated"
        health.answered("m-1", "planner")
        assert health.status.state is ModelState.OK

    def test_is_ok_again_once_the_model_answers(self, subtests):
        for error in (GONE, REFUSED, DENIED, ModelUnavailable("503")):
            with subtests.test(error=error):
                clock = SettableClock()
                health = ModelHealth(clock)
                silence(health, clock, error)
                assert health.status.state is not ModelState.OK
                health.answered("m-1", "counselor")
                assert (health.status.state, health.problems) == (ModelState.OK, ())


class TestALook:
    class Looked(ScriptedModel):
        def __init__(self, **found):
            super().__init__()
            self.found = found

        async def check(self, model):
            if isinstance(self.found[model], Exception):
                raise self.found[model]
            return self.found[model]

    async def look(self, health, **found):
        await health.look(self.Looked(**found), found)
        return health.status

    async def test_says_before_the_first_call_what_is_not_served(self, health, errors):
        status = await self.look(health, gone=GONE, served=True)
        assert (status.state, status.reason) == (ModelState.DEGRADED, "gone: model_not_found")
        assert len(errors.lines) == 1
        assert not health.breaker("gone").rests, "a gateway may answer calls and know no list of models"

    async def test_knows_nothing_of_a_model_that_cannot_be_looked_at(self, health):
        status = await self.look(health, late=ModelTimeout("late"), unasked=False, strange=REFUSED, served=True)
        assert status.state is ModelState.OK

    async def test_that_reaches_nobody_says_so_until_a_call_does(self, health):
        status = await self.look(health, a=ModelUnavailable("no route"), b=ModelTimeout("late"))
        assert status.state is ModelState.UNREACHABLE
        assert len(health.problems) == 1
        health.answered("a", "counselor")
        assert health.status.state is ModelState.OK

    async def test_that_comes_late_takes_nothing_back_of_what_a_call_has_shown(self, health):
        health.answered("a", "counselor")
        status = await self.look(health, a=ModelTimeout("late"))
        assert status.state is ModelState.OK

    async def test_tells_a_refused_key_once_for_all_models(self, health, errors):
        denied = ModelAccessDenied("400", Refusal.KEY)
        status = await self.look(health, a=denied, b=denied)
        assert (status.state, status.reason) == (ModelState.UNREACHABLE, "access denied: key")
        assert len(errors.lines) == 1


class TestAProblem:
    def test_is_told_once_at_error_with_what_to_change(self, health, errors):
        for _ in range(5):
            health.failed(GONE, "m-1", "counselor")
        (line,) = errors.lines
        assert "m-1 is not served (404): set another in agents.yaml, CBOT_AGENTS_FILE" in line

    @pytest.mark.parametrize(
        ("refusal", "change"),
        [
            (Refusal.KEY, "GEMINI_API_KEY"),
            (Refusal.PERMISSION, "billing"),
            (Refusal.LOCATION, "region"),
            (Refusal.CREDENTIALS, "roles/aiplatform.user"),
        ],
    )
    def test_of_access_names_what_to_change(self, health, errors, refusal, change):
        health.failed(ModelAccessDenied("403", refusal), "m-1", "counselor")
        assert change in errors.lines[0]
        assert change in health.problems[0]

    def test_that_comes_and_goes_is_told_once_in_half_an_hour(self, health, errors, clock):
        for _ in range(3):
            health.failed(GONE, "m-1", "counselor")
            health.answered("m-1", "counselor")
        assert len(errors.lines) == 1
        clock.advance(TELL_AGAIN_S)
        health.failed(GONE, "m-1", "counselor")
        assert len(errors.lines) == 2

    @pytest.mark.parametrize(
        ("error", "advice"), [(ModelUnavailable("503"), "network"), (ModelRateLimited("429"), "quota")]
    )
    def test_of_the_moment_is_no_error_but_has_its_advice(self, health, clock, errors, error, advice):
        silence(health, clock, error)
        assert errors.lines == []
        assert advice in health.problems[0]


class TestAWatchedModel:
    @pytest.fixture
    def model(self):
        return ScriptedModel({"counselor": "네, 그래요."})

    @pytest.fixture
    def watched(self, model, health):
        return WatchedModel(model, health)

    async def ask(self, watched, *, streamed, **asked):
        if not streamed:
            return (await watched.generate(request(**asked))).text
        return "".join([chunk.text async for chunk in watched.stream(request(**asked))])

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_hands_answers_and_failures_on(self, watched, model, health, streamed):
        assert await self.ask(watched, streamed=streamed) == "네, 그래요."
        model.scripts["counselor"] = ModelAccessDenied("400", Refusal.KEY)
        with pytest.raises(ModelAccessDenied):
            await self.ask(watched, streamed=streamed)
        assert health.status.state is ModelState.UNREACHABLE

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_does_not_ask_a_dead_model_again_for_a_while(self, watched, model, clock, streamed):
        model.scripts["counselor"] = GONE
        for expected in (ModelNotFound, ModelResting, ModelResting):
            with pytest.raises(expected):
                await self.ask(watched, streamed=streamed)
        assert len(model.requests) == 1
        clock.advance(REST_S)
        model.scripts["counselor"] = "네."
        assert await self.ask(watched, streamed=streamed) == "네."
        assert watched.health.status.state is ModelState.OK

    async def test_lets_another_model_answer_meanwhile(self, watched, model):
        model.scripts["counselor"] = [GONE, "네."]
        with pytest.raises(ModelNotFound):
            await self.ask(watched, streamed=False)
        assert await self.ask(watched, streamed=False, model="m-2") == "네."

    async def test_holds_nothing_against_a_call_that_was_never_sent(self, watched, model, health):
        for error in (ModelNotAllowed("withdrawn"), *[ModelTimeout("late").billed(sends=0)] * UNANSWERED):
            model.scripts["counselor"] = error
            with pytest.raises(ModelError):
                await self.ask(watched, streamed=False)
        assert health.status.state is ModelState.OK

    async def test_leaves_a_model_alone_that_does_not_answer(self, subtests):
        cases = [
            (ModelUnavailable("503"), OPENS_AFTER),
            (ModelTimeout("slow"), 2),
            (ModelStreamBroken("cut"), OPENS_AFTER),
        ]
        for streamed in (False, True):
            for error, calls in cases:
                with subtests.test(streamed=streamed, error=error, calls=calls):
                    model = ScriptedModel({"counselor": "네, 그래요."})
                    clock = SettableClock()
                    health = ModelHealth(clock)
                    watched = WatchedModel(model, health)
                    model.scripts["counselor"] = error
                    for _ in range(OPENS_AFTER + 2):
                        with pytest.raises((type(error), ModelResting)):
                            await self.ask(watched, streamed=streamed)
                    assert len(model.requests) == calls
                    clock.advance(FIRST_REST_S)
                    model.scripts["counselor"] = "네."
                    assert await self.ask(watched, streamed=streamed) == "네."
                    probe = model.requests[-1]
                    patience = probe.settings.first_token_s if streamed else probe.settings.timeout_s
                    assert (probe.attempts, patience) == (1, PROBE_S), "somebody may wait for it"
                    await self.ask(watched, streamed=streamed)
                    assert model.requests[-1].settings == request().settings

    async def test_after_a_probe_that_failed_no_other_model_is_probed_in_the_same_turn(self, watched, model, clock):
        names = ("gemini-3.6-flash", "gemini-3.5-flash-lite")
        asked = [request(model=name) for name in names]
        model.scripts["counselor"] = ModelUnavailable("503")
        for one in (*asked, *asked, *asked):
            with pytest.raises(ModelError):
                await watched.generate(one)
        clock.advance(FIRST_REST_S)
        sent = len(model.requests)
        for one in asked:
            with pytest.raises(ModelError):
                await watched.generate(one)
        assert len(model.requests) == sent + 1
        clock.advance(PROBES_APART_S)
        with pytest.raises(ModelUnavailable):
            await watched.generate(asked[1])
        assert len(model.requests) == sent + 2

    async def test_a_429_that_asks_for_a_pause_gets_it(self, watched, model, clock):
        model.scripts["counselor"] = [ModelRateLimited("429", retry_after_s=40), "네."]
        for expected in (ModelRateLimited, ModelResting):
            with pytest.raises(expected):
                await self.ask(watched, streamed=True)
        clock.advance(40)
        assert await self.ask(watched, streamed=True) == "네."

    @pytest.mark.parametrize("error", [ModelBlocked("SAFETY"), ModelRejected("400"), DENIED])
    async def test_a_probe_that_is_refused_has_reached_the_provider(self, watched, model, clock, error):
        model.scripts["counselor"] = [*[ModelUnavailable("503")] * OPENS_AFTER, error, "네.", "네."]
        for _ in range(OPENS_AFTER + 1):
            with pytest.raises(ModelError):
                await self.ask(watched, streamed=True)
            clock.advance(FIRST_REST_S)
        for _ in range(2):
            assert await self.ask(watched, streamed=True) == "네."

    @pytest.mark.parametrize(("silent_s", "left_alone"), [(2.0, True), (1.9, False)])
    async def test_a_stream_that_is_closed_after_a_silence_longer_than_usual_did_not_answer(
        self, watched, model, clock, silent_s, left_alone
    ):
        async def hang(_request):
            clock.advance(silent_s)
            await asyncio.Event().wait()
            yield

        model.stream = hang
        settings = ModelSettings(model="m-1", hedge_s=2)
        for _ in range(OPENS_AFTER):
            assert not watched.health.breaker("m-1", streamed=True).rests, "it might have spoken yet"
            stream = watched.stream(request().model_copy(update={"settings": settings}))
            reading = asyncio.create_task(anext(stream))
            await asyncio.sleep(0)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        assert watched.health.breaker("m-1", streamed=True).rests is left_alone

    @pytest.mark.parametrize(("others_hang", "refused"), [(True, True), (False, False)])
    async def test_streams_cut_short_open_their_breakers_in_two_turns_only_where_every_model_hangs(
        self, watched, model, others_hang, refused
    ):
        model.scripts["checker"] = ModelTimeout("slow") if others_hang else "{}"
        model.scripts["counselor"] = ModelTimeout("slow")
        for turn in range(2):
            for _ in range(2):
                with suppress(ModelTimeout):
                    await watched.generate(request(agent="checker", model=f"analysers-{turn}"))
            for name in ("m-1", "m-2"):
                with pytest.raises(ModelTimeout):
                    async for _ in watched.stream(request(model=name).model_copy(update={"cut_short": True})):
                        pass
        for name in ("m-1", "m-2"):
            assert watched.health.breaker(name, streamed=True).rests is refused

    async def test_a_429_that_lasts_is_told_once(self, watched, model, clock, errors):
        model.scripts["counselor"] = ModelRateLimited("429")
        for _ in range(40):
            with pytest.raises(ModelError):
                await self.ask(watched, streamed=True)
            clock.advance(LASTING_S / 20)
        (line,) = errors.lines
        assert "m-1 answers 429: raise its quota" in line

    async def test_streams_that_hang_say_nothing_of_whole_answers_and_a_spent_quota_does(self, watched, model, clock):
        model.scripts["counselor"] = ModelTimeout("slow")
        for _ in range(3):
            with pytest.raises(ModelError):
                await self.ask(watched, streamed=True)
        model.scripts["counselor"] = ["네.", ModelRateLimited("429", retry_after_s=40)]
        assert await self.ask(watched, streamed=False) == "네."
        with pytest.raises(ModelResting):
            await self.ask(watched, streamed=True)
        clock.advance(FIRST_REST_S)
        with pytest.raises(ModelRateLimited):
            await self.ask(watched, streamed=True)
        with pytest.raises(ModelResting):
            await self.ask(watched, streamed=False)

    @pytest.fixture
    async def half_open(self, watched, model, clock):
        """A model whose breakers let one probe out."""
        model.scripts["counselor"] = ModelUnavailable("503")
        for streamed in (False, True):
            for _ in range(OPENS_AFTER):
                with pytest.raises(ModelUnavailable):
                    await self.ask(watched, streamed=streamed)
        clock.advance(FIRST_REST_S)
        return model

    @pytest.mark.parametrize("streamed", [False, True])
    @pytest.mark.parametrize("ends", [ValueError, ModelNotAllowed, asyncio.CancelledError])
    async def test_a_probe_that_ends_in_any_way_lets_the_next_call_probe(self, watched, half_open, ends, streamed):
        half_open.scripts["counselor"] = [ends("unforeseen"), "네."]
        with pytest.raises(ends):
            await self.ask(watched, streamed=streamed)
        assert await self.ask(watched, streamed=streamed) == "네."

    async def test_a_call_that_is_no_probe_releases_none(self, watched, model, clock):
        """A call that began before the breaker opened is cancelled while the probe is under way."""
        under_way = asyncio.Event()

        async def hang(_request):
            under_way.set()
            await asyncio.Event().wait()

        answer, model.generate = model.generate, hang
        earlier = asyncio.create_task(watched.generate(request()))
        await under_way.wait()
        model.generate = answer
        model.scripts["counselor"] = ModelUnavailable("503")
        for _ in range(OPENS_AFTER):
            with pytest.raises(ModelUnavailable):
                await self.ask(watched, streamed=False)
        clock.advance(FIRST_REST_S)
        under_way.clear()
        model.generate = hang
        probe = asyncio.create_task(watched.generate(request()))
        await under_way.wait()
        earlier.cancel()
        await asyncio.gather(earlier, return_exceptions=True)
        with pytest.raises(ModelResting):
            async with asyncio.timeout(1):
                await self.ask(watched, streamed=False)
        probe.cancel()
        await asyncio.gather(probe, return_exceptions=True)

    async def test_a_probe_that_never_ends_lapses_after_its_patience(self, watched, half_open, clock):
        async def hang(_request):
            await asyncio.Event().wait()
            yield

        answer, half_open.stream = half_open.stream, hang
        stream = watched.stream(request())
        reading = asyncio.create_task(anext(stream))
        await asyncio.sleep(0)
        half_open.stream, half_open.scripts["counselor"] = answer, "네."
        clock.advance(PROBE_S - 0.1)
        with pytest.raises(ModelResting):
            await self.ask(watched, streamed=True)
        clock.advance(0.1)
        assert await self.ask(watched, streamed=True) == "네."
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
